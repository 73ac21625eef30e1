"""Pictures to measure on: like photos, without being anybody's."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np

from gym_imagetools.images.encode import encode
from gym_imagetools.types import Pixels

SIZES_PX = ((256, 192), (1024, 768), (4000, 3000))
"""Small, usual and large: width and height."""


@cache
def photo(width_px: int, height_px: int, seed: int = 0) -> Pixels:
    """Return a picture with soft areas, edges and grain, as a camera gives.

    Args:
        width_px: Its width.
        height_px: Its height.
        seed: Draws another one.
    """
    rng = np.random.default_rng([seed, width_px, height_px])
    scale = max(width_px, height_px)
    coarse = rng.integers(40, 215, (9, 12, 3)).astype(np.float32)
    base = cv2.resize(coarse, (width_px, height_px), interpolation=cv2.INTER_CUBIC)
    for _ in range(14):
        center = rng.integers(0, (width_px, height_px)).tolist()
        color = rng.integers(0, 256, 3).tolist()
        cv2.circle(base, center, int(rng.integers(scale // 60, scale // 12)), color, -1)
    grain = rng.normal(0, 6, base.shape)
    pixels: Pixels = np.clip(base + grain, 0, 255).astype(np.uint8)
    pixels.flags.writeable = False
    return pixels


@cache
def photo_jpeg(width_px: int, height_px: int) -> bytes:
    """Return :func:`photo` as the bytes of a JPEG file."""
    return encode(photo(width_px, height_px), "jpeg", 95)


@cache
def dots(width_px: int, height_px: int, num_dots: int) -> Pixels:
    """Return dark dots on white, apart from one another.

    Args:
        width_px: Its width.
        height_px: Its height.
        num_dots: How many, at most a 9th of the pixels.
    """
    pixels = np.full((height_px, width_px, 3), 255, np.uint8)
    columns = width_px // 3
    places = np.arange(num_dots)
    pixels[1 + 3 * (places // columns), 1 + 3 * (places % columns)] = 20
    pixels.flags.writeable = False
    return pixels
