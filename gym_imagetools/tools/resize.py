"""Resizing, and the size a zoomed picture gets."""

from __future__ import annotations

import math

import cv2
import numpy as np
from PIL import Image

from gym_imagetools.images.pillow import rgb_pixels
from gym_imagetools.types import Pixels

GRID_PX = 32
"""Sides of a zoomed picture are multiples of this, the patch grid of common vision models."""


def resize_exact(pixels: Pixels, width: int, height: int) -> Pixels:
    """Resize by Pillow's bicubic filter, which smooths when it shrinks."""
    if pixels.shape[:2] == (height, width):
        return pixels
    image = Image.fromarray(np.ascontiguousarray(pixels))
    return rgb_pixels(image.resize((width, height), Image.Resampling.BICUBIC))


def resize_fast(pixels: Pixels, width: int, height: int) -> Pixels:
    """Resize like :func:`resize_exact`, several times faster where both sides grow.

    OpenCV's bicubic kernel differs a little (44 dB and more on photographs) and does not smooth,
    so shrinking is left to the exact filter.
    """
    old_height, old_width = pixels.shape[:2]
    if width < old_width or height < old_height:
        return resize_exact(pixels, width, height)
    resized = cv2.resize(pixels, (width, height), interpolation=cv2.INTER_CUBIC)
    return resized.astype(np.uint8, copy=False)


def shrink_to(picture: Pixels | Image.Image, max_side_px: int) -> Pixels:
    """Return a picture's pixels, shrunk by Lanczos at their own ratio if a side is too long.

    A large picture that Pillow made is best handed over as it is: each way between its memory
    and an array takes as long as drawing it.
    """
    if max(size_of(picture)) > max_side_px:
        if not isinstance(picture, Image.Image):
            picture = Image.fromarray(np.ascontiguousarray(picture))
        picture.thumbnail((max_side_px, max_side_px), Image.Resampling.LANCZOS)
    return rgb_pixels(picture) if isinstance(picture, Image.Image) else picture


def size_of(picture: Pixels | Image.Image) -> tuple[int, int]:
    """Return width and height."""
    if isinstance(picture, Image.Image):
        return picture.size
    return picture.shape[1], picture.shape[0]


def grid_size(
    width: float, height: float, min_pixels: int, max_pixels: int, max_side_px: int
) -> tuple[int, int]:
    """Return the size of a zoomed picture: multiples of 32, area within bounds, ratio about kept.

    A picture too thin for that keeps a short side of 32 px or more, also after its long side has
    been shrunk to ``max_side_px``, and gives up its ratio.

    Args:
        width: Wanted width in pixels, at least 1.
        height: Wanted height in pixels, at least 1.
        min_pixels: Least area.
        max_pixels: Largest area; below 32 x 32 the picture is 32 x 32.
        max_side_px: The bound every picture of a tool is shrunk to.

    Returns:
        Width and height.
    """
    sides = [max(GRID_PX, round(side / GRID_PX) * GRID_PX) for side in (width, height)]
    area = sides[0] * sides[1]
    if area > max_pixels:
        shrink = math.sqrt(width * height / max_pixels)
        sides = [_floor(side / shrink) for side in (width, height)]
    elif area < min_pixels:
        grow = math.sqrt(min_pixels / (width * height))
        sides = [_ceil(side * grow) for side in (width, height)]
    short, long = _thick_enough(min(sides), max(sides), min_pixels, max_pixels, max_side_px)
    return (short, long) if sides[0] < sides[1] else (long, short)


def _thick_enough(
    short: int, long: int, min_pixels: int, max_pixels: int, max_side_px: int
) -> tuple[int, int]:
    short, long = max(short, GRID_PX), max(long, GRID_PX)
    if short * max_side_px < long * GRID_PX:  # the bound on sides would leave less than 32 px
        short, long = max(GRID_PX, _ceil(min_pixels / max_side_px)), max_side_px
    if short * long > max_pixels:
        long = max(GRID_PX, _floor(max_pixels / short))
        short = min(short, max(GRID_PX, _floor(max_pixels / long)))
    return min(short, long), max(short, long)


def _floor(side: float) -> int:
    return math.floor(side / GRID_PX) * GRID_PX


def _ceil(side: float) -> int:
    return math.ceil(side / GRID_PX) * GRID_PX
