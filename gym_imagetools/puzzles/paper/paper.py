"""A square sheet of paper that is folded flat: where its layers lie and where a punch hits them.

The sheet is the unit square, x to the right and y downwards. Every crease runs along an axis or a
diagonal through multiples of 1/8, so folding maps the middles of an 8 by 8 grid on each other:
punches and holes are named by such a middle, and a set of them is a bit mask of 64 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.puzzles.drawing.canvas import Point

GRID = 8
"""Middles along a side."""

Polygon = tuple[Point, ...]
Vectors = NDArray[np.float64]

_FOLD_SHARE = (0.15, 0.5)  # of the folded sheet's area that may move
_THINNEST = 0.37  # of the sheet's side, that a folded sheet may measure


@dataclass(frozen=True)
class Fold:
    """A crease: what lies beyond ``x * along[0] + y * along[1] = offset`` is turned over."""

    along: tuple[int, int]
    offset: float

    @property
    def is_diagonal(self) -> bool:
        """Whether the crease runs at 45 degrees."""
        return all(self.along)

    def mirror(self, points: Vectors) -> Vectors:
        """Return points, shape (n, 2), mirrored in the crease."""
        normal = np.array(self.along, dtype=float)
        beyond = (points @ normal - self.offset) / (normal @ normal)
        return np.asarray(points - 2 * beyond[:, None] * normal)

    def cut(self, polygon: Polygon, *, beyond: bool) -> Polygon:
        """Return the part of a convex polygon on one side of the crease."""
        sign = 1.0 if beyond else -1.0
        heights = [sign * (x * self.along[0] + y * self.along[1] - self.offset) for x, y in polygon]
        kept: list[Point] = []
        for index, (corner, height) in enumerate(zip(polygon, heights, strict=True)):
            before, height_before = polygon[index - 1], heights[index - 1]
            if (height > 0) != (height_before > 0):
                share = height_before / (height_before - height)
                x, y = (b + share * (c - b) for b, c in zip(before, corner, strict=True))
                kept.append((x, y))
            if height > 0:
                kept.append(corner)
        return tuple(dict.fromkeys(kept))


@dataclass(frozen=True)
class Facet:
    """A flat piece between creases.

    Attributes:
        corners: Where it lies.
        folds: The creases it was turned over by, first one first.
    """

    corners: Polygon
    folds: tuple[Fold, ...] = ()

    @property
    def shows_back(self) -> bool:
        """Whether the sheet's back is on top."""
        return len(self.folds) % 2 == 1

    def unfold(self, points: Vectors) -> Vectors:
        """Return where points of the facet, shape (n, 2), are on the flat sheet."""
        for fold in reversed(self.folds):
            points = fold.mirror(points)
        return points


@dataclass(frozen=True)
class Sheet:
    """A sheet after some folds.

    Attributes:
        facets: Its pieces, the lowest first.
        outline: The convex shape of them all.
        folds: What was done, in order.
    """

    facets: tuple[Facet, ...]
    outline: Polygon
    folds: tuple[Fold, ...] = ()

    def fold(self, fold: Fold) -> Sheet:
        """Return the sheet with all beyond a crease turned over, on top of the rest."""
        flat = [Facet(fold.cut(f.corners, beyond=False), f.folds) for f in self.facets]
        turned = [
            Facet(_mirrored(fold, part), (*facet.folds, fold))
            for facet in reversed(self.facets)
            if _area(part := fold.cut(facet.corners, beyond=True)) > 0
        ]
        facets = (*(facet for facet in flat if _area(facet.corners) > 0), *turned)
        return Sheet(facets, fold.cut(self.outline, beyond=False), (*self.folds, fold))

    def holes(self, clearance: float) -> dict[int, int]:
        """Return what each possible punch does.

        Args:
            clearance: How far a punch must stay from every edge and crease.

        Returns:
            Middle of the grid where the folded sheet can be punched -> mask of the holes that
            the flat sheet then has.
        """
        masks = [0] * len(MIDDLES)
        clear = np.ones(len(MIDDLES), bool)
        for facet in self.facets:
            depth = _depths(facet.corners, MIDDLES)
            clear &= abs(depth) >= clearance
            inside = np.flatnonzero(depth > 0)
            for middle, home in zip(inside, facet.unfold(MIDDLES[inside]), strict=True):
                masks[middle] |= 1 << middle_at(home)
        return {index: mask for index, mask in enumerate(masks) if mask and clear[index]}


MIDDLES: Vectors = (
    np.stack(np.meshgrid(np.arange(GRID), np.arange(GRID)), axis=-1).reshape(-1, 2) + 0.5
) / GRID
"""The middles of the grid, row by row, shape (64, 2)."""

SQUARE: Polygon = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
FLAT = Sheet((Facet(SQUARE),), SQUARE)


def middle_at(point: Sequence[float]) -> int:
    """Return the middle of the grid nearest to a point of the sheet."""
    column, row = (min(max(int(value * GRID), 0), GRID - 1) for value in point)
    return row * GRID + column


def middles_of(mask: int) -> list[int]:
    """Return the middles in a mask, in order."""
    return [index for index in range(len(MIDDLES)) if mask >> index & 1]


def contains(polygon: Polygon, points: Vectors) -> NDArray[np.bool_]:
    """Tell which points, shape (n, 2), lie inside a convex polygon."""
    return np.asarray(_depths(polygon, points) > 0)


@lru_cache(maxsize=4096)
def legal_folds(outline: Polygon) -> tuple[Fold, ...]:
    """Return the creases along which a flap lands within the rest of a sheet of this outline."""
    folds = (
        Fold(along, eighths / GRID)
        for along in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
        for eighths in range(-2 * GRID, 2 * GRID + 1)
    )
    return tuple(fold for fold in folds if _is_legal(fold, outline))


def _is_legal(fold: Fold, outline: Polygon) -> bool:
    flap, rest = fold.cut(outline, beyond=True), fold.cut(outline, beyond=False)
    share = _area(flap) / _area(outline)
    if not _FOLD_SHARE[0] <= share <= _FOLD_SHARE[1]:
        return False
    extent = np.ptp(np.array(rest), axis=0)
    landed = np.array(_mirrored(fold, flap))
    return bool(extent.min() > _THINNEST and (_depths(rest, landed) >= 0).all())


def _mirrored(fold: Fold, polygon: Polygon) -> Polygon:
    return tuple((x, y) for x, y in fold.mirror(np.array(polygon)).tolist())


def _area(polygon: Polygon) -> float:
    return abs(_signed_area(polygon))


def _signed_area(polygon: Polygon) -> float:
    pairs = zip(polygon, (*polygon[1:], *polygon[:1]), strict=True)
    return sum(x * next_y - y * next_x for (x, y), (next_x, next_y) in pairs) / 2


def _depths(polygon: Polygon, points: Vectors) -> Vectors:
    """Return how deep points lie inside a convex polygon, less than 0 for those outside.

    Outside it is the distance to the farthest line of an edge, never more than to the polygon.
    """
    corners = np.array(polygon)
    edges = np.roll(corners, -1, axis=0) - corners
    normals = np.copysign(1.0, _signed_area(polygon)) * np.stack([-edges[:, 1], edges[:, 0]], 1)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    depths = ((points[:, None, :] - corners) * normals).sum(axis=2)
    return np.asarray(depths.min(axis=1))
