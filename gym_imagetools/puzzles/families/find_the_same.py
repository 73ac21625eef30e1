"""FindTheSame: many figures that differ in a few parts, two of which are identical."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.errors import GenerationError
from gym_imagetools.puzzles.critters.bodies import Body, draw_body
from gym_imagetools.puzzles.critters.critters import build, draw_values
from gym_imagetools.puzzles.critters.figures import COATS, Coat
from gym_imagetools.puzzles.critters.slots import SLOTS
from gym_imagetools.puzzles.critters.sprites import Sprite, draw_sprite
from gym_imagetools.puzzles.drawing.canvas import PALETTES, Canvas, Palette, one_color
from gym_imagetools.puzzles.eye import BlurryImage, Oracle
from gym_imagetools.puzzles.looking.cells import Cells, Grid, glance_at_cells, look_at_cells
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.types import Pixels


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        grid: Where the figures stand.
        box: Side of a figure's box, of the pitch.
        slots: The slots in which figures may differ.
        sizes: How many values figures have in as many of these slots.
        neighbours: Figures that differ from a figure in one slot only, at least.
        turns: Whether figures are turned by quarter turns.
        mirrors: Whether some figures are mirrored, which makes them different.
        tile: Rows and columns that the oracle looks at in one piece.
        blocks: Blocks along a cell's side in a delivered tile.
    """

    grid: Grid
    box: float
    slots: tuple[str, ...]
    sizes: tuple[int, ...]
    neighbours: int
    turns: bool
    mirrors: bool
    tile: tuple[int, int]
    blocks: int


_LARGE = ("ears", "arms", "feet", "belly")
_ALL = tuple(SLOTS)
_FINE = ("eyes", "mouth", "cheeks", "belly")

LEVELS = (
    Level(Grid(2, 4, 246, 1024, 544), 0.72, _LARGE, (3, 2, 2), 1, False, False, (2, 2), 32),
    Level(Grid(3, 3, 315, 1024, 1024), 0.70, _ALL, (3, 3, 2), 1, False, False, (3, 3), 21),
    Level(Grid(3, 4, 240, 1024, 784), 0.68, _ALL, (3, 3, 2), 2, False, False, (1, 1), 64),
    Level(Grid(4, 4, 366, 1536, 1536), 0.50, _FINE, (3, 2, 2, 2), 2, True, False, (2, 2), 32),
    Level(Grid(4, 6, 326, 2048, 1408), 0.50, _FINE, (3, 3, 2, 2), 2, True, True, (2, 2), 32),
)

_NEAR_VALUES = {
    "eyes": ("left", "right", "ahead"),
    "mouth": ("flat", "left fang", "right fang"),
    "belly": ("two buttons", "three buttons"),
}
"""Values that look much alike; the others of their slots are left out where figures turn."""

MIRRORED = "mirrored"
"""Stands among the slots where figures may be mirrored."""

MAX_ATTEMPTS = 60
_SUBSETS = 1024  # drawn at once in an attempt
_SPREAD = 2  # between the most and the least frequent value of a slot


@dataclass(frozen=True)
class Cast:
    """The figures of one puzzle.

    Attributes:
        body: The body of all.
        values: What all have in common, by slot.
        slots: The slots in which figures differ, with the values they have there.
        kinds: Of each cell, which combination of these values it shows.
        turns: Of each cell, by how many quarter turns clockwise the figure is turned.
        attempts: Draws of the rejection loop.
    """

    body: Body
    values: dict[str, str]
    slots: dict[str, tuple[str, ...]]
    kinds: tuple[int, ...]
    turns: tuple[int, ...]
    attempts: int

    @property
    def twins(self) -> tuple[int, int]:
        """The two cells that show the same."""
        first, second = (
            cell for cell, kind in enumerate(self.kinds) if self.kinds.count(kind) == 2
        )
        return first, second

    def latents(self) -> dict[str, Any]:
        """Return all of it as JSON values."""
        return {
            "body": list(vars(self.body).values()),
            "values": self.values,
            "slots": {slot: list(values) for slot, values in self.slots.items()},
            "kinds": list(self.kinds),
            "turns": list(self.turns),
        }


class FindTheSame(Family):
    """Figures of which exactly two are identical, or one is identical to a sample."""

    name = "FindTheSame"
    group = "fine-grained discrimination"
    summary = "Find the two identical figures of many, or the one identical to a sample."
    answer_type = "pair or integer"
    useful_tools = (
        "image_zoom_in_tool",
        "image_crop_tool",
        "image_side_by_side_tool",
        "image_diff_tool",
        "image_rotate_tool",
        "image_flip_tool",
    )
    necessary_tools = (("image_zoom_in_tool", "image_crop_tool"),)
    tools_needed_from = 5

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw figures with either question, each as likely."""
        level = LEVELS[difficulty - 1]
        has_sample = bool(rngs.latents.integers(2))
        cast = _draw_cast(rngs, level, has_sample)
        first, second = cast.twins
        return Puzzle(
            question=" ".join([_question(level, has_sample), *_remarks(level)]),
            images=(_draw_sheet(cast, level, has_sample, rngs.style),),
            grader="integer" if has_sample else "pairs",
            grading={"expected_answer": str(second) if has_sample else f"{first + 1}-{second + 1}"},
            latents=cast.latents(),
            metadata={"form": "sample" if has_sample else "pair"},
            attempts=cast.attempts,
        )

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Zoom in on the cells and compare them all, in every turn where they are turned."""
        has_sample = "sample" in question
        level = next(level for level in LEVELS if _question(level, has_sample) in question)
        cells = yield from look_at_cells(level.grid, level.tile, level.blocks)
        if cells is None:
            cells = glance_at_cells(level.grid, level.blocks, images[0])
        first, second = _most_alike(cells, level, has_sample)
        return rf"\boxed{{{second}}}" if has_sample else rf"\boxed{{{first + 1}-{second + 1}}}"


def _question(level: Level, has_sample: bool) -> str:
    count = level.grid.rows * level.grid.columns
    if has_sample:
        return (
            f"Which of the {count - 1} numbered figures is identical to the framed sample in the "
            "top left corner? Answer with its number."
        )
    return (
        f"Exactly two of the {count} numbered figures are identical. Which two? Answer with their "
        "numbers, such as 1-2."
    )


def _remarks(level: Level) -> list[str]:
    remarks = []
    if level.turns:
        remarks.append(
            "Figures are turned by quarter turns: one that looks the same after turning counts as "
            "identical."
        )
    if level.mirrors:
        remarks.append("A mirrored figure does not.")
    return remarks


def _draw_cast(rngs: Streams, level: Level, has_sample: bool) -> Cast:
    """Draw the figures; the twins' places and rank are settled before any retry."""
    count = level.grid.rows * level.grid.columns
    first = 0 if has_sample else int(rngs.latents.integers(count))
    second = int(rngs.latents.choice([cell for cell in range(count) if cell != first]))
    rank = int(rngs.latents.integers(count - 1))
    slots = _draw_slots(rngs.latents, level)
    sizes = [len(values) for values in slots.values()]
    for attempt in range(1, MAX_ATTEMPTS + 1):
        kinds = _draw_kinds(rngs.latents, sizes, level.neighbours, count - 1, rank)
        if kinds is None:
            continue
        cells = np.empty(count, dtype=np.int64)
        others = [cell for cell in range(count) if cell not in (first, second)]
        cells[[first, second]], cells[others] = kinds[0], kinds[1:]
        turns = rngs.layout.integers(4, size=count) if level.turns else np.zeros(count, dtype=int)
        return Cast(
            body=draw_body(rngs.latents),
            values=draw_values(rngs.latents),
            slots=slots,
            kinds=tuple(cells.tolist()),
            turns=tuple(turns.tolist()),
            attempts=attempt,
        )
    raise GenerationError(f"Expected balanced figures in {MAX_ATTEMPTS} draws, got none")


def _draw_slots(rng: np.random.Generator, level: Level) -> dict[str, tuple[str, ...]]:
    """Draw the slots in which figures differ, and the values they take there.

    That a figure is mirrored or not counts as one more slot.
    """
    sizes = list(level.sizes[:-1] if level.mirrors else level.sizes)
    slots = {}
    for slot in rng.permutation(level.slots).tolist():
        near = _NEAR_VALUES.get(slot) if level.turns else None
        values = near or tuple(SLOTS[slot])
        size = next((size for size in sizes if size <= len(values)), None)
        if size is not None:
            sizes.remove(size)
            slots[slot] = tuple(rng.permutation(values).tolist()[:size])
    if level.mirrors:
        slots[MIRRORED] = ("no", "yes")
    return slots


def _draw_kinds(
    rng: np.random.Generator, sizes: Sequence[int], least_near: int, count: int, rank: int
) -> NDArray[np.int64] | None:
    """Draw different combinations of values, of which the first is the twins'; None for none.

    Each has neighbours, so that none stands out, and each value is about as frequent as any other
    of its slot, the twins counted as two. The twins are of the ``rank``-th most frequent values:
    left to chance they would have the most frequent ones, because they count twice.
    """
    vectors = np.array(list(product(*(range(size) for size in sizes))))
    near = ((vectors[:, None] != vectors).sum(axis=2) == 1).astype(np.int64)
    subsets = rng.random((_SUBSETS, len(vectors))).argsort(axis=1)[:, :count]
    chosen, weights = np.zeros((2, _SUBSETS, len(vectors)), dtype=np.int64)
    np.put_along_axis(chosen, subsets, 1, axis=1)
    np.put_along_axis(weights, subsets, 1, axis=1)
    np.put_along_axis(weights, subsets[:, :1], 2, axis=1)
    fits = np.take_along_axis(chosen @ near, subsets, axis=1).min(axis=1) >= least_near
    scores = np.zeros_like(subsets)
    for column, size in enumerate(sizes):
        frequency = weights @ np.eye(size, dtype=np.int64)[vectors[:, column]]
        fits &= np.ptp(frequency, axis=1) <= _SPREAD
        scores += np.take_along_axis(frequency[:, vectors[:, column]], subsets, axis=1)
    above = (scores[:, 1:] > scores[:, :1]).sum(axis=1)
    ties = (scores[:, 1:] == scores[:, :1]).sum(axis=1)
    fits &= (above <= rank) & (rank <= above + ties)
    found = np.flatnonzero(fits)
    return subsets[found[ties[found].argmin()]] if len(found) else None


def _draw_sheet(cast: Cast, level: Level, has_sample: bool, rng: np.random.Generator) -> Pixels:
    palette = PALETTES[int(rng.integers(len(PALETTES)))]
    coat = COATS[int(rng.integers(len(COATS)))]
    grid, side = level.grid, 2 * round(level.grid.pitch * level.box / 2)
    picture = _draw_cards(grid, palette, has_sample)
    sprites = {kind: _draw_kind(cast, kind, coat, side, palette) for kind in set(cast.kinds)}
    inset = (grid.pitch - side) // 2
    for cell, (kind, turn) in enumerate(zip(cast.kinds, cast.turns, strict=True)):
        x, y = grid.corner(cell)
        sprites[kind].turned(turn).paste(picture, x + inset, y + inset)
    picture.setflags(write=False)
    return picture


def _draw_cards(grid: Grid, palette: Palette, has_sample: bool) -> Pixels:
    """Draw the cards, numbered from 1; the sample's has a frame and no number."""
    picture = one_color((grid.width, grid.height), palette.ground)
    for cell in range(grid.rows * grid.columns):
        x, y = grid.corner(cell)
        card = _draw_card(grid.pitch, palette, cell if has_sample else cell + 1)
        picture[y : y + grid.pitch, x : x + grid.pitch] = card
    return picture


def _draw_card(pitch: int, palette: Palette, number: int) -> Pixels:
    canvas = Canvas((pitch, pitch), palette.ground)
    gap, radius = 0.025 * pitch, 0.066 * pitch
    outer = (gap, gap, pitch - gap, pitch - gap)
    if number:
        middle = gap + 1.05 * radius
        canvas.rectangle(outer, palette.paper, radius)
        canvas.disc((middle, middle), radius, palette.ink)
        height = (0.95 if number < 10 else 0.75) * radius
        canvas.number(number, (middle, middle), height, palette.paper)
    else:
        canvas.rectangle(outer, palette.accent, radius)
        inner = (2 * gap, 2 * gap, pitch - 2 * gap, pitch - 2 * gap)
        canvas.rectangle(inner, palette.paper, radius * 0.7)
    return canvas.finish()


def _draw_kind(cast: Cast, kind: int, coat: Coat, side: int, palette: Palette) -> Sprite:
    indices = np.unravel_index(kind, [len(values) for values in cast.slots.values()])
    varied = {
        slot: values[int(index)]
        for (slot, values), index in zip(cast.slots.items(), indices, strict=True)
    }
    mirrored = varied.pop(MIRRORED, "no") == "yes"
    sprite = draw_sprite(build(cast.body, {**cast.values, **varied}), coat, side, palette.paper)
    return sprite.mirrored() if mirrored else sprite


def _most_alike(cells: Cells, level: Level, has_sample: bool) -> tuple[int, int]:
    """Return the two cells whose middles differ least in their best turns."""
    edge = int(level.blocks * (1 - level.box) / 2)
    middles = cells[:, edge : level.blocks - edge, edge : level.blocks - edge]
    flat = middles.reshape(len(cells), -1)
    least = np.full((len(cells), len(cells)), np.inf)
    for turn in range(4 if level.turns else 1):
        turned = np.rot90(middles, turn, axes=(1, 2)).reshape(len(cells), -1)
        squares = (flat**2).sum(axis=1)[:, None] + (turned**2).sum(axis=1)
        least = np.minimum(least, squares - 2 * flat @ turned.T)
    least[np.tril_indices(len(cells))] = np.inf
    if has_sample:
        least[1:] = np.inf
    first, second = np.unravel_index(int(least.argmin()), least.shape)
    return int(first), int(second)
