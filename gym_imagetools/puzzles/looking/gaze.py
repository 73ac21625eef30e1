"""How oracles look closer: zoom calls, and a whole picture put together from zoomed tiles."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import cv2
import numpy as np

from gym_imagetools.puzzles.eye import Blocks, BlurryImage, Reply

Gaze = Generator[dict[str, Any], Reply, Blocks]
"""Yields zoom calls and returns what was seen."""


def zoom_call(box: tuple[float, float, float, float], index: int = 0) -> dict[str, Any]:
    """Return the call that zooms into a box of a picture, in thousandths."""
    left, top, right, bottom = (round(min(max(side, 0.0), 1000.0)) for side in box)
    arguments = {"bbox_2d": [left, top, right, bottom], "img_idx": index}
    return {"name": "image_zoom_in_tool", "arguments": arguments}


def look_at_tiles(preview: BlurryImage, tiles: int) -> Gaze:
    """Return blocks of the whole first picture from ``tiles`` x ``tiles`` zooms.

    The preview itself is returned for one tile, and when a zoom fails. The picture is square;
    so are all tiles, but for a pixel, and their blocks are made to match.
    """
    if tiles == 1:
        return preview.blocks
    step, bands = 1000 / tiles, []
    for row in range(tiles):
        band = []
        for column in range(tiles):
            left, top = column * step, row * step
            reply = yield zoom_call((left, top, left + step, top + step))
            if not reply.ok:
                return preview.blocks
            band.append(_squared(reply.images[0].blocks))
        bands.append(np.concatenate(band, axis=1))
    return np.concatenate(bands, axis=0)


def look_around(
    x: float, y: float, reach: float
) -> Generator[dict[str, Any], Reply, Blocks | None]:
    """Return blocks of the square around a point, all in thousandths; None when a zoom fails."""
    reply = yield zoom_call((x - reach, y - reach, x + reach, y + reach))
    return reply.images[0].blocks if reply.ok else None


def _squared(blocks: Blocks) -> Blocks:
    """Return blocks with as many rows as columns."""
    side = max(blocks.shape[:2])
    if blocks.shape[:2] == (side, side):
        return blocks
    return cv2.resize(blocks, (side, side), interpolation=cv2.INTER_LINEAR).astype(np.uint8)
