"""Connected components of a mask: how many, and what the first of them look like."""

from __future__ import annotations

from dataclasses import dataclass

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

    After the labelling only runs are looked at, the horizontal stretches of pixels that are set:
    they hold all that is asked for, and a picture has far fewer of them than pixels.

    Args:
        mask: ``uint8`` of shape (height, width); everything but 0 belongs to a component.
        min_size: Smallest area that counts, in pixels, >= 1.
    """
    _, labels = cv2.connectedComponents(mask, connectivity=4)
    starts, lengths = _runs(mask)
    label = labels.reshape(-1)[starts]
    areas = np.bincount(label, weights=lengths)
    kept = np.flatnonzero(areas >= min(min_size, mask.size + 1))
    listed = kept[:MAX_LISTED]
    if not len(listed):
        return Components(0, ())
    rank_of_label = np.full(len(areas), MAX_LISTED, dtype=np.uint8)
    rank_of_label[listed] = np.arange(len(listed))
    rank = rank_of_label[label]
    # Sorted by rank, the runs of a component stand together, and from its top to its bottom.
    order = np.argsort(rank, kind="stable")[: np.count_nonzero(rank < MAX_LISTED)]
    first = np.searchsorted(rank[order], np.arange(len(listed)))
    return Components(len(kept), _measure(starts[order], lengths[order], first, mask.shape[1]))


def _runs(mask: Pixels) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each run of a mask starts in its flat pixels, in their order, and its length."""
    height, width = mask.shape
    # A column of zeros before each row, and one more zero at the end, bound every run.
    is_set = np.zeros(height * (width + 1) + 1, dtype=bool)
    is_set[:-1].reshape(height, width + 1)[:, 1:] = mask
    edges = np.flatnonzero(is_set[1:] != is_set[:-1])
    starts, ends = edges[0::2], edges[1::2]
    return starts - starts // (width + 1), ends - starts


def _measure(
    starts: NDArray[np.int64], lengths: NDArray[np.int64], first: NDArray[np.int64], width: int
) -> tuple[Blob, ...]:
    """Measure components given by their runs; those of number i begin at ``first[i]``."""
    rows, lefts = np.divmod(starts, width)
    rights = lefts + lengths
    areas = np.add.reduceat(lengths, first)
    center_x = np.add.reduceat(lengths * (lefts + rights), first) / (2 * areas)
    center_y = np.add.reduceat(lengths * (2 * rows + 1), first) / (2 * areas)
    regions = zip(
        np.minimum.reduceat(lefts, first).tolist(),
        rows[first].tolist(),
        np.maximum.reduceat(rights, first).tolist(),
        (np.maximum.reduceat(rows, first) + 1).tolist(),
        strict=True,
    )
    centers = zip(center_x.tolist(), center_y.tolist(), strict=True)
    return tuple(
        Blob(Region(*region), center, area)
        for region, center, area in zip(regions, centers, areas.tolist(), strict=True)
    )
