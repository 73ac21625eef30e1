"""Boxes and short texts drawn into pixels."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from gym_imagetools.coordinates import Region
from gym_imagetools.tools.values import Color
from gym_imagetools.types import Pixels

RED: Color = (255, 0, 0)

_LINE_PX = 2
_NUMBER_AT_PX = 2


def draw_numbered_box(pixels: Pixels, region: Region, number: int) -> None:
    """Draw the outline of a region, inside of it, and its number in the top left corner.

    Args:
        pixels: The picture to draw into.
        region: A region inside the picture.
        number: The number to write.
    """
    left, top, right, bottom = region
    inside = pixels[top:bottom, left:right]
    for edge in (
        inside[:_LINE_PX],
        inside[-_LINE_PX:],
        inside[:, :_LINE_PX],
        inside[:, -_LINE_PX:],
    ):
        edge[:] = RED
    draw_text(pixels, left + _NUMBER_AT_PX, top + _NUMBER_AT_PX, str(number), RED)


def draw_text(pixels: Pixels, left: int, top: int, text: str, color: Color) -> None:
    """Draw a text in Pillow's bundled font; what does not fit is cut off.

    Args:
        pixels: The picture to draw into.
        left: Where the text starts, in pixels.
        top: Where its line starts, in pixels.
        text: Any text.
        color: Its colour.
    """
    coverage = _coverage(text)
    place = pixels[top : top + coverage.shape[0], left : left + coverage.shape[1]]
    weight = coverage[: place.shape[0], : place.shape[1], np.newaxis]
    place[:] = (weight * np.asarray(color) + (255 - weight) * place + 127) // 255


@lru_cache(maxsize=256)
def _coverage(text: str) -> NDArray[np.int64]:
    """Return how much of each pixel the text covers, 0 to 255, from where it starts."""
    font = ImageFont.load_default()
    measure = ImageDraw.Draw(Image.new("L", (1, 1)))
    _, _, width, height = measure.textbbox((0, 0), text, font=font)
    image = Image.new("L", (int(width) + 1, int(height) + 1))
    ImageDraw.Draw(image).text((0, 0), text, fill=255, font=font)
    return np.asarray(image, dtype=np.int64)
