"""ConnectTheLines: where a line of a tangle ends, where all do, or the word that one spells."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gym_imagetools.puzzles.drawing.canvas import PALETTES, Canvas, Palette
from gym_imagetools.puzzles.drawing.strokes import SAFE_ALPHABET
from gym_imagetools.puzzles.eye import BlurryImage, Oracle, Reply
from gym_imagetools.puzzles.lines.braid import (
    DIRECTIONS,
    MARGIN,
    Braid,
    Frame,
    draw_crossings_of_any_order,
    draw_crossings_to,
    draw_meetings,
    draw_waves,
    straight_lines,
)
from gym_imagetools.puzzles.lines.network import nearest_piece
from gym_imagetools.puzzles.lines.tracing import Tracer
from gym_imagetools.puzzles.looking.gaze import look_around, look_at_tiles
from gym_imagetools.puzzles.looking.reading import read_character
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.types import Pixels

STARTS, ENDS = "ABCDEFGH", "12345678"


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        lines: Number of lines.
        slots: Places along a line where it can meet others.
        meetings: How often two lines cross or come near.
        letters: Letters on each line when a word is asked for.
        stroke: Width of the lines in pixels.
        gap: Least clear space between lines that come near, in pixels.
        size: Side of the picture in pixels.
        forms: What may be asked.
    """

    lines: int
    slots: int
    meetings: int
    letters: int
    stroke: float
    gap: float
    size: int
    forms: tuple[str, ...] = ("end", "all ends", "word")


LEVELS = (
    Level(lines=3, slots=3, meetings=3, letters=2, stroke=9, gap=32, size=1024),
    Level(lines=4, slots=3, meetings=5, letters=3, stroke=8, gap=16, size=1024),
    Level(lines=5, slots=5, meetings=10, letters=3, stroke=6, gap=8, size=1024),
    Level(lines=6, slots=7, meetings=15, letters=4, stroke=6, gap=6, size=1536),
    Level(
        lines=8, slots=9, meetings=28, letters=4, stroke=5, gap=4, size=2048, forms=("end", "word")
    ),
)

_ALPHABET = "".join(letter for letter in SAFE_ALPHABET if letter.isalpha())
_AMBER = (255, 178, 54)
_BADGE = 0.021  # radius, of the picture's side
_CARD = 0.012  # between the picture's edge and the paper
_LABELS_OUT = 1.15  # from the end of a line to the middle of its label, in radii


@dataclass(frozen=True)
class Plan:
    """A tangle and what stands on it.

    Attributes:
        braid: Which lines meet where, and which of them cross.
        columns: The slots behind which every line carries a letter.
        letters: The letters by column and lane.
    """

    braid: Braid
    columns: tuple[int, ...] = ()
    letters: tuple[str, ...] = ()

    def word(self, line: int) -> str:
        """Return the letters on a line from its start to its end."""
        lanes = self.braid.routes()[[column + 1 for column in self.columns], line].tolist()
        return "".join(column[lane] for column, lane in zip(self.letters, lanes, strict=True))


class ConnectTheLines(Family):
    """Lines that cross or only come near each other; one is to be followed, or all are."""

    name = "ConnectTheLines"
    group = "visual tracking"
    summary = "Follow a line to its end, match all ends, or read the letters along a line."
    answer_type = "integer, pairs or word"
    useful_tools = ("image_zoom_in_tool", "image_crop_tool", "find_color_tool")
    necessary_tools = (("image_zoom_in_tool", "image_crop_tool"),)
    tools_needed_from = 3

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw a tangle with one of the questions, each as likely."""
        level = LEVELS[difficulty - 1]
        form = level.forms[int(rngs.latents.integers(len(level.forms)))]
        # Where lines meet is drawn before the answer and does not depend on it: whatever a
        # preview shows, every end is equally likely.
        meetings = draw_meetings(rngs.latents, level.lines, level.slots, level.meetings)
        start, end = (int(lane) for lane in rngs.latents.integers(level.lines, size=2))
        choices = level.lines
        if form == "all ends":
            crossed, choices = draw_crossings_of_any_order(rngs.latents, meetings, level.lines)
        else:
            crossed = draw_crossings_to(rngs.latents, meetings, level.lines, start, end)
        braid = Braid(level.lines, level.slots, meetings, crossed)
        plan = Plan(braid, *_draw_letters(rngs.latents, level)) if form == "word" else Plan(braid)
        frame = _draw_frame(rngs, level)
        return Puzzle(
            question=_question(form, level, frame.direction, STARTS[start]),
            images=(_draw_tangle(plan, frame, rngs.style),),
            grader={"end": "integer", "all ends": "pairs", "word": "string_match"}[form],
            grading={"expected_answer": _answer(form, plan, start)},
            latents={
                "start": start,
                "meetings": "".join(f"{meeting.slot}{meeting.lane}" for meeting in meetings),
                "crossed": "".join("01"[crosses] for crosses in crossed),
                "letters": dict(zip(map(str, plan.columns), plan.letters, strict=True)),
                "waves": [list(wave) for wave in frame.waves],
                "direction": frame.direction,
            },
            metadata={"form": form, "choices": choices},
        )

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Trace lines in the preview or in its quarters; zoom in wherever two of them meet."""
        level = next(level for level in LEVELS if f"{level.lines} lines" in question)
        direction = re.findall(r"run from (\w+ to \w+)", question)[0]
        blocks = yield from look_at_tiles(images[0], 1 if level.lines <= 4 else 2)
        tracer = Tracer.of(blocks, direction, level.slots)
        if "all pairs" in question:
            ends = []
            for start in range(level.lines):
                ends.append((yield from tracer.follow(start)).pieces[-1])
            pairs = (f"{STARTS[start]}-{tracer.rank(end)}" for start, end in enumerate(ends))
            return rf"\boxed{{{', '.join(pairs)}}}"
        start = STARTS.index(re.findall(r"from ([A-H])\b", question)[0])
        route = yield from tracer.follow(start)
        if "Which number" in question:
            return rf"\boxed{{{tracer.rank(route.pieces[-1])}}}"
        word = yield from _read_word(tracer, route.pieces, level)
        return rf"\boxed{{{word}}}"


def _draw_letters(
    rng: np.random.Generator, level: Level
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Draw letters for every lane behind some slots; the last ones tell the lines' ends apart."""
    inner = rng.choice(level.slots - 1, level.letters - 1, replace=False)
    columns = (*sorted(inner.tolist()), level.slots - 1)
    picks = [rng.choice(len(_ALPHABET), level.lines, replace=False) for _ in columns]
    return columns, tuple("".join(_ALPHABET[pick] for pick in column) for column in picks)


def _draw_frame(rngs: Streams, level: Level) -> Frame:
    direction = DIRECTIONS[int(rngs.latents.integers(len(DIRECTIONS)))]
    waves = draw_waves(rngs.latents)
    return Frame(level.size, level.lines, level.slots, level.stroke, level.gap, direction, waves)


def _question(form: str, level: Level, direction: str, start: str) -> str:
    order = "left to right" if direction in DIRECTIONS[2:] else "top to bottom"
    intro = (
        f"{level.lines} lines run from {direction}: from the ends lettered A to "
        f"{STARTS[level.lines - 1]} to the ends numbered 1 to {level.lines}, both in order from "
        f"{order}. Some lines cross, always straight on; others only come near each other and "
        "turn away without touching. "
    )
    if form == "end":
        return f"{intro}Follow the line from {start}. Which number does it reach?"
    if form == "all ends":
        return f"{intro}Which ends belong together? Answer with all pairs, such as A-2, B-1."
    return (
        f"{intro}Follow the line from {start} to its end. Which letters lie on it, in this "
        "order? Answer with the letters as one word."
    )


def _answer(form: str, plan: Plan, start: int) -> str:
    ends = [ENDS[lane] for lane in plan.braid.routes()[-1].tolist()]
    if form == "end":
        return ends[start]
    if form == "all ends":
        return ", ".join(f"{a}-{b}" for a, b in zip(STARTS, ends, strict=False))
    return plan.word(start)


def _draw_tangle(plan: Plan, frame: Frame, rng: np.random.Generator) -> Pixels:
    palette = PALETTES[int(rng.integers(len(PALETTES)))]
    canvas = Canvas((frame.size, frame.size), palette.ground)
    edge = _CARD * frame.size
    canvas.rectangle((edge, edge, frame.size - edge, frame.size - edge), palette.paper, 2 * edge)
    lines = straight_lines(plan.braid, frame)
    for line in lines:
        canvas.line([(x, y) for x, y in frame.place(line).tolist()], frame.stroke, palette.ink)
    routes = plan.braid.routes()
    for column, letters in zip(plan.columns, plan.letters, strict=True):
        for line, lane in zip(lines, routes[column + 1].tolist(), strict=True):
            along = frame.size * MARGIN + (column + 1.5) * frame.pitch[0]
            across = float(np.interp(along, line[:, 0], line[:, 1]))
            x, y = frame.place(np.array([(along, across)]))[0].tolist()
            canvas.badge(letters[lane], (x, y), _bead_radius(frame), _AMBER, palette.ink)
    _draw_labels(canvas, frame, palette)
    return canvas.finish()


def _draw_labels(canvas: Canvas, frame: Frame, palette: Palette) -> None:
    radius = _BADGE * frame.size
    for lane in range(frame.lanes):
        for labels, fill, is_start in ((STARTS, palette.accent, True), (ENDS, palette.ink, False)):
            center = frame.end_at(lane, is_start=is_start, outwards=radius * _LABELS_OUT)
            canvas.badge(labels[lane], center, radius, fill, palette.paper)


def _bead_radius(frame: Frame | Level) -> float:
    return 7 + 1.6 * frame.stroke


def _read_word(
    tracer: Tracer, route: list[int], level: Level
) -> Generator[dict[str, Any], Reply, str]:
    """Find all beads by their colour, and zoom in on those of the route."""
    radius = _bead_radius(level)
    arguments = {"color": list(_AMBER), "tolerance": 20, "min_size": int(radius**2), "img_idx": 0}
    reply = yield {"name": "find_color_tool", "arguments": arguments}
    blobs = reply.results[0]["blobs"] if reply.ok else []
    beads = []
    for left, top, right, bottom in (blob["bbox"] for blob in blobs):
        x, y = tracer.in_blocks((left + right) / 2, (top + bottom) / 2)
        if nearest_piece(tracer.network.pieces, x, y) in route:
            beads.append((x, y))
    word = ""
    for x, y in sorted(beads):
        look = yield from look_around(*tracer.in_picture(x, y), 1500 * radius / level.size)
        if look is None:
            continue
        ink = look[:, :, 0].max() - look[:, :, 0].astype(np.float64)
        seen_radius = len(look) / 3
        height, width = seen_radius * 1.05, seen_radius * 0.19
        word += read_character(ink, (len(look) / 2,) * 2, height, width, _ALPHABET, slack=4)
    return word
