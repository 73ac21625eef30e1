"""How stacks of cubes are drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gym_imagetools.puzzles.drawing.canvas import Canvas, Color, read_colors
from gym_imagetools.puzzles.solids.blocks import Cells, Vectors, View

_SEAM = 0.045  # of an edge, along each side of a face


@dataclass(frozen=True)
class Tones:
    """Colours of a stack: its faces by axis (left, right, top), seams, floor and paper."""

    faces: tuple[Color, ...]
    seam: Color
    floor: Color
    paper: Color
    ground: Color
    ink: Color
    accent: Color

    def card(self, side: int) -> Canvas:
        """Return an empty card, ``side`` pixels high and wide, to draw on."""
        canvas = Canvas((side, side), self.ground)
        gap = 0.02 * side
        canvas.rectangle((gap, gap, side - gap, side - gap), self.paper, 0.06 * side)
        return canvas


TONES: tuple[Tones, ...] = tuple(
    Tones(colors[:3], *colors[3:])
    for colors in map(
        read_colors,
        (
            "c4703e e89a54 fcd08c 7a3e22 e4e2dc fffdf9 f0eae0 3e2c28 187abe",
            "3e70b2 6298d6 aad0f4 1e3e6e e2e5e8 fcfeff e6ecf2 1e2c48 e04a28",
            "3a8268 62ae8c acdebe 1c503e e3e6e0 fcfefa e6eee7 163a32 d83a5c",
            "8058aa a680d0 d4bcf2 4c2e70 e5e2e8 fefcff ede8f3 3a2454 e27814",
            "b45460 da7e86 f8bebe 702a38 e6e3e2 fffcfb f1e9e8 4e242e 148496",
        ),
    )
)


def draw_cubes(canvas: Canvas, cells: Cells, view: View, tones: Tones) -> None:
    """Draw cubes, the farthest first; faces between two cubes are left out."""
    filled = set(map(tuple, cells.tolist()))
    faces = [
        (cell, axis)
        for cell in sorted(filled)
        for axis in range(3)
        if tuple(value + (index == axis) for index, value in enumerate(cell)) not in filled
    ]
    lows = np.array([cell for cell, _ in faces], dtype=float)[:, None]
    axes = [axis for _, axis in faces]
    outer, inner = view.place(lows + _QUADS[axes]), view.place(lows + _INNER_QUADS[axes])
    for axis, seam, face in zip(axes, outer.tolist(), inner.tolist(), strict=True):
        canvas.polygon(seam, tones.seam)
        canvas.polygon(face, tones.faces[axis])


def draw_floor(canvas: Canvas, side: int, view: View, tones: Tones) -> None:
    """Draw the floor of a stack, ``side`` by ``side`` tiles."""
    for x, y in np.ndindex(side, side):
        canvas.polygon(view.place(_INNER_QUADS[2] + (x, y, -1)).tolist(), tones.floor)


def _quad(axis: int) -> Vectors:
    """Return the corners of a unit cube's visible face, in order around it."""
    around = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=float)
    return np.insert(around, axis, 1.0, axis=1)


_QUADS = np.stack([_quad(axis) for axis in range(3)])
_MIDDLES = _QUADS.mean(axis=1, keepdims=True)
_INNER_QUADS = _MIDDLES + (_QUADS - _MIDDLES) * (1 - 2 * _SEAM)
