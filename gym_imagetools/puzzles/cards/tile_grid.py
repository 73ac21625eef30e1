"""A grid of tiles, lettered tiles beside it: where they are, how they are drawn and read.

A tile shows a coloured shape, or three beads. Its attributes are numbers from 0 to 3: colour and
shape, or the kind of the left, the right and the lower bead. Lengths are units of
:data:`~gym_imagetools.puzzles.cards.cards.UNITS` to the width of a picture.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from math import ceil, cos, floor, pi, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.puzzles.cards.cards import LETTERS, UNITS, Look
from gym_imagetools.puzzles.cards.marks import COLORED_BEADS
from gym_imagetools.puzzles.cards.rules import HIDDEN, Place, Values
from gym_imagetools.puzzles.drawing.canvas import Canvas, Color, Point, lab_to_rgb
from gym_imagetools.puzzles.eye import Blocks, BlurryImage, Reply
from gym_imagetools.puzzles.looking.gaze import look_at_tiles

Tile = tuple[int, ...]
"""The attributes of a tile."""

HEIGHT = 140
"""Of a picture, in units."""

GRID = 108
"""Side of the grid."""

SHAPES = ("square", "disc", "diamond", "star")

_GRID_TOP = 16
_OPTION_COLUMNS = (142, 174)
_OPTION_ROWS = {4: (42, 92), 8: (22, 54, 86, 118)}
_BADGE = 4.0
_PLATE = 0.46  # half the side of a tile's plate, of the cell
_REACH = 0.34  # of a shape from its middle, of the cell
_CHROMA, _LIGHTNESS = 48.0, 60.0

_IN_TILE = 32
_BEADS = ((9, 10), (22, 10), (15, 21))
"""Places of the beads: the middles of these columns and rows of 32 in a tile. They are the middles
of blocks when a model looks at a zoom of two by two tiles."""


@dataclass(frozen=True)
class TileGrid:
    """The layout.

    Attributes:
        cells: Cells along the side of the grid.
        num_options: Tiles beside the grid; 0 puts the grid in the middle.
    """

    cells: int
    num_options: int

    @property
    def cell(self) -> float:
        """Side of a cell."""
        return GRID / self.cells

    @property
    def left(self) -> float:
        """Left edge of the grid."""
        return 10 if self.num_options else (UNITS - GRID) / 2

    def center(self, place: Place) -> Point:
        """Return the middle of a cell."""
        row, column = place
        return self.left + (column + 0.5) * self.cell, _GRID_TOP + (row + 0.5) * self.cell

    def option_centers(self) -> list[Point]:
        """Return the middles of the options."""
        rows = _OPTION_ROWS.get(self.num_options, ())
        return [(x, y) for y in rows for x in _OPTION_COLUMNS]


def palette(hue: float, hue_step: float) -> list[Color]:
    """Return the colours of shapes; angles in radians."""
    angles = (hue + index * hue_step for index in range(4))
    return [lab_to_rgb(_LIGHTNESS, _CHROMA * cos(a), _CHROMA * sin(a)) for a in angles]


@dataclass(frozen=True)
class TilePen:
    """Draws tiles.

    Attributes:
        canvas: What it draws on.
        layout: Where tiles are.
        unit: A unit in pixels.
        look: Colours of the table.
        colors: Colours of shapes.
        bead: Radius of beads in units; 0 for shapes.
    """

    canvas: Canvas
    layout: TileGrid
    unit: float
    look: Look
    colors: Sequence[Color]
    bead: float

    def grid(self, grid: Values, hole: Place | None) -> None:
        """Draw the grid, shape (attributes, n, n), with a question mark at the hole."""
        for row, column in np.ndindex(grid.shape[1:]):
            center = self.layout.center((row, column))
            if (row, column) == hole:
                self._question_mark(center)
            elif grid[0, row, column] == HIDDEN:
                self._plate(center, self.look.shade)
            else:
                self._tile(center, tuple(grid[:, row, column].tolist()))

    def options(self, options: Sequence[Tile]) -> None:
        """Draw the options and their letters."""
        for letter, center, tile in zip(
            LETTERS, self.layout.option_centers(), options, strict=False
        ):
            self._tile(center, tile)
            x, y = center[0], center[1] + self.layout.cell / 2 + 5
            at = (x * self.unit, y * self.unit)
            self.canvas.badge(letter, at, _BADGE * self.unit, self.look.accent, self.look.card)

    def _plate(self, center: Point, fill: Color) -> None:
        half = _PLATE * self.layout.cell
        x, y = center
        box = [v * self.unit for v in (x - half, y - half, x + half, y + half)]
        self.canvas.rectangle(box, fill, 0.3 * half * self.unit)

    def _question_mark(self, center: Point) -> None:
        half = 0.85 * _PLATE * self.layout.cell
        x, y = (value * self.unit for value in center)
        h = half * self.unit
        corners = [(x - h, y - h), (x + h, y - h), (x + h, y + h), (x - h, y + h)]
        for start, end in zip(corners, (*corners[1:], corners[0]), strict=True):
            self.canvas.dashes(start, end, 0.06 * h, self.look.ink, 0.22 * h, 0.2 * h)
        self.canvas.text("?", (x, y), 1.1 * h, self.look.ink)

    def _tile(self, center: Point, tile: Tile) -> None:
        self._plate(center, self.look.card)
        if self.bead:
            corner = [value - self.layout.cell / 2 for value in center]
            for kind, place in zip(tile, _BEADS, strict=True):
                x, y = (
                    (c + (p + 0.5) / _IN_TILE * self.layout.cell) * self.unit
                    for c, p in zip(corner, place, strict=True)
                )
                COLORED_BEADS[kind].draw(self.canvas, (x, y), self.bead * self.unit)
        else:
            at = (center[0] * self.unit, center[1] * self.unit)
            color, shape = tile
            reach = _REACH * self.layout.cell * self.unit
            draw_shape(self.canvas, at, reach, SHAPES[shape], self.colors[color])


def draw_shape(canvas: Canvas, center: Point, reach: float, shape: str, fill: Color) -> None:
    """Draw one of :data:`SHAPES` within a square of twice the reach."""
    x, y = center
    if shape == "square":
        canvas.rectangle((x - reach, y - reach, x + reach, y + reach), fill, reach * 0.2)
    elif shape == "disc":
        canvas.disc(center, reach, fill)
    elif shape == "diamond":
        canvas.polygon([(x, y - reach), (x + reach, y), (x, y + reach), (x - reach, y)], fill)
    else:
        radii = [reach * (1.08 if index % 2 == 0 else 0.46) for index in range(10)]
        angles = (pi * (index / 5 - 0.5) for index in range(10))
        corners = zip(radii, angles, strict=True)
        canvas.polygon([(x + r * cos(a), y + r * sin(a) + 0.06 * reach) for r, a in corners], fill)


_SAME_COLOR = 60  # of 3 * 255, between blocks of one colour
_AREAS = (3.95, 3.14, 2.0, 1.46)
"""Of the shapes, in squares of the reach."""


def _share(part: NDArray[np.float64], color: Color) -> float:
    """Return the share of blocks that have a colour."""
    return float((abs(part - color).max(axis=2) <= 10).mean())


@dataclass(frozen=True)
class Read:
    """What was read: tiles of the grid with hidden ones, the hole, and the options."""

    grid: Values
    hole: Place
    options: tuple[Tile, ...]


@dataclass(frozen=True)
class TileReader:
    """Reads tiles as an oracle: shapes by four zooms, beads by one for every four tiles.

    Attributes:
        layout: Where tiles are.
        look: Colours of the table.
        has_beads: Whether tiles show beads.
    """

    layout: TileGrid
    look: Look
    has_beads: bool

    def read(self, preview: BlurryImage) -> Generator[dict[str, Any], Reply, Read]:
        """Return all tiles; what cannot be seen is taken for kind 0."""
        n = self.layout.cells
        centers = [self.layout.center((row, column)) for row, column in np.ndindex(n, n)]
        parts = [self._part(preview.blocks, center) for center in centers]
        ground = [_share(part, self.look.ground) for part in parts]
        covered = [_share(part, self.look.shade) for part in parts]
        is_tile = [a < 0.3 and b < 0.5 for a, b in zip(ground, covered, strict=True)]
        if self.has_beads:
            tiles = yield from self._read_beads()
        else:
            blocks = yield from look_at_tiles(preview, 2)
            places = [center for center, tile in zip(centers, is_tile, strict=True) if tile]
            places += self.layout.option_centers()
            shapes = self._shapes([self._part(blocks, center) for center in places], blocks)
            tiles = np.zeros((n * n + self.layout.num_options, 2), np.int64)
            tiles[[*is_tile, *[True] * self.layout.num_options]] = shapes
        grid = np.full((tiles.shape[1], n, n), HIDDEN)
        for index in np.flatnonzero(is_tile).tolist():
            grid[:, index // n, index % n] = tiles[index]
        row, column = divmod(int(np.argmax(ground)), n)  # around the question mark
        return Read(grid, (row, column), tuple(tuple(tile) for tile in tiles[n * n :].tolist()))

    def _part(self, blocks: Blocks, center: Point) -> NDArray[np.float64]:
        """Return the blocks of a picture whose middles lie on the plate around a point."""
        half, ranges = 0.44 * self.layout.cell, []
        for value, total, units in zip(center[::-1], blocks.shape, (HEIGHT, UNITS), strict=False):
            low, high = ((value + sign * half) * total / units - 0.5 for sign in (-1, 1))
            ranges.append(slice(ceil(low), floor(high) + 1))
        return blocks[ranges[0], ranges[1]].astype(float)

    def _shapes(self, parts: Sequence[NDArray[np.float64]], blocks: Blocks) -> Values:
        """Return colour and shape of tiles: the strongest colour, and how much it covers."""
        reach = _REACH * self.layout.cell
        area_of_block = UNITS / blocks.shape[1] * HEIGHT / blocks.shape[0] / reach**2
        colors: list[NDArray[np.float64]] = []
        tiles = []
        for part in parts:
            ink = abs(part - self.look.card).sum(axis=2)
            color = part.reshape(-1, 3)[ink.argmax()]
            away = [abs(color - other).sum() for other in colors]
            if min(away, default=_SAME_COLOR) >= _SAME_COLOR:
                colors.append(color)
                away.append(0.0)
            area = (ink / ink.max()).sum() * area_of_block
            shape = int(np.argmin([abs(area - expected) for expected in _AREAS]))
            tiles.append((int(np.argmin(away)), shape))
        return np.array(tiles)

    def _read_beads(self) -> Generator[dict[str, Any], Reply, Values]:
        """Return the kinds of the beads of all tiles by zooms of two by two cells."""
        n = self.layout.cells
        tiles = np.zeros((n * n + self.layout.num_options, len(_BEADS)), np.int64)
        for row in range(0, n, 2):
            for column in range(0, n, 2):
                x, y = self.layout.center((row, column))
                blocks = yield from self._zoom(x - self.layout.cell / 2, y - self.layout.cell / 2)
                for down, right in np.ndindex(2, 2):
                    index = (row + down) * n + column + right
                    tiles[index] = self._kinds(blocks, down, right)
        for index, (x, y) in enumerate(self.layout.option_centers()):
            left, top = x - 1.5 * self.layout.cell, y - self.layout.cell / 2
            down = int(top + 2 * self.layout.cell > HEIGHT)
            blocks = yield from self._zoom(left, top - down * self.layout.cell)
            tiles[n * n + index] = self._kinds(blocks, down, 1)
        return tiles

    def _zoom(self, left: float, top: float) -> Generator[dict[str, Any], Reply, Blocks | None]:
        """Return the blocks of two by two cells from a point on."""
        near = (1000 * left / UNITS, 1000 * top / HEIGHT)
        side = 2 * self.layout.cell
        far = (1000 * (left + side) / UNITS, 1000 * (top + side) / HEIGHT)
        # Tools round outwards to whole pixels: a little inside is just the cells.
        box = [value + 0.25 for value in near] + [value - 0.25 for value in far]
        reply = yield {"name": "image_zoom_in_tool", "arguments": {"bbox_2d": box, "img_idx": 0}}
        return reply.images[0].blocks if reply.ok else None

    @staticmethod
    def _kinds(blocks: Blocks | None, down: int, right: int) -> list[int]:
        if blocks is None or blocks.shape[:2] != (2 * _IN_TILE, 2 * _IN_TILE):
            return [0] * len(_BEADS)
        kinds = []
        for x, y in _BEADS:
            color = blocks[down * _IN_TILE + y, right * _IN_TILE + x].astype(np.int64)
            away = [abs(color - bead.core).sum() for bead in COLORED_BEADS]
            kinds.append(int(np.argmin(away)))
        return kinds
