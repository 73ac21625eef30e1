"""Stacks of unit cubes: how they are projected, and what can be seen of them.

The world has x and y on the floor and z upwards; the camera looks from the side where all three
are large, without perspective. It stands off the diagonal and higher than in isometric drawings,
in which the points (x, y, z) and (x + 1, y + 1, z + 1) would coincide and stacks be ambiguous.
In a picture x runs to the lower left and y to the lower right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import cos, radians, sin

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.errors import GenerationError
from gym_imagetools.puzzles.drawing.canvas import Point

Heights = NDArray[np.int64]
"""Cubes on each place (x, y) of a square floor, shape (n, n)."""

Cells = NDArray[np.int64]
"""Unit cubes by their lowest corner, shape (k, 3)."""

Vectors = NDArray[np.float64]

_AZIMUTH, _ELEVATION = radians(38), radians(40)

AXES: Vectors = np.array(
    [
        [-sin(_AZIMUTH), sin(_ELEVATION) * cos(_AZIMUTH)],
        [cos(_AZIMUTH), sin(_ELEVATION) * sin(_AZIMUTH)],
        [0.0, -cos(_ELEVATION)],
    ]
)
"""Where a unit of x, y and z leads in the picture: to the right and down, in edges."""

TO_CAMERA: Vectors = np.array(
    [cos(_ELEVATION) * cos(_AZIMUTH), cos(_ELEVATION) * sin(_AZIMUTH), sin(_ELEVATION)]
)
_FLOOR_OF_SCREEN: Vectors = np.asarray(np.linalg.inv(AXES[:2]), dtype=np.float64)

TOP = 2
"""The axis of a cube's upper face; 0 and 1 are its left and right face in the picture."""

_SHOWN = 0.3  # of a top or a bare tile, so that a person sees how high it is
_MAX_REPAIRS = 30


@dataclass(frozen=True)
class Boxes:
    """Boxes along the axes: their lowest and highest corners, each of shape (k, 3)."""

    lows: Vectors
    highs: Vectors

    @classmethod
    def of_cells(cls, cells: Cells) -> Boxes:
        """Return unit cubes."""
        lows = np.asarray(cells, dtype=float)
        return cls(lows, lows + 1)

    @classmethod
    def of_heights(cls, heights: Heights) -> Boxes:
        """Return one box for each column, row by row of the array; an empty one is flat."""
        x, y = (index.ravel() for index in np.indices(heights.shape))
        lows = np.stack([x, y, np.zeros_like(x)], axis=1).astype(float)
        highs = np.stack([x + 1, y + 1, heights.ravel()], axis=1).astype(float)
        return cls(lows, highs)


def project(points: Vectors) -> Vectors:
    """Return where points, shape (..., 3), are in the picture: (..., 2), in edges."""
    return np.asarray(points @ AXES)


def cast(points: Vectors, boxes: Boxes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return what is seen at points of the picture.

    Args:
        points: Shape (m, 2), in edges.
        boxes: What stands there.

    Returns:
        For each point the index of the box, -1 for none, and the axis of the face seen.
    """
    start = np.zeros((len(points), 3))
    start[:, :2] = points @ _FLOOR_OF_SCREEN
    leave = (boxes.highs[None] - start[:, None]) / TO_CAMERA
    enter = ((boxes.lows[None] - start[:, None]) / TO_CAMERA).max(axis=2)
    nearest = leave.min(axis=2)
    nearest[nearest < enter - 1e-9] = -np.inf
    box = nearest.argmax(axis=1)
    rows = np.arange(len(points))
    face = leave[rows, box].argmin(axis=1)
    return np.where(np.isfinite(nearest[rows, box]), box, -1), face


def visible_shares(boxes: Boxes, axis: int) -> Vectors:
    """Return how much of each box's face on the camera's side of an axis can be seen, 0..1."""
    points = face_samples(boxes, axis)
    seen, face = cast(project(points).reshape(-1, 2), boxes)
    hit = (face == axis) & (seen == np.repeat(np.arange(len(points)), points.shape[1]))
    return np.asarray(hit.reshape(points.shape[:2]).mean(axis=1))


def face_samples(boxes: Boxes, axis: int, per_side: int = 4) -> Vectors:
    """Return points spread over one face of each box, shape (k, per_side squared, 3)."""
    share = np.insert(_grid(per_side), axis, 1.0, axis=1)
    return np.asarray(boxes.lows[:, None] + share * (boxes.highs - boxes.lows)[:, None])


def _grid(per_side: int) -> Vectors:
    """Return points spread over the unit square, shape (per_side squared, 2)."""
    places = (np.arange(per_side) + 0.5) / per_side
    return np.stack(np.meshgrid(places, places), axis=-1).reshape(-1, 2)


def cells_of(heights: Heights) -> Cells:
    """Return the cubes of a stack."""
    filled = np.arange(int(heights.max()))[None, None] < heights[:, :, None]
    return np.argwhere(filled)


def bounds(points: Vectors) -> tuple[Vectors, Vectors]:
    """Return the upper left and lower right corner, in edges, of projected points (..., 3)."""
    flat = project(points).reshape(-1, 2)
    return flat.min(axis=0), flat.max(axis=0)


def corners(lows: Sequence[float], highs: Sequence[float]) -> Vectors:
    """Return the eight corners of a box."""
    grid = np.meshgrid(*zip(lows, highs, strict=True), indexing="ij")
    return np.stack(grid, axis=-1).reshape(-1, 3).astype(float)


@dataclass(frozen=True)
class View:
    """Where a scene is drawn.

    Attributes:
        origin: Place of the world's origin, in pixels.
        edge: Length of the unit, in pixels.
    """

    origin: Point
    edge: float

    @classmethod
    def fitting(cls, points: Vectors, center: Point, size: tuple[float, float]) -> View:
        """Return the view in which the points of a scene just fit around a centre."""
        low, high = bounds(points)
        edge = float(min(np.array(size) / (high - low)))
        x, y = (np.array(center) - edge * (low + high) / 2).tolist()
        return cls((x, y), edge)

    def moved(self, by: Point) -> View:
        """Return the view of a scene that is drawn further to the right and down."""
        return View((self.origin[0] + by[0], self.origin[1] + by[1]), self.edge)

    def place(self, points: Vectors) -> Vectors:
        """Return where points, shape (..., 3), are in pixels: (..., 2)."""
        return np.asarray(project(points) * self.edge + self.origin)


def draw_stack(rng: np.random.Generator, side: int, most: int) -> Heights:
    """Draw heights that fall towards the camera, more or less, and can all be seen.

    Args:
        rng: The source of chance.
        side: Columns along a side.
        most: Largest height.

    Raises:
        GenerationError: Repairs did not bring every top to sight.
    """
    fall = 1 - np.add.outer(np.arange(side), np.arange(side)) / (2 * side - 2)
    steep, level = rng.uniform(0.2, 1.2), rng.uniform(0.1, 0.6)
    noise = rng.normal(0, 0.22, (side, side))
    shares = level + steep * (fall - 0.5) + noise
    heights = np.clip(np.rint(shares * most), 0, most).astype(np.int64)
    for _ in range(_MAX_REPAIRS):
        hidden = _shown_tops(heights) < _SHOWN
        if not hidden.any():
            return heights
        heights = np.minimum(heights + hidden, most)
    raise GenerationError(f"Expected visible tops after {_MAX_REPAIRS} repairs, got hidden ones")


def is_all_visible(heights: Heights) -> bool:
    """Whether enough of every top and of every bare tile can be seen."""
    return bool((_shown_tops(heights) >= _SHOWN).all())


def _shown_tops(heights: Heights) -> Vectors:
    """Return how much of each top or bare tile can be seen, 0..1, in the shape of the heights."""
    side = len(heights)
    steps, clearances = _lines_from_tops(side)
    padded = np.full((2 * side, 2 * side), -1, dtype=np.int64)
    padded[:side, :side] = heights
    x, y = np.indices((side, side))
    rise = padded[x[..., None] + steps[:, 0], y[..., None] + steps[:, 1]] - heights[..., None]
    hidden = (rise[..., None] > clearances).any(axis=2)
    return np.asarray(1 - hidden.mean(axis=2))


@cache
def _lines_from_tops(side: int) -> tuple[Cells, Vectors]:
    return sight_lines(np.insert(_grid(4), TOP, 0.0, axis=1), side)


def sight_lines(points: Vectors, side: int) -> tuple[Cells, Vectors]:
    """Return which columns may hide points of a column, and how high they must be to do so.

    Args:
        points: Shape (m, 3), from the column's lowest corner.
        side: Columns along a side of the floor.

    Returns:
        Steps to the columns that a line from a point to the camera may cross, shape (s, 2); and
        the height at which each line enters each of them, shape (s, m), infinite where it
        does not cross it.
    """
    steps = np.argwhere(np.ones((side, side)))[1:]
    near = (steps[:, None] - points[:, :2]) / TO_CAMERA[:2]
    enter, leave = near.max(axis=2), (near + 1 / TO_CAMERA[:2]).min(axis=2)
    entered = points[:, 2] + np.maximum(enter, 0) * TO_CAMERA[2]
    levels = np.where(leave > np.maximum(enter, 0), entered, np.inf)
    crossed = np.isfinite(levels).any(axis=1)
    return steps[crossed], levels[crossed]
