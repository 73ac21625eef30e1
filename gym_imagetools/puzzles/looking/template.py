"""A figure seen closely once, and found again where it is only seen in coarse blocks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from gym_imagetools.puzzles.eye import Blocks

_MOST_BLOCK, _MOST_SQUARE = 14.0, 25.0
"""Difference of one block and of two by two summed at which figures are no longer alike; the steps
of the eye alone make about half of these."""

_WORTH_A_LOOK = 0.8
"""Of the difference of the empty ground: places that are nearer to the figure are looked into."""

_Planes = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Template:
    """A figure in fine blocks, of which whole numbers make up a coarse one.

    Attributes:
        fine: Fine blocks of shape (side, side, 3), the figure in their middle.
        ratio: Fine blocks along a coarse one.
        radius: How far from the middle the figure is sure to be seen, in fine blocks.
    """

    fine: Blocks
    ratio: int
    radius: float

    def turned(self, quarters: int) -> Template:
        """Return the template turned by quarter turns."""
        return Template(np.rot90(self.fine, quarters), self.ratio, self.radius)

    def count(self, coarse: Blocks) -> int:
        """Return how often the figure is seen in coarse blocks, wherever their raster begins.

        Most of what is seen must be empty ground.
        """
        views, masks = self._views()
        side = views.shape[1]
        frame = side // 2  # a figure at the edge is whole, its box may not be
        picture = np.pad(
            coarse.astype(np.float32), ((frame, frame), (frame, frame), (0, 0)), "edge"
        )
        ground = np.median(coarse, axis=(0, 1))
        found: list[tuple[float, int, int]] = []
        for row, column in _candidates(picture, ground, views.mean(axis=0), masks.min(axis=0)):
            top, left = max(row - 1, 0), max(column - 1, 0)
            around = picture[top : row + side + 1, left : column + side + 1]
            difference = _difference(around, views, masks)
            if difference < 1:
                found.append((difference, row, column))
        return _distinct(found, self.radius / self.ratio)

    def _views(self) -> tuple[_Planes, _Planes]:
        """Return the figure as the coarse raster shows it from each of its offsets.

        Shapes (views, side, side, 3), and of the masks of what is compared (views, side, side, 1).
        """
        length, ratio = len(self.fine), self.ratio
        side = -(-length // ratio) + 1
        spare = side * ratio - length
        views, masks = [], []
        for down, right in product(range(ratio), repeat=2):
            frame = ((down, spare - down), (right, spare - right), (0, 0))
            wide = np.pad(self.fine.astype(np.float32), frame, mode="edge")
            views.append(wide.reshape(side, ratio, side, ratio, 3).mean(axis=(1, 3)))
            middles = (np.arange(side) + 0.5) * ratio - length / 2
            masks.append(np.hypot(middles[:, None] - down, middles - right) <= self.radius)
        return np.stack(views), np.stack(masks)[:, :, :, None].astype(np.float32)


def _candidates(
    picture: _Planes, ground: NDArray[np.float64], view: _Planes, mask: _Planes
) -> list[tuple[int, int]]:
    """Return the places that are more like the blurred figure than their surroundings are.

    And much more than the empty ground.
    """
    masks = cv2.merge([mask[:, :, 0]] * 3)
    differences = cv2.matchTemplate(picture, view, cv2.TM_SQDIFF, mask=masks)
    most = _WORTH_A_LOOK * float((((view - ground) ** 2) * mask).sum())
    lowest = cv2.erode(differences, np.ones((3, 3), np.uint8))
    rows, columns = np.nonzero((differences <= lowest) & (differences < most))
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def _difference(around: _Planes, views: _Planes, masks: _Planes) -> float:
    """Return how much the best view differs from its best place; 1 is just too much."""
    side = views.shape[1]
    windows = np.lib.stride_tricks.sliding_window_view(around, (side, side, 3)).reshape(
        -1, side, side, 3
    )
    flat, masked = windows.reshape(len(windows), -1), (views * masks).reshape(len(views), -1)
    weights = np.broadcast_to(masks, views.shape).reshape(len(views), -1)
    squares = flat**2 @ weights.T - 2 * flat @ masked.T + (masked**2).sum(axis=1)
    place, view = np.unravel_index(int(squares.argmin()), squares.shape)
    away = (windows[place] - views[view]) * masks[view]
    summed = away[1:, 1:] + away[:-1, 1:] + away[1:, :-1] + away[:-1, :-1]
    return max(_largest(away) / _MOST_BLOCK, _largest(summed) / _MOST_SQUARE)


def _largest(away: _Planes) -> float:
    """Return the largest difference of a block, the root mean square over its channels."""
    return float(np.sqrt((away**2).mean(axis=2)).max())


def _distinct(found: list[tuple[float, int, int]], reach: float) -> int:
    """Count places, the best first, that are not within reach of a better one."""
    kept: list[tuple[int, int]] = []
    for _, row, column in sorted(found):
        if all(max(abs(row - y), abs(column - x)) > reach for y, x in kept):
            kept.append((row, column))
    return len(kept)
