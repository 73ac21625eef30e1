"""MetroMap: how many stations lie on the shortest way between two, or how many changes it takes."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import cos, hypot, pi, sin
from typing import Any

import numpy as np

from gym_imagetools.errors import GenerationError
from gym_imagetools.puzzles.drawing.canvas import PALETTES, Canvas, Color, Point, lab_to_rgb
from gym_imagetools.puzzles.drawing.strokes import SAFE_ALPHABET
from gym_imagetools.puzzles.eye import BlurryImage, Oracle, Reply
from gym_imagetools.puzzles.lines.metro_net import (
    STEPS,
    Lattice,
    Net,
    Place,
    distances,
    draw_lines,
    shared,
)
from gym_imagetools.puzzles.lines.metro_reading import read_net
from gym_imagetools.puzzles.looking.gaze import look_around, look_at_tiles
from gym_imagetools.puzzles.looking.reading import read_character
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.types import Pixels

MAX_ATTEMPTS = 600


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        lines: Number of lines.
        side: Points along a side of the lattice.
        stations: Fewest and most stations on the way, both ends included.
        total: Fewest and most stations of the map.
        changes: Most changes on the way; none where only stations are asked for.
        apart: Fewest and most steps on the lattice from one of the two stations to the other.
        labels: Number of lettered stations.
        badge: Radius of their labels, of the pitch.
        size: Side of the picture in pixels.
        tiles: Tiles along a side in which the oracle looks closer.
    """

    lines: int
    side: int
    stations: tuple[int, int]
    total: tuple[int, int]
    changes: int
    apart: tuple[int, int]
    labels: int
    badge: float
    size: int
    tiles: int

    @property
    def lattice(self) -> Lattice:
        """The lattice of the map."""
        return Lattice(self.side, self.size)


LEVELS = (
    Level(2, 6, (3, 6), (9, 10), 0, apart=(2, 3), labels=3, badge=0.17, size=1024, tiles=2),
    Level(3, 7, (3, 7), (13, 15), 0, apart=(2, 4), labels=4, badge=0.17, size=1024, tiles=2),
    Level(4, 8, (4, 9), (20, 24), 2, apart=(3, 5), labels=5, badge=0.16, size=1024, tiles=2),
    Level(6, 11, (4, 11), (36, 48), 2, apart=(3, 5), labels=6, badge=0.14, size=1536, tiles=3),
    Level(8, 14, (5, 13), (60, 78), 3, apart=(4, 6), labels=7, badge=0.13, size=2048, tiles=3),
)

_LETTERS = "".join(letter for letter in SAFE_ALPHABET if letter.isalpha())
_LABEL: Color = (46, 50, 66)
_CARD = 0.02  # around the card, of the picture's side
_STROKE = 0.09  # of the pitch, as all that follow
_CASING = 0.035  # of paper along the line on top where two cross
_BEND = 0.16
_STATION, _RING = 0.12, 0.17
_OUTLINE = 0.03
_LABEL_AWAY = 0.42
_JOINED_SHARE = 0.65  # of the points that lines share


@dataclass(frozen=True)
class Plan:
    """All that is drawn of a map: its net, and its stations by letter, the two asked for first."""

    net: Net
    labels: dict[str, Place]
    attempts: int


class MetroMap(Family):
    """A metro map with lettered stations, two of which are to be connected."""

    name = "MetroMap"
    group = "visual tracking"
    summary = "Count the stations, or the changes, on the best way between two stations."
    answer_type = "integer"
    useful_tools = ("image_zoom_in_tool", "image_crop_tool", "find_color_tool")
    necessary_tools = (("image_zoom_in_tool", "image_crop_tool"),)
    tools_needed_from = 4

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw a map with either question, each as likely where both are asked."""
        level = LEVELS[difficulty - 1]
        asks_stations = not level.changes or bool(rngs.latents.integers(2))
        fewest, most = level.stations if asks_stations else (0, level.changes)
        answer = int(rngs.latents.integers(fewest, most + 1))
        plan = _draw_plan(rngs.latents, level, answer, asks_stations=asks_stations)
        form = "stations" if asks_stations else "changes"
        start, end = list(plan.labels)[:2]
        return Puzzle(
            question=_question(level, start, end, asks_stations=asks_stations),
            images=(_draw_map(plan, level, rngs),),
            grader="integer",
            grading={"expected_answer": str(answer)},
            latents={
                "lines": ["".join(f"{x:x}{y:x}" for x, y in line) for line in plan.net.lines],
                "stops": "".join(f"{x:x}{y:x}" for x, y in sorted(plan.net.stops)),
                "labels": {letter: list(place) for letter, place in plan.labels.items()},
                "asks": form,
            },
            metadata={"form": form},
            attempts=plan.attempts,
        )

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Read the net from tiles, find the two letters one by one, and search the net."""
        level = next(level for level in LEVELS if f"{level.lines} lines" in question)
        blocks = yield from look_at_tiles(images[0], level.tiles)
        net = read_net(blocks, level.lattice)
        wanted = re.findall(r"station ([A-Z])\b", question)
        places = yield from _find_labels(wanted, level)
        start, end = (places.get(letter) for letter in wanted)
        asks_stations = "How many stations" in question
        if start in net.stops and end in net.stops:
            steps = distances(net.hops() if asks_stations else net.rides(), start).get(end)
            if steps is not None:
                return rf"\boxed{{{steps + 1 if asks_stations else max(steps - 1, 0)}}}"
        return rf"\boxed{{{sum(level.stations) // 2 if asks_stations else 1}}}"


def _draw_plan(rng: np.random.Generator, level: Level, answer: int, *, asks_stations: bool) -> Plan:
    """Draw a map with two stations of that answer.

    How the two lie to each other, and how many stations there are in all, is settled before the
    retries and whatever the answer is, so none of them tells it.

    Raises:
        GenerationError: None was found.
    """
    apart, total = (
        int(rng.integers(least, most + 1)) for least, most in (level.apart, level.total)
    )
    offset = int(rng.integers(apart + 1)), apart
    for attempt in range(1, MAX_ATTEMPTS + 1):
        net = _draw_net(rng, level, total)
        if net is None:
            continue
        ends = _draw_ends(rng, net, answer, offset, asks_stations=asks_stations)
        labels = None if ends is None else _draw_labels(rng, net, ends, level)
        if labels is not None:
            return Plan(net, labels, attempt)
    raise GenerationError(f"Expected two stations in {MAX_ATTEMPTS} nets, got none")


def _question(level: Level, start: str, end: str, *, asks_stations: bool) -> str:
    intro = (
        f"On this map of {level.lines} lines, trains stop at the round marks. A large ring is a "
        "station of all lines that meet there; where lines cross without one, they are not "
        f"joined. You travel from station {start} to station {end}. "
    )
    if asks_stations:
        return (
            f"{intro}Take the way with the fewest stations. How many stations does it have, "
            f"counting both {start} and {end}? Answer with a number."
        )
    return (
        f"{intro}What is the smallest number of times that you must change from one line to "
        "another? Answer with a number."
    )


def _draw_net(rng: np.random.Generator, level: Level, total: int) -> Net | None:
    """Draw lines, and stops in all; as many crossings are joined as it takes to join the lines."""
    lines = draw_lines(rng, level.side, level.lines)
    crossings = sorted(shared(lines))
    stops = {line[index] for line in lines for index in (0, -1)}
    stops |= {place for place in crossings if rng.random() < _JOINED_SHARE}
    for index in rng.permutation(len(crossings)).tolist():
        if Net(lines, frozenset(stops)).is_connected:
            break
        stops.add(crossings[index])
    others = sorted({place for line in lines for place in line} - stops.union(crossings))
    missing = total - len(stops)
    if len(lines) < level.lines or not 0 <= missing <= len(others):
        return None
    chosen = rng.choice(len(others), missing, replace=False).tolist()
    return Net(lines, frozenset(stops.union(others[index] for index in chosen)))


def _draw_ends(
    rng: np.random.Generator, net: Net, answer: int, offset: Place, *, asks_stations: bool
) -> tuple[Place, Place] | None:
    """Return two stations of one line each with that answer.

    Args:
        rng: Draws one of all such pairs.
        net: The net.
        answer: Stations on the way, or changes.
        offset: How far they are apart by columns and by rows, the smaller number first.
        asks_stations: What the answer counts.
    """
    near = net.hops() if asks_stations else net.rides()
    steps = answer - 1 if asks_stations else answer + 1
    single = sorted(net.stops - net.interchanges)
    allowed = set(single)
    found = [
        (start, end)
        for start in single
        for end, far in distances(near, start).items()
        if far == steps
        and end in allowed
        and tuple(sorted((abs(start[0] - end[0]), abs(start[1] - end[1])))) == offset
    ]
    return found[int(rng.integers(len(found)))] if found else None


def _draw_labels(
    rng: np.random.Generator, net: Net, ends: tuple[Place, Place], level: Level
) -> dict[str, Place] | None:
    """Return lettered stations, the two ends first; none next to another."""
    places: list[Place] = []
    others = rng.permutation(np.array(sorted(net.stops))).tolist()
    for place in (*ends, *((int(x), int(y)) for x, y in others)):
        is_free = all(max(abs(place[0] - x), abs(place[1] - y)) >= 2 for x, y in places)
        if is_free and _free_sides(net, place, level) and len(places) < level.labels:
            places.append(place)
    if places[:2] != list(ends) or len(places) < level.labels:
        return None
    letters = rng.choice(len(_LETTERS), level.labels, replace=False).tolist()
    return {_LETTERS[letter]: place for letter, place in zip(letters, places, strict=True)}


def _free_sides(net: Net, place: Place, level: Level) -> list[Place]:
    """Return the steps from a station to a point of the lattice that no line takes."""
    taken = set()
    for line in net.lines:
        for here, there in pairwise(line):
            for one, other in ((here, there), (there, here)):
                if one == place:
                    taken.add((other[0] - one[0], other[1] - one[1]))
    return [
        (right, down)
        for right, down in STEPS
        if (right, down) not in taken
        and 0 <= place[0] + right < level.side
        and 0 <= place[1] + down < level.side
    ]


def _draw_map(plan: Plan, level: Level, rngs: Streams) -> Pixels:
    net = plan.net
    palette = PALETTES[int(rngs.style.integers(len(PALETTES)))]
    size, lattice = level.size, level.lattice
    pitch = lattice.pitch
    canvas = Canvas((size, size), palette.ground)
    edge = _CARD * size
    canvas.rectangle((edge, edge, size - edge, size - edge), palette.paper, edge)
    for line, color in zip(net.lines, _line_colors(rngs.style, len(net.lines)), strict=True):
        path = [lattice.point(*place) for place in _bent(line)]
        canvas.line(path, (_STROKE + 2 * _CASING) * pitch, palette.paper)
        canvas.line(path, _STROKE * pitch, color)
    for place in sorted(net.stops):
        radius = (_RING if place in net.interchanges else _STATION) * pitch
        canvas.disc(lattice.point(*place), radius, palette.ink)
        canvas.disc(lattice.point(*place), radius - _OUTLINE * pitch, palette.paper)
    for letter, place in plan.labels.items():
        sides = _free_sides(net, place, level)
        right, down = sides[int(rngs.layout.integers(len(sides)))]
        away = _LABEL_AWAY / hypot(right, down)
        center = lattice.point(place[0] + right * away, place[1] + down * away)
        away = (_RING if place in net.interchanges else _STATION) / hypot(right, down)
        start = lattice.point(place[0] + right * away, place[1] + down * away)
        canvas.line([start, center], _OUTLINE * pitch, palette.ink)
        canvas.badge(letter, center, level.badge * pitch, _LABEL, palette.paper)
    return canvas.finish()


def _bent(line: Sequence[Place]) -> list[Point]:
    """Return the points of a line with a curve in place of each corner."""
    path: list[Point] = [line[0]]
    for before, corner, after in zip(line, line[1:], line[2:], strict=False):
        (enter_x, enter_y), (leave_x, leave_y) = _towards(corner, before), _towards(corner, after)
        if (enter_x, enter_y) != (-leave_x, -leave_y):
            path += [
                (
                    corner[0] + (1 - share) ** 2 * enter_x + share**2 * leave_x,
                    corner[1] + (1 - share) ** 2 * enter_y + share**2 * leave_y,
                )
                for share in (0, 0.25, 0.5, 0.75, 1)
            ]
    return [*path, line[-1]]


def _towards(here: Place, there: Place) -> Point:
    """Return the step with which a bend ends on the way to the next point."""
    right, down = there[0] - here[0], there[1] - here[1]
    share = _BEND / hypot(right, down)
    return right * share, down * share


def _line_colors(rng: np.random.Generator, count: int) -> list[Color]:
    """Return hues all around, no two alike."""
    first = rng.uniform(0, 2 * pi)
    hues = [first + index * 2 * pi / count for index in rng.permutation(count).tolist()]
    return [
        lab_to_rgb(64 - 8 * (index % 2), 46 * cos(hue), 46 * sin(hue))
        for index, hue in enumerate(hues)
    ]


def _find_labels(
    wanted: Sequence[str], level: Level
) -> Generator[dict[str, Any], Reply, dict[str, Place]]:
    """Return the stations of the wanted letters, zooming in on label after label."""
    radius = level.badge * level.lattice.pitch
    arguments = {"color": list(_LABEL), "tolerance": 5, "min_size": int(radius**2), "img_idx": 0}
    reply = yield {"name": "find_color_tool", "arguments": arguments}
    places: dict[str, Place] = {}
    for left, top, right, bottom in (blob["bbox"] for blob in reply.results[0].get("blobs", [])):
        x, y = (left + right) / 2, (top + bottom) / 2
        look = yield from look_around(x, y, 1500 * radius / level.size)
        if look is None:
            return places
        ink = look[:, :, 0].astype(np.float64)
        seen = len(look) / 3
        letter = read_character(
            ink, (len(look) / 2,) * 2, seen * 1.05, seen * 0.19, _LETTERS, slack=6
        )
        places[letter] = Lattice(level.side, 1000).nearest(x, y)
        if all(letter in places for letter in wanted):
            break
    return places
