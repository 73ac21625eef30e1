"""Connected components of a mask: how many, and what the first of them look like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from gym_imagetools.coordinates import Point, Region
from gym_imagetools.types import Pixels

MAX_LISTED = 40
"""So many components are described; all are counted."""


@dataclass(frozen=True, slots=True)
class Blob:
    """One component.

    Attributes:
        region: The smallest rectangle around it.
        center_px: The mean of its pixels' centres.
        pixels: Its area.
    """

    region: Region
    center_px: Point
    pixels: int


@dataclass(frozen=True, slots=True)
class Components:
    """The components of a mask.

    Attributes:
        count: How many there are, exactly.
        blobs: The first of them, :data:`MAX_LISTED` at most, in the order of their first pixel.
    """

    count: int
    blobs: tuple[Blob, ...]


def find_components(mask: Pixels, min_size: int) -> Components:
    """Find what is connected by edges (not by corners) in a mask.

    Areas of all components take one pass, and only those listed are measured: the time hardly
    depends on what the mask holds.

    Args:
        mask: ``uint8`` of shape (height, width); everything but 0 belongs to a component.
        min_size: Smallest area that counts, in pixels.
    """
    num_labels, found = cv2.connectedComponents(mask, connectivity=4)
    labels = found.astype(np.int32, copy=False)
    areas = np.bincount(labels.ravel(), minlength=num_labels)
    areas[0] = 0  # the background
    kept = np.flatnonzero(areas >= min(min_size, mask.size + 1))
    listed = kept[:MAX_LISTED]
    rank_of_label = np.zeros(num_labels, dtype=np.uint8)
    rank_of_label[listed] = np.arange(1, len(listed) + 1)
    return Components(len(kept), _measure(rank_of_label.take(labels), len(listed)))


def _measure(ranks: Pixels, num_ranks: int) -> tuple[Blob, ...]:
    """Measure the components of ranks 1 to ``num_ranks`` by their horizontal runs."""
    height, width = ranks.shape
    # A zero column to the left of every row, and one more zero at the end, bound every run.
    flat = np.zeros(height * (width + 1) + 1, dtype=np.uint8)
    flat[:-1].reshape(height, width + 1)[:, 1:] = ranks
    edges = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    starts, lengths = edges[0::2], edges[1::2] - edges[0::2]
    rank, rows, lefts = flat[starts], starts // (width + 1), starts % (width + 1) - 1
    rights = lefts + lengths

    def total(values: NDArray[Any]) -> NDArray[np.float64]:
        return np.bincount(rank, weights=values, minlength=num_ranks + 1).astype(float, copy=False)

    areas = total(lengths)
    sum_x, sum_y = total(lengths * (lefts + rights) / 2), total(lengths * (rows + 0.5))
    left, top = np.full(num_ranks + 1, width), np.full(num_ranks + 1, height)
    right, bottom = np.zeros(num_ranks + 1, dtype=int), np.zeros(num_ranks + 1, dtype=int)
    np.minimum.at(left, rank, lefts)
    np.maximum.at(right, rank, rights)
    np.minimum.at(top, rank, rows)
    np.maximum.at(bottom, rank, rows + 1)
    return tuple(
        Blob(
            Region(int(left[i]), int(top[i]), int(right[i]), int(bottom[i])),
            (float(sum_x[i] / areas[i]), float(sum_y[i] / areas[i])),
            int(areas[i]),
        )
        for i in range(1, num_ranks + 1)
    )
