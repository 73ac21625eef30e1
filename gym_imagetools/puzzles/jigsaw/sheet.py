"""A sheet with a large shape and numbered pieces: where they lie, and how they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, cos, pi, sin

import numpy as np

from gym_imagetools.puzzles.drawing.canvas import (
    PALETTES,
    Canvas,
    Color,
    Palette,
    Point,
    lab_to_rgb,
)
from gym_imagetools.puzzles.jigsaw.jigsaw import Cell, Cells, Parts
from gym_imagetools.types import Pixels

LETTERS = "ABCDEF"
"""Labels of parts."""

_MOST_IN_TWO_ROWS = 10  # pieces

# In parts of the picture's side.
_EDGE, _GAP = 0.022, 0.016  # around all cards, and between them
_SHAPE_BOTTOM, _PIECES_TOP = 0.345, 0.361
_BADGE = 0.0185  # radius; badges lie on the lower edges of cards
_CLEAR = 0.009  # around a shape on its card
_KEY_LEFT, _KEY_PITCH, _SWATCH = 0.875, 0.047, 0.017  # the swatch: half of its side


@dataclass(frozen=True)
class Slot:
    """The place of a piece, in cells of the picture; ``bottom`` and ``right`` are outside.

    Attributes:
        card: Left, top, right and bottom of its card, in parts of the picture's side.
    """

    top: int
    left: int
    bottom: int
    right: int
    card: tuple[float, float, float, float]


@dataclass(frozen=True)
class Sheet:
    """The measures of a square picture of cells.

    Attributes:
        size: Side of the picture in pixels.
        cell: Side of a cell in pixels.
    """

    size: int
    cell: int

    @property
    def cells(self) -> int:
        """Cells along the side of the picture."""
        return self.size // self.cell

    @property
    def shape_rows(self) -> int:
        """Most rows of the large shape."""
        return int((_SHAPE_BOTTOM - _EDGE - 2 * _CLEAR) * self.cells)

    @property
    def shape_zone(self) -> tuple[slice, slice]:
        """Rows and columns that hold the large shape but not the key."""
        bottom, right = (int(end * self.cells) for end in (_SHAPE_BOTTOM, _KEY_LEFT - 0.05))
        return slice(1, bottom), slice(1, right)

    def slots(self, count: int) -> list[Slot]:
        """Return the places of so many pieces in the order of their numbers, row by row."""
        rows = 2 if count <= _MOST_IN_TWO_ROWS else 3
        columns = count // rows
        width = (1 - 2 * _EDGE + _GAP) / columns
        height = (1 - _EDGE - _PIECES_TOP + _GAP) / rows
        return [
            self._slot(_EDGE + column * width, _PIECES_TOP + row * height, width, height)
            for row in range(rows)
            for column in range(columns)
        ]

    def _slot(self, left: float, top: float, width: float, height: float) -> Slot:
        right, bottom = left + width - _GAP, top + height - _GAP - _BADGE
        return Slot(
            ceil((top + _CLEAR) * self.cells),
            ceil((left + _CLEAR) * self.cells),
            int((bottom - _BADGE - _CLEAR / 2) * self.cells),
            int((right - _CLEAR) * self.cells),
            (left, top, right, bottom),
        )


def key_places(count: int) -> list[Point]:
    """Return the middles of the key's swatches, in parts of the picture's side."""
    middle = (_EDGE + _SHAPE_BOTTOM) / 2
    return [(_KEY_LEFT, middle + (i - (count - 1) / 2) * _KEY_PITCH) for i in range(count)]


def draw_sheet(
    sheet: Sheet,
    parts: Parts,
    pieces: Sequence[Cells],
    rng: np.random.Generator,
    *,
    is_colored: bool,
) -> Pixels:
    """Draw a shape and its pieces in the order of their numbers.

    Args:
        sheet: The measures of the picture.
        parts: The large shape.
        pieces: Twice as many as parts.
        rng: For the colours.
        is_colored: Whether the parts have colours and a key; otherwise the shape has one colour.
    """
    palette = PALETTES[int(rng.integers(len(PALETTES)))]
    hue, count = rng.uniform(0, 2 * pi), len(pieces) // 2
    colors = [_part_color(hue, index, count) for index in range(count)]
    places = sheet.slots(len(pieces))
    canvas = _draw_cards(places, sheet, palette)
    if is_colored:
        _draw_key(canvas, colors, sheet, palette)
    picture = canvas.finish().copy()
    shape = parts[np.ix_((parts > 0).any(axis=1), (parts > 0).any(axis=0))]
    top = round((_EDGE + _SHAPE_BOTTOM) / 2 * sheet.cells - shape.shape[0] / 2)
    left = round(sheet.cells / 2 - shape.shape[1] / 2)
    for part, color in enumerate(colors, start=1):
        fill = color if is_colored else palette.ink
        _paint(picture, shape == part, (top, left), fill, sheet.cell)
    plain = lab_to_rgb(44, 26 * cos(hue), 26 * sin(hue))
    for slot, piece in zip(places, pieces, strict=True):
        row = slot.top + (slot.bottom - slot.top - piece.shape[0]) // 2
        column = slot.left + (slot.right - slot.left - piece.shape[1]) // 2
        _paint(picture, piece, (row, column), plain, sheet.cell)
    picture.setflags(write=False)
    return picture


def _part_color(hue: float, index: int, count: int) -> Color:
    angle = hue + 2 * pi * index / count
    return lab_to_rgb((58, 70)[index % 2], 46 * cos(angle), 46 * sin(angle))


def _draw_cards(places: Sequence[Slot], sheet: Sheet, palette: Palette) -> Canvas:
    size = sheet.size
    canvas = Canvas((size, size), palette.ground)
    cards = [(_EDGE, _EDGE, 1 - _EDGE, _SHAPE_BOTTOM), *(slot.card for slot in places)]
    for card in cards:
        canvas.rectangle([side * size for side in card], palette.paper, 0.02 * size)
    radius = _BADGE * size
    for number, slot in enumerate(places, start=1):
        left, _, right, bottom = slot.card
        center = (left + right) / 2 * size, bottom * size
        canvas.disc(center, radius, palette.accent)
        canvas.number(number, center, radius * (1.05 if number < 10 else 0.85), palette.paper)
    return canvas


def _draw_key(canvas: Canvas, colors: Sequence[Color], sheet: Sheet, palette: Palette) -> None:
    half = _SWATCH * sheet.size
    for (x, y), color, letter in zip(key_places(len(colors)), colors, LETTERS, strict=False):
        x, y = x * sheet.size, y * sheet.size
        canvas.rectangle((x - half, y - half, x + half, y + half), color, half / 3)
        canvas.glyph(letter, (x + 2.4 * half, y), half * 1.4, half * 0.24, palette.ink)


def _paint(picture: Pixels, cells: Cells, corner: Cell, color: Color, side: int) -> None:
    """Paint cells, each with a fine light rim, so that they can be counted."""
    rows, columns = cells.shape
    top, left = (place * side for place in corner)
    tile = np.full((side, side, 3), [round(0.82 * c + 0.18 * 255) for c in color], dtype=np.uint8)
    tile[1:-1, 1:-1] = color
    box = picture[top : top + rows * side, left : left + columns * side]
    box.reshape(rows, side, columns, side, 3).swapaxes(1, 2)[cells] = tile
