"""FindTheDifferent solved by laying every cell's pixels on the first cell's."""

from __future__ import annotations

import numpy as np

from gym_imagetools.puzzles.families.find_the_different import LEVELS
from gym_imagetools.puzzles.looking.cells import Grid
from gym_imagetools.types import Task

SPEC_HASHES = {
    (1, 0): "595b15c8045f81895c37d3e133791b28c2ea3ffa187517d65f292d5094cb6139",
    (3, 1): "4514a56cc04f5b5417a1335db05d81dbd3813a6cb6cc627b36dd8ac181b0ffbd",
    (5, 2): "cce12cbecabccdc8c32c2a55a656e3d7ffc18fbc8762f86ff5c22cf269f09d1d",
}

_LINE_PX = 3  # beside a cell's edge, where grid lines are


def solve(task: Task) -> str:
    cells = cut(task)
    ground = cells[:, :1, :1]
    figures = (abs(cells - ground) > 25).any(axis=3)
    middles = np.array([np.argwhere(figure).mean(axis=0) for figure in figures])
    shifts = np.rint(middles[0] - middles).astype(int)
    unlike = [
        index
        for index, (cell, shift) in enumerate(zip(cells, shifts, strict=True))
        if (abs(np.roll(cell, shift, axis=(0, 1)) - cells[0]) > 12).any(axis=2).sum() >= 5
    ]
    # Where the first cell itself is the odd one, all others are unlike it.
    odd = unlike[0] if len(unlike) == 1 else 0
    assert len(unlike) in (1, len(cells) - 1)
    row, column = divmod(odd, _grid(task).columns)
    return f"{row + 1},{column + 1}"


def cut(task: Task) -> np.ndarray:
    grid = _grid(task)
    pixels = task.pictures[0].load().astype(np.int16)
    top, left = (
        (side - count * grid.pitch) // 2
        for side, count in zip(pixels.shape, (grid.rows, grid.columns), strict=False)
    )
    cells = pixels[top : top + grid.rows * grid.pitch, left : left + grid.columns * grid.pitch]
    cells = cells.reshape(grid.rows, grid.pitch, grid.columns, grid.pitch, 3).swapaxes(1, 2)
    inner = slice(_LINE_PX, -_LINE_PX)
    return cells.reshape(-1, grid.pitch, grid.pitch, 3)[:, inner, inner]


def _grid(task: Task) -> Grid:
    return LEVELS[task.metadata["difficulty"] - 1].grid


def chance(task: Task) -> float:
    grid = _grid(task)
    return 1 / (grid.rows * grid.columns)


def _at(row: float, column: float):
    def guess(task: Task) -> str:
        grid = _grid(task)
        return f"{round(1 + row * (grid.rows - 1))},{round(1 + column * (grid.columns - 1))}"

    return guess


ATTACKS = {
    "centre": _at(0.5, 0.5),
    "first": _at(0, 0),
    "last": _at(1, 1),
    "corner": _at(0, 1),
    "edge": _at(0.5, 0),
}
