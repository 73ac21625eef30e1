"""Cards with figures and cards with shadows: where they stand, and how they are labelled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gym_imagetools.puzzles.drawing.canvas import Canvas, Color, Palette, one_color
from gym_imagetools.types import Pixels

LETTERS = "ABCDEFGH"
"""Labels of shadows."""

_SHAPES = {4: ((2, 2),), 8: ((2, 4), (4, 2)), 16: ((4, 4),)}
"""Rows and columns that so many shadows may stand in."""

Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels."""

_BADGE, _DOWN = 0.082, 0.08  # of the pitch: a label's radius, and how far figures stand below it
_BETWEEN, _AROUND = 0.4, 0.4  # of the pitch: between figures and shadows, and around all


@dataclass(frozen=True)
class Layout:
    """Where the cards stand: left and top of each in pixels, in the order of their labels.

    Attributes:
        form: The form of the question.
        pitch: Side of a card in pixels.
        side: Side of a figure's box on a card.
        shape: Rows and columns of the shadows.
        figures: Cards of figures.
        shadows: Cards of shadows.
    """

    form: str
    pitch: int
    side: int
    shape: tuple[int, int]
    figures: tuple[tuple[int, int], ...]
    shadows: tuple[tuple[int, int], ...]

    @property
    def figure_boxes(self) -> list[Box]:
        """The boxes of the figures."""
        return self._boxes(self.figures, is_labelled=self.form == "match")

    @property
    def shadow_boxes(self) -> list[Box]:
        """The boxes of the shadows."""
        return self._boxes(self.shadows, is_labelled=self.form != "grid")

    def _boxes(self, cards: Sequence[tuple[int, int]], is_labelled: bool) -> list[Box]:
        """Return the boxes in the middle of cards, or of what a label leaves of them."""
        inset = (self.pitch - self.side) // 2
        down = inset + round(_DOWN * self.pitch) if is_labelled else inset
        return [
            (x + inset, y + down, x + inset + self.side, y + down + self.side) for x, y in cards
        ]


def lay_out_cards(form: str, count: int, box: float, size: tuple[int, int]) -> Layout:
    """Return the layout with the figures on the left and the shadows on the right.

    Args:
        form: ``match`` for as many figures as shadows; ``letter`` or ``grid`` for one figure.
        count: Number of shadows.
        box: Side of a figure's box, of the pitch of the cards.
        size: Width and height of the picture in pixels.
    """
    width, height = size

    def pitch_of(shape: tuple[int, int]) -> int:
        rows, columns = shape
        beside = columns if form == "match" else 1
        pitch = min(width / (columns + beside + _BETWEEN + _AROUND), height / (rows + _AROUND))
        return 2 * int(pitch / 2)

    shape = max(_SHAPES[count], key=pitch_of)
    pitch = pitch_of(shape)
    rows, columns = shape if form == "match" else (1, 1)
    left = round(width - (columns + shape[1] + _BETWEEN) * pitch) // 2
    right = left + round((columns + _BETWEEN) * pitch)
    return Layout(
        form,
        pitch,
        2 * round(box * pitch / 2),
        shape,
        tuple(_cards(left, (height - rows * pitch) // 2, (rows, columns), pitch)),
        tuple(_cards(right, (height - shape[0] * pitch) // 2, shape, pitch)),
    )


def _cards(left: int, top: int, shape: tuple[int, int], pitch: int) -> Iterator[tuple[int, int]]:
    for row in range(shape[0]):
        for column in range(shape[1]):
            yield left + column * pitch, top + row * pitch


def draw_cards(layout: Layout, size: tuple[int, int], palette: Palette) -> Pixels:
    """Return a picture of the empty cards with their labels, to paint on."""
    picture = one_color(size, palette.ground)
    pitch = layout.pitch
    framed, plain = (_draw_card(pitch, palette, is_framed) for is_framed in (True, False))
    for number, (x, y) in enumerate(layout.figures, 1):
        label = str(number) if layout.form == "match" else ""
        picture[y : y + pitch, x : x + pitch] = framed
        _label(picture, (x, y), label, pitch, palette.accent, palette)
    for index, (x, y) in enumerate(layout.shadows):
        label = "" if layout.form == "grid" else LETTERS[index]
        picture[y : y + pitch, x : x + pitch] = plain
        _label(picture, (x, y), label, pitch, palette.ink, palette)
    if layout.form == "grid":
        _number_edges(picture, layout, palette)
    return picture


def _draw_card(pitch: int, palette: Palette, is_framed: bool) -> Pixels:
    canvas = Canvas((pitch, pitch), palette.ground)
    gap, radius = 0.03 * pitch, 0.075 * pitch
    canvas.rectangle(
        (gap, gap, pitch - gap, pitch - gap),
        palette.accent if is_framed else palette.paper,
        radius,
    )
    if is_framed:
        gap *= 1.5
        canvas.rectangle((gap, gap, pitch - gap, pitch - gap), palette.paper, 0.8 * radius)
    return canvas.finish()


def _label(
    picture: Pixels, card: tuple[int, int], label: str, pitch: int, fill: Color, palette: Palette
) -> None:
    if not label:
        return
    radius = _BADGE * pitch
    side = round(2 * radius) + 2
    canvas = Canvas((side, side), palette.paper)
    canvas.badge(label, (side / 2, side / 2), radius, fill, palette.paper)
    left, top = (round(edge + 0.07 * pitch) for edge in card)
    picture[top : top + side, left : left + side] = canvas.finish()


def _number_edges(picture: Pixels, layout: Layout, palette: Palette) -> None:
    """Number the rows and columns of the shadows along their edges."""
    (left, top), pitch = layout.shadows[0], layout.pitch
    rows, columns = layout.shape
    wide = round(0.18 * pitch)

    def write(number: int, x: float, y: float) -> None:
        canvas = Canvas((wide, wide), palette.ground)
        canvas.number(number, (wide / 2, wide / 2), 0.1 * pitch, palette.ink)
        first_x, first_y = round(x - wide / 2), round(y - wide / 2)
        picture[first_y : first_y + wide, first_x : first_x + wide] = canvas.finish()

    for row in range(rows):
        write(row + 1, left - 0.1 * pitch, top + (row + 0.5) * pitch)
    for column in range(columns):
        write(column + 1, left + (column + 0.5) * pitch, top - 0.1 * pitch)
