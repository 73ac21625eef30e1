"""Grainy prints: a scene in which every pixel is lighter or darker by a fair coin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.puzzles.drawing.canvas import Canvas, Color, Point
from gym_imagetools.puzzles.puzzle import Streams
from gym_imagetools.types import Pixels

_INKS: tuple[Color, ...] = (
    (228, 190, 180),
    (226, 208, 164),
    (204, 224, 184),
    (196, 212, 226),
    (212, 196, 226),
    (228, 178, 192),
    (198, 222, 210),
)
_PAPERS: tuple[Color, ...] = ((228, 224, 214), (222, 226, 220), (226, 220, 226))
"""All alike in red, so that red is free to tell what a diff has found."""

FRAME = 0.05
"""Width of the margin in which nothing of interest lies, of a print's side."""

_FEATURES = 14


@dataclass(frozen=True)
class Print:
    """A scene in grain: every pixel is its light or its dark tone, by a fair coin.

    Attributes:
        light: Pixels of the light grains.
        dark: Pixels of the dark grains.
        grain: Where it is light, of shape (height, width, 1).
    """

    light: Pixels
    dark: Pixels
    grain: NDArray[np.bool_]

    def develop(self, places: Sequence[Sequence[int]], patch: int) -> Pixels:
        """Return the pixels, with the grain inverted in square patches."""
        pixels = np.where(self.grain, self.light, self.dark)
        for left, top in places:
            part = np.s_[top : top + patch, left : left + patch]
            pixels[part] = np.where(self.grain[part], self.dark[part], self.light[part])
        return pixels


def make_print(rngs: Streams, side: int, amplitude: int, cells: int = 0) -> Print:
    """Return a print of a new scene, alike in red all over.

    Args:
        rngs: The scene is a matter of style, the grain of layout.
        side: Side of the print in pixels.
        amplitude: How much lighter or darker a pixel is by its grain, up to 24 of 255.
        cells: Rows and columns that thin lines divide the print into; 0 for none.
    """
    scene = _draw_scene(rngs.style, side, cells)
    coins = rngs.layout.integers(2, size=(side, side, 1), dtype=np.uint8).astype(bool)
    # No ink or paper is nearer to black or white than the largest amplitude.
    return Print(scene + np.uint8(amplitude), scene - np.uint8(amplitude), coins)


def _draw_scene(rng: np.random.Generator, side: int, cells: int) -> Pixels:
    """Draw overlapping discs, petals and bands in pale inks on a paper with a border."""
    paper = _PAPERS[int(rng.integers(len(_PAPERS)))]
    ground, *inks = (_INKS[index] for index in rng.permutation(len(_INKS)))
    canvas = Canvas((side, side), ground)
    for _ in range(_FEATURES):
        ink = inks[int(rng.integers(len(inks)))]
        center: Point = (rng.uniform(0, side), rng.uniform(0, side))
        radius = side * rng.uniform(0.06, 0.2)
        kind = int(rng.integers(3))
        if kind == 0:
            canvas.disc(center, radius, ink)
            canvas.disc(center, 0.6 * radius, paper)
        elif kind == 1:
            canvas.polygon(
                _petals(center, radius, int(rng.integers(4, 8)), rng.uniform(0, pi)), ink
            )
        else:
            canvas.line(_band(rng, side), 0.5 * radius, ink)
    for line in range(1, cells):
        at = line * side / cells
        canvas.line([(at, 0), (at, side)], 2, paper)
        canvas.line([(0, at), (side, at)], 2, paper)
    _draw_border(canvas, side, paper)
    return canvas.finish()


def _draw_border(canvas: Canvas, side: int, paper: Color) -> None:
    width = side * FRAME * 0.6
    canvas.rectangle((0, 0, side, width), paper)
    canvas.rectangle((0, side - width, side, side), paper)
    canvas.rectangle((0, 0, width, side), paper)
    canvas.rectangle((side - width, 0, side, side), paper)


def _petals(center: Point, radius: float, count: int, turn: float) -> list[Point]:
    angles = np.linspace(0, 2 * pi, 90, endpoint=False).tolist()
    reaches = [radius * (0.75 + 0.25 * cos(count * angle)) for angle in angles]
    return [
        (center[0] + reach * cos(angle + turn), center[1] + reach * sin(angle + turn))
        for angle, reach in zip(angles, reaches, strict=True)
    ]


def _band(rng: np.random.Generator, side: int) -> list[Point]:
    """Return a wavy line across the print."""
    level, swing, phase = rng.uniform(0, side), side * rng.uniform(0.03, 0.1), rng.uniform(0, 6)
    xs = np.linspace(0, side, 40).tolist()
    points = [(x, level + swing * sin(phase + 9 * x / side)) for x in xs]
    return [(y, x) for x, y in points] if rng.integers(2) else points
