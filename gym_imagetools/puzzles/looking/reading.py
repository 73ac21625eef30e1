"""Stroke characters as ink on a grid, and how they are read back out of one.

Generators ask which cells a character covers, oracles which character covers the blocks they see.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from math import ceil

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.puzzles.drawing.strokes import glyph

Ink = NDArray[np.float64]
"""How much of each square of a grid is covered, 0..1, of shape (rows, columns)."""

ASPECT = 4 / 6
"""Width of a character's box by its height."""

_SAMPLES = 3  # a side of a square


def coverage(
    character: str, shape: tuple[int, int], center: tuple[float, float], height: float, width: float
) -> Ink:
    """Return what a character covers of a grid of unit squares.

    Args:
        character: One of :data:`gym_imagetools.puzzles.drawing.strokes.CHARACTERS`.
        shape: Rows and columns of the grid.
        center: x and y of the character's centre; squares lie between whole numbers.
        height: Height of the character's box.
        width: Width of its strokes.
    """
    rows, columns = shape
    y = ((np.arange(rows * _SAMPLES) + 0.5) / _SAMPLES - center[1])[:, None]
    x = ((np.arange(columns * _SAMPLES) + 0.5) / _SAMPLES - center[0])[None, :]
    inked = np.zeros((rows * _SAMPLES, columns * _SAMPLES), dtype=bool)
    for stroke in glyph(character):
        points = np.array(stroke) * height
        for start, end in pairwise(points):
            inked |= _squared_distance(x, y, start, end) <= (width / 2) ** 2
    return np.asarray(inked.reshape(rows, _SAMPLES, columns, _SAMPLES).mean(axis=(1, 3)))


def read_character(
    ink: Ink, center: tuple[float, float], height: float, width: float, alphabet: str, slack: int
) -> str:
    """Return the character of an alphabet that resembles the ink best.

    Args:
        ink: What is seen, of any scale and offset; more is darker.
        center: x and y where the character's centre should be, in squares.
        height: Height of the character's box, in squares.
        width: Width of its strokes, in squares.
        alphabet: The characters it may be.
        slack: How many squares off, in both directions, the centre may be.
    """
    templates = _templates(alphabet, round(height, 1), round(width, 1))
    rows, columns = templates.shape[1:]
    padded = np.pad(ink, max(rows, columns) + slack)
    top = int(center[1]) - rows // 2 + max(rows, columns)
    left = int(center[0]) - columns // 2 + max(rows, columns)
    seen = padded[max(top, 0) : top + rows + 2 * slack, max(left, 0) : left + columns + 2 * slack]
    if seen.shape != (rows + 2 * slack, columns + 2 * slack):
        return alphabet[0]
    windows = np.lib.stride_tricks.sliding_window_view(seen, (rows, columns))
    alike = (
        _standardised(windows.reshape(-1, rows * columns))
        @ _standardised(templates.reshape(len(alphabet), -1)).T
    )
    return alphabet[int(alike.max(axis=0).argmax())]


def _squared_distance(
    x: Ink, y: Ink, start: NDArray[np.float64], end: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the squared distance of each point (x, y) to a segment."""
    along_x, along_y = end - start
    length = along_x**2 + along_y**2
    share = np.clip(((x - start[0]) * along_x + (y - start[1]) * along_y) / length, 0, 1)
    distance = (x - start[0] - share * along_x) ** 2 + (y - start[1] - share * along_y) ** 2
    return np.asarray(distance)


@lru_cache(maxsize=64)
def _templates(alphabet: str, height: float, width: float) -> Ink:
    """Return the characters centred in the middle square of as many small grids."""
    rows = 2 * ceil((height + width) / 2) + 1
    columns = 2 * ceil((height * ASPECT + width) / 2) + 1
    center = (columns / 2, rows / 2)
    return np.stack([coverage(c, (rows, columns), center, height, width) for c in alphabet])


def _standardised(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each row less its mean and of length 1; a constant row stays zero."""
    centred = vectors - vectors.mean(axis=1, keepdims=True)
    length = np.linalg.norm(centred, axis=1, keepdims=True)
    return np.asarray(centred / np.maximum(length, 1e-9))
