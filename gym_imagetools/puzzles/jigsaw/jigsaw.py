"""Shapes of square cells: growing them, cutting them up, and how pieces cover a shape."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi, sqrt

import cv2
import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.bool_]
"""Which cells belong to a shape, of shape (rows, columns)."""

Parts = NDArray[np.int64]
"""The number of the part of each cell, from 1; 0 outside."""

Cell = tuple[int, int]
"""Row and column."""

FILLED = 0.72  # of the rectangle that a shape grows in
_WAVES = 5  # that a random field is the sum of
_SWING = 0.13  # of a part's width, by which its edges wind
_ROUNDS = 3  # of evening the parts out
_APART = 1  # cells between any two teeth, at least


def grow_shape(rng: np.random.Generator, size: tuple[int, int]) -> Cells:
    """Return a connected shape without holes in a rectangle of so many rows and columns."""
    y, x = ((np.arange(side) + 0.5) / side * 2 - 1 for side in size)
    across, down = x[None, :] ** 2, y[:, None] ** 2
    field = _random_field(rng, size) - 1.2 * np.maximum(across, down) - 0.7 * (across + down)
    shape = _largest_part(field >= np.quantile(field, 1 - FILLED))
    outside = np.pad(~shape, 1, constant_values=True)
    return ~_largest_part(outside)[1:-1, 1:-1]


def cut_up(rng: np.random.Generator, shape: Cells, count: int) -> Parts | None:
    """Return parts of about the same size; None when one would fall apart.

    A part is what lies nearest to its site, in coordinates that wind.
    """
    cells = np.argwhere(shape)
    swing = _SWING * sqrt(len(cells) / count)
    winding = np.stack([_random_field(rng, shape.shape)[shape] for _ in range(2)], axis=1)
    places = cells + swing * winding
    sites = _far_places(rng, places, count)
    for _ in range(_ROUNDS):
        nearest = ((places[:, None] - sites) ** 2).sum(axis=2).argmin(axis=1)
        sizes = np.bincount(nearest, minlength=count)
        if sizes.min() == 0:
            return None
        sums = [np.bincount(nearest, weights=along, minlength=count) for along in places.T]
        sites = np.stack(sums, axis=1) / sizes[:, None]
    parts = np.zeros(shape.shape, dtype=np.int64)
    parts[shape] = nearest + 1
    whole = all(_is_connected(parts == part) for part in range(1, count + 1))
    return parts if whole else None


def place_teeth(rng: np.random.Generator, parts: Parts, count: int) -> list[list[Cell]] | None:
    """Return two teeth for each part, or None when there is no room.

    A tooth is an empty cell that has one side in common with its part and none with any other
    cell; no two are near each other. The first and the second of a part are drawn alike.
    """
    around = np.stack([np.roll(parts, step, axis) for step in (1, -1) for axis in (0, 1)])
    inside = np.zeros(parts.shape, dtype=bool)
    inside[1:-1, 1:-1] = True  # what was rolled in from the far edge does not count
    free = (parts == 0) & ((around > 0).sum(axis=0) == 1) & inside
    teeth: list[list[Cell]] = []
    for part in range(1, count + 1):
        pair: list[Cell] = []
        for _ in range(2):
            places = np.argwhere(free & (around.max(axis=0) == part))
            if not len(places):
                return None
            row, column = places[int(rng.integers(len(places)))].tolist()
            near_rows = slice(max(row - _APART, 0), row + _APART + 1)
            free[near_rows, max(column - _APART, 0) : column + _APART + 1] = False
            pair.append((row, column))
        # The first takes room from the second, so which is which is drawn afterwards.
        teeth.append(pair[::-1] if rng.integers(2) else pair)
    return teeth


def trimmed(cells: Cells) -> Cells:
    """Return a shape without empty rows and columns around it."""
    rows, columns = np.flatnonzero(cells.any(axis=1)), np.flatnonzero(cells.any(axis=0))
    return cells[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def canonical(piece: Cells) -> tuple[tuple[int, ...], bytes]:
    """Return what is equal for a piece in all four directions and for no other piece."""
    turned = (np.rot90(piece, quarter) for quarter in range(4))
    return min((cells.shape, cells.tobytes()) for cells in turned)


def covers(
    shape: Cells, pieces: Sequence[Cells], *, may_turn: bool, max_nodes: int
) -> set[frozenset[int]] | None:
    """Return every choice of pieces that just cover a shape, each piece used at most once.

    The first free cell, in reading order, is covered by the first cell of some piece. None when
    that takes more than ``max_nodes`` partial covers.

    Args:
        shape: What is to be covered.
        pieces: Each without empty rows and columns around it.
        may_turn: Whether pieces may be turned by quarters.
        max_nodes: Bounds the search.
    """
    width = shape.shape[1] + max(max(piece.shape) for piece in pieces)
    quarters = range(4 if may_turn else 1)
    ways = [{_as_bits(np.rot90(piece, turn), width) for turn in quarters} for piece in pieces]
    found: set[frozenset[int]] = set()
    waiting: list[tuple[int, frozenset[int]]] = [(_as_bits(shape, width), frozenset())]
    for _ in range(max_nodes):
        if not waiting:
            return found
        left, used = waiting.pop()
        if not left:
            found.add(used)
            continue
        first = (left & -left).bit_length() - 1
        for index in set(range(len(ways))) - used:
            for placed in (bits << first for bits in ways[index]):
                if placed & left == placed:
                    waiting.append((left ^ placed, used | {index}))
    return None


def _as_bits(cells: Cells, width: int) -> int:
    """Return a shape row by row as bits, the lowest one for its first cell."""
    line = np.pad(cells, ((0, 0), (0, width - cells.shape[1]))).ravel()
    bits = int.from_bytes(np.packbits(line, bitorder="little").tobytes(), "little")
    return bits >> int(line.argmax())


def _random_field(rng: np.random.Generator, size: tuple[int, ...]) -> NDArray[np.float64]:
    """Return a smooth field of mean square about 1."""
    y, x = (np.arange(side) / max(size) for side in size)
    angles, phases = rng.uniform(0, 2 * pi, (2, _WAVES))
    pitches = 2 * pi * rng.uniform(0.8, 2.4, _WAVES)
    waves = [
        np.cos(pitch * (np.cos(angle) * x[None, :] + np.sin(angle) * y[:, None]) + phase)
        for angle, phase, pitch in zip(angles, phases, pitches, strict=True)
    ]
    return np.asarray(sum(waves) * sqrt(2 / _WAVES))


def _far_places(
    rng: np.random.Generator, places: NDArray[np.float64], count: int
) -> NDArray[np.float64]:
    """Return places that are rather far from each other."""
    chosen = [places[int(rng.integers(len(places)))]]
    while len(chosen) < count:
        some = places[rng.integers(len(places), size=8)]
        away = np.min([((some - other) ** 2).sum(axis=1) for other in chosen], axis=0)
        chosen.append(some[int(away.argmax())])
    return np.array(chosen)


def _is_connected(cells: Cells) -> bool:
    return int(cv2.connectedComponents(cells.astype(np.uint8), connectivity=4)[0]) == 2


def _largest_part(cells: Cells) -> Cells:
    _, labels, stats, _ = cv2.connectedComponentsWithStats(cells.astype(np.uint8), connectivity=4)
    return np.asarray(labels == 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax()))
