"""The blurry eye, a stand-in for a model's sight, and the protocol of scripted tool users.

An oracle sees a picture only through the eye and learns the rest from the text of tool replies.
That it solves a puzzle with tools, and cannot without them, is what the tests prove a puzzle by.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.images.preview import preview
from gym_imagetools.types import Pixels

BLOCK_PX = 8
"""Side of a block at the size in which a picture is delivered."""

Blocks = NDArray[np.uint8]
"""Mean colours of blocks, ``uint8`` of shape (rows, columns, 3)."""


@dataclass(frozen=True, eq=False)
class BlurryImage:
    """What the eye keeps of a delivered picture.

    Attributes:
        blocks: The mean colour of each 8x8 block in 5 bits a channel; the last row and column
            may be of smaller blocks.
        size: Width and height of the delivered picture in pixels.
    """

    blocks: Blocks
    size: tuple[int, int]

    def color_at(self, x: float, y: float) -> tuple[int, int, int]:
        """Return the colour of the block that holds a point in thousandths of the picture."""
        rows, columns = self.blocks.shape[:2]
        column = min(int(x * self.size[0] / 1000 / BLOCK_PX), columns - 1)
        row = min(int(y * self.size[1] / 1000 / BLOCK_PX), rows - 1)
        red, green, blue = self.blocks[row, column].tolist()
        return red, green, blue


@dataclass(frozen=True, eq=False)
class Reply:
    """What came back for one tool call.

    Attributes:
        results: The JSON objects of the tool responses, one for each call that was made.
        images: The new pictures, in the order they were delivered.
    """

    results: tuple[dict[str, Any], ...]
    images: tuple[BlurryImage, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether a call ran, and every one that was answered succeeded."""
        return bool(self.results) and all(result.get("ok", False) for result in self.results)


Oracle = Generator[dict[str, Any], Reply, str]
"""Yields calls ``{"name", "arguments"}``, is sent a :class:`Reply` each, returns the answer."""


@dataclass(frozen=True)
class BlurryEye:
    """Looks at pictures as they are delivered.

    Attributes:
        max_side: Longest side of a delivered picture in pixels; larger ones are shrunk first.
    """

    max_side: int = 512

    def see(self, pixels: Pixels) -> BlurryImage:
        """Return what is left of a picture, ``uint8`` of shape (height, width, 3)."""
        delivered = preview(pixels, self.max_side)
        height, width = delivered.shape[:2]
        return BlurryImage(_in_five_bits(_block_means(delivered)), (width, height))


def _in_five_bits(means: NDArray[np.float64]) -> Blocks:
    """Return the middle of the eight levels that a channel cannot be told from."""
    return np.asarray(np.rint(means).astype(np.uint8) & 0xF8 | 0x04, dtype=np.uint8)


def _block_means(pixels: Pixels) -> NDArray[np.float64]:
    """Return the mean of each block; the last ones may be of fewer pixels."""
    height, width = pixels.shape[:2]
    rows, columns = -(-height // BLOCK_PX), -(-width // BLOCK_PX)
    if (height % BLOCK_PX, width % BLOCK_PX) != (0, 0):
        whole = np.zeros((rows * BLOCK_PX, columns * BLOCK_PX, 3), np.uint8)
        whole[:height, :width] = pixels
        pixels = whole
    # 64 pixels of at most 255 add up to less than 2**16.
    bands = pixels.reshape(rows, BLOCK_PX, -1).sum(axis=1, dtype=np.uint16)
    sums = bands.reshape(rows, columns, BLOCK_PX, 3).sum(axis=2, dtype=np.uint16)
    row_sizes = np.minimum(BLOCK_PX, height - BLOCK_PX * np.arange(rows))
    column_sizes = np.minimum(BLOCK_PX, width - BLOCK_PX * np.arange(columns))
    return np.asarray(sums / np.outer(row_sizes, column_sizes)[:, :, None])
