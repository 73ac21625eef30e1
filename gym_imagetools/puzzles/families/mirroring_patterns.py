"""MirroringPatterns: a mirror image, pairs of them, or the one picture that is not symmetric."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import cos, pi, sin
from typing import Any

import numpy as np

from gym_imagetools.errors import GenerationError
from gym_imagetools.puzzles.cards.cards import (
    CARD,
    LETTERS,
    LOOKS,
    NUMBERS,
    Card,
    Look,
    Slots,
    Table,
    Tabletop,
    choice_grading,
    crop_call,
)
from gym_imagetools.puzzles.cards.marks import COLORED_BEADS, draw_tile, pitch_of, place
from gym_imagetools.puzzles.drawing.canvas import Color, Point, lab_to_rgb
from gym_imagetools.puzzles.eye import BlurryImage, Oracle
from gym_imagetools.puzzles.looking.reflection import AXES, Axis, Grid, difference, make, reflected
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.types import Pixels

MAX_ATTEMPTS = 400


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        cells: Cells along the side of a picture, an even number.
        kinds: Kinds of cells; of tiles one kind is empty.
        hue_step: Distance of neighbouring tile colours as an angle of hue; 0 for beads.
        options: Pictures to choose a mirror image from.
        numbered: Pictures of the other questions.
        has_diagonals: Whether the line may run at 45 degrees.
        bead: Radius of a bead in units; 0 for tiles.
        width: Of the picture in pixels.
    """

    cells: int
    kinds: int
    hue_step: float
    options: int
    numbered: int
    has_diagonals: bool
    bead: float
    width: int


LEVELS = (
    Level(4, 2, hue_step=0, options=4, numbered=4, has_diagonals=False, bead=0, width=1200),
    Level(6, 3, hue_step=2.0, options=4, numbered=4, has_diagonals=False, bead=0, width=1200),
    Level(8, 4, hue_step=0.7, options=4, numbered=4, has_diagonals=True, bead=0, width=1200),
    Level(10, 4, hue_step=0, options=8, numbered=6, has_diagonals=True, bead=0.8, width=1600),
    Level(12, 4, hue_step=0, options=8, numbered=6, has_diagonals=True, bead=0.55, width=1600),
)

FORMS = ("image", "pairs", "odd")


@dataclass(frozen=True)
class Plan:
    """The grids of the cards below, and of the one at the top if it shows one.

    Attributes:
        cards: Grids in the order of the labels.
        top: The grid to be reflected.
        axis: The line it is reflected in.
        is_split: Whether each card shows a line of symmetry in its middle.
        attempts: Draws it took.
    """

    cards: tuple[Grid, ...]
    top: Grid | None
    axis: Axis
    is_split: bool = False
    attempts: int = 1

    @property
    def latents(self) -> dict[str, Any]:
        """Everything the answer depends on."""
        top = None if self.top is None else _digits(self.top)
        return {"cards": [_digits(grid) for grid in self.cards], "top": top} | {
            "axis": AXES.index(self.axis)
        }


class MirroringPatterns(Family):
    """Pictures of coloured cells that mirror each other, or themselves, but for a few cells."""

    name = "MirroringPatterns"
    group = "visual pattern recognition"
    summary = "Find a mirror image, all pairs of mirror images, or the picture that is not one."
    answer_type = "letter, pairs or integer"
    useful_tools = (
        "image_crop_tool",
        "image_flip_tool",
        "image_rotate_tool",
        "image_diff_tool",
        "image_overlay_tool",
        "color_at_tool",
    )
    necessary_tools = (("image_crop_tool", "image_zoom_in_tool"),)
    tools_needed_from = 4

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw one of the three forms, each as likely."""
        level = LEVELS[difficulty - 1]
        form = FORMS[int(rngs.latents.integers(len(FORMS)))]
        drawers = {"image": _image_puzzle, "pairs": _pairs_puzzle, "odd": _odd_puzzle}
        return drawers[form](rngs, level)

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Reflect crops by tools and measure how much others differ from them."""
        if "mirror image" in question:
            num_options = 8 if "A to H" in question else 4
            axis = next(axis for axis in AXES if f"line {axis.words}" in question)
            letter = yield from _find_image(Table.of(1, num_options), axis)
            return rf"\boxed{{{letter}}}"
        crops = []
        for card in Table.of(1, 6 if "1 to 6" in question else 4).options:
            crops.append((yield from make(crop_call(card.box))))
        find = _find_pairs if "pairs" in question else _find_odd
        answer = yield from find(crops, AXES[2] if "horizontal line" in question else AXES[0])
        return rf"\boxed{{{answer}}}"


def _image_puzzle(rngs: Streams, level: Level) -> Puzzle:
    slots = Slots.draw(rngs, 3 if level.options == 8 else 2)
    axis = AXES[int(rngs.latents.integers(len(AXES) if level.has_diagonals else 3))]
    other = int(rngs.latents.integers(1, len(_MOTIONS))) if level.has_diagonals else None
    motions = (_MOTIONS[0], axis.reflect if other is None else _MOTIONS[other])
    variants, attempts = _variants(rngs.latents, level, len(slots.true) - 1)

    def shown(bits: tuple[int, ...]) -> Grid:
        return motions[bits[-1]](variants[int("".join(map(str, bits[:-1])), 2)])

    cards = tuple(shown(bits) for bits in slots.shown)
    plan = Plan(cards, axis.reflect(shown(slots.true)), axis, attempts=attempts)
    last = LETTERS[level.options - 1]
    return Puzzle(
        question=(
            f"The picture at the top is reflected in the dashed line {axis.words}. Which of the "
            f"pictures A to {last} is its mirror image? {_note(level)}Answer with its letter."
        ),
        images=(_draw(plan, level, LETTERS, rngs),),
        grader="mcqa",
        grading=choice_grading(slots.letter, level.options),
        latents=plan.latents,
        metadata={"form": "image"},
        attempts=plan.attempts,
    )


def _pairs_puzzle(rngs: Streams, level: Level) -> Puzzle:
    count = level.numbered
    order = rngs.latents.permutation(count).tolist()
    axis = AXES[0] if rngs.latents.integers(2) else AXES[2]
    variants, attempts = _variants(rngs.latents, level, count // 2 - 1)
    grids = [grid for v in variants[: count // 2] for grid in (v, axis.reflect(v))]
    plan = Plan(tuple(grids[index] for index in order), None, axis, attempts=attempts)
    ends = [sorted((order.index(i), order.index(i + 1))) for i in range(0, count, 2)]
    pairs = ", ".join(f"{first + 1}-{second + 1}" for first, second in sorted(ends))
    swapped, line = _words(axis)
    return Puzzle(
        question=(
            f"The pictures 1 to {count} form pairs: in each pair one picture is the other "
            f"reflected in a {line} line, with {swapped} swapped, and not turned. Which pictures "
            f"belong together? {_note(level)}Answer with all pairs, such as "
            f"{', '.join(f'{i}-{i + 1}' for i in range(1, count, 2))}."
        ),
        images=(_draw(plan, level, NUMBERS, rngs),),
        grader="pairs",
        grading={"expected_answer": pairs},
        latents=plan.latents,
        metadata={"form": "pairs"},
        attempts=plan.attempts,
    )


def _odd_puzzle(rngs: Streams, level: Level) -> Puzzle:
    odd = int(rngs.latents.integers(level.numbered))
    axis = AXES[0] if rngs.latents.integers(2) else AXES[2]
    grids = [_symmetric(rngs.latents, level, is_odd=i == odd) for i in range(level.numbered)]
    cards = tuple(grid if axis is AXES[0] else grid.T for grid in grids)
    plan = Plan(cards, None, axis, is_split=True)
    _, line = _words(axis)
    return Puzzle(
        question=(
            f"Each of the pictures 1 to {level.numbered} has a dashed {line} line in its middle. "
            "What is on one side of it mirrors the other side, but in one picture it does not do "
            f"so exactly. Which one is it? {_note(level)}Answer with its number."
        ),
        images=(_draw(plan, level, NUMBERS, rngs),),
        grader="integer",
        grading={"expected_answer": str(odd + 1)},
        latents=plan.latents,
        metadata={"form": "odd"},
    )


def _note(level: Level) -> str:
    if not level.bead:
        return ""
    return "Beads of the same two colours differ in which one is inside. "


def _words(axis: Axis) -> tuple[str, str]:
    is_upright = axis is AXES[0]
    return ("left and right", "vertical") if is_upright else ("top and bottom", "horizontal")


def _digits(grid: Grid) -> str:
    return "".join(map(str, grid.ravel().tolist()))


def _variants(rng: np.random.Generator, level: Level, num_swaps: int) -> tuple[list[Grid], int]:
    """Draw a grid with pairs of cells swapped in every combination, and the draws it took.

    No two variants are alike in any of the eight positions, and none is like itself in two.
    """
    n = level.cells
    for attempt in range(1, MAX_ATTEMPTS + 1):
        grid = rng.integers(level.kinds, size=n * n)
        cells = rng.permutation(n * n)[: 2 * num_swaps].reshape(num_swaps, 2)
        variants = []
        for bits in product((0, 1), repeat=num_swaps):
            swapped = grid.copy()
            for first, second in cells[np.array(bits, bool)].tolist():
                swapped[[first, second]] = swapped[[second, first]]
            variants.append(swapped.reshape(n, n))
        seen = [motion(variant) for variant in variants for motion in _MOTIONS]
        if all(_num_unlike(a, b) >= 2 for a, b in combinations(seen, 2)):
            return variants, attempt
    raise GenerationError(f"Expected grids that differ in {MAX_ATTEMPTS} draws, got none")


def _symmetric(rng: np.random.Generator, level: Level, *, is_odd: bool) -> Grid:
    """Return a grid whose right half mirrors its left half; two cells are swapped in an odd one."""
    shape = (level.cells, level.cells // 2)
    half = rng.permutation(np.arange(shape[0] * shape[1]) % level.kinds).reshape(shape)
    grid = np.hstack([half, np.fliplr(half)])
    if is_odd:
        kind = half[0, 0]
        one, other = (
            tuple(places[int(rng.integers(len(places)))])
            for places in (np.argwhere(half == kind), np.argwhere(half != kind))
        )
        grid[one], grid[other] = grid[other], grid[one]
    return np.fliplr(grid) if rng.integers(2) else grid


def _num_unlike(grid: Grid, other: Grid) -> int:
    return int((grid != other).sum())


def _position(quarters: int, is_flipped: bool) -> Callable[[Grid], Grid]:
    return lambda grid: np.rot90(np.fliplr(grid) if is_flipped else grid, quarters)


_MOTIONS = tuple(_position(quarters, flip) for flip in (False, True) for quarters in range(4))
"""The eight positions of a square, the one at rest first."""


def _draw(plan: Plan, level: Level, labels: str, rngs: Streams) -> Pixels:
    look = LOOKS[int(rngs.style.integers(len(LOOKS)))]
    fills = _fills(level, look, rngs.style)
    table = Table.of(1, len(plan.cards))
    tabletop = Tabletop(table, level.width, look)
    (top,) = table.subjects
    tabletop.card(top)
    if plan.top is None:
        _draw_sign(tabletop, top, plan.axis, look)
    else:
        _draw_grid(tabletop, top, plan.top, level, fills)
        _draw_axis(tabletop, top, plan.axis.ends, look.ink)
    for card, label, grid in zip(table.options, labels, plan.cards, strict=False):
        tabletop.card(card, label)
        _draw_grid(tabletop, card, grid, level, fills)
        if plan.is_split:
            _draw_axis(tabletop, card, _middle(plan.axis, 0.5), look.ink)
    return tabletop.canvas.finish()


def _fills(level: Level, look: Look, rng: np.random.Generator) -> list[Color]:
    """Return the colours of tiles by kind; kind 0 is the card itself."""
    hue = rng.uniform(0, 2 * pi)
    hues = (hue + level.hue_step * index for index in range(level.kinds - 1))
    colors = [lab_to_rgb(62, 46 * cos(angle), 46 * sin(angle)) for angle in hues]
    return [look.card, *(colors if level.kinds > 2 else [look.ink])]


def _draw_grid(
    tabletop: Tabletop, card: Card, grid: Grid, level: Level, fills: Sequence[Color]
) -> None:
    n, unit = level.cells, tabletop.unit
    for row, column in np.ndindex(n, n):
        x, y = place(card, n, row, column)
        kind, center = int(grid[row, column]), (x * unit, y * unit)
        if level.bead:
            COLORED_BEADS[kind].draw(tabletop.canvas, center, level.bead * unit)
        elif kind:
            draw_tile(tabletop.canvas, center, 0.42 * pitch_of(n) * unit, "square", fills[kind])


def _middle(axis: Axis, reach: float) -> tuple[Point, Point]:
    """Return the ends of a line through a card's centre that runs like an axis."""
    return ((0, -reach), (0, reach)) if axis is AXES[0] else ((-reach, 0), (reach, 0))


def _draw_axis(tabletop: Tabletop, card: Card, ends: tuple[Point, Point], color: Color) -> None:
    unit = tabletop.unit
    (x, y), side = card.center, CARD
    start, end = (((x + u * side) * unit, (y + v * side) * unit) for u, v in ends)
    tabletop.canvas.dashes(start, end, 0.5 * unit, color, 2.2 * unit, 1.6 * unit)


def _draw_sign(tabletop: Tabletop, card: Card, axis: Axis, look: Look) -> None:
    """Draw two triangles that mirror each other, which says what the question is about."""
    _draw_axis(tabletop, card, _middle(axis, 0.36), look.ink)
    for side in (-1, 1):
        corners = [(side * u * CARD, v * CARD) for u, v in ((0.07, 0.2), (0.34, 0.2), (0.07, -0.2))]
        if axis is not AXES[0]:
            corners = [(y, x) for x, y in corners]
        x, y = card.center
        points = [((x + u) * tabletop.unit, (y + v) * tabletop.unit) for u, v in corners]
        tabletop.canvas.polygon(points, look.ink)


# The oracle measures how much cards differ from reflected ones.


def _find_image(table: Table, axis: Axis) -> Oracle:
    top = yield from make(crop_call(table.subjects[0].box))
    image = yield from reflected(top, axis)
    differences = []
    for card in table.options:
        crop = yield from make(crop_call(card.box))
        differences.append((yield from difference(image, crop)))
    return LETTERS[differences.index(min(differences))]


def _find_pairs(crops: Sequence[int], axis: Axis) -> Oracle:
    rest, pairs = list(range(len(crops))), []
    while rest:
        first, *others = rest
        partner = others[0]
        if len(others) > 1:
            image = yield from reflected(crops[first], axis)
            differences = []
            for other in others:
                differences.append((yield from difference(image, crops[other])))
            partner = others[differences.index(min(differences))]
        pairs.append(f"{first + 1}-{partner + 1}")
        rest = [index for index in others if index != partner]
    return ", ".join(pairs)


def _find_odd(crops: Sequence[int], axis: Axis) -> Oracle:
    differences = []
    for crop in crops:
        image = yield from reflected(crop, axis)
        differences.append((yield from difference(crop, image)))
    return str(differences.index(max(differences)) + 1)
