"""How much two boxes overlap."""

from __future__ import annotations

from gym_imagetools.coordinates import Box, order_corners


def iou(first: Box, second: Box) -> float:
    """Return intersection over union of two boxes; 0 when either has no area.

    Args:
        first: A box, corners in any order, in any unit.
        second: A box in the same unit.
    """
    ax1, ay1, ax2, ay2 = order_corners(first)
    bx1, by1, bx2, by2 = order_corners(second)
    width = min(ax2, bx2) - max(ax1, bx1)
    height = min(ay2, by2) - max(ay1, by1)
    if width <= 0 or height <= 0:
        return 0.0
    union = (ax2 - ax1) * (ay2 - ay1) + (bx2 - bx1) * (by2 - by1) - width * height
    return width * height / union if union > 0 else 0.0
