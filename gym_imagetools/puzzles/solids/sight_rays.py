"""Lines of sight through a grid of unit cubes: what is seen of cells, filled or missing.

The camera is that of :mod:`gym_imagetools.puzzles.solids.blocks`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.puzzles.solids.blocks import TO_CAMERA, Boxes, Vectors, face_samples
from gym_imagetools.puzzles.solids.polycubes import Cell, Filled, Size

_MARGIN = 0.17  # of a face, along its edges, where its neighbours may shine in

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Rays:
    """Lines of sight that enter a grid, spread evenly over its outer faces.

    Attributes:
        points: Where they enter, shape (m, 3).
        cells: The cells they cross, the nearest to the camera first, by their flat index; behind
            the last one stands the number of cells. Shape (m, steps).
        axes: The axis of the face by which they enter each cell, -1 behind the last one.
        is_inner: Whether they meet that face well inside of its edges.
    """

    points: Vectors
    cells: Integers
    axes: Integers
    is_inner: NDArray[np.bool_]

    @cached_property
    def faces(self) -> Integers:
        """The axis of the face that each line meets if it ends at a step, shape (m, steps).

        It is -1 where there is none, and -2 where the line meets it too near to an edge.
        """
        return np.where(self.is_inner, self.axes, -2)

    @cached_property
    def crossings(self) -> tuple[tuple[Integers, Integers], ...]:
        """For each cell, by its flat index, the lines that cross it and at which step."""
        order = np.argsort(self.cells, axis=None, kind="stable")
        lines, steps = np.unravel_index(order, self.cells.shape)
        ends = np.searchsorted(self.cells.ravel()[order], np.arange(1, self.cells.max() + 1))
        parts = zip(np.split(lines, ends), np.split(steps, ends), strict=True)
        return tuple(parts)[:-1]  # without what lies behind the last cell of a line

    def faces_seen(self, filled: Filled) -> Integers:
        """Return the axis of the face that each line meets, shape (m,); see :attr:`faces`."""
        return np.asarray(self.faces[np.arange(len(self.axes)), self.ends(filled)])

    def contrasts(self, filled: Filled) -> Vectors:
        """Return for each empty cell how different it would look if it was filled.

        That is the share of lines, of those that come as far as the cell, that would meet a face
        of another axis then; 1 for cells that no line reaches.
        """
        ends = self.ends(filled)
        is_open = np.arange(self.cells.shape[1]) < ends[:, None]
        faces = self.axes[np.arange(len(ends)), ends]
        count, alike = (
            np.bincount(self.cells[chosen], minlength=filled.size)
            for chosen in (is_open, is_open & (self.axes == faces[:, None]))
        )
        return np.asarray(1 - alike / np.maximum(count, 1)).reshape(filled.shape)

    def cells_reached(self, ends: Integers, chosen: NDArray[np.bool_]) -> list[int]:
        """Return the flat indices, in order, of the cells that chosen lines cross or end in.

        Args:
            ends: The step at which each line ends, shape (m,).
            chosen: Which lines, shape (m,).
        """
        ends, cells = ends[chosen], self.cells[chosen]
        reached = cells[np.arange(cells.shape[1]) <= ends[:, None]]
        found: list[int] = np.flatnonzero(np.bincount(reached, minlength=1)).tolist()
        return [cell for cell in found if cell < len(self.crossings)]

    def ends(self, filled: Filled) -> Integers:
        """Return at which step each line meets a filled cell, or leaves the grid."""
        return self._ends_of(slice(None), filled)

    def changed_ends(self, ends: Integers, filled: Filled, cell: int) -> tuple[Integers, Integers]:
        """Return the lines that end elsewhere, and where, after one cell has changed.

        Args:
            ends: Where all lines ended before, shape (m,).
            filled: Which cells are filled now.
            cell: The flat index of the cell that has become filled or empty.
        """
        lines, steps = self.crossings[cell]
        is_open = ends[lines] >= steps
        lines = lines[is_open]
        return lines, steps[is_open] if filled.flat[cell] else self._ends_of(lines, filled)

    def _ends_of(self, lines: Integers | slice, filled: Filled) -> Integers:
        stops = np.append(filled.ravel(), True)
        return np.asarray(stops[self.cells[lines]].argmax(axis=1))


@dataclass(frozen=True)
class Outlook:
    """What stands between the camera and each cell of a grid.

    Sets of cells are whole numbers here, with a bit for each cell of the grid.

    Attributes:
        bits: The bit of each cell.
        ahead: For each cell the sets of cells that a line of sight to it may cross before, and
            the share of its lines that do.
    """

    bits: Mapping[Cell, int]
    ahead: Mapping[Cell, tuple[tuple[int, float], ...]]

    def set_of(self, cells: Iterable[Cell]) -> int:
        """Return a set of different cells."""
        return sum(self.bits[cell] for cell in cells)

    def is_open(self, cell: Cell, filled: int, least: float) -> bool:
        """Whether at least a share of the lines to a cell, 0..1, cross no filled one before."""
        return sum(share for before, share in self.ahead[cell] if not before & filled) >= least


@cache
def outlook_on(size: Size, per_edge: int) -> Outlook:
    """Return what may hide the cells of a grid, by the lines of :func:`rays_through`."""
    cells = [(x, y, z) for x, y, z in np.ndindex(size)]
    counts: list[Counter[int]] = [Counter() for _ in cells]
    for line in rays_through(size, per_edge).cells.tolist():
        before = 0
        for cell in line[: line.index(len(cells))]:
            counts[cell][before] += 1
            before |= 1 << cell
    return Outlook(
        {cell: 1 << index for index, cell in enumerate(cells)},
        {
            cell: tuple((before, number / count.total()) for before, number in count.items())
            for cell, count in zip(cells, counts, strict=True)
        },
    )


@cache
def rays_through(size: Size, per_edge: int) -> Rays:
    """Return lines of sight through a grid, ``per_edge`` squared through each outer face."""
    cells = np.argwhere(np.ones(size, dtype=bool))
    points, cell_of, axis_of = [], [], []
    for axis in range(3):
        outer = cells[cells[:, axis] == size[axis] - 1]
        samples = face_samples(Boxes.of_cells(outer), axis, per_edge)
        points.append(samples.reshape(-1, 3))
        cell_of.append(np.repeat(outer, samples.shape[1], axis=0))
        axis_of.append(np.full(len(points[-1]), axis))
    return _traced(np.concatenate(points), np.concatenate(cell_of), np.concatenate(axis_of), size)


def _traced(points: Vectors, cells: Integers, axes: Integers, size: Size) -> Rays:
    """Follow lines away from the camera, cell by cell."""
    place, rows = cells.copy(), np.arange(len(cells))
    crossed, entered, is_inner = [], [], []
    for _ in range(sum(size)):
        is_inside = (place >= 0).all(axis=1)
        flat = np.ravel_multi_index(tuple(np.maximum(place, 0).T), size)
        crossed.append(np.where(is_inside, flat, int(np.prod(size))))
        entered.append(np.where(is_inside, axes, -1))
        away = (points - place)[rows, axes] - 1
        on_face = points - place - (away / TO_CAMERA[axes])[:, None] * TO_CAMERA
        on_face[rows, axes] = 0.5
        is_inner.append((abs(on_face - 0.5).max(axis=1) < 0.5 - _MARGIN) | ~is_inside)
        axes = ((points - place) / TO_CAMERA).argmin(axis=1)
        place[rows, axes] -= 1
    return Rays(points, *(np.stack(steps, axis=1) for steps in (crossed, entered, is_inner)))
