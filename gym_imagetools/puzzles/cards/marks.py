"""Marks on lattices: how square grids of marked cells are drawn on cards, and read by tools.

At low levels a marked cell is a tile and an empty one is next to nothing. At high levels every
cell holds a bead: beads of different kinds average to one colour, so a small picture, which shows
averages, does not tell them apart.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.puzzles.cards.cards import CARD, LETTERS, Card, Look, Tabletop, crop_call
from gym_imagetools.puzzles.drawing.canvas import Canvas, Color, Point, read_colors
from gym_imagetools.puzzles.eye import Oracle, Reply

Cells = NDArray[np.bool_]
"""Which cells are marked, shape (n, n)."""

Places = NDArray[np.float64]
"""Points x, y in units from the centre of a card, shape (n, 2)."""

SHAPES = ("square", "disc", "diamond")

_CORE = 0.7  # radius, of the bead's
_TILE = 0.4  # half the side of a tile, of the pitch
_LARGEST = 300  # thousandths of a card, across a mark
_EDGE = 0.4  # of a card around its lattice, in pitches, both sides together


@dataclass(frozen=True)
class Bead:
    """A disc in a ring."""

    core: Color
    rim: Color

    @classmethod
    def with_mean(cls, core: Color, mean: Color) -> Bead:
        """Return the bead with this core that averages to a colour."""
        share = _CORE**2
        red, green, blue = (
            min(255, max(0, round((m - share * c) / (1 - share))))
            for m, c in zip(mean, core, strict=True)
        )
        return cls(core, (red, green, blue))

    @property
    def mean(self) -> Color:
        """The colour from afar."""
        share = _CORE**2
        red, green, blue = (
            round(share * c + (1 - share) * r) for c, r in zip(self.core, self.rim, strict=True)
        )
        return red, green, blue

    def draw(self, canvas: Canvas, center: Point, radius: float) -> None:
        """Draw the bead."""
        canvas.disc(center, radius, self.rim)
        if self.core != self.rim:
            canvas.disc(center, radius * _CORE, self.core)


def ring_of(look: Look) -> Bead:
    """Return the bead that marks a cell: the card shows through it."""
    return Bead(look.card, look.ink)


def dot_of(look: Look) -> Bead:
    """Return the bead of an empty cell: from afar it looks like a ring."""
    mean = ring_of(look).mean
    return Bead(mean, mean)


BEAD_MEAN: Color = (140, 130, 138)
COLORED_BEADS = tuple(
    Bead.with_mean(core, BEAD_MEAN) for core in read_colors("ec6230 309ce0 46a850 d260c0")
)
"""Beads of two colours each, all with the same mean."""


def place(card: Card, cells: int, row: float, column: float) -> Point:
    """Return the middle of a cell of a lattice on a card, in units."""
    pitch, middle = pitch_of(cells), (cells - 1) / 2
    x, y = card.center
    return x + (column - middle) * pitch, y + (row - middle) * pitch


def pitch_of(cells: int) -> float:
    """Return the distance of neighbouring cells in units."""
    return CARD / (cells + _EDGE)


def draw_tile(canvas: Canvas, center: Point, half: float, shape: str, fill: Color) -> None:
    """Draw one tile of :data:`SHAPES`; ``half`` is half its side."""
    x, y = center
    if shape == "disc":
        canvas.disc(center, half, fill)
    elif shape == "diamond":
        reach = half * 1.12
        canvas.polygon([(x, y - reach), (x + reach, y), (x, y + reach), (x - reach, y)], fill)
    else:
        canvas.rectangle((x - half, y - half, x + half, y + half), fill, half * 0.35)


def draw_tiles(tabletop: Tabletop, card: Card, marked: Cells, shape: str, look: Look) -> None:
    """Draw marked cells as tiles and empty ones as specks."""
    n, unit = len(marked), tabletop.unit
    for row, column in np.ndindex(n, n):
        x, y = (value * unit for value in place(card, n, row, column))
        if marked[row, column]:
            half = _TILE * pitch_of(n) * unit
            draw_tile(tabletop.canvas, (x, y), half, shape, look.ink)
        else:
            tabletop.canvas.disc((x, y), 0.05 * pitch_of(n) * unit, look.ground)


def draw_beads(tabletop: Tabletop, card: Card, marked: Cells, radius: float, look: Look) -> None:
    """Draw marked cells as rings and empty ones as dots; the radius is in units."""
    n, unit = len(marked), tabletop.unit
    ring, dot = ring_of(look), dot_of(look)
    for row, column in np.ndindex(n, n):
        x, y = (value * unit for value in place(card, n, row, column))
        (ring if marked[row, column] else dot).draw(tabletop.canvas, (x, y), radius * unit)


def packed(marked: Cells) -> str:
    """Return the cells as hexadecimal digits, row by row."""
    return np.packbits(marked).tobytes().hex()


def unpacked(digits: str, cells: int) -> Cells:
    """Return the cells that :func:`packed` wrote."""
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(digits), np.uint8), count=cells**2)
    return bits.astype(bool).reshape(cells, cells)


@dataclass(frozen=True)
class MarkReader:
    """Reads the cells of cards, each by a crop and a search for a colour.

    Attributes:
        cells: Cells along the side of a lattice.
        look: Colours of the picture.
        has_beads: Whether rings are the marks.
    """

    cells: int
    look: Look
    has_beads: bool

    def read(self, cards: Iterable[Card]) -> Generator[dict[str, Any], Reply, list[Cells]]:
        """Return the cells of cards; none at all when a tool is missing."""
        seen = []
        for card in cards:
            places = yield from find_marks(card, self.look, has_beads=self.has_beads)
            if places is None:
                return []
            seen.append(self._marked(places))
        return seen

    def find(self, options: Sequence[Card], goal: Cells) -> Oracle:
        """Return the letter of the option that shows the cells; the last one is not looked at."""
        for letter, card in zip(LETTERS, options[:-1], strict=False):
            for seen in (yield from self.read([card])):
                if np.array_equal(seen, goal):
                    return letter
        return LETTERS[len(options) - 1]

    def _marked(self, places: Places) -> Cells:
        indices = (places + CARD / 2) / pitch_of(self.cells) - _EDGE / 2
        columns, rows = np.clip(indices.astype(int), 0, self.cells - 1).T
        marked = np.zeros((self.cells, self.cells), bool)
        marked[rows, columns] = True
        return marked


def find_marks(
    card: Card, look: Look, *, has_beads: bool
) -> Generator[dict[str, Any], Reply, Places | None]:
    """Return where the marks of a card are; None when a tool is missing.

    A search finds the ink of tiles, or the paper in the middle of rings.
    """
    reply = yield crop_call(card.box)
    if not reply.ok:
        return None
    color = list(look.card if has_beads else look.ink)
    index = reply.results[0]["new_img_indices"][0]
    reply = yield {
        "name": "find_color_tool",
        "arguments": {"color": color, "tolerance": 40, "min_size": 3, "img_idx": index},
    }
    if not reply.ok:
        return None
    blobs = reply.results[0]["blobs"]
    # What is larger than any mark is the paper around the beads.
    found = [blob["centroid"] for blob in blobs if blob["bbox"][2] - blob["bbox"][0] < _LARGEST]
    return (np.array(found, float).reshape(-1, 2) / 1000 - 0.5) * CARD
