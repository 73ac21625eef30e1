"""Cards on a table: the square pictures of a question in one row, its lettered options below.

Lengths are units, of which :data:`UNITS` span the width of a picture. Every card begins at whole
pixels and at whole thousandths of the picture, so crops of equal cards are equal pixel by pixel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gym_imagetools.puzzles.drawing.canvas import Canvas, Color, Point, read_colors
from gym_imagetools.puzzles.eye import BlurryImage
from gym_imagetools.puzzles.puzzle import Streams

UNITS = 200
CARD = 39
"""Side of a card."""

LETTERS = "ABCDEFGH"
NUMBERS = "12345678"

_PITCH = 47
_SUBJECT_PITCH = 58
_FRAME = 2.5  # of a card, around what it shows
_ROUNDNESS = 4.0
_HEIGHTS = {4: 120, 6: 200, 8: 200}  # of a picture with so many options
_SUBJECT_TOPS = {4: 9, 6: 12, 8: 12}
_OPTION_TOPS = {4: (63,), 6: (72, 135), 8: (72, 135)}
_INSET = 0.25  # thousandths
_BADGE = 4.4
_BADGE_BELOW = 7.6


@dataclass(frozen=True)
class Look:
    """Colours that go together.

    Attributes:
        ground: The table.
        card: Paper of a card.
        ink: Dark marks.
        accent: Badges.
    """

    ground: Color
    card: Color
    ink: Color
    accent: Color

    @property
    def shade(self) -> Color:
        """A little darker than the ground: covers, thin lines."""
        red, green, blue = (
            round(0.86 * a + 0.14 * b) for a, b in zip(self.ground, self.ink, strict=True)
        )
        return red, green, blue


LOOKS = tuple(
    Look(*read_colors(colors))
    for colors in (
        "ece2d0 fffcf6 1e2e5e dd3a50",
        "d8e8dc fbfef9 12463c e0562f",
        "e4d8ec fefbff 40206a d83a86",
        "d4e2f0 fbfdff 24344e e8662a",
        "e8e8d0 fefef6 0a4e62 d63c64",
    )
)
"""Their grounds can be told apart at a glance."""


def look_of(picture: BlurryImage) -> Look:
    """Return the look of a picture by the colour of its corner."""
    corner = picture.blocks[0, 0].astype(np.int64)
    return min(LOOKS, key=lambda look: int(abs(corner - look.ground).sum()))


@dataclass(frozen=True)
class Card:
    """A place for a square picture.

    Attributes:
        left: Left edge in units.
        top: Top edge in units.
        height: Of the whole picture in units.
    """

    left: int
    top: int
    height: int

    @property
    def box(self) -> list[float]:
        """The card as a box of the picture in thousandths.

        It is a little smaller, so that tools, which round outwards to whole pixels, cut just the
        card, whatever 290 / 1000 * 1600 is in floating point.
        """
        left, top = 1000 * self.left / UNITS, 1000 * self.top / self.height
        across, down = 1000 * CARD / UNITS, 1000 * CARD / self.height
        near = (left + _INSET, top + _INSET)
        return [*near, left + across - _INSET, top + down - _INSET]

    @property
    def center(self) -> Point:
        """The centre in units."""
        return self.left + CARD / 2, self.top + CARD / 2


@dataclass(frozen=True)
class Table:
    """Where the cards of a question lie.

    Attributes:
        subjects: Cards of the top row.
        options: Cards below, row by row.
    """

    subjects: tuple[Card, ...]
    options: tuple[Card, ...]

    @classmethod
    def of(cls, num_subjects: int, num_options: int) -> Table:
        """Lay 1 to 3 cards above 4, 6 or 8 others."""
        height, columns = _HEIGHTS[num_options], num_options // len(_OPTION_TOPS[num_options])
        first = (UNITS - CARD - (num_subjects - 1) * _SUBJECT_PITCH) // 2
        left = (UNITS - CARD - (columns - 1) * _PITCH) // 2
        top = _SUBJECT_TOPS[num_options]
        return cls(
            tuple(Card(first + i * _SUBJECT_PITCH, top, height) for i in range(num_subjects)),
            tuple(
                Card(left + i * _PITCH, option_top, height)
                for option_top in _OPTION_TOPS[num_options]
                for i in range(columns)
            ),
        )

    def size(self, width: int) -> tuple[int, int]:
        """Return the size in pixels of a picture of this width."""
        return width, width * _HEIGHTS[len(self.options)] // UNITS


class Tabletop:
    """A table being drawn.

    Args:
        table: Where its cards lie.
        width: Of the picture in pixels; a multiple of :data:`UNITS`.
        look: Its colours.

    Attributes:
        canvas: For what the cards show, in pixels.
        unit: A unit in pixels.
    """

    def __init__(self, table: Table, width: int, look: Look) -> None:
        self.canvas = Canvas(table.size(width), look.ground)
        self.unit = width / UNITS
        self._look = look

    def card(self, card: Card, label: str = "") -> None:
        """Draw an empty card, and its label below."""
        self.canvas.rectangle(self._frame(card), self._look.card, _ROUNDNESS * self.unit)
        if label:
            x, y = self._at(card.center[0], card.top + CARD + _BADGE_BELOW)
            self.canvas.badge(label, (x, y), _BADGE * self.unit, self._look.accent, self._look.card)

    def unknown(self, card: Card) -> None:
        """Draw a card of which a question mark is all that is known."""
        left, top, right, bottom = self._frame(card)
        inset = 1.2 * self.unit
        corners = [
            (left + inset, top + inset),
            (right - inset, top + inset),
            (right - inset, bottom - inset),
            (left + inset, bottom - inset),
        ]
        for start, end in zip(corners, (*corners[1:], corners[0]), strict=True):
            self.canvas.dashes(
                start, end, 0.7 * self.unit, self._look.ink, 2.4 * self.unit, 2 * self.unit
            )
        self.canvas.text("?", self._at(*card.center), 17 * self.unit, self._look.ink)

    def sign(self, sign: str, before: Card, after: Card) -> None:
        """Draw ``+`` or ``=`` between two cards."""
        x = (before.center[0] + after.center[0]) / 2
        y, reach, width = before.center[1], 2.6, 1.1 * self.unit
        rows = (y,) if sign == "+" else (y - 1.3, y + 1.3)
        for row in rows:
            ends = [self._at(x - reach, row), self._at(x + reach, row)]
            self.canvas.line(ends, width, self._look.ink)
        if sign == "+":
            ends = [self._at(x, y - reach), self._at(x, y + reach)]
            self.canvas.line(ends, width, self._look.ink)

    def _frame(self, card: Card) -> tuple[float, float, float, float]:
        left, top = self._at(card.left - _FRAME, card.top - _FRAME)
        side = (CARD + 2 * _FRAME) * self.unit
        return left, top, left + side, top + side

    def _at(self, x: float, y: float) -> Point:
        return x * self.unit, y * self.unit


@dataclass(frozen=True)
class Slots:
    """How options that are made of binary factors are shown.

    An option is named by one bit a factor. The options never depend on which of them is true.

    Attributes:
        true: The bits of the true option.
        shown: The bits of each option in the order of the letters.
    """

    true: tuple[int, ...]
    shown: tuple[tuple[int, ...], ...]

    @classmethod
    def draw(cls, rngs: Streams, num_factors: int) -> Slots:
        """Draw the true option and the order, both uniformly."""
        true = tuple(int(bit) for bit in rngs.latents.integers(2, size=num_factors))
        cells = list(np.ndindex(*(2,) * num_factors))
        order = rngs.layout.permutation(len(cells)).tolist()
        return cls(true, tuple(cells[index] for index in order))

    @property
    def letter(self) -> str:
        """The letter of the true option."""
        return LETTERS[self.shown.index(self.true)]


def choice_grading(letter: str, num_options: int, noun: str = "picture") -> dict[str, Any]:
    """Return the fields by which a lettered choice is graded."""
    return {
        "expected_answer": letter,
        "options": [{name: f"{noun} {name}"} for name in LETTERS[:num_options]],
        "grading_mode": "strict_single_letter_boxed",
    }


def crop_call(box: Sequence[float], index: int = 0) -> dict[str, Any]:
    """Return the call that crops a box of a picture."""
    return {"name": "image_crop_tool", "arguments": {"bbox_2d": list(box), "img_idx": index}}
