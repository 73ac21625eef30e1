"""LinesObservation: how many beads each line of a tangle carries, or how often each crosses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from gym_imagetools.errors import GenerationError
from gym_imagetools.puzzles.drawing.canvas import PALETTES, Canvas
from gym_imagetools.puzzles.eye import Blocks, BlurryImage, Oracle
from gym_imagetools.puzzles.lines.braid import (
    DIRECTIONS,
    MARGIN,
    Braid,
    Frame,
    Points,
    draw_meetings,
    draw_waves,
    straight_lines,
)
from gym_imagetools.puzzles.lines.network import nearest_piece
from gym_imagetools.puzzles.lines.tracing import Tracer
from gym_imagetools.puzzles.looking.gaze import look_at_tiles
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.types import Pixels

STARTS = "ABCDEFGH"
FORMS = ("largest first", "by letter", "crossings")


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        lines: Number of lines.
        slots: Places along a line where it can meet others.
        meetings: How often two lines cross or come near.
        beads: Fewest and most beads on a line.
        bead: Radius of a bead in pixels.
        stroke: Width of the lines in pixels.
        gap: Least clear space between lines that come near, in pixels.
        size: Side of the picture in pixels.
        tiles: Tiles along a side in which the oracle looks closer.
    """

    lines: int
    slots: int
    meetings: int
    beads: tuple[int, int]
    bead: float
    stroke: float
    gap: float
    size: int
    tiles: int


LEVELS = (
    Level(3, 3, 3, beads=(3, 8), bead=11, stroke=7, gap=24, size=1024, tiles=2),
    Level(4, 3, 4, beads=(3, 11), bead=10, stroke=6, gap=20, size=1024, tiles=2),
    Level(5, 4, 7, beads=(3, 15), bead=8, stroke=5, gap=12, size=1024, tiles=3),
    Level(6, 5, 11, beads=(3, 20), bead=9, stroke=6, gap=12, size=1536, tiles=4),
    Level(8, 6, 18, beads=(3, 27), bead=10, stroke=6, gap=16, size=2048, tiles=4),
)

_AMBER = (255, 178, 54)
_BADGE = 0.021  # radius, of the picture's side
_CARD = 0.012  # between the picture's edge and the paper
_LABELS_OUT = 1.15  # from the start of a line to the middle of its label, in radii
_BEAD_CLEAR = 5.0  # pixels between a bead and where crossing and turning lines begin to differ
_BEAD_PITCH = 3.5  # from bead to bead at least, in radii
_TIGHTEST_PITCH = 3.0


class LinesObservation(Family):
    """Lines with beads that cross or only come near each other; something is counted on each."""

    name = "LinesObservation"
    group = "visual tracking"
    summary = "Count the beads on each line of a tangle, or how often each line crosses another."
    answer_type = "list of integers"
    useful_tools = ("image_zoom_in_tool", "image_crop_tool", "count_objects_tool")
    necessary_tools = (("image_zoom_in_tool", "image_crop_tool"),)
    tools_needed_from = 3

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw a tangle with one of the questions, each as likely."""
        level = LEVELS[difficulty - 1]
        form = FORMS[int(rngs.latents.integers(len(FORMS)))]
        meetings = draw_meetings(
            rngs.latents, level.lines, level.slots, level.meetings, reach_all=False
        )
        crossed = tuple((rngs.latents.integers(2, size=len(meetings)) == 1).tolist())
        braid = Braid(level.lines, level.slots, meetings, crossed)
        beads = _draw_counts(rngs.latents, form, level)
        direction = DIRECTIONS[int(rngs.latents.integers(len(DIRECTIONS)))]
        frame = Frame(
            level.size,
            level.lines,
            level.slots,
            level.stroke,
            level.gap,
            direction,
            draw_waves(rngs.latents),
        )
        counts = _crossings(braid) if form == "crossings" else beads
        if form == "largest first":
            counts = sorted(counts, reverse=True)
        return Puzzle(
            question=_question(form, level, direction),
            images=(_draw_tangle(braid, frame, beads, level, rngs),),
            grader="intlist",
            grading={"expected_answer": ", ".join(map(str, counts))},
            latents={
                "form": form,
                "meetings": "".join(f"{meeting.slot}{meeting.lane}" for meeting in meetings),
                "crossed": "".join("01"[crosses] for crosses in crossed),
                "beads": beads,
                "waves": [list(wave) for wave in frame.waves],
                "direction": direction,
            },
            metadata={"form": form},
        )

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Look at the picture tile by tile, trace every line, and count along each."""
        level = next(level for level in LEVELS if f"{level.lines} lines" in question)
        direction = re.findall(r"run from (\w+ to \w+)", question)[0]
        blocks = yield from look_at_tiles(images[0], level.tiles)
        tracer = Tracer.of(blocks, direction, level.slots, is_sharp=True)
        threaded = [] if "How often" in question else _threaded(tracer, _find_beads(blocks))
        counts = []
        for start in range(level.lines):
            route = yield from tracer.follow(start)
            beads = sum(piece in route.pieces for piece in threaded)
            counts.append(route.crossings if "How often" in question else beads)
        if "largest" in question:
            counts.sort(reverse=True)
        return rf"\boxed{{{', '.join(map(str, counts))}}}"


def _draw_counts(rng: np.random.Generator, form: str, level: Level) -> list[int]:
    """Draw how many beads each line carries; all different where they are to be sorted."""
    fewest, most = level.beads
    if form == "crossings":
        return [0] * level.lines
    counts = np.arange(fewest, most + 1)
    drawn = rng.choice(counts, level.lines, replace=form != "largest first")
    return [int(count) for count in drawn]


def _crossings(braid: Braid) -> list[int]:
    """Return how often each line crosses another."""
    steps = np.diff(braid.routes(), axis=0)
    return [int(count) for count in np.count_nonzero(steps, axis=0)]


def _question(form: str, level: Level, direction: str) -> str:
    order = "left to right" if direction in DIRECTIONS[2:] else "top to bottom"
    letters = ", ".join(STARTS[: level.lines])
    intro = (
        f"{level.lines} lines run from {direction}. They are lettered at their starts, from A to "
        f"{STARTS[level.lines - 1]} in order from {order}. Some lines cross, always straight on; "
        "others only come near each other and turn away without touching. "
    )
    if form == "crossings":
        return (
            f"{intro}How often does each line cross another one? Answer with the numbers of "
            f"crossings in the order {letters}, separated by commas."
        )
    listed = "from the largest to the smallest" if form == "largest first" else f"of {letters}"
    in_order = "" if form == "largest first" else " in this order"
    return (
        f"{intro}Count the beads on each line. Answer with the numbers {listed}{in_order}, "
        "separated by commas."
    )


def _draw_tangle(
    braid: Braid, frame: Frame, beads: Sequence[int], level: Level, rngs: Streams
) -> Pixels:
    palette = PALETTES[int(rngs.style.integers(len(PALETTES)))]
    canvas = Canvas((frame.size, frame.size), palette.ground)
    edge = _CARD * frame.size
    canvas.rectangle((edge, edge, frame.size - edge, frame.size - edge), palette.paper, 2 * edge)
    middles = np.array([frame.meeting_at(meeting) for meeting in braid.meetings])
    lines = [frame.place(line) for line in straight_lines(braid, frame)]
    for line in lines:
        canvas.line([(x, y) for x, y in line.tolist()], frame.stroke, palette.ink)
        canvas.disc((float(line[-1, 0]), float(line[-1, 1])), 1.5 * frame.stroke, palette.ink)
    for line, count in zip(lines, beads, strict=True):
        clear = frame.box_radius + level.bead + _BEAD_CLEAR
        for x, y in _bead_places(rngs.layout, line, middles, clear, count, level.bead):
            canvas.disc((x, y), level.bead, _AMBER)
    for lane in range(frame.lanes):
        radius = _BADGE * frame.size
        center = frame.end_at(lane, is_start=True, outwards=radius * _LABELS_OUT)
        canvas.badge(STARTS[lane], center, radius, palette.accent, palette.paper)
    return canvas.finish()


def _bead_places(
    rng: np.random.Generator,
    line: Points,
    middles: Points,
    clear: float,
    count: int,
    radius: float,
) -> list[tuple[float, float]]:
    """Return places on a line, apart from each other, from meetings and from both ends.

    Raises:
        GenerationError: The line is too short for so many beads.
    """
    if not count:
        return []
    along = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
    steps = np.arange(clear / 2, along[-1] - clear / 2)
    dots = np.stack([np.interp(steps, along, line[:, axis]) for axis in (0, 1)], axis=1)
    away = np.hypot(*(dots[:, None] - middles[None]).transpose(2, 0, 1)).min(axis=1)
    free = dots[away >= clear]
    pitch = min(_BEAD_PITCH * radius, len(free) / count)
    if pitch < _TIGHTEST_PITCH * radius:
        raise GenerationError(f"Expected room for {count} beads, got {len(free)} pixels")
    slack = len(free) - 1 - pitch * (count - 1)
    places = np.sort(rng.uniform(0, slack, count)) + pitch * np.arange(count)
    return [(x, y) for x, y in free[places.astype(int)].tolist()]


def _find_beads(blocks: Blocks) -> list[tuple[float, float]]:
    """Return the middles of what is dark in blue but not in red, in thousandths."""
    drop = blocks.max(axis=(0, 1)).astype(np.float64) - blocks
    amber = cv2.resize(drop[:, :, 2] - 0.85 * drop[:, :, 0], None, fx=4, fy=4)
    _, _, stats, centers = cv2.connectedComponentsWithStats((amber > 95).astype(np.uint8))
    side = len(amber)
    return [
        ((x + 0.5) * 1000 / side, (y + 0.5) * 1000 / side)
        for (x, y), area in zip(centers[1:].tolist(), stats[1:, 4].tolist(), strict=True)
        if area >= 8
    ]


def _threaded(tracer: Tracer, beads: Sequence[tuple[float, float]]) -> list[int]:
    """Return the piece of line that carries each bead; what lies outside the lines is none."""
    places = (tracer.in_blocks(x, y) for x, y in beads)
    first, last = MARGIN * tracer.side, (1 - MARGIN) * tracer.side
    pieces = tracer.network.pieces
    return [nearest_piece(pieces, x, y) for x, y in places if first < x < last]
