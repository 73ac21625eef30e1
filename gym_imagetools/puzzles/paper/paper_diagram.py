"""How folding is pictured: where sheets are drawn, and the layers, creases and marks on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gym_imagetools.puzzles.drawing.canvas import Canvas, Color, Point, read_colors
from gym_imagetools.puzzles.paper.paper import MIDDLES, SQUARE, Fold, Sheet, middles_of

LETTERS = "ABCD"
REACH = 0.58
"""How far around a sheet's centre one looks at it, of its side."""

_CORE = 0.6  # radius of a ring's open middle, of the ring's


@dataclass(frozen=True)
class Look:
    """Colours of a picture."""

    ground: Color
    card: Color
    front: Color
    back: Color
    ink: Color
    accent: Color

    @property
    def dot(self) -> Color:
        """The colour of a dot: what a ring averages to, so that from afar they look alike."""
        open_share = _CORE**2
        red, green, blue = (
            round(open_share * light + (1 - open_share) * dark)
            for light, dark in zip(self.card, self.ink, strict=True)
        )
        return red, green, blue


LOOKS = tuple(
    Look(*read_colors(colors))
    for colors in (
        "f0eadf fffcf6 9ec4e8 face86 1e2e5e de2e4c",
        "e5ede7 fbfefa 9ad4b8 f6c49e 12423a e23e28",
        "eee8f2 fefbff cab0e6 f8d696 3e1c58 e22874",
        "e7ecf1 fcfdff f0b2a8 a8cee2 263042 d63c1e",
        "ecede4 fefef8 acd6d6 eec8be 0a4a5e de2c5c",
    )
)


@dataclass(frozen=True)
class Square:
    """Where a sheet is drawn: the centre and the side of the flat sheet, in parts of the width."""

    x: float
    y: float
    side: float

    @property
    def box(self) -> list[int]:
        """The square and a margin, as a box of a picture of 4 to 3, in thousandths."""
        half = self.side * REACH
        left, right = self.x - half, self.x + half
        top, bottom = (self.y - half) * 4 / 3, (self.y + half) * 4 / 3
        return [round(1000 * value) for value in (left, top, right, bottom)]


def step_squares(num_folds: int, has_options: bool) -> list[Square]:
    """Return where the sheet is drawn before the first fold and after each one."""
    count = num_folds + 1
    if has_options:
        return [Square(0.5 + (i - (count - 1) / 2) * 0.235, 0.175, 0.178) for i in range(count)]
    columns = 2 if count == 4 else count
    side = {2: 0.36, 3: 0.25, 4: 0.255}[count]
    pitch_x, pitch_y = {2: (0.47, 0.0), 3: (0.315, 0.0), 4: (0.46, 0.35)}[count]
    rows = count // columns
    return [
        Square(
            0.5 + (i % columns - (columns - 1) / 2) * pitch_x,
            0.375 + (i // columns - (rows - 1) / 2) * pitch_y,
            side,
        )
        for i in range(count)
    ]


def option_squares() -> list[Square]:
    """Return where the unfolded sheets A to D are drawn."""
    return [Square(0.5 + (i - 1.5) * 0.235, 0.525, 0.188) for i in range(len(LETTERS))]


@dataclass(frozen=True)
class Pen:
    """Draws on one square."""

    canvas: Canvas
    square: Square
    look: Look
    width: int
    ring: float

    def place(self, point: Point) -> Point:
        """Return where a point of the sheet is in the picture."""
        x, y = (value - 0.5 for value in point)
        square = self.square
        return (square.x + x * square.side) * self.width, (square.y + y * square.side) * self.width

    def sheet(self, sheet: Sheet) -> None:
        """Draw the layers from the lowest up, and dots where the flat sheet's outline was."""
        thin = max(1.0, 0.0012 * self.width)
        for corner, following in zip(SQUARE, (*SQUARE[1:], SQUARE[0]), strict=True):
            self.canvas.dashes(
                self.place(corner),
                self.place(following),
                thin,
                self.look.ground,
                6 * thin,
                4 * thin,
            )
        for facet in sheet.facets:
            corners = [self.place(corner) for corner in facet.corners]
            self.canvas.polygon(corners, self.look.back if facet.shows_back else self.look.front)
            self.canvas.line([*corners, corners[0]], thin, self.look.ink)

    def number(self, number: int) -> None:
        """Write the number of the picture at its top left."""
        x, y = self.place((0.0, 0.0))
        away = 0.014 * self.width
        self.canvas.glyph(
            str(number), (x - away, y), 0.02 * self.width, 0.003 * self.width, self.look.ink
        )

    def fold(self, fold: Fold, sheet: Sheet) -> None:
        """Draw the crease, dashed, and an arrow from the flap to where it will land."""
        ends = [c for c in fold.cut(sheet.outline, beyond=True) if _is_on(fold, c)]
        bold = 0.0042 * self.width
        self.canvas.dashes(
            self.place(ends[0]),
            self.place(ends[1]),
            0.7 * bold,
            self.look.ink,
            3 * bold,
            2.4 * bold,
        )
        flap = np.array(fold.cut(sheet.outline, beyond=True)).mean(axis=0)
        landed = fold.mirror(flap[None])[0]
        (x0, y0), (x1, y1) = flap.tolist(), landed.tolist()
        self.canvas.arrow(self.place((x0, y0)), self.place((x1, y1)), bold, self.look.accent)

    def marks(self, rings: int, dots: int) -> None:
        """Draw rings and dots in the middles of the grid."""
        radius = self.ring * self.square.side * self.width
        for middle in middles_of(rings | dots):
            x, y = MIDDLES[middle].tolist()
            center = self.place((x, y))
            if rings >> middle & 1:
                self.canvas.disc(center, radius, self.look.ink)
                self.canvas.disc(center, radius * _CORE, self.look.card)
            else:
                self.canvas.disc(center, radius, self.look.dot)


def _is_on(fold: Fold, point: Point) -> bool:
    return abs(point[0] * fold.along[0] + point[1] * fold.along[1] - fold.offset) < 1e-9
