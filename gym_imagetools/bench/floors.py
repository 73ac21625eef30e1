"""Floors: the fastest kernel we know for each tool, on plain arrays, without arguments and facts.

The exact ones where pixels are compared: Pillow's bicubic, its rotation and its blend.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np
from PIL import Image

from gym_imagetools.types import Pixels

Floor = Callable[[Sequence[Pixels]], Pixels]
"""Takes the pictures that the call of :data:`~gym_imagetools.bench.tools.CALLS` works on."""

_ZOOMED_PX = (1152, 864)
_GREY_FROM, _GREY_TO = (50, 50, 50), (130, 130, 130)
_WHITE = (255, 255, 255)


def _middle(pixels: Pixels) -> Pixels:
    height, width = pixels.shape[:2]
    return pixels[height // 4 : height * 3 // 4, width // 4 : width * 3 // 4].copy()


def _zoom(pictures: Sequence[Pixels]) -> Pixels:
    image = Image.fromarray(_middle(pictures[0]))
    return np.asarray(image.resize(_ZOOMED_PX, Image.Resampling.BICUBIC))


def _rotate_15(pictures: Sequence[Pixels]) -> Pixels:
    return np.asarray(Image.fromarray(pictures[0]).rotate(15, expand=True, fillcolor=_WHITE))


def _blend(first: Pixels, second: Pixels, share: float) -> Pixels:
    height, width, channels = first.shape
    size = (width * channels, height)
    one, two = (Image.frombuffer("L", size, p, "raw", "L", 0, 1) for p in (first, second))
    return np.asarray(Image.blend(one, two, share)).reshape(first.shape)


def _diff(pictures: Sequence[Pixels]) -> Pixels:
    difference = cv2.absdiff(pictures[0], pictures[1])
    cv2.sumElems(difference)
    red, green, blue = cv2.split(difference)
    largest = cv2.max(cv2.max(red, green), blue)
    cv2.boundingRect(cv2.threshold(largest, 30, 255, cv2.THRESH_BINARY)[1])
    nothing = np.zeros_like(largest)
    glow = cv2.merge([cv2.convertScaleAbs(largest, alpha=3), nothing, nothing])
    return _blend(pictures[0], np.asarray(glow, np.uint8), 0.6)


def _side_by_side(pictures: Sequence[Pixels]) -> Pixels:
    gap = np.full((pictures[0].shape[0], 8, 3), 255, np.uint8)
    return np.hstack([pictures[0], gap, pictures[1]])


def _count_objects(pictures: Sequence[Pixels]) -> Pixels:
    mask = cv2.inRange(pictures[0], _GREY_FROM, _GREY_TO)
    cv2.connectedComponentsWithStats(mask, connectivity=4)
    return pictures[0].copy()


def _find_color(pictures: Sequence[Pixels]) -> Pixels:
    mask = cv2.inRange(pictures[0], _GREY_FROM, _GREY_TO)
    cv2.connectedComponentsWithStats(mask, connectivity=4)
    red, green, blue = cv2.split(pictures[0])
    green = cv2.bitwise_and(green, cv2.bitwise_not(mask))
    painted = [cv2.bitwise_or(red, mask), green, cv2.bitwise_or(blue, mask)]
    return np.asarray(cv2.merge(painted), np.uint8)


def _color_at(pictures: Sequence[Pixels]) -> Pixels:
    height, width = pictures[0].shape[:2]
    patch = pictures[0][height // 2 - 12 : height // 2 + 13, width // 2 - 12 : width // 2 + 13]
    return np.asarray(Image.fromarray(patch).resize((150, 150), Image.Resampling.NEAREST))


FLOORS: dict[str, Floor] = {
    "zoom": _zoom,
    "crop": lambda pictures: _middle(pictures[0]),
    "rotate 15": _rotate_15,
    "rotate 90": lambda pictures: np.asarray(
        cv2.rotate(pictures[0], cv2.ROTATE_90_COUNTERCLOCKWISE), np.uint8
    ),
    "flip": lambda pictures: np.asarray(cv2.flip(pictures[0], 1), np.uint8),
    "diff": _diff,
    "side by side": _side_by_side,
    "overlay": lambda pictures: _blend(pictures[0], pictures[1], 0.5),
    "count objects": _count_objects,
    "find colour": _find_color,
    "colour at": _color_at,
}
"""By the names of :data:`~gym_imagetools.bench.tools.CALLS`."""
