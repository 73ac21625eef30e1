"""Dials: square panels with marks on two orbits and some dots in the middle.

An orbit has eight places, of which any may be marked; number 0 is at the top and they go on
clockwise. Lengths are units of :data:`~gym_imagetools.puzzles.cards.cards.UNITS` to a picture's
width.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Any

import numpy as np

from gym_imagetools.puzzles.cards.cards import UNITS, Look
from gym_imagetools.puzzles.cards.marks import dot_of, ring_of
from gym_imagetools.puzzles.drawing.canvas import Canvas, Point
from gym_imagetools.puzzles.eye import Blocks, Reply

PLACES = 8
"""On an orbit."""

MOST_DOTS = 8
"""In the middle; as many as an orbit has places, so that rules are the same for all tracks."""

SIDE = 32
"""Of a panel."""

ROW = 4
"""Panels of a row, the unknown one included."""

_BLOCKS = 64  # along a panel that is zoomed: every place is in the middle of one
_RADII = (24.0, 14.5)  # of the orbits, in blocks
_DOTS = ((26, 26), (32, 26), (38, 26), (26, 32), (38, 32), (26, 38), (32, 38), (38, 38))
_MARKS = (2.3, 1.9, 0.95)  # radii of visible marks on the orbits and in the middle, in units
_CORNER = 3.5
_BADGE, _BADGE_BELOW = 3.8, 6.0


@dataclass(frozen=True)
class Layout:
    """Corners of panels, in units: those that are given, the unknown one, and the labelled ones."""

    given: tuple[Point, ...]
    unknown: Point | None
    labelled: tuple[Point, ...]

    @classmethod
    def of(cls, form: str, num_labelled: int, height: int) -> Layout:
        """Return where panels are: in a ``row``, a ``matrix``, or labelled only (``odd``).

        Args:
            form: The kind of question.
            num_labelled: Panels with labels; 4 or 8 options, 6 or 8 otherwise.
            height: Of the picture, in units.
        """
        middle = height / 2
        if form == "odd":
            apart = height / 6
            tops = (middle - SIDE + 7 - apart, middle - 16 + apart)
            return cls((), None, _rows(tops, num_labelled // 2, 100))
        if form == "row":
            first, *below = (12, 68) if num_labelled == 4 else (12, 72, 126)
            row = _rows((first,), ROW, 100, pitch=42)
            return cls(row[:-1], row[-1], _rows(below, 4, 100))
        matrix = _rows([middle + step - SIDE / 2 for step in (-35, 0, 35)], 3, 60, pitch=35)
        count = num_labelled // 2
        pitch = 50 if count == 2 else 43
        top = middle - (pitch * (count - 1) + SIDE + 9) / 2
        tops_of_options = [top + pitch * index for index in range(count)]
        return cls(matrix[:-1], matrix[-1], _rows(tops_of_options, 2, 156, pitch=40))


def _rows(tops: Sequence[float], count: int, middle: float, pitch: float = 45) -> tuple[Point, ...]:
    """Return the corners of rows of panels around a middle, at whole units."""
    left = middle - (count - 1) * pitch / 2 - SIDE / 2
    return tuple((round(left + i * pitch), round(top)) for top in tops for i in range(count))


@dataclass(frozen=True)
class Dial:
    """What a panel shows; None for what it does not have.

    Attributes:
        outer: The marked places of the outer orbit, one bit each.
        inner: The marked places of the inner orbit.
        dots: How many of eight places in the middle are marked.
    """

    outer: int | None = None
    inner: int | None = None
    dots: int | None = None

    def __str__(self) -> str:
        orbits = ("--" if o is None else f"{o:02x}" for o in (self.outer, self.inner))
        return "".join(orbits) + ("-" if self.dots is None else str(self.dots))

    @property
    def masks(self) -> tuple[int | None, int | None, int | None]:
        """Marked places as bits: of the orbits, and of the middle."""
        return self.outer, self.inner, None if self.dots is None else (1 << self.dots) - 1


def places(track: int) -> list[tuple[int, int]]:
    """Return the blocks (column, row) of the places of an orbit (0, 1) or of the middle (2)."""
    if track == 2:
        return list(_DOTS)
    angles = (2 * pi * index / PLACES for index in range(PLACES))
    middle, radius = _BLOCKS / 2, _RADII[track]
    return [(int(middle + radius * sin(a)), int(middle - radius * cos(a))) for a in angles]


def box_of(corner: Point, height: int) -> list[float]:
    """Return a panel as a box of the picture in thousandths.

    Tools round outwards to whole pixels: the box is a little smaller than the panel.
    """
    left, top = 1000 * corner[0] / UNITS + 0.2, 1000 * corner[1] / height + 0.2
    right, bottom = left + 1000 * SIDE / UNITS - 0.4, top + 1000 * SIDE / height - 0.4
    return [left, top, right, bottom]


@dataclass(frozen=True)
class DialPen:
    """Draws dials.

    Attributes:
        canvas: What it draws on.
        unit: A unit in pixels.
        look: Colours.
        bead: Radius of beads in units; 0 for marks that can be seen from afar.
    """

    canvas: Canvas
    unit: float
    look: Look
    bead: float

    def panel(self, corner: Point) -> None:
        """Draw an empty panel."""
        x, y = (value * self.unit for value in corner)
        side = SIDE * self.unit
        self.canvas.rectangle((x, y, x + side, y + side), self.look.card, _CORNER * self.unit)

    def question_mark(self, corner: Point) -> None:
        """Draw a panel that is not known."""
        inset, side = 1.0, SIDE - 1.0
        ends = [(inset, inset), (side, inset), (side, side), (inset, side)]
        corners = [self._at(corner, end) for end in ends]
        for start, end in zip(corners, (*corners[1:], corners[0]), strict=True):
            lengths = (0.6, 2.0, 1.7)
            width, dash, gap = (length * self.unit for length in lengths)
            self.canvas.dashes(start, end, width, self.look.ink, dash, gap)
        middle = self._at(corner, (SIDE / 2, SIDE / 2))
        self.canvas.text("?", middle, 13 * self.unit, self.look.ink)

    def dial(self, corner: Point, dial: Dial) -> None:
        """Draw a panel with a dial."""
        self.panel(corner)
        middle = self._at(corner, (SIDE / 2, SIDE / 2))
        for track, mask in enumerate(dial.masks[:2]):
            if mask is not None:
                radius = _RADII[track] * SIDE / _BLOCKS
                self.canvas.disc(middle, (radius + 0.15) * self.unit, self.look.shade)
                self.canvas.disc(middle, (radius - 0.15) * self.unit, self.look.card)
        for track, mask in enumerate(dial.masks):
            if mask is not None:
                self._track(corner, track, mask)

    def label(self, corner: Point, label: str) -> None:
        """Draw the letter or number of a panel below it."""
        at = self._at(corner, (SIDE / 2, SIDE + _BADGE_BELOW))
        self.canvas.badge(label, at, _BADGE * self.unit, self.look.accent, self.look.card)

    def _track(self, corner: Point, track: int, mask: int) -> None:
        for index, place in enumerate(places(track)):
            x, y = ((value + 0.5) * SIDE / _BLOCKS for value in place)
            at, is_marked = self._at(corner, (x, y)), bool(mask >> index & 1)
            if self.bead:
                bead = (ring_of if is_marked else dot_of)(self.look)
                bead.draw(self.canvas, at, self.bead * self.unit)
            elif is_marked:
                fill = self.look.accent if track == 1 else self.look.ink
                self.canvas.disc(at, _MARKS[track] * self.unit, fill)
            else:
                self.canvas.disc(at, 0.5 * self.unit, self.look.shade)

    def _at(self, corner: Point, place: Point) -> Point:
        return (corner[0] + place[0]) * self.unit, (corner[1] + place[1]) * self.unit


def read_dials(
    corners: Iterable[Point], height: int, look: Look, tracks: Sequence[int], *, has_beads: bool
) -> Generator[dict[str, Any], Reply, list[tuple[int, ...]]]:
    """Return the masks of the given tracks of panels, by a zoom each; all 0 without a zoom."""
    seen = []
    for corner in corners:
        box = box_of(corner, height)
        reply = yield {"name": "image_zoom_in_tool", "arguments": {"bbox_2d": box, "img_idx": 0}}
        blocks = reply.images[0].blocks if reply.ok else None
        seen.append(tuple(_mask(blocks, track, look, has_beads) for track in tracks))
    return seen


def _mask(blocks: Blocks | None, track: int, look: Look, has_beads: bool) -> int:
    """Return the marked places: through rings the card is seen, other marks are not like it."""
    if blocks is None or blocks.shape[:2] != (_BLOCKS, _BLOCKS):
        return 0
    mask, dark = 0, dot_of(look).core if has_beads else look.ink
    limit = abs(np.subtract(look.card, dark)).sum() / 2
    for index, (column, row) in enumerate(places(track)):
        away = abs(blocks[row, column].astype(np.int64) - look.card).sum()
        mask |= int((away < limit) == has_beads) << index
    return mask
