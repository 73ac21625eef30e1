"""Solids of unit cubes joined face to face: their turns and mirror images, and growing them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.puzzles.solids.cube_nets import rotations

Cell = tuple[int, int, int]

Shape = tuple[Cell, ...]
"""Cells in order; the lowest coordinate along every axis is 0."""

Size = tuple[int, int, int]
"""Cells along x, y and z."""

Filled = NDArray[np.bool_]
"""Which cells of a grid are filled, of its size."""

_ROTATIONS = np.stack(rotations())
_STEPS = tuple(
    (sign * x, sign * y, sign * z) for x, y, z in np.eye(3, dtype=int).tolist() for sign in (1, -1)
)


def shape_of(cells: Iterable[Cell]) -> Shape:
    """Return cells moved to the origin, in order."""
    placed = np.array(sorted(cells))
    return _as_shape(placed - placed.min(axis=0))


def size_of(shape: Shape) -> Size:
    """Return how many cells a shape extends along x, y and z."""
    x, y, z = (max(values) + 1 for values in zip(*shape, strict=True))
    return x, y, z


def turned(shape: Shape) -> list[Shape]:
    """Return a shape in each of 24 positions; symmetric ones repeat."""
    positions = np.array(shape) @ _ROTATIONS
    positions -= positions.min(axis=1, keepdims=True)
    return [_as_shape(position) for position in positions]


def canonical(shape: Shape) -> Shape:
    """Return the same shape for all turns of a shape."""
    return min(turned(shape))


def mirrored(shape: Shape) -> Shape:
    """Return the mirror image of a shape."""
    return shape_of((-x, y, z) for x, y, z in shape)


def grow(rng: np.random.Generator, num_cells: int, reach: int) -> Shape:
    """Draw a shape of so many cells, no more than ``reach`` along any axis."""
    cells: list[Cell] = [(0, 0, 0)]
    while len(cells) < num_cells:
        cells.append(_any_of(rng, beside(cells, reach)))
    return shape_of(cells)


def with_one_moved(rng: np.random.Generator, shape: Shape, reach: int) -> Shape:
    """Return a shape with one of its cells elsewhere, still all of a piece."""
    loose = [cell for cell in shape if is_joined(other for other in shape if other != cell)]
    gone = _any_of(rng, loose)
    rest = [cell for cell in shape if cell != gone]
    return shape_of([*rest, _any_of(rng, [c for c in beside(rest, reach) if c != gone])])


def is_joined(cells: Iterable[Cell]) -> bool:
    """Whether cells hang together by their faces."""
    left = set(cells)
    waiting = [left.pop()]
    while waiting:
        cell = waiting.pop()
        near = left.intersection(_neighbours(cell))
        left -= near
        waiting.extend(near)
    return not left


def filled_of(shape: Iterable[Cell], size: Size) -> Filled:
    """Return the grid in which just the cells of a shape are filled."""
    filled = np.zeros(size, dtype=bool)
    filled[tuple(np.array(list(shape)).T)] = True
    return filled


def beside(cells: list[Cell], reach: int) -> list[Cell]:
    """Return the free cells beside others, as far as the whole stays within reach."""
    near = sorted({other for cell in cells for other in _neighbours(cell)} - set(cells))
    ranges = [(max(values) - reach, min(values) + reach) for values in zip(*cells, strict=True)]
    return [
        cell
        for cell in near
        if all(low < value < high for value, (low, high) in zip(cell, ranges, strict=True))
    ]


def most_shared(first: Sequence[Cell], second: Sequence[Cell]) -> int:
    """Return how many cells coincide at most when the first solid is turned and moved."""
    turns = (np.array(first) @ _ROTATIONS)[:, None]
    moves = np.array(second)[None, :, None] - turns
    moves -= moves.min(axis=(0, 1, 2))
    sizes = tuple((moves.max(axis=(0, 1, 2)) + 1).tolist())
    turn = np.arange(len(moves))[:, None, None]
    flat = np.ravel_multi_index((turn, *np.moveaxis(moves, -1, 0)), (len(moves), *sizes))
    return int(np.bincount(flat.ravel()).max())


def _any_of(rng: np.random.Generator, cells: list[Cell]) -> Cell:
    return cells[int(rng.integers(len(cells)))]


def _neighbours(cell: Cell) -> Iterator[Cell]:
    x, y, z = cell
    return ((x + dx, y + dy, z + dz) for dx, dy, dz in _STEPS)


def _as_shape(cells: NDArray[np.int64]) -> Shape:
    return tuple(sorted((x, y, z) for x, y, z in cells.tolist()))
