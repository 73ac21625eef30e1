"""CountBlocks3D: how many cubes are in a stack, or are missing from a full block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gym_imagetools.errors import GenerationError
from gym_imagetools.puzzles.eye import BlurryImage, Oracle
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.puzzles.solids.block_drawing import TONES, Tones, draw_cubes, draw_floor
from gym_imagetools.puzzles.solids.block_reading import look, read_heights
from gym_imagetools.puzzles.solids.blocks import (
    Heights,
    View,
    cells_of,
    corners,
    draw_stack,
    is_all_visible,
)
from gym_imagetools.puzzles.solids.shelf import Place, Shelf
from gym_imagetools.types import Pixels

MAX_ATTEMPTS = 80


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        side: Columns along a side of the floor.
        most: Cubes of the highest column.
        cubes: Fewest and most cubes of a stack.
        inner: Least and greatest part of them that shows no face.
        shelf: Stacks along a side of the picture.
        size: Side of the picture in pixels.
    """

    side: int
    most: int
    cubes: tuple[int, int]
    inner: tuple[float, float]
    shelf: int
    size: int


LEVELS = (
    Level(side=3, most=3, cubes=(5, 9), inner=(0.1, 0.33), shelf=1, size=1024),
    Level(side=3, most=3, cubes=(8, 14), inner=(0.1, 0.35), shelf=1, size=1024),
    Level(side=4, most=4, cubes=(14, 24), inner=(0.12, 0.38), shelf=2, size=1024),
    Level(side=5, most=4, cubes=(24, 40), inner=(0.15, 0.4), shelf=10, size=2048),
    Level(side=6, most=4, cubes=(40, 70), inner=(0.22, 0.42), shelf=12, size=2048),
)

_POOL = 6  # other stacks drawn, of which the shelf is filled
_MAX_STEPS = 120


class CountBlocks3D(Family):
    """A stack of cubes, some of them hidden, to be counted; on a shelf of others when hard."""

    name = "CountBlocks3D"
    group = "spatial perception"
    summary = "Count the cubes of a stack with those that support others, or those that it lacks."
    answer_type = "integer"
    useful_tools = ("image_zoom_in_tool", "image_crop_tool", "color_at_tool")
    necessary_tools = (("image_zoom_in_tool", "image_crop_tool"),)
    tools_needed_from = 4

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw a stack of a number of cubes that was drawn first."""
        level = LEVELS[difficulty - 1]
        total = int(rngs.latents.integers(level.cubes[0], level.cubes[1] + 1))
        asks_missing = bool(rngs.latents.integers(2))
        share = rngs.latents.uniform(*level.inner)
        heights, attempts = _stack_of(rngs.latents, level, total, share)
        place = shelf_for(level).any_places(rngs.layout, 1)[0]
        lacking = level.side**2 * level.most - total
        return Puzzle(
            question=_question(level, place, asks_missing=asks_missing),
            images=(_draw(heights, place, level, rngs),),
            grader="integer",
            grading={"expected_answer": str(lacking if asks_missing else total)},
            latents=_latents(heights) | {"asks_missing": asks_missing},
            metadata={"form": "missing" if asks_missing else "cubes", "place": list(place)},
            attempts=attempts,
        )

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Zoom in on the stack and read it column by column, the nearest one first."""
        level = next(level for level in LEVELS if _scene(level) in question)
        shelf = shelf_for(level)
        (place,) = shelf.named_in(question)
        sight = yield from look(images[0], shelf.box(place), shelf.size)
        view = view_for(level).moved(shelf.corner(place))
        total = int(read_heights(sight, view, level.side, level.most).sum())
        lacking = level.side**2 * level.most - total
        return rf"\boxed{{{lacking if 'missing' in question else total}}}"


def _scene(level: Level) -> str:
    """Return how a question begins."""
    shelf = (
        f"The picture shows {level.shelf} rows of {level.shelf} stacks of cubes; rows are counted "
        "from the top, columns from the left, both from 1. Each stack"
        if level.shelf > 1
        else "The stack of cubes"
    )
    return (
        f"{shelf} stands on a floor of {level.side} by {level.side} tiles and is at most "
        f"{level.most} cubes high. Cubes never float: every cube rests on a tile or on another "
        "cube; and of every column and bare tile at least a part of the top can be seen. "
    )


def _question(level: Level, place: Place, *, asks_missing: bool) -> str:
    which = f"the stack in {shelf_for(level).name(place)}" if level.shelf > 1 else "it"
    if asks_missing:
        asked = (
            f"How many cubes are missing from {which}, so that it would be a full block of "
            f"{level.side} by {level.side} by {level.most} cubes?"
        )
    else:
        asked = f"How many cubes is {which} made of, hidden ones included?"
    return f"{_scene(level)}{asked} Answer with a number."


def _latents(heights: Heights) -> dict[str, Any]:
    return {"heights": ["".join(map(str, row)) for row in heights.tolist()]}


def _stack_of(
    rng: np.random.Generator, level: Level, total: int, share: float
) -> tuple[Heights, int]:
    """Return a stack of so many cubes and about so many inner ones, and the draws it took.

    Cubes are added and taken away at random, as long as that brings the numbers nearer.
    """
    inner = max(1, int(share * total))

    def misfit(heights: Heights) -> int:
        beside = max(0, abs(_num_inner(heights) - inner) - total // 20)
        return 2 * abs(int(heights.sum()) - total) + beside

    for attempt in range(1, MAX_ATTEMPTS + 1):
        heights = draw_stack(rng, level.side, level.most)
        miss = misfit(heights)
        places = rng.integers(level.side, size=(_MAX_STEPS, 2, 2))
        for (x, y), (x2, y2) in places.tolist():
            if miss == 0:
                return heights, attempt
            changed = heights.copy()
            lacking = total - int(heights.sum())
            changed[x, y] += 1 if lacking >= 0 else -1
            changed[x2, y2] -= lacking == 0
            if changed.min() < 0 or changed.max() > level.most:
                continue
            changed_miss = misfit(changed)
            if changed_miss <= miss and is_all_visible(changed):
                heights, miss = changed, changed_miss
    raise GenerationError(f"Expected a stack of {total} cubes in {MAX_ATTEMPTS} draws, got none")


def _num_inner(heights: Heights) -> int:
    """Count the cubes that show no face: another one is above and on both sides in front."""
    padded = np.pad(heights, (0, 1))
    ahead = np.minimum(padded[1:, :-1], padded[:-1, 1:])
    return int(np.minimum(np.maximum(heights - 1, 0), ahead).sum())


def shelf_for(level: Level) -> Shelf:
    """Return the shelf of a picture."""
    return Shelf(level.shelf, level.shelf, (level.size, level.size), level.size)


def view_for(level: Level) -> View:
    """Return where a stack is in its cell."""
    cell = shelf_for(level).cell
    block = corners((0, 0, 0), (level.side, level.side, level.most))
    return View.fitting(block, (cell / 2, cell / 2), (0.8 * cell, 0.8 * cell))


def _draw(heights: Heights, place: Place, level: Level, rngs: Streams) -> Pixels:
    tones = TONES[int(rngs.style.integers(len(TONES)))]
    pool = [
        _draw_cell(draw_stack(rngs.distractors, level.side, level.most), level, tones)
        for _ in range(min(_POOL, level.shelf**2 - 1))
    ]
    picture = np.full((level.size, level.size, 3), tones.ground, dtype=np.uint8)
    named = {place: _draw_cell(heights, level, tones)}
    shelf_for(level).draw(picture, pool, named, tones.ink, rngs.layout)
    picture.setflags(write=False)
    return picture


def _draw_cell(heights: Heights, level: Level, tones: Tones) -> Pixels:
    cell = shelf_for(level).cell
    canvas = tones.card(cell)
    draw_floor(canvas, level.side, view_for(level), tones)
    draw_cubes(canvas, cells_of(heights), view_for(level), tones)
    return canvas.finish()
