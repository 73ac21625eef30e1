"""PatternAndColorCompletion: the tile that a grid lacks, or the one tile that breaks its rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.errors import GenerationError
from gym_imagetools.puzzles.cards.cards import LETTERS, LOOKS, UNITS, Slots, choice_grading, look_of
from gym_imagetools.puzzles.cards.rules import (
    GRID_LANGUAGE,
    HIDDEN,
    STRIPES,
    Place,
    Values,
    follows,
    misfits,
    predictions,
)
from gym_imagetools.puzzles.cards.tile_grid import HEIGHT, TileGrid, TilePen, TileReader, palette
from gym_imagetools.puzzles.drawing.canvas import Canvas
from gym_imagetools.puzzles.eye import BlurryImage, Oracle
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.types import Pixels

MAX_ATTEMPTS = 200
KINDS = 4
"""Values of every attribute."""


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        cells: Cells along the side of the grid.
        attributes: Which of a tile's attributes follow rules.
        hue_step: Angle of hue between neighbouring colours.
        bead: Radius of the three beads on a tile in units; 0 for coloured shapes.
        width: Of the picture in pixels.
    """

    cells: int
    attributes: int
    hue_step: float
    bead: float
    width: int


LEVELS = (
    Level(cells=4, attributes=1, hue_step=pi / 2, bead=0, width=1200),
    Level(cells=4, attributes=2, hue_step=pi / 2, bead=0, width=1200),
    Level(cells=5, attributes=2, hue_step=0.9, bead=0, width=1200),
    Level(cells=6, attributes=3, hue_step=0, bead=0.8, width=1600),
    Level(cells=6, attributes=3, hue_step=0, bead=0.5, width=1600),
)

_SHARES = {1: (1 / 4, 1 / 4, 1 / 2), 2: (2 / 7, 2 / 7, 3 / 7)}
"""How often rules run along rows, along columns, or otherwise, by 1 or by more attributes.

A neighbour of the hidden tile has its value just when the rule runs that way; the wrong value of
an option is another neighbour's. With these shares no neighbour tells more than chance."""


@dataclass(frozen=True)
class Plan:
    """What is drawn.

    Attributes:
        grid: Attributes of the tiles, shape (attributes, n, n); hidden where covered.
        hole: The cell with the question mark.
        options: Attributes of the options.
        attempts: Draws it took.
    """

    grid: Values
    hole: Place | None = None
    options: tuple[tuple[int, ...], ...] = ()
    attempts: int = 1

    @property
    def latents(self) -> dict[str, Any]:
        """Everything the answer depends on."""
        grid = ["".join("-0123"[v + 1] for v in values.ravel()) for values in self.grid]
        options = ["".join(map(str, option)) for option in self.options]
        return {"grid": grid, "hole": self.hole and list(self.hole), "options": options}


class PatternAndColorCompletion(Family):
    """A grid of tiles of which every attribute follows a rule of its own."""

    name = "PatternAndColorCompletion"
    group = "fine-grained discrimination"
    summary = "Find the tile that a grid with rules lacks, or the tile that breaks the rules."
    answer_type = "letter or cell"
    useful_tools = ("image_zoom_in_tool", "image_crop_tool", "find_color_tool", "color_at_tool")
    necessary_tools = (("image_zoom_in_tool", "image_crop_tool"),)
    tools_needed_from = 4

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw a grid with either question; a missing tile is asked for twice as often."""
        level = LEVELS[difficulty - 1]
        asks_tile = int(rngs.latents.integers(3)) < 2
        return (_tile_puzzle if asks_tile else _misfit_puzzle)(rngs, level)

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Read every tile, by zooms when there are beads, and reason by the language of rules."""
        asks_tile = "question mark" in question
        n = int(re.findall(r"(\d) by", question)[0])
        num_options = (8 if "A to H" in question else 4) if asks_tile else 0
        layout = TileGrid(n, num_options)
        reader = TileReader(layout, look_of(images[0]), has_beads="bead" in question)
        seen = yield from reader.read(images[0])
        if not asks_tile:
            row, column = (misfits(list(seen.grid), KINDS, STRIPES) or [(0, 0)])[0]
            return rf"\boxed{{{row + 1},{column + 1}}}"
        wanted = [predictions(values, seen.hole, KINDS, GRID_LANGUAGE) for values in seen.grid]
        fits = [
            sum(value in values for value, values in zip(option, wanted, strict=True))
            for option in seen.options
        ]
        return rf"\boxed{{{LETTERS[fits.index(max(fits))]}}}"


def _tile_puzzle(rngs: Streams, level: Level) -> Puzzle:
    # The true option and what neighbours share with it are settled before any retry.
    is_single = level.attributes == 1
    slots = Slots.draw(rngs, 2 if is_single else level.attributes)
    varied = _varied(rngs.latents, level)
    shares = _SHARES[min(2, level.attributes)]
    ways = rngs.latents.choice(len(shares), size=len(varied), p=shares).tolist()
    true = rngs.latents.integers(KINDS, size=len(varied)).tolist()
    plan = _agreed_plan(rngs.latents, level, slots, varied, ways, true)
    num_options = len(plan.options)
    return Puzzle(
        question=(
            f"{_rules(level, varied)} Which of the tiles A to {LETTERS[num_options - 1]} belongs "
            "in the cell with the question mark? Empty cells are only covered. Answer with its "
            "letter."
        ),
        images=(_draw(plan, level, rngs),),
        grader="mcqa",
        grading=choice_grading(slots.letter, num_options, "tile"),
        latents=plan.latents,
        metadata={"form": "tile"},
        attempts=plan.attempts,
    )


def _misfit_puzzle(rngs: Streams, level: Level) -> Puzzle:
    n = level.cells
    row, column = (int(value) for value in rngs.latents.integers(n, size=2))
    varied = _varied(rngs.latents, level)
    plan = _broken_plan(rngs.latents, level, varied, (row, column))
    return Puzzle(
        question=(
            f"{_rules(level, varied)} What is alike runs in rows, columns or slanting stripes. "
            "Exactly one tile breaks this. Give its row and column as (row,column), counted from "
            "the top left, starting at 1."
        ),
        images=(_draw(plan, level, rngs),),
        grader="coord",
        grading={"expected_answer": f"{row + 1},{column + 1}"},
        latents=plan.latents,
        metadata={"form": "misfit"},
        attempts=plan.attempts,
    )


def _rules(level: Level, varied: Sequence[int]) -> str:
    grid = f"of this {level.cells} by {level.cells} grid"
    if level.bead:
        return (
            f"On the tiles {grid} the left, the right and the lower bead follow a rule each across "
            "the rows and columns. Both colours of a bead count, and which of them is inside."
        )
    if len(varied) == 1:
        name = ("colour", "shape")[varied[0]]
        return f"The {name} of the tiles {grid} follows a rule across the rows and columns."
    return (
        f"The colour and the shape of the tiles {grid} follow a rule each across the rows and "
        "columns."
    )


def _varied(rng: np.random.Generator, level: Level) -> list[int]:
    """Return which attributes follow rules; the others are the same everywhere."""
    return [int(rng.integers(2))] if level.attributes == 1 else list(range(level.attributes))


def _agreed_plan(
    rng: np.random.Generator,
    level: Level,
    slots: Slots,
    varied: Sequence[int],
    ways: Sequence[int],
    true: Sequence[int],
) -> Plan:
    for attempt in range(1, MAX_ATTEMPTS + 1):
        plan = _plan_tile(rng, level, slots, varied, ways, true)
        if plan is not None:
            return replace(plan, attempts=attempt)
    raise GenerationError(f"Expected an agreed tile in {MAX_ATTEMPTS} grids, got none")


def _broken_plan(
    rng: np.random.Generator, level: Level, varied: Sequence[int], misfit: Place
) -> Plan:
    """Draw a grid in which one tile has a wrong value, and no other one can be blamed for it."""
    n = level.cells
    ways = rng.integers(3, size=len(varied)).tolist()
    for attempt in range(1, MAX_ATTEMPTS + 1):
        grid = [_follow(rng, n, way) for way in ways]
        if not all(follows(values, KINDS, STRIPES) for values in grid):
            continue
        wrong = grid[int(rng.integers(len(grid)))]
        others = wrong[wrong != wrong[misfit]]  # a new value would be seen at once
        wrong[misfit] = others[int(rng.integers(len(others)))]
        is_broken = not all(follows(values, KINDS, STRIPES) for values in grid)
        if is_broken and misfits(grid, KINDS, STRIPES) == [misfit]:
            return Plan(_complete(rng, level, grid, varied), attempts=attempt)
    raise GenerationError(f"Expected one misfit in {MAX_ATTEMPTS} grids, got none")


def _plan_tile(
    rng: np.random.Generator,
    level: Level,
    slots: Slots,
    varied: Sequence[int],
    ways: Sequence[int],
    true: Sequence[int],
) -> Plan | None:
    n = level.cells
    hole = (int(rng.integers(n)), int(rng.integers(n)))
    grid, offered = [], []
    for way, value in zip(ways, true, strict=True):
        values = _follow(rng, n, way)
        values = (values - values[hole] + value) % KINDS
        others = _other_neighbours(values, hole)
        if not others or (way == _OTHERWISE and value in _neighbours(values, hole)):
            return None
        grid.append(values)
        wrong = others[int(rng.integers(len(others)))]
        steps = range(KINDS) if level.attributes == 1 else (0, wrong - value)
        offered.append([(value + step) % KINDS for step in steps])
    covered = _balanced_cover(rng, grid, offered, hole)
    if covered is None:
        return None
    shown = [np.where(covered, HIDDEN, values) for values in grid]
    if any(
        predictions(values, hole, KINDS, GRID_LANGUAGE) != [value]
        for values, value in zip(shown, true, strict=True)
    ):
        return None
    complete = _complete(rng, level, shown, varied)
    constants = complete[:, *np.argwhere(~covered)[0]].tolist()

    def option(bits: tuple[int, ...]) -> tuple[int, ...]:
        tile = list(constants)
        if len(varied) == 1:
            tile[varied[0]] = (true[0] + _index(bits) - _index(slots.true)) % KINDS
        else:
            for attribute, bit, right in zip(varied, bits, slots.true, strict=True):
                tile[attribute] = offered[attribute][int(bit != right)]
        return tuple(tile)

    return Plan(complete, hole, tuple(option(bits) for bits in slots.shown))


def _index(bits: Sequence[int]) -> int:
    return int("".join(map(str, bits)), 2)


def _neighbours(values: Values, place: Place) -> list[int]:
    row, column = place
    beside = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return [int(values[p]) for p in beside if min(p) >= 0 and max(p) < len(values)]


def _other_neighbours(values: Values, place: Place) -> list[int]:
    return [value for value in _neighbours(values, place) if value != values[place]]


def _complete(
    rng: np.random.Generator, level: Level, grid: Sequence[Values], varied: Sequence[int]
) -> Values:
    """Return all attributes, those that follow no rule constant where the others are seen."""
    total = 3 if level.bead else 2
    complete = np.where(grid[0] == HIDDEN, HIDDEN, rng.integers(KINDS, size=(total, 1, 1)))
    complete[list(varied)] = grid
    return complete


_OTHERWISE = 2


def _follow(rng: np.random.Generator, n: int, way: int) -> Values:
    """Return values that follow a rule along rows (0), along columns (1) or otherwise (2)."""
    rows, columns = np.indices((n, n))
    if way != _OTHERWISE:
        # Each line is unlike the one before.
        return np.cumsum(rng.integers(1, KINDS, size=n))[(rows, columns)[way]] % KINDS
    if rng.integers(2):
        p, q = (int(step) for step in rng.integers(1, KINDS, size=2))
        return np.asarray(rng.permutation(KINDS)[(p * rows + q * columns) % KINDS])
    mirrored = rng.integers(KINDS, size=(n, n))[rows, np.minimum(columns, n - 1 - columns)]
    return mirrored if rng.integers(2) else mirrored.T


def _balanced_cover(
    rng: np.random.Generator,
    grid: Sequence[Values],
    offered: Sequence[Sequence[int]],
    hole: Place,
) -> NDArray[np.bool_] | None:
    """Cover cells until all values offered are seen equally often; None when that fails.

    Otherwise the value of the hidden tile, of which one is missing, would be the rarer one.
    """
    n = len(grid[0])
    covered = np.zeros((n, n), bool)
    covered[hole] = True
    for _ in range(n + 2):
        surplus = np.zeros((n, n), np.int64)
        for values, choice in zip(grid, offered, strict=True):
            counts = {value: int((values == value)[~covered].sum()) for value in choice}
            fewest = min(counts.values())
            for value, count in counts.items():
                surplus[values == value] += 1 if count > fewest else 1 - len(choice)
        if (surplus <= 0).all():
            is_even = all(
                len({int((values == value)[~covered].sum()) for value in choice}) == 1
                for values, choice in zip(grid, offered, strict=True)
            )
            return covered if is_even else None
        surplus[covered] = -9
        best = np.argwhere(surplus == surplus.max())
        covered[tuple(best[int(rng.integers(len(best)))])] = True
    return None


def _draw(plan: Plan, level: Level, rngs: Streams) -> Pixels:
    look = LOOKS[int(rngs.style.integers(len(LOOKS)))]
    colors = palette(rngs.style.uniform(0, 2 * pi), level.hue_step)
    canvas = Canvas((level.width, level.width * HEIGHT // UNITS), look.ground)
    layout = TileGrid(level.cells, len(plan.options))
    pen = TilePen(canvas, layout, level.width / UNITS, look, colors, level.bead)
    pen.grid(plan.grid, plan.hole)
    pen.options(plan.options)
    return canvas.finish()
