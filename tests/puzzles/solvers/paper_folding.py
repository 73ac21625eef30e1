"""PaperFolding solved on pixels: every pixel of a flat sheet is moved through the folds seen."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
from scipy import ndimage

from gym_imagetools.puzzles.families.paper_folding import LEVELS
from gym_imagetools.puzzles.paper.paper_diagram import Square, option_squares, step_squares
from gym_imagetools.types import Task

SPEC_HASHES = {
    (1, 0): "562843734a03ff209c5ef23c63acd770eac03ad936028e94836195e730791ab8",
    (3, 1): "f7a441bece15cee56bba590fc51a9bab59e91881a9413201650c5f4782ac27c2",
    (5, 2): "8efce59249a2a1b4dff9871b18c3aeb2ac950cfec7d4f5f926a2ee2953d869a0",
}

_SIDE = 320
"""Samples along the side of a square."""

_NORMALS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]


def look_at(pixels: np.ndarray, square: Square) -> tuple[np.ndarray, np.ndarray]:
    """Return the sheet's mask (holes filled) and the mask of open middles, in samples."""
    width = pixels.shape[1]
    at = (np.arange(_SIDE) + 0.5) / _SIDE - 0.5
    xs = ((square.x + at * square.side) * width).astype(int)
    ys = ((square.y + at * square.side) * width).astype(int)
    margin = int((square.y - 0.55 * square.side) * width)
    card = pixels[margin, int(square.x * width)]
    is_card = (abs(pixels[np.ix_(ys, xs)] - card) <= 16).all(axis=2)
    sheet = ndimage.binary_fill_holes(~np.pad(is_card, 1, constant_values=True))[1:-1, 1:-1]
    sheet = ndimage.binary_opening(sheet, np.ones((5, 5)))
    return sheet, is_card & sheet


def positions() -> np.ndarray:
    """Centres of the samples in parts of the sheet, shape (side, side, 2), x first."""
    at = (np.arange(_SIDE) + 0.5) / _SIDE
    return np.stack(np.meshgrid(at, at), axis=-1)


def find_crease(before: np.ndarray, after: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the normal and offset of the line between what moved and what stayed."""
    places = positions()
    moved, stayed = places[before & ~after], places[after]
    best = None
    for normal in _NORMALS:
        height_moved, height_stayed = moved @ normal, stayed @ normal
        offset = round(float(np.percentile(height_stayed, 99.9)) * 16) / 16
        wrong = np.count_nonzero(height_moved < offset - 0.02)
        if best is None or wrong < best[0]:
            best = wrong, np.array(normal), offset
    return best[1], best[2]


def unfolded(task: Task) -> tuple[np.ndarray, np.ndarray]:
    """Return the pixels of the task, and where the flat sheet will have holes, in samples."""
    pixels = task.pictures[0].load().astype(int)
    num_folds = int(re.search(r"folded (\d)", task.question)[1])
    seen = [look_at(pixels, square) for square in step_squares(num_folds, "Which" in task.question)]
    places = positions().reshape(-1, 2)
    for (before, _), (after, _) in pairwise(seen):
        normal, offset = find_crease(before, after)
        beyond = np.maximum(places @ normal - offset, 0)
        places = places - 2 * np.outer(beyond, normal) / (normal @ normal)
    columns, rows = np.clip((places * _SIDE).astype(int), 0, _SIDE - 1).T
    return pixels, seen[-1][1][rows, columns].reshape(_SIDE, _SIDE)


def solve(task: Task) -> str:
    pixels, holes = unfolded(task)
    if task.grader == "integer":
        return str(ndimage.label(ndimage.binary_dilation(holes))[1])
    holes = ndimage.binary_dilation(holes, iterations=2)
    overlaps = []
    for square in option_squares():
        seen = ndimage.binary_dilation(look_at(pixels, square)[1], iterations=2)
        overlaps.append((seen & holes).sum() / max(1, (seen | holes).sum()))
    best, second = sorted(overlaps)[-1:-3:-1]
    assert min(best - 0.5, best - second - 0.1) > 0, (task.task_id, overlaps)
    return "ABCD"[int(np.argmax(overlaps))]


def option_boxes(task: Task) -> list[tuple[int, int, int, int]]:
    width = task.pictures[0].size[0]
    edges = [
        (s.x - s.side / 2, s.y - s.side / 2, s.x + s.side / 2, s.y + s.side / 2)
        for s in option_squares()
    ]
    return [tuple(box) for box in (np.array(edges) * width).round().astype(int).tolist()]


def chance(task: Task) -> float:
    if task.grader == "mcqa":
        return 1 / 4
    fewest, most = LEVELS[task.metadata["difficulty"] - 1].holes
    return 1 / (most - fewest + 1)


def _middle(task: Task) -> str:
    return str(sum(LEVELS[task.metadata["difficulty"] - 1].holes) // 2)


def _grids(task: Task) -> list[np.ndarray]:
    """The options' holes as points of the 8 by 8 grid."""
    masks = [int(mask, 16) for mask in task.metadata["latents"]["options"]]
    return [np.array([divmod(i, 8) for i in range(64) if mask >> i & 1]) for mask in masks]


def _option_by(measure):
    def attack(task: Task) -> str:
        if task.grader != "mcqa":
            return _middle(task)
        return "ABCD"[int(np.argmin([measure(grid, _grids(task)) for grid in _grids(task)]))]

    return attack


def _apart(grid: np.ndarray, others: list[np.ndarray]) -> int:
    """How many holes an option has that other options have not, and they have."""
    own = set(map(tuple, grid.tolist()))
    return sum(len(own ^ set(map(tuple, other.tolist()))) for other in others)


def _punches_times(task: Task, power: int) -> str:
    latents = task.metadata["latents"]
    return str(len(latents["punches"]) * 2 ** max(0, len(latents["folds"]) - power))


ATTACKS = {
    "most like the others": _option_by(_apart),
    "least like the others": _option_by(lambda grid, grids: -_apart(grid, grids)),
    "least spread": _option_by(lambda grid, _: grid.std(axis=0).sum()),
    "widest spread": _option_by(lambda grid, _: -grid.std(axis=0).sum()),
    "most central": _option_by(lambda grid, _: abs(grid - 3.5).sum()),
    "fewest holes": _option_by(lambda grid, _: len(grid)),
    "all layers everywhere": lambda t: "A" if t.grader == "mcqa" else _punches_times(t, 0),
    "half the layers": lambda t: "B" if t.grader == "mcqa" else _punches_times(t, 1),
}
