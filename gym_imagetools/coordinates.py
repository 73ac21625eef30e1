"""Coordinates: thousandths of a picture at the edge, pixels inside.

A model writes boxes and points in thousandths (0-1000) of the picture, from its top left, x to the
right and y down. Pixel coordinates are edges: pixel ``i`` covers ``i`` to ``i + 1``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

THOUSANDTHS = 1000

Box = tuple[float, float, float, float]
"""``(x1, y1, x2, y2)``, in thousandths unless a name says ``_px``."""

Point = tuple[float, float]
"""``(x, y)``, in thousandths unless a name says ``_px``."""


class Region(NamedTuple):
    """A rectangle of whole pixels; ``right`` and ``bottom`` are just outside of it."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """Pixels from left to right; zero or less when the region is empty."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """Pixels from top to bottom; zero or less when the region is empty."""
        return self.bottom - self.top


def order_corners(box: Box) -> Box:
    """Return the box with its top left corner first, whichever corners were given."""
    x1, y1, x2, y2 = box
    return min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)


def is_box_of_fractions(box: Box) -> bool:
    """Whether the box is written in fractions of the picture: all in 0..1, not all whole."""
    return all(0 <= value <= 1 for value in box) and not all(value == int(value) for value in box)


def is_pixel_box(box: Box, width_px: int, height_px: int) -> bool:
    """Whether an ordered box is in pixels: a coordinate above 1000, and inside the picture."""
    x1, y1, x2, y2 = box
    return max(x2, y2) > THOUSANDTHS and min(x1, y1) >= 0 and x2 <= width_px and y2 <= height_px


def clamp_box(box: Box) -> Box:
    """Return the box with every coordinate moved into 0..1000."""
    x1, y1, x2, y2 = (min(max(value, 0.0), float(THOUSANDTHS)) for value in box)
    return x1, y1, x2, y2


def box_to_region(box: Box, width_px: int, height_px: int) -> Region:
    """Return the smallest rectangle of whole pixels that holds the box.

    Args:
        box: An ordered box in thousandths, or in pixels where :func:`is_pixel_box` says so.
            Coordinates outside of 0..1000 that are no pixels are clamped.
        width_px: Width of the picture.
        height_px: Height of the picture.

    Returns:
        A region inside the picture. It is empty for a box without an area.
    """
    x1, y1, x2, y2 = box
    if not is_pixel_box(box, width_px, height_px):
        # Dividing first is part of the rule: it decides on which side of a pixel's edge the
        # rounded product falls (550 of 100 pixels ends in pixel 55, not before it).
        x1, y1, x2, y2 = (value / THOUSANDTHS for value in clamp_box(box))
        x1, y1, x2, y2 = x1 * width_px, y1 * height_px, x2 * width_px, y2 * height_px
    return Region(
        math.floor(x1),
        math.floor(y1),
        min(width_px, math.ceil(x2)),
        min(height_px, math.ceil(y2)),
    )


def region_to_box(region: Region, width_px: int, height_px: int) -> list[int]:
    """Return the region as a JSON box ``[x1, y1, x2, y2]`` of whole thousandths."""
    return [
        *point_to_thousandths((region.left, region.top), width_px, height_px),
        *point_to_thousandths((region.right, region.bottom), width_px, height_px),
    ]


def point_to_pixel(point: Point, width_px: int, height_px: int) -> tuple[int, int]:
    """Return column and row of the pixel that contains the point.

    The right and bottom edges (1000) belong to the last column and row.
    """
    x, y = point
    column = math.floor(x * width_px / THOUSANDTHS)
    row = math.floor(y * height_px / THOUSANDTHS)
    return min(max(column, 0), width_px - 1), min(max(row, 0), height_px - 1)


def point_to_thousandths(point_px: Point, width_px: int, height_px: int) -> list[int]:
    """Return a point in pixels as a JSON point ``[x, y]`` of whole thousandths, within 0..1000."""
    x, y = point_px
    return [
        min(max(round(x / width_px * THOUSANDTHS), 0), THOUSANDTHS),
        min(max(round(y / height_px * THOUSANDTHS), 0), THOUSANDTHS),
    ]
