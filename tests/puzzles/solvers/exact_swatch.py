"""ExactSwatch solved by the largest areas of one flat colour, in reading order."""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from gym_imagetools.puzzles.families.exact_swatch import LEVELS
from gym_imagetools.types import Task

SPEC_HASHES = {
    (1, 0): "0b9bfe15682b9542729c4ce22691b93ce3aff1b9bc1efa93d90245a4efaa6396",
    (3, 1): "696bae366152d2d711a2536b7834586f13763bca84df940099aad50d4b8aaf38",
    (5, 2): "87124953d2bb717c9bd72d823f84a47f60b2d44395d4b529bfab8044b50da6a6",
}


def solve(task: Task) -> str:
    level = LEVELS[task.metadata["difficulty"] - 1]
    pixels = task.pictures[0].load()[::4, ::4].astype(np.int64)
    codes = pixels @ np.array([65536, 256, 1])
    discs = sorted(_discs(codes))
    if task.grader == "pairs":
        numbered = _in_rows(discs, level.columns)
        (pair,) = (
            (i, j) for j in range(len(numbered)) for i in range(j) if numbered[i] == numbered[j]
        )
        return f"{pair[0] + 1}-{pair[1] + 1}"
    (_, _, sample), *others = discs
    numbered = _in_rows(others, level.columns)
    assert numbered.count(sample) == 1
    return str(numbered.index(sample) + 1)


def _discs(codes: np.ndarray) -> list[tuple[int, int, int]]:
    """Row, column and colour of the middle of every round flat area."""
    flat = np.zeros(codes.shape, bool)
    flat[1:-1, 1:-1] = True
    for axis in (0, 1):
        for step in (-1, 1):
            flat &= codes == np.roll(codes, step, axis)
    labels, _ = ndimage.label(flat)
    found = []
    for box in ndimage.find_objects(labels):
        height, width = (side.stop - side.start for side in box)
        y, x = ((side.start + side.stop) // 2 for side in box)
        inside = np.count_nonzero(flat[box] & (codes[box] == codes[y, x]))
        if (
            abs(height - width) <= 1
            and height > 9
            and abs(inside / (height * width) - np.pi / 4) < 0.12
        ):
            found.append((y, x, int(codes[y, x])))
    return found


def _in_rows(discs: list[tuple[int, int, int]], columns: int) -> list[int]:
    rows = [discs[i : i + columns] for i in range(0, len(discs), columns)]
    return [color for row in rows for _, _, color in sorted(row, key=lambda disc: disc[1])]


def _count(task: Task) -> int:
    level = LEVELS[task.metadata["difficulty"] - 1]
    return level.rows * level.columns


def chance(task: Task) -> float:
    count = _count(task)
    return 1 / count if task.grader == "integer" else 2 / (count * (count - 1))


def _neighbours(task: Task) -> str:
    middle = _count(task) // 2
    return str(middle) if task.grader == "integer" else f"{middle}-{middle + 1}"


def _ends(task: Task) -> str:
    return str(_count(task)) if task.grader == "integer" else f"1-{_count(task)}"


ATTACKS = {"in the middle": _neighbours, "at the ends": _ends}
