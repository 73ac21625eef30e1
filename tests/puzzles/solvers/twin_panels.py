"""TwinPanels solved by comparing arrays."""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from gym_imagetools.puzzles.families.twin_panels import LEVELS
from gym_imagetools.types import Task

SPEC_HASHES = {
    (1, 0): "6857447643067a7f455ab45415ae8263a3aa6a4e916f6326b345dfd5e9c25a71",
    (3, 1): "28b973bd337780cf7ffdb74758d295c14c3df60ac46b38695e108e48d52a2904",
    (5, 2): "b75425b44f7ea31159a153fb8910554f8b507ecaf5523c89ceb723ecfd25b6be",
}


def solve(task: Task) -> str:
    pixels = task.pictures[0].load()
    if task.grader == "mcqa":
        return _copy(pixels)
    left, right = np.split(pixels, 2, axis=1)
    labels, count = ndimage.label((left != right).any(axis=2), structure=np.ones((3, 3)))
    if task.grader == "integer":
        return str(count)
    assert count == 1
    ((y, x),) = ndimage.center_of_mass(labels, labels, [1])
    cells = _level(task).cells
    return f"{int(y * cells / len(left)) + 1},{int(x * cells / len(left)) + 1}"


def _copy(pixels: np.ndarray) -> str:
    def tile(left: int, top: int) -> bytes:
        height, width = pixels.shape[:2]
        x, y = left * width // 1000, top * height // 1000
        found = pixels[y : y + 340 * height // 1000, x : x + 170 * width // 1000].copy()
        found[: len(found) // 4, : len(found) // 4] = 0  # the badge
        return found.tobytes()

    sample = tile(25, 330)
    tiles = [tile(left, top) for top in (110, 610) for left in (225, 425, 625, 825)]
    assert len(set(tiles)) == 8
    return "ABCDEFGH"[tiles.index(sample)]


def option_boxes(task: Task) -> list[tuple[int, int, int, int]]:
    if task.grader != "mcqa":
        return []
    width, height = task.pictures[0].size
    return [
        tuple(v * side // 1000 for v, side in zip(box, (width, height) * 2, strict=True))
        for box in ((x, y, x + 170, y + 340) for y in (110, 610) for x in (225, 425, 625, 825))
    ]


def _level(task: Task):
    return LEVELS[task.metadata["difficulty"] - 1]


def chance(task: Task) -> float:
    level = _level(task)
    return {"integer": 1 / level.most, "coord": level.cells**-2, "mcqa": 1 / 8}[task.grader]


def _plainest(task: Task) -> str:
    """The middle of each range; of the prints the one whose patches lie as in none."""
    level = _level(task)
    if task.grader == "integer":
        return str((level.most + 1) // 2)
    if task.grader == "coord":
        return f"{level.cells // 2},{level.cells // 2}"
    return "ABCDEFGH"[task.metadata["latents"]["variants"].index(0)]


def _first(task: Task) -> str:
    return {"integer": "1", "coord": "1,1", "mcqa": "A"}[task.grader]


ATTACKS = {"the plainest answer": _plainest, "the first answer": _first}
