"""Carpets: a motif of square cells that repeats in both directions, and how it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.puzzles.cards.marks import COLORED_BEADS
from gym_imagetools.puzzles.cards.tile_grid import draw_shape
from gym_imagetools.puzzles.drawing.canvas import Canvas, Color
from gym_imagetools.types import Pixels

Motif = NDArray[np.int64]
"""Kinds of the cells of one period, shape (period, period)."""

KINDS = 4

_Move = Callable[[int, int, int], tuple[int, int]]

SYMMETRIES: dict[str, tuple[_Move, ...]] = {
    "p1": (),
    "pm": (lambda i, j, p: (i, p - 1 - j),),
    "pg": (lambda i, j, p: ((i + p // 2) % p, p - 1 - j),),
    "p2": (lambda i, j, p: (p - 1 - i, p - 1 - j),),
    "pmm": (lambda i, j, p: (i, p - 1 - j), lambda i, j, p: (p - 1 - i, j)),
    "p4": (lambda i, j, p: (j, p - 1 - i),),
}
"""Wallpaper group -> the moves of a cell (row, column, period) that keep the motif."""

_SHAPES = ("disc", "square", "diamond", "star")
_REACHES = (0.2, 0.4, 0.46, 0.46)  # of the cell; kind 0 is only a small disc


def draw_motif(rng: np.random.Generator, period: int, group: str) -> Motif:
    """Return a random motif with the symmetry of a group."""
    kinds = rng.integers(KINDS, size=(period, period))
    motif = np.full((period, period), -1)
    for row, column in np.ndindex(period, period):
        orbit = {(row, column)}
        while len(grown := orbit | _moved(orbit, group, period)) > len(orbit):
            orbit = grown
        first = min(orbit)
        motif[row, column] = kinds[first]
    return motif


def _moved(cells: set[tuple[int, int]], group: str, period: int) -> set[tuple[int, int]]:
    return {move(i, j, period) for i, j in cells for move in SYMMETRIES[group]}


def least_shift_change(motif: Motif) -> int:
    """Return in how few cells the motif differs from itself when it is shifted."""
    shifts = [shift for shift in np.ndindex(motif.shape) if any(shift)]
    return min(int((np.roll(motif, shift, (0, 1)) != motif).sum()) for shift in shifts)


@dataclass(frozen=True)
class Weaver:
    """Draws cells of a carpet, each kind the same everywhere, pixel by pixel.

    Attributes:
        cell_px: Side of a cell.
        paper: Colour under the cells.
        colors: Colours of the kinds when they are shapes.
        bead_px: Radius of beads; 0 for shapes.
    """

    cell_px: int
    paper: Color
    colors: Sequence[Color]
    bead_px: float

    def weave(self, kinds: NDArray[np.int64]) -> Pixels:
        """Return the pixels of an array of kinds, shape (rows, columns)."""
        stamps = np.stack([self._stamp(kind) for kind in range(KINDS)])
        rows, columns = kinds.shape
        woven = stamps[kinds].swapaxes(1, 2)
        return np.ascontiguousarray(woven.reshape(rows * self.cell_px, columns * self.cell_px, 3))

    def _stamp(self, kind: int) -> Pixels:
        canvas = Canvas((self.cell_px, self.cell_px), self.paper)
        middle = (self.cell_px / 2, self.cell_px / 2)
        if self.bead_px:
            COLORED_BEADS[kind].draw(canvas, middle, self.bead_px)
        else:
            reach = _REACHES[kind] * self.cell_px
            draw_shape(canvas, middle, reach, _SHAPES[kind], self.colors[kind])
        return canvas.finish()
