"""Stacks of cubes read off pixels, by peeling one column after the other off the picture."""

from __future__ import annotations

import cv2
import numpy as np

from gym_imagetools.puzzles.solids.block_drawing import TONES
from gym_imagetools.puzzles.solids.blocks import View, corners

_NOTHING, _SEAM = 3, 4
_X, _Y, _Z = np.eye(3)
_AROUND = {0: (_X, _Y, _Z), 1: (_Y, _X, _Z), 2: (_Z, _X, _Y)}
"""For each axis the step to its face, and along it."""
_SIZE = 400
"""Pixels along a side of the picture that is peeled."""

_DOUBT = 60


def classes(pixels: np.ndarray) -> np.ndarray:
    """Return what each pixel shows: face 0 (left), 1 (right), 2 (top), 3 for none, 4 for a seam."""
    corner = pixels[0, 0].astype(int)
    tones = min(TONES, key=lambda tones: abs(corner - tones.ground).sum())
    known = np.array([*tones.faces, tones.floor, tones.paper, tones.ground, tones.seam])
    nearest = np.argmin([abs(pixels.astype(int) - color).sum(axis=2) for color in known], axis=0)
    return np.where(nearest == len(known) - 1, _SEAM, np.minimum(nearest, _NOTHING))


def face_mask(shape: tuple[int, int], view: View, corner, axis: int) -> np.ndarray:
    """Return the pixels of one face of the unit cube at a corner, a little shrunk."""
    ahead, u, v = _AROUND[axis]
    around = [(0.08, 0.08), (0.92, 0.08), (0.92, 0.92), (0.08, 0.92)]
    points = np.array([np.array(corner, float) + ahead + a * u + b * v for a, b in around])
    mask = np.zeros(shape, np.uint8)
    cv2.fillConvexPoly(mask, np.rint(view.place(points)).astype(np.int32), 1)
    return mask.astype(bool)


def peel(pixels: np.ndarray, view: View, side: int, most: int) -> np.ndarray:
    """Return the heights of a stack drawn at a view in the pixels."""
    scale = _SIZE / len(pixels)
    view = View((view.origin[0] * scale, view.origin[1] * scale), view.edge * scale)
    method = cv2.INTER_CUBIC if scale > 1 else cv2.INTER_NEAREST
    pixels = cv2.resize(pixels, (_SIZE, _SIZE), interpolation=method)
    shown = classes(pixels)
    covered = np.zeros(shown.shape, bool)
    heights = np.zeros((side, side), int)
    for x, y in sorted(np.ndindex(side, side), key=sum, reverse=True):
        # Only the part of the picture where the column can be is looked at.
        reach = view.place(corners((x, y, 0), (x + 1, y + 1, most)))
        left, top = np.maximum(np.floor(reach.min(axis=0)).astype(int) - 8, 0).tolist()
        right, bottom = (np.ceil(reach.max(axis=0)).astype(int) + 8).tolist()
        window = slice(top, bottom), slice(left, right)
        near = shown[window], covered[window], view.moved((-left, -top)), (x, y)
        tried = [_column(*near, height) for height in range(most + 1)]
        heights[x, y] = int(np.argmax([fit for fit, _ in tried]))
        covered[window] |= tried[heights[x, y]][1]
    return heights


def _column(shown, covered, view, place, height) -> tuple[float, np.ndarray]:
    """Return how well a column fits what is not covered, and the pixels it takes."""
    x, y = place
    top = face_mask(shown.shape, view, (x, y, height - 1), 2)
    sides = [(face_mask(shown.shape, view, (x, y, z), a), a) for z in range(height) for a in (0, 1)]
    taken = np.logical_or.reduce([top, *(mask for mask, _ in sides)])
    open_top = top & ~covered
    if open_top.sum() <= 0.06 * top.sum():
        return 0.0, taken
    fits = (shown[open_top] == (2 if height else _NOTHING)).mean()
    open_sides = [(mask & ~covered, axis) for mask, axis in sides]
    area = sum(int(mask.sum()) for mask, _ in open_sides)
    right = sum(int((shown[mask] == axis).sum()) for mask, axis in open_sides)
    hull = cv2.morphologyEx(taken.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
    # The few pixels left of a side that is all but covered count little.
    return fits + (right + _DOUBT) / (area + _DOUBT), hull.astype(bool)
