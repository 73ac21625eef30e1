"""Square cells in a picture, and how an oracle looks at them all through one raster.

The eye sees blocks. Where a zoomed tile shows whole cells, each whole blocks wide, equal cells
look equal block by block, wherever in the picture they are.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.puzzles.eye import BLOCK_PX, Blocks, BlurryImage, Reply

Cells = NDArray[np.float64]
"""Blocks of cells in reading order, of shape (cells, blocks, blocks, 3)."""

SEEN_BLOCKS = 64
"""Blocks along the longer side of a delivered picture."""


@dataclass(frozen=True)
class Grid:
    """Square cells in the middle of a picture.

    Attributes:
        rows: Rows of cells.
        columns: Columns of cells.
        pitch: Side of a cell in pixels.
        width: Width of the picture in pixels.
        height: Height of the picture in pixels.
    """

    rows: int
    columns: int
    pitch: int
    width: int
    height: int

    @property
    def origin(self) -> tuple[int, int]:
        """Left and top of the first cell in pixels."""
        left, top = self.width - self.columns * self.pitch, self.height - self.rows * self.pitch
        return left // 2, top // 2

    def corner(self, cell: int) -> tuple[int, int]:
        """Return left and top of a cell in pixels."""
        row, column = divmod(cell, self.columns)
        left, top = self.origin
        return left + column * self.pitch, top + row * self.pitch


def look_at_cells(
    grid: Grid, tile: tuple[int, int], blocks: int
) -> Generator[dict[str, Any], Reply, Cells | None]:
    """Zoom in tile by tile and return what is seen of the cells; None when a zoom fails.

    Args:
        grid: The cells.
        tile: Rows and columns of a tile; they divide those of the grid.
        blocks: Blocks along a cell. A tile as high as wide is 64 blocks long, with a margin
            beyond its cells; any other is 64 blocks wide and as high as its rows.
    """
    rows, columns = tile
    width = SEEN_BLOCKS * grid.pitch // blocks
    height = width if rows == columns else rows * grid.pitch
    cells = np.zeros((grid.rows, grid.columns, blocks, blocks, 3))
    for row in range(0, grid.rows, rows):
        for column in range(0, grid.columns, columns):
            left, top = grid.corner(row * grid.columns + column)
            seen = yield from look_at_box(
                (left, top, left + width, top + height), (grid.width, grid.height)
            )
            if seen is None:
                return None
            whole = seen[: rows * blocks, : columns * blocks]
            cells[row : row + rows, column : column + columns] = whole.reshape(
                rows, blocks, columns, blocks, 3
            ).swapaxes(1, 2)
    return cells.reshape(-1, blocks, blocks, 3)


def look_at_box(
    box_px: Sequence[int], size: tuple[int, int]
) -> Generator[dict[str, Any], Reply, Blocks | None]:
    """Zoom into exactly these pixels of the first picture; return None when that fails.

    Args:
        box_px: Left, top, right and bottom in pixels.
        size: Width and height of the picture in pixels.
    """
    inside = 0.25  # of a pixel: in thousandths the edges still lie in the pixels that are meant
    box = [
        1000 * (edge + away) / side
        for edge, away, side in zip(
            box_px, (inside, inside, -inside, -inside), (*size, *size), strict=True
        )
    ]
    reply = yield {"name": "image_zoom_in_tool", "arguments": {"bbox_2d": box, "img_idx": 0}}
    return reply.images[0].blocks if reply.ok else None


def glance_at_cells(grid: Grid, blocks: int, preview: BlurryImage) -> Cells:
    """Return the cells as the preview shows them, made of the blocks nearest to each place."""
    left, top = grid.origin
    places = (np.arange(blocks) + 0.5) / blocks
    across = left + (np.arange(grid.columns)[:, None] + places) * grid.pitch
    down = top + (np.arange(grid.rows)[:, None] + places) * grid.pitch
    rows, columns = preview.blocks.shape[:2]
    x = np.minimum(across * preview.size[0] / grid.width / BLOCK_PX, columns - 1).astype(int)
    y = np.minimum(down * preview.size[1] / grid.height / BLOCK_PX, rows - 1).astype(int)
    seen = preview.blocks[y[:, None, :, None], x[None, :, None, :]]
    return np.asarray(seen.reshape(-1, blocks, blocks, 3), dtype=np.float64)
