"""A small canvas: smooth edges, one palette, labelled options, cubes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

Point = tuple[float, float]
Color = tuple[int, int, int]
Cube = tuple[int, int, int]
Cells = NDArray[np.bool_]

WIDTH, HEIGHT = 640, 480
"""The size of most pictures, in pixels."""

SMOOTHING = 3
"""Everything is drawn at three times the size and averaged, which smooths the edges."""

PAPER: Color = (250, 249, 245)
INK: Color = (41, 46, 58)
PALE: Color = (205, 207, 211)
WHITE: Color = (255, 255, 255)
BLUE: Color = (58, 112, 184)
RED: Color = (211, 78, 66)
GREEN: Color = (75, 152, 98)
AMBER: Color = (236, 170, 60)
VIOLET: Color = (131, 98, 166)

OPTION_LETTERS = "ABCD"


@dataclass(frozen=True)
class Drawn:
    """A picture and the answer that can be read from it."""

    image: Image.Image
    answer: str


class Canvas:
    """A picture being drawn; coordinates and lengths are pixels of the finished picture."""

    def __init__(self, width: int, height: int) -> None:
        self.image = Image.new("RGB", (width * SMOOTHING, height * SMOOTHING), PAPER)
        self._draw = ImageDraw.Draw(self.image)

    def finished(self) -> Image.Image:
        """Return the picture at its own size."""
        return self.image.reduce(SMOOTHING)

    def line(self, points: Sequence[Point], color: Color = INK, width: float = 2) -> None:
        """Draw a polyline with round joints and ends."""
        self._draw.line(_scaled(points), fill=color, width=round(width * SMOOTHING), joint="curve")
        for point in (points[0], points[-1]):
            self.circle(point, width / 2, color)

    def dashes(self, start: Point, end: Point, color: Color = INK, width: float = 2) -> None:
        """Draw a dashed straight line."""
        steps = max(1, round(math.dist(start, end) / 6))
        for i in range(0, steps, 2):
            self.line(
                [_between(start, end, i / steps), _between(start, end, (i + 1) / steps)],
                color,
                width,
            )

    def arrow(self, start: Point, end: Point, color: Color = RED, width: float = 3) -> None:
        """Draw a straight arrow."""
        angle = math.atan2(end[1] - start[1], end[0] - start[0])
        tip = [turned((x, y), angle, end) for x, y in ((4, 0), (-10, -7), (-10, 7))]
        self.line([start, turned((-8, 0), angle, end)], color, width)
        self.polygon(tip, color)

    def polygon(
        self,
        points: Sequence[Point],
        fill: Color | None,
        outline: Color | None = None,
        width: float = 2,
    ) -> None:
        """Draw a polygon, filled, outlined or both."""
        if fill is not None:
            self._draw.polygon(_scaled(points), fill=fill)
        if outline is not None:
            self.line([*points, points[0]], outline, width)

    def box(
        self,
        center: Point,
        size: float,
        fill: Color | None,
        outline: Color | None = None,
        width: float = 2,
    ) -> None:
        """Draw a square around a point."""
        self.polygon(square(center, size), fill, outline, width)

    def circle(
        self,
        center: Point,
        radius: float,
        fill: Color | None,
        outline: Color | None = None,
        width: float = 2,
    ) -> None:
        """Draw a circle."""
        x, y = center
        corners = _scaled([(x - radius, y - radius), (x + radius, y + radius)])
        self._draw.ellipse(corners, fill=fill, outline=outline, width=round(width * SMOOTHING))

    def text(self, center: Point, text: str, size: float = 22, color: Color = INK) -> None:
        """Write a text around a point."""
        font = ImageFont.load_default(size * SMOOTHING)
        self._draw.text(_scaled([center])[0], text, fill=color, font=font, anchor="mm")

    def options(self, y: float, size: float, draw: Sequence[Callable[[Point], None]]) -> None:
        """Draw four framed options in a row, each with its letter below."""
        for i, draw_option in enumerate(draw):
            center = (80.0 + 160 * i, y)
            self.box(center, size, WHITE, PALE)
            draw_option(center)
            self.text((center[0], y + size / 2 + 20), OPTION_LETTERS[i])

    def cells(self, filled: Cells, center: Point, step: float, color: Color) -> None:
        """Draw the filled cells of a grid around a point."""
        rows, columns = filled.shape
        for row, column in np.argwhere(filled).tolist():
            x = center[0] + (column - (columns - 1) / 2) * step
            y = center[1] + (row - (rows - 1) / 2) * step
            self.polygon(square((x, y), step), color, WHITE, 1)

    def cubes(self, cells: set[Cube], origin: Point, edge: float, color: Color) -> None:
        """Draw unit cubes from above: x runs to the lower right, y to the lower left, z up.

        Args:
            cells: The cubes.
            origin: Where the corner (0, 0, 0) is.
            edge: The length of an edge.
            color: The colour of the upper faces; the others are darker.
        """
        for x, y, z in sorted(cells, key=sum):
            faces = {
                1.0: [(x, y, z + 1), (x + 1, y, z + 1), (x + 1, y + 1, z + 1), (x, y + 1, z + 1)],
                0.8: [(x, y + 1, z), (x + 1, y + 1, z), (x + 1, y + 1, z + 1), (x, y + 1, z + 1)],
                0.6: [(x + 1, y, z), (x + 1, y + 1, z), (x + 1, y + 1, z + 1), (x + 1, y, z + 1)],
            }
            for light, corners in faces.items():
                points = [_projected(corner, origin, edge) for corner in corners]
                self.polygon(points, shaded(color, light), INK, 1.5)


def square(center: Point, size: float) -> list[Point]:
    """Return the corners of a square around a point."""
    (x, y), half = center, size / 2
    return [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]


def turned(point: Point, angle: float, origin: Point = (0.0, 0.0)) -> Point:
    """Return a point turned around (0, 0) by radians, clockwise as seen, then moved to origin."""
    x, y = point
    sine, cosine = math.sin(angle), math.cos(angle)
    return (origin[0] + x * cosine - y * sine, origin[1] + x * sine + y * cosine)


def shaded(color: Color, light: float) -> Color:
    """Return a colour made darker."""
    red, green, blue = (round(channel * light) for channel in color)
    return (red, green, blue)


def _projected(corner: Cube, origin: Point, edge: float) -> Point:
    x, y, z = corner
    return (origin[0] + (x - y) * edge * 0.866, origin[1] + (x + y) * edge / 2 - z * edge)


def _between(start: Point, end: Point, share: float) -> Point:
    return (start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share)


def _scaled(points: Sequence[Point]) -> list[Point]:
    return [(x * SMOOTHING, y * SMOOTHING) for x, y in points]
