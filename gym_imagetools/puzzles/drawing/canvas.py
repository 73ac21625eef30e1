"""Drawing for puzzles: everything at twice the size, reduced once, which smooths every edge."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import cos, hypot, radians, sin

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from gym_imagetools.puzzles.drawing.strokes import glyph
from gym_imagetools.types import Pixels

Color = tuple[int, int, int]
"""Red, green, blue, each 0..255."""

Point = tuple[float, float]
"""x and y in pixels of the finished picture."""

_SCALE = 2


@dataclass(frozen=True)
class Palette:
    """Colours that go together.

    Attributes:
        ground: Around the subject.
        paper: Under the subject; a little lighter than the ground.
        ink: Dark lines and text.
        accent: A strong warm colour for marks that must be found.
        second: Another warm colour, told from the accent at a glance.
    """

    ground: Color
    paper: Color
    ink: Color
    accent: Color
    second: Color


PALETTES: tuple[Palette, ...] = (
    Palette((243, 238, 228), (255, 252, 246), (28, 44, 92), (226, 44, 74), (255, 166, 38)),
    Palette((236, 241, 236), (252, 254, 250), (16, 68, 58), (228, 62, 38), (255, 184, 50)),
    Palette((241, 236, 244), (254, 251, 255), (62, 26, 88), (232, 36, 120), (255, 160, 60)),
    Palette((235, 239, 243), (251, 253, 255), (36, 46, 62), (238, 72, 28), (255, 178, 66)),
    Palette((240, 240, 232), (254, 254, 248), (8, 78, 98), (226, 40, 92), (255, 172, 44)),
)
"""In every palette ink is dark and marks are bright in the red channel."""


class Canvas:
    """A picture being drawn. All measures are pixels of the finished picture, as floats.

    Args:
        size: Width and height of the finished picture.
        background: Colour of the empty picture.
    """

    def __init__(self, size: tuple[int, int], background: Color) -> None:
        self._size = size
        large = size[0] * _SCALE, size[1] * _SCALE
        # Pillow draws into memory of numpy's: a picture of its own would have to be copied out,
        # and neither its beginning nor its reduction would let other threads work meanwhile.
        self._pixels = _filled(large, (*background, 255))
        image = Image.frombuffer("RGBX", large, self._pixels, "raw", "RGBX", 0, 1)
        image.readonly = False
        self._draw = ImageDraw.Draw(image)

    def rectangle(self, box: Sequence[float], fill: Color, radius: float = 0.0) -> None:
        """Fill the box left, top, right, bottom; its corners rounded by a radius."""
        corners = self._box(*box)
        if radius:
            self._draw.rounded_rectangle(corners, radius * _SCALE, fill)
        else:
            self._draw.rectangle(corners, fill)

    def disc(self, center: Point, radius: float, fill: Color) -> None:
        """Fill a disc."""
        x, y = center
        self._draw.ellipse(self._box(x - radius, y - radius, x + radius, y + radius), fill)

    def polygon(self, points: Iterable[Point], fill: Color) -> None:
        """Fill a polygon."""
        self._draw.polygon([self._point(point) for point in points], fill)

    def line(self, points: Sequence[Point], width: float, fill: Color) -> None:
        """Draw a line with round joints and ends."""
        scaled = [self._point(point) for point in points]
        self._draw.line(scaled, fill, max(1, round(width * _SCALE)), joint="curve")
        for end in (points[0], points[-1]):
            self.disc(end, width / 2, fill)

    def dashes(
        self, start: Point, end: Point, width: float, fill: Color, dash: float, gap: float
    ) -> None:
        """Draw a dashed line; a dash and a gap stretch a little so that both ends are dashes."""
        length = hypot(end[0] - start[0], end[1] - start[1])
        count = max(1, round((length + gap) / (dash + gap)))
        pitch = (length + gap) / count
        for index in range(count):
            first, last = index * pitch / length, min(1.0, (index * pitch + pitch - gap) / length)
            self.line([_between(start, end, first), _between(start, end, last)], width, fill)

    def arrow(self, start: Point, end: Point, width: float, fill: Color) -> None:
        """Draw a straight arrow; its head is five widths long."""
        length = hypot(end[0] - start[0], end[1] - start[1])
        neck = _between(start, end, max(0.0, 1 - 5 * width / length))
        across = (neck[1] - end[1]) * 0.6, (end[0] - neck[0]) * 0.6
        self.line([start, neck], width, fill)
        sides = [(neck[0] + sign * across[0], neck[1] + sign * across[1]) for sign in (1, -1)]
        self.polygon([end, *sides], fill)

    def glyph(
        self,
        character: str,
        center: Point,
        height: float,
        width: float,
        fill: Color,
        *,
        degrees: float = 0.0,
        mirrored: bool = False,
    ) -> None:
        """Draw a character of the stroke font.

        Args:
            character: One of :data:`gym_imagetools.puzzles.drawing.strokes.CHARACTERS`.
            center: Centre of the character.
            height: Height of its box.
            width: Width of its strokes.
            fill: Its colour.
            degrees: Turns it counter-clockwise about its centre.
            mirrored: Swaps left and right before the turn.
        """
        turn_x, turn_y = cos(radians(degrees)), sin(radians(degrees))
        for stroke in glyph(character):
            flipped = ((-x if mirrored else x, y) for x, y in stroke)
            turned = ((x * turn_x + y * turn_y, y * turn_x - x * turn_y) for x, y in flipped)
            points = [(center[0] + x * height, center[1] + y * height) for x, y in turned]
            self.line(points, width, fill)

    def number(self, value: int, center: Point, height: float, fill: Color) -> None:
        """Write a whole number from 0 on in the stroke font, centred."""
        digits = str(value)
        step = 0.92 * height
        left = center[0] - step * (len(digits) - 1) / 2
        for index, digit in enumerate(digits):
            self.glyph(
                digit, (left + index * step, center[1]), height, max(1.0, 0.15 * height), fill
            )

    def badge(self, character: str, center: Point, radius: float, fill: Color, ink: Color) -> None:
        """Draw a character on a disc: the label of an option, a gate, an end."""
        self.disc(center, radius, fill)
        self.glyph(character, center, radius * 1.05, max(1.0, radius * 0.19), ink)

    def text(self, words: str, center: Point, height: float, fill: Color) -> None:
        """Write a caption, centred. Never for what an answer depends on: fonts may change."""
        font = ImageFont.load_default(height * _SCALE)
        self._draw.text(self._point(center), words, fill, font, anchor="mm")

    def finish(self) -> Pixels:
        """Return the finished picture, read-only."""
        reduced = cv2.resize(self._pixels, self._size, interpolation=cv2.INTER_AREA)
        pixels = np.asarray(cv2.cvtColor(reduced, cv2.COLOR_RGBA2RGB), dtype=np.uint8)
        pixels.setflags(write=False)
        return pixels

    @staticmethod
    def _point(point: Point) -> tuple[float, float]:
        return point[0] * _SCALE, point[1] * _SCALE

    @staticmethod
    def _box(left: float, top: float, right: float, bottom: float) -> tuple[int, int, int, int]:
        """Return the box in canvas pixels; Pillow counts its last row and column in."""
        first_x, first_y = round(left * _SCALE), round(top * _SCALE)
        last_x, last_y = round(right * _SCALE) - 1, round(bottom * _SCALE) - 1
        return first_x, first_y, max(first_x, last_x), max(first_y, last_y)


def _between(start: Point, end: Point, share: float) -> Point:
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])


def one_color(size: tuple[int, int], color: Color) -> Pixels:
    """Return a picture of one colour, to paint on.

    Args:
        size: Its width and height.
        color: Its colour.
    """
    return _filled(size, color)


def _filled(size: tuple[int, int], levels: Sequence[int]) -> Pixels:
    width, height = size
    picture = np.empty((height, width, len(levels)), dtype=np.uint8)
    picture[0] = levels
    picture[1:] = picture[0]  # whole rows are copied much faster than single pixels
    return picture


def read_colors(text: str) -> tuple[Color, ...]:
    """Return colours written as ``rrggbb``, in hexadecimal, with spaces between them."""
    levels = (tuple(bytes.fromhex(color)) for color in text.split())
    return tuple((red, green, blue) for red, green, blue in levels)


def lab_to_rgb(lightness: float, a: float, b: float) -> Color:
    """Return the sRGB colour of a CIELAB one (D65), clipped to the gamut.

    Args:
        lightness: 0..100.
        a: Green to red, about -100..100.
        b: Blue to yellow, about -100..100.
    """
    y = (lightness + 16) / 116
    xyz = np.array([_unlab(y + a / 500), _unlab(y), _unlab(y - b / 200)])
    linear = np.clip(_XYZ_TO_RGB @ (xyz * _D65), 0.0, 1.0)
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    red, green, blue = (round(channel * 255) for channel in encoded.tolist())
    return red, green, blue


_D65 = np.array([0.95047, 1.0, 1.08883])
_XYZ_TO_RGB = np.array(
    [
        [3.2404542, -1.5371385, -0.4985314],
        [-0.9692660, 1.8760108, 0.0415560],
        [0.0556434, -0.2040259, 1.0572252],
    ]
)


def _unlab(value: float) -> float:
    return float(value**3) if value > 6 / 29 else 3 * (6 / 29) ** 2 * (value - 4 / 29)
