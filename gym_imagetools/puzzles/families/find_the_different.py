"""FindTheDifferent: a grid of one figure, and the one cell that differs in a detail."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from math import cos, pi, sin
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from gym_imagetools.errors import GenerationError
from gym_imagetools.puzzles.critters.bodies import Body, draw_body
from gym_imagetools.puzzles.critters.critters import build, draw_values
from gym_imagetools.puzzles.critters.figures import COATS, Figure, recolored, with_part
from gym_imagetools.puzzles.critters.slots import SLOTS
from gym_imagetools.puzzles.critters.sprites import Sprite, draw_sprite, least_shade
from gym_imagetools.puzzles.drawing.canvas import PALETTES, Canvas, Palette, one_color
from gym_imagetools.puzzles.eye import BlurryImage, Oracle
from gym_imagetools.puzzles.looking.cells import Cells, Grid, glance_at_cells, look_at_cells
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.types import Pixels


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        grid: Where the cells are.
        changes: What may be done to the one figure.
        amount: How much of it, as a part of the strongest.
        least_share: Part of a figure's box that must change.
        jitters: Different offsets of figures along an axis.
        glimmers: Different brightnesses of cells.
        tile: Rows and columns that the oracle looks at in one piece.
        blocks: Blocks along a cell's side in a delivered tile: whole ones, so that the cells of
            all tiles are seen through the same raster.
    """

    grid: Grid
    changes: tuple[str, ...]
    amount: float
    least_share: float
    jitters: int
    glimmers: int
    tile: tuple[int, int]
    blocks: int


_COARSE = ("swap", "drop", "mirror", "shift", "scale", "turn", "hue")
_FINE = ("shift", "scale", "turn", "hue")

_GRIDS = (
    Grid(5, 5, 180, 1024, 1024),
    Grid(7, 7, 126, 1024, 1024),
    Grid(10, 10, 90, 1024, 1024),
    Grid(14, 14, 99, 1536, 1536),
    Grid(20, 32, 60, 2048, 1328),
)

LEVELS = (
    Level(_GRIDS[0], _COARSE, 1.00, 0.020, jitters=2, glimmers=2, tile=(5, 5), blocks=12),
    Level(_GRIDS[1], _COARSE, 0.65, 0.012, jitters=2, glimmers=3, tile=(7, 7), blocks=9),
    Level(_GRIDS[2], _FINE, 0.50, 0.010, jitters=3, glimmers=3, tile=(5, 5), blocks=12),
    Level(_GRIDS[3], _FINE, 0.35, 0.010, jitters=3, glimmers=5, tile=(7, 7), blocks=9),
    Level(_GRIDS[4], _FINE, 0.27, 0.014, jitters=5, glimmers=5, tile=(5, 8), blocks=8),
)

MAX_ATTEMPTS = 100
JITTER_PX = 2
"""Figures stand this far off their cells' centres, so that plain differences tell nothing."""

GLIMMER = 2
"""Of 255: cells are brighter or darker by so much at most."""

_BOX = 0.82  # side of a figure's box, of the pitch
_LEAST_CHANGED_PX = 20
_LEAST_SHADE = 12  # of 255: a step of the eye and a half
_SAME, _STILL_THE_SAME = (0, 0, 0), (60, 60, 60)  # of 255: larger differences can be seen


@dataclass(frozen=True)
class Odd:
    """The common figure and what is different about the odd one.

    Attributes:
        body: The body.
        values: The value of each slot.
        coat: Index of the coat.
        change: One of the level's changes.
        slot: The slot it is done to.
        angle: Where to, in radians, where the change has a direction.
    """

    body: Body
    values: dict[str, str]
    coat: int
    change: str
    slot: str
    angle: float

    def latents(self) -> dict[str, Any]:
        """Return all of it as JSON values."""
        return {**vars(self), "body": list(vars(self.body).values())}


@dataclass(frozen=True, eq=False)
class Drawn:
    """A change that can be seen; the sprites are the common figure's and the odd one's."""

    odd: Odd
    sprites: tuple[Sprite, Sprite]
    attempts: int


class FindTheDifferent(Family):
    """A grid of figures that are alike, all but one."""

    name = "FindTheDifferent"
    group = "fine-grained discrimination"
    summary = "Find the one figure of a grid that differs from all others in a detail."
    answer_type = "row,column"
    useful_tools = ("image_zoom_in_tool", "image_crop_tool", "image_diff_tool")
    necessary_tools = (("image_zoom_in_tool", "image_crop_tool"),)
    tools_needed_from = 4

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw a grid; the odd cell and the kind of change are settled before any retry."""
        level = LEVELS[difficulty - 1]
        grid = level.grid
        cell = int(rngs.latents.integers(grid.rows * grid.columns))
        change = str(rngs.latents.choice(level.changes))
        palette = PALETTES[int(rngs.style.integers(len(PALETTES)))]
        drawn = _draw_visible(rngs.latents, change, level, palette)
        row, column = divmod(cell, grid.columns)
        return Puzzle(
            question=(
                f"All {grid.rows * grid.columns} figures in this grid of {grid.rows} rows by "
                f"{grid.columns} columns are alike, except for one that differs in a detail. "
                "Which one? Give its row and column as (row,column). Rows are counted from the "
                "top and columns from the left, both from 1, as numbered along the edges."
            ),
            images=(_draw_grid(drawn.sprites, cell, level, palette, rngs.layout),),
            grader="coord",
            grading={"expected_answer": f"{row + 1},{column + 1}"},
            latents={"cell": cell, **drawn.odd.latents()},
            metadata={"form": change},
            attempts=drawn.attempts,
        )

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Zoom in tile by tile on whole cells, and name the cell that fits the others least."""
        rows = int(re.findall(r"(\d+) rows", question)[0])
        level = next(level for level in LEVELS if level.grid.rows == rows)
        cells = yield from look_at_cells(level.grid, level.tile, level.blocks)
        if cells is None:
            cells = glance_at_cells(level.grid, level.blocks, images[0])
        strange = _strangeness(cells)
        row, column = divmod(int(strange.argmax()), level.grid.columns)
        return rf"\boxed{{({row + 1},{column + 1})}}"


def _draw_visible(rng: np.random.Generator, change: str, level: Level, palette: Palette) -> Drawn:
    for attempt in range(1, MAX_ATTEMPTS + 1):
        odd = _draw_odd(rng, change)
        sprites = _sprites(odd, level, palette)
        if _is_visible(*sprites, level):
            return Drawn(odd, sprites, attempt)
    raise GenerationError(f"Expected a visible change in {MAX_ATTEMPTS} draws, got none")


def _draw_odd(rng: np.random.Generator, change: str) -> Odd:
    slots = list(SLOTS)
    return Odd(
        body=draw_body(rng),
        values=draw_values(rng),
        coat=int(rng.integers(len(COATS))),
        change=change,
        slot=slots[int(rng.integers(len(slots)))],
        angle=round(rng.uniform(0, 2 * pi), 4),
    )


def _sprites(odd: Odd, level: Level, palette: Palette) -> tuple[Sprite, Sprite]:
    """Return the common figure and the odd one."""
    side, coat = round(level.grid.pitch * _BOX), COATS[odd.coat]
    common = build(odd.body, odd.values)
    usual = draw_sprite(common, coat, side, palette.paper)
    if odd.change == "mirror":
        return usual, usual.mirrored()
    changed = _CHANGES[odd.change](common, odd, level.amount)
    return usual, draw_sprite(changed, coat, side, palette.paper)


def _shift(figure: Figure, odd: Odd, amount: float) -> Figure:
    reach = 0.16 * amount
    shift = (reach * cos(odd.angle), reach * sin(odd.angle))
    return with_part(figure, odd.slot, lambda part: part.moved(shift=shift))


def _scale(figure: Figure, odd: Odd, amount: float) -> Figure:
    scale = 1 + (0.5 if odd.angle < pi else -0.4) * amount
    return with_part(figure, odd.slot, lambda part: part.moved(scale=scale))


def _turn(figure: Figure, odd: Odd, amount: float) -> Figure:
    degrees = (40 if odd.angle < pi else -40) * amount
    return with_part(figure, odd.slot, lambda part: part.moved(degrees=degrees))


def _swap(figure: Figure, odd: Odd, amount: float) -> Figure:
    others = [value for value in SLOTS[odd.slot] if value != odd.values[odd.slot]]
    value = others[int(odd.angle / (2 * pi) * len(others)) % len(others)]
    return build(odd.body, {**odd.values, odd.slot: value})


def _drop(figure: Figure, odd: Odd, amount: float) -> Figure:
    return tuple(part for part in figure if part.slot != odd.slot)


def _hue(figure: Figure, odd: Odd, amount: float) -> Figure:
    step = 64 + 66 * amount
    third = 2 * pi / 3
    away = [round(step * cos(odd.angle + channel * third)) for channel in range(3)]
    return with_part(figure, odd.slot, lambda part: recolored(part, COATS[odd.coat], away))


_CHANGES: dict[str, Callable[[Figure, Odd, float], Figure]] = {
    "shift": _shift,
    "scale": _scale,
    "turn": _turn,
    "swap": _swap,
    "drop": _drop,
    "hue": _hue,
}


def _is_visible(usual: Sprite, odd: Sprite, level: Level) -> bool:
    """Whether enough pixels differ, also when one is laid a pixel off the other.

    And whether some block is lighter or darker, wherever the raster of blocks begins.
    """
    side = len(usual.cover)
    least = max(_LEAST_CHANGED_PX, level.least_share * side**2)
    frame = ((1, 1), (1, 1), (0, 0))
    wide = np.pad(odd.pixels, frame, mode="edge")
    for y, x in product(range(3), range(3)):
        change = cv2.absdiff(usual.pixels, wide[y : y + side, x : x + side])
        if side**2 - cv2.countNonZero(cv2.inRange(change, _SAME, _STILL_THE_SAME)) < least:
            return False
    block = -(-level.grid.pitch // level.blocks)
    return least_shade(usual.pixels, odd.pixels, block) >= _LEAST_SHADE


def _draw_grid(
    sprites: tuple[Sprite, Sprite],
    odd_cell: int,
    level: Level,
    palette: Palette,
    rng: np.random.Generator,
) -> Pixels:
    """Draw each look of the common figure once, and copy it to the cells that have it."""
    grid, (left, top) = level.grid, level.grid.origin
    picture = _draw_sheet(grid, palette)
    blank = picture[top : top + grid.pitch, left : left + grid.pitch]
    looks = _looks(level)
    look_of = rng.permutation(np.resize(np.arange(len(looks)), grid.rows * grid.columns))
    drawn = [_draw_cell(blank, sprites[0], look) for look in looks]
    drawn.append(_draw_cell(blank, sprites[1], looks[look_of[odd_cell]]))
    look_of[odd_cell] = len(looks)
    for cell, look in enumerate(look_of.tolist()):
        x, y = grid.corner(cell)
        picture[y : y + grid.pitch, x : x + grid.pitch] = drawn[look]
    picture.setflags(write=False)
    return picture


def _looks(level: Level) -> list[tuple[int, int, int]]:
    """Return shift right, shift down and brightness of each look."""
    shifts = np.linspace(-JITTER_PX, JITTER_PX, level.jitters).round().astype(int).tolist()
    glimmers = np.linspace(-GLIMMER, GLIMMER, level.glimmers).round().astype(int).tolist()
    return list(product(shifts, shifts, glimmers))


def _draw_cell(blank: Pixels, sprite: Sprite, look: tuple[int, int, int]) -> Pixels:
    shift_x, shift_y, glimmer = look
    cell = blank.copy()
    inset = (len(blank) - len(sprite.cover)) // 2
    sprite.paste(cell, inset + shift_x, inset + shift_y)
    return np.asarray(np.clip(cell + np.int16(glimmer), 0, 255), dtype=np.uint8)


def _draw_sheet(grid: Grid, palette: Palette) -> Pixels:
    """Draw the empty grid with its numbers."""
    picture = one_color((grid.width, grid.height), palette.ground)
    left, top = grid.origin
    right, bottom = left + grid.columns * grid.pitch, top + grid.rows * grid.pitch
    picture[top - 6 : bottom + 6, left - 6 : right + 6] = palette.paper
    for x in range(left, right + 1, grid.pitch):
        picture[top:bottom, x - 1 : x + 1] = palette.ground
    for y in range(top, bottom + 1, grid.pitch):
        picture[y - 1 : y + 1, left:right] = palette.ground
    height = min(0.3 * grid.pitch, 0.38 * left)
    above = Canvas((grid.width, top - 6), palette.ground)
    for column in range(grid.columns):
        above.number(column + 1, (left + (column + 0.5) * grid.pitch, top / 2), height, palette.ink)
    beside = Canvas((left - 6, grid.height), palette.ground)
    for row in range(grid.rows):
        beside.number(row + 1, (left / 2, top + (row + 0.5) * grid.pitch), height, palette.ink)
    picture[: top - 6], picture[top:, : left - 6] = above.finish(), beside.finish()[top:]
    return picture


def _strangeness(cells: Cells) -> NDArray[np.float64]:
    """Return the squared distance of each cell to the one most like it.

    Several figures share each look, so for all but one there is a double.
    """
    flat = cells.reshape(len(cells), -1)
    squares = (flat**2).sum(axis=1)
    distances = squares[:, None] + squares - 2 * flat @ flat.T
    np.fill_diagonal(distances, np.inf)
    return np.asarray(distances.min(axis=1), dtype=np.float64)
