"""CountBlocks3D solved on pixels: columns are peeled off the picture, the nearest one first."""

from __future__ import annotations

from gym_imagetools.puzzles.families.count_blocks_3d import LEVELS, Level, shelf_for, view_for
from gym_imagetools.types import Task
from tests.puzzles.solvers.peeling import peel

SPEC_HASHES = {
    (1, 0): "212fa32a8b84e9ce56e054167a17781808e524ef677470e5f9791ab5b791045e",
    (3, 1): "80a059bffec5a57900d1cf4c7c38a1e485ca05a46c3176fb4cfaa5b4579b6ab2",
    (5, 2): "3c02a3d66274f124c470f0afb46416cd42b044d6d5a705ce397d2e16a31fac36",
}


def _level(task: Task) -> Level:
    return LEVELS[task.metadata["difficulty"] - 1]


def solve(task: Task) -> str:
    level = _level(task)
    shelf = shelf_for(level)
    (place,) = shelf.named_in(task.question)
    left, top = shelf.corner(place)
    cell = task.pictures[0].load()[top : top + shelf.cell, left : left + shelf.cell]
    total = int(peel(cell, view_for(level), level.side, level.most).sum())
    return str(level.side**2 * level.most - total if "missing" in task.question else total)


def chance(task: Task) -> float:
    fewest, most = _level(task).cubes
    return 1 / (most - fewest + 1)


def _heights(task: Task) -> list[list[int]]:
    return [[int(digit) for digit in row] for row in task.metadata["latents"]["heights"]]


def _answer(task: Task, total: float) -> str:
    level = _level(task)
    missing = "missing" in task.question
    return str(level.side**2 * level.most - round(total) if missing else round(total))


def _cubes_with_a_visible_face(task: Task) -> int:
    """Cubes whose top is free or whose left or right neighbour is lower."""
    heights = _heights(task)
    side = len(heights)
    count = 0
    for x in range(side):
        for y in range(side):
            ahead = [
                heights[x + 1][y] if x + 1 < side else 0,
                heights[x][y + 1] if y + 1 < side else 0,
            ]
            height = heights[x][y]
            count += height - min(height, *ahead) if min(ahead) < height else int(height > 0)
    return count


def _times(count, factor: float):
    return lambda task: _answer(task, factor * count(task))


def _tops(task: Task) -> int:
    return sum(height > 0 for row in _heights(task) for height in row)


ATTACKS = {
    "visible cubes": _times(_cubes_with_a_visible_face, 1.0),
    "two a column": _times(_tops, 2.0),
    "half the block": lambda task: _answer(task, _level(task).side ** 2 * _level(task).most / 2),
    "middle of the range": lambda task: _answer(task, sum(_level(task).cubes) / 2),
}
