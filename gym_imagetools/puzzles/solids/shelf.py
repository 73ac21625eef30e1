"""A shelf: many small pictures in rows and columns, of which a question names a few."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gym_imagetools.puzzles.drawing.canvas import Canvas, Color
from gym_imagetools.types import Pixels

Place = tuple[int, int]
"""Row and column, counted from 0."""


@dataclass(frozen=True)
class Shelf:
    """Square cells in a part of a picture.

    Attributes:
        rows: Cells from top to bottom.
        columns: Cells from left to right.
        size: Width and height of the whole picture, in pixels.
        height: Of the shelf with its numbers, in pixels; it lies at the picture's top.
    """

    rows: int
    columns: int
    size: tuple[int, int]
    height: int

    @property
    def cell(self) -> int:
        """Side of a cell in pixels."""
        numbers = self._numbers
        return min((self.size[0] - numbers) // self.columns, (self.height - numbers) // self.rows)

    @property
    def _numbers(self) -> int:
        """Width of the strips with the numbers of rows and columns, in pixels."""
        return self.size[0] * 24 // 1024 if self.has_names else 0

    def corner(self, place: Place) -> tuple[int, int]:
        """Return the left and top pixel of a cell."""
        numbers, cell = self._numbers, self.cell
        left = numbers + (self.size[0] - numbers - self.columns * cell) // 2
        top = numbers + (self.height - numbers - self.rows * cell) // 2
        return left + place[1] * cell, top + place[0] * cell

    def box(self, place: Place) -> list[int]:
        """Return a cell as a box of the picture in thousandths."""
        left, top = self.corner(place)
        width, height = self.size
        x1, x2 = (round(1000 * x / width) for x in (left, left + self.cell))
        y1, y2 = (round(1000 * y / height) for y in (top, top + self.cell))
        return [x1, y1, x2, y2]

    @property
    def has_names(self) -> bool:
        """Whether there are several cells, so that rows and columns are numbered."""
        return self.rows * self.columns > 1

    def any_places(self, rng: np.random.Generator, count: int) -> list[Place]:
        """Draw different cells."""
        chosen = rng.choice(self.rows * self.columns, count, replace=False).tolist()
        return [divmod(index, self.columns) for index in chosen]

    def name(self, place: Place) -> str:
        """Return how a question names a cell."""
        return f"row {place[0] + 1}, column {place[1] + 1}"

    def named_in(self, text: str) -> list[Place]:
        """Return the cells that a question names, in order; the only one if there is but one."""
        found = re.findall(r"row (\d+), column (\d+)", text)
        return [(int(row) - 1, int(column) - 1) for row, column in found] or [(0, 0)]

    def draw(
        self,
        picture: Pixels,
        pool: Sequence[Pixels],
        named: Mapping[Place, Pixels],
        ink: Color,
        rng: np.random.Generator,
    ) -> None:
        """Fill the cells of a picture.

        Args:
            picture: Writable pixels of the whole picture.
            pool: Small pictures, ``cell`` pixels high and wide, that fill the cells not named.
            named: Small pictures with places of their own.
            ink: Colour of the numbers.
            rng: Chooses from the pool.
        """
        cell = self.cell
        for row, column in np.ndindex(self.rows, self.columns):
            chosen = int(rng.integers(max(1, len(pool))))
            small = named[row, column] if (row, column) in named else pool[chosen]
            left, top = self.corner((row, column))
            picture[top : top + cell, left : left + cell] = small
        if self._numbers:
            self._draw_numbers(picture, ink)

    def _draw_numbers(self, picture: Pixels, ink: Color) -> None:
        strip = self._numbers
        ground = tuple(picture[0, 0].tolist())
        left, top = self.corner((0, 0))
        for index in range(max(self.rows, self.columns)):
            canvas = Canvas((self.cell, strip), (ground[0], ground[1], ground[2]))
            canvas.number(index + 1, (self.cell / 2, strip / 2), strip * 0.5, ink)
            pixels = canvas.finish()
            if index < self.columns:
                x = left + index * self.cell
                picture[top - strip : top, x : x + self.cell] = pixels
            if index < self.rows:
                y = top + index * self.cell + (self.cell - strip) // 2
                middle = (self.cell - strip) // 2
                picture[y : y + strip, left - strip : left] = pixels[:, middle : middle + strip]
