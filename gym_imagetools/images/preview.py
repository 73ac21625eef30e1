"""Previews: smaller pictures for observations and messages, by area averaging."""

from __future__ import annotations

from typing import cast

import cv2

from gym_imagetools.types import Pixels


def preview_size(size: tuple[int, int], max_side: int | None) -> tuple[int, int]:
    """Return the size of a picture's preview.

    Args:
        size: Width and height in pixels.
        max_side: The longest side allowed, >= 1; None for no limit.

    Returns:
        Width and height with the same shape, the longer side at most ``max_side`` and neither
        below 1; the size itself where it fits.
    """
    longest = max(size)
    if max_side is None or longest <= max_side:
        return size
    width, height = size
    return max(1, round(width * max_side / longest)), max(1, round(height * max_side / longest))


def preview(pixels: Pixels, max_side: int | None) -> Pixels:
    """Return a picture shrunk to a longest side.

    Args:
        pixels: Pixels of shape (height, width, 3).
        max_side: The longest side allowed, >= 1; None for no limit.

    Returns:
        Read-only pixels, each the average of those it covers; ``pixels`` itself where it fits.
    """
    height, width = pixels.shape[:2]
    size = preview_size((width, height), max_side)
    if size == (width, height):
        return pixels
    shrunk = cast(Pixels, cv2.resize(pixels, size, interpolation=cv2.INTER_AREA))
    shrunk.flags.writeable = False
    return shrunk
