"""The square grid under a maze: trees that share it out, its border, its walls, a walk in it.

Cells are numbered row by row: cell = row * cells + column, for ``cells`` cells along a side.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import isqrt

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees that share out all cells, so exactly one root is connected to each cell.

    Attributes:
        tree: The tree of each cell, shape (cells * cells,).
        parent: The cell it was reached from, -1 for roots.
        depth: Steps from its root.
    """

    tree: NDArray[np.int64]
    parent: NDArray[np.int64]
    depth: NDArray[np.int64]

    @property
    def cells(self) -> int:
        """Cells along a side."""
        return isqrt(len(self.tree))

    def route(self, cell: int) -> list[int]:
        """Return the cells from ``cell`` up to its root, both included."""
        route = [cell]
        while (parent := int(self.parent[route[-1]])) >= 0:
            route.append(parent)
        return route


@dataclass(frozen=True, eq=False)
class Walls:
    """Where walls stand, outer walls included.

    Attributes:
        upright: Left of cell (row, column), shape (cells, cells + 1).
        level: Above cell (row, column), shape (cells + 1, cells).
    """

    upright: NDArray[np.bool_]
    level: NDArray[np.bool_]


def grow(rng: np.random.Generator, cells: int, roots: Sequence[int]) -> Forest:
    """Grow all trees by turns, in short bursts, mostly depth first."""
    near_cells = neighbours(cells)
    tree, parent, depth = [-1] * cells**2, [-1] * cells**2, [0] * cells**2
    for index, root in enumerate(roots):
        tree[root] = index
    growing = [(index, [root]) for index, root in enumerate(roots)]
    while growing:
        turn = int(rng.random() * len(growing))
        index, active = growing[turn]
        for _ in range(4 + int(rng.random() * 9)):
            if not active:
                growing.pop(turn)
                break
            place = -1 if rng.random() < 0.9 else int(rng.random() * len(active))
            cell = active[place]
            free = [near for near in near_cells[cell] if tree[near] < 0]
            if not free:
                active.pop(place)
                continue
            new = free[int(rng.random() * len(free))]
            tree[new], parent[new], depth[new] = index, cell, depth[cell] + 1
            active.append(new)
    return Forest(np.array(tree), np.array(parent), np.array(depth))


@cache
def neighbours(cells: int) -> tuple[tuple[int, ...], ...]:
    """Return the cells next to each cell."""
    steps = ((-1, 0), (0, 1), (1, 0), (0, -1))
    return tuple(
        tuple(
            (row + down) * cells + column + right
            for down, right in steps
            if 0 <= row + down < cells and 0 <= column + right < cells
        )
        for row in range(cells)
        for column in range(cells)
    )


@cache
def border_sides(cells: int) -> tuple[tuple[int, str], ...]:
    """Return border cells but the corners and their outer side, clockwise from the top left."""
    inner, last = range(1, cells - 1), cells - 1
    return (
        *((column, "top") for column in inner),
        *((row * cells + last, "right") for row in inner),
        *((last * cells + column, "bottom") for column in reversed(inner)),
        *((row * cells, "left") for row in reversed(inner)),
    )


def _outer_wall(walls: Walls, cell: int, side: str) -> tuple[NDArray[np.bool_], tuple[int, int]]:
    """Return the array that holds a cell's outer wall, and the index in it."""
    row, column = divmod(cell, walls.level.shape[1])
    if side in ("top", "bottom"):
        return walls.level, (row + (side == "bottom"), column)
    return walls.upright, (row, column + (side == "right"))


def walls_of(forest: Forest, openings: Iterable[int]) -> Walls:
    """Return the walls that leave a forest's steps and the openings of border cells free."""
    cells = forest.cells
    walls = Walls(np.ones((cells, cells + 1), bool), np.ones((cells + 1, cells), bool))
    child = np.flatnonzero(forest.parent >= 0)
    parent = forest.parent[child]
    row, column = np.divmod(np.maximum(child, parent), cells)
    beside = abs(child - parent) == 1
    walls.upright[row[beside], column[beside]] = False
    walls.level[row[~beside], column[~beside]] = False
    sides = dict(border_sides(cells))
    for cell in openings:
        array, index = _outer_wall(walls, cell, sides[cell])
        array[index] = False
    return walls


def open_border(walls: Walls) -> list[int]:
    """Return the border cells without an outer wall, clockwise from the top left corner."""
    openings = []
    for cell, side in border_sides(walls.level.shape[1]):
        array, index = _outer_wall(walls, cell, side)
        if not array[index]:
            openings.append(cell)
    return openings


def runs(lines: NDArray[np.bool_]) -> list[tuple[int, int, int]]:
    """Return (line, first, end) of every run of True along the lines."""
    padded = np.pad(lines.astype(np.int8), ((0, 0), (1, 1)))
    steps = np.diff(padded, axis=1)
    line, first = np.nonzero(steps == 1)
    end = np.nonzero(steps == -1)[1]
    return list(zip(line.tolist(), first.tolist(), end.tolist(), strict=True))


def walk(walls: Walls, start: int) -> dict[int, int]:
    """Return every cell that can be reached, with the cell it was reached from."""
    cells = walls.level.shape[1]
    came_from, queue = {start: -1}, deque([start])
    while queue:
        cell = queue.popleft()
        row, column = divmod(cell, cells)
        blocked = {
            cell - 1: walls.upright[row, column],
            cell + 1: walls.upright[row, column + 1],
            cell - cells: walls.level[row, column],
            cell + cells: walls.level[row + 1, column],
        }
        for near in neighbours(cells)[cell]:
            if near not in came_from and not blocked[near]:
                came_from[near] = cell
                queue.append(near)
    return came_from
