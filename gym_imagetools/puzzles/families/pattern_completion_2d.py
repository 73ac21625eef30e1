"""PatternCompletion2D: which patch fills the gap of a carpet so that its pattern goes on."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.errors import GenerationError
from gym_imagetools.puzzles.cards.cards import (
    LETTERS,
    LOOKS,
    UNITS,
    Look,
    Slots,
    choice_grading,
    crop_call,
    look_of,
)
from gym_imagetools.puzzles.cards.carpet import (
    SYMMETRIES,
    Motif,
    Weaver,
    draw_motif,
    least_shift_change,
)
from gym_imagetools.puzzles.cards.tile_grid import palette
from gym_imagetools.puzzles.drawing.canvas import Canvas, Color, Point
from gym_imagetools.puzzles.eye import BlurryImage, Oracle, Reply
from gym_imagetools.puzzles.looking.reflection import difference, make
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.types import Pixels

MAX_ATTEMPTS = 200


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        cells: Cells along the side of the carpet.
        period: Cells after which it repeats; the gap is as wide.
        shift: Cells by which a patch may be shifted wrongly.
        hue_step: Angle of hue between neighbouring colours.
        bead: Radius of a bead in units; 0 for coloured shapes.
        width: Of the picture in pixels.
    """

    cells: int
    period: int
    shift: int
    hue_step: float
    bead: float
    width: int


LEVELS = (
    Level(cells=12, period=4, shift=2, hue_step=pi / 2, bead=0, width=1200),
    Level(cells=18, period=6, shift=2, hue_step=pi / 2, bead=0, width=1200),
    Level(cells=24, period=8, shift=1, hue_step=0.9, bead=0, width=1200),
    Level(cells=32, period=8, shift=1, hue_step=0, bead=0.8, width=1600),
    Level(cells=48, period=12, shift=1, hue_step=0, bead=0.5, width=1600),
)

_HEIGHT = 124
_SIDE = 96  # of the carpet
_LEFT, _TOP = 12, 14
_OPTION_CENTERS: tuple[Point, ...] = ((135, 36), (177, 36), (135, 89), (177, 89))
_FRAME, _ROUNDNESS = 2.0, 3.0
_BADGE, _BADGE_BELOW = 4.0, 7.0
_INSET = 0.2  # thousandths, of a crop, which tools round outwards to whole pixels

Kinds = NDArray[np.int64]


@dataclass(frozen=True)
class Plan:
    """What is drawn.

    Attributes:
        carpet: Kinds of all cells, those of the gap included.
        gap: Row and column of the gap's first cell.
        patches: The options in order.
        attempts: Draws it took.
    """

    carpet: Kinds
    gap: tuple[int, int]
    patches: tuple[Kinds, ...]
    attempts: int

    @property
    def latents(self) -> dict[str, Any]:
        """Everything the answer depends on: one period of the carpet tells all of it."""
        period = len(self.patches[0])
        return {
            "motif": _digits(self.carpet[:period, :period]),
            "gap": list(self.gap),
            "patches": [_digits(patch) for patch in self.patches],
        }


class PatternCompletion2D(Family):
    """A carpet with a gap, and patches that are shifted or changed a little."""

    name = "PatternCompletion2D"
    group = "fine-grained discrimination"
    summary = "Find the patch that fills the gap of a repeating pattern."
    answer_type = "letter"
    useful_tools = (
        "image_crop_tool",
        "image_zoom_in_tool",
        "image_diff_tool",
        "image_overlay_tool",
        "find_color_tool",
    )
    necessary_tools = (("image_crop_tool", "image_zoom_in_tool"),)
    tools_needed_from = 4

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw a carpet; its motif and its phase are the factors of the options."""
        level = LEVELS[difficulty - 1]
        slots = Slots.draw(rngs, 2)
        group = list(SYMMETRIES)[int(rngs.latents.integers(len(SYMMETRIES)))]
        plan = _plan(rngs.latents, level, group, slots)
        note = "Both colours of a bead count, and which of them is inside. " if level.bead else ""
        return Puzzle(
            question=(
                f"This carpet of {level.cells} by {level.cells} cells repeats one square motif "
                f"over and over in both directions. {note}Which of the patches A to D fills the "
                "gap so that the pattern goes on? Answer with its letter."
            ),
            images=(_draw(plan, level, rngs),),
            grader="mcqa",
            grading=choice_grading(slots.letter, len(plan.patches), "patch"),
            latents=plan.latents,
            metadata={"form": "gap", "symmetry": group},
            attempts=plan.attempts,
        )

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Find the gap by its colour, and compare the patches with the carpet a period away."""
        level = next(level for level in LEVELS if f"of {level.cells} by" in question)
        row, column = yield from _find_gap(level, look_of(images[0]))
        steps = ((0, 1), (0, -1), (1, 0), (-1, 0))
        places = [(row + y * level.period, column + x * level.period) for y, x in steps]
        last = level.cells - level.period
        whole = [place for place in places if min(place) >= 0 and max(place) <= last]
        pitch, side = _SIDE / level.cells, _SIDE / level.cells * level.period
        beside = _box(_LEFT + whole[0][1] * pitch, _TOP + whole[0][0] * pitch, side)
        model = yield from make(crop_call(beside))
        differences = []
        for x, y in _OPTION_CENTERS:
            patch = yield from make(crop_call(_box(x - side / 2, y - side / 2, side)))
            differences.append((yield from difference(model, patch)))
        return rf"\boxed{{{LETTERS[differences.index(min(differences))]}}}"


def _find_gap(level: Level, look: Look) -> Generator[dict[str, Any], Reply, tuple[int, int]]:
    """Return the first cell of the gap; of the carpet when it cannot be searched for."""
    arguments = {"color": list(look.shade), "tolerance": 6, "img_idx": 0}
    reply = yield {"name": "find_color_tool", "arguments": arguments}
    blobs = reply.results[0]["blobs"] if reply.ok else []
    if not blobs:
        return 0, 0
    left, top, *_ = max(blobs, key=lambda blob: int(blob["pixels"]))["bbox"]
    pitch = _SIDE / level.cells
    row = round((top * _HEIGHT / 1000 - _TOP) / pitch)
    column = round((left * UNITS / 1000 - _LEFT) / pitch)
    last = level.cells - level.period
    return min(max(row, 0), last), min(max(column, 0), last)


def _box(left: float, top: float, side: float) -> list[float]:
    """Return a square as a box of the picture in thousandths."""
    near = (1000 * left / UNITS, 1000 * top / _HEIGHT)
    far = (1000 * (left + side) / UNITS, 1000 * (top + side) / _HEIGHT)
    return [value + _INSET for value in near] + [value - _INSET for value in far]


def _plan(rng: np.random.Generator, level: Level, group: str, slots: Slots) -> Plan:
    """Draw a motif and the same with two cells exchanged, and two phases of each."""
    for attempt in range(1, MAX_ATTEMPTS + 1):
        motif = draw_motif(rng, level.period, group)
        motifs = (motif, _exchanged(rng, motif))
        shift = level.shift * rng.choice([-1, 0, 1], size=2)
        if not shift.any() or min(map(least_shift_change, motifs)) < level.period:
            continue
        gap = rng.integers(level.cells - level.period + 1, size=2)

        phases = [[np.roll(m, bit * shift, (0, 1)) for m in motifs] for bit in (0, 1)]
        patches = tuple(np.roll(phases[p][m], -gap, (0, 1)) for p, m in slots.shown)
        if min(int((a != b).sum()) for a, b in combinations(patches, 2)) >= 2:
            phase, exchange = slots.true
            places = np.arange(level.cells) % level.period
            carpet = phases[phase][exchange][np.ix_(places, places)]
            return Plan(carpet, (int(gap[0]), int(gap[1])), patches, attempt)
    raise GenerationError(f"Expected four different patches in {MAX_ATTEMPTS} draws, got none")


def _exchanged(rng: np.random.Generator, motif: Motif) -> Motif:
    """Return the motif with two cells of different kinds exchanged."""
    flat = motif.ravel().copy()
    first = int(rng.integers(flat.size))
    others = np.flatnonzero(flat != flat[first])
    if len(others):
        second = int(rng.choice(others))
        flat[[first, second]] = flat[[second, first]]
    return flat.reshape(motif.shape)


def _digits(kinds: Kinds) -> str:
    return "".join(map(str, kinds.ravel().tolist()))


def _draw(plan: Plan, level: Level, rngs: Streams) -> Pixels:
    look = LOOKS[int(rngs.style.integers(len(LOOKS)))]
    colors = _colors(rngs.style, level, look)
    unit = level.width // UNITS
    cell_px = _SIDE * unit // level.cells
    weaver = Weaver(cell_px, look.card, colors, level.bead * unit)
    side = _SIDE * level.period // level.cells
    canvas = Canvas((level.width, level.width * _HEIGHT // UNITS), look.ground)
    _frame(canvas, unit, (_LEFT, _TOP), _SIDE, look)
    for letter, (x, y) in zip(LETTERS, _OPTION_CENTERS, strict=False):
        _frame(canvas, unit, (x - side / 2, y - side / 2), side, look)
        at = (x * unit, (y + side / 2 + _BADGE_BELOW) * unit)
        canvas.badge(letter, at, _BADGE * unit, look.accent, look.card)
    picture = canvas.finish().copy()
    carpet = weaver.weave(plan.carpet)
    row, column = (place * cell_px for place in plan.gap)
    carpet[row : row + side * unit, column : column + side * unit] = _gap(side * unit, look)
    _paste(picture, carpet, _LEFT * unit, _TOP * unit)
    for (x, y), patch in zip(_OPTION_CENTERS, plan.patches, strict=True):
        _paste(
            picture, weaver.weave(patch), round((x - side / 2) * unit), round((y - side / 2) * unit)
        )
    picture.setflags(write=False)
    return picture


def _colors(rng: np.random.Generator, level: Level, look: Look) -> Sequence[Color]:
    return [look.ink, *palette(rng.uniform(0, 2 * pi), level.hue_step)[:3]]


def _frame(canvas: Canvas, unit: float, corner: Point, side: float, look: Look) -> None:
    left, top = corner[0] - _FRAME, corner[1] - _FRAME
    box = (left, top, left + side + 2 * _FRAME, top + side + 2 * _FRAME)
    canvas.rectangle([value * unit for value in box], look.card, _ROUNDNESS * unit)


def _gap(side_px: int, look: Look) -> Pixels:
    canvas = Canvas((side_px, side_px), look.shade)
    canvas.text("?", (side_px / 2, side_px / 2), side_px / 2, look.ink)
    return canvas.finish()


def _paste(picture: Pixels, part: Pixels, left: int, top: int) -> None:
    picture[top : top + part.shape[0], left : left + part.shape[1]] = part
