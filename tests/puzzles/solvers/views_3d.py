"""Views3D solved on pixels: stacks are peeled, arrows found by colour, and cubes lined up."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from gym_imagetools.puzzles.families.views_3d import LEVELS, outline_corner, shelf_for, view_for
from gym_imagetools.puzzles.solids.block_drawing import TONES
from gym_imagetools.types import Task
from tests.puzzles.solvers.peeling import peel

SPEC_HASHES = {
    (1, 0): "7fe51ac8f68e1a25beae8d2e23282439cd0f7764a51a17b1a8e3aebeb06578e8",
    (3, 1): "6b3af3316f80e26c2de99973af5155401cace782f2e62f43ae61f92a51d36afd",
    (5, 2): "62ef879ab6880435c3f3e1f2c680c33b7df8ca82884c4b301ec077b5d841b87c",
}

_UP = np.array([0, 0, 1])
_SIGHTS = {(-1, 1): (-1, 0, 0), (1, 1): (0, -1, 0), (-1, -1): (0, 1, 0), (1, -1): (1, 0, 0)}
"""Where the arrow is from the middle of the cell (to the right, down) -> its direction."""


def _outlines(task: Task, level) -> list[tuple[int, ...]]:
    pixels = task.pictures[0].load()
    found = []
    for index in range(4):
        left, bottom, square = (value * level.size for value in outline_corner(index, level))
        paper = pixels[int(bottom + 0.2 * square), int(left + 0.5 * square)]
        heights = []
        for column in range(level.side):
            x = int(left + (column + 0.5) * square)
            column_of = pixels[int(bottom - level.most * square) : int(bottom), x].astype(int)
            line = abs(column_of - paper).sum(axis=1)
            heights.append(round(np.count_nonzero(line > 60) / square))
        found.append(tuple(heights))
    return found


def _seen(cell: np.ndarray, level) -> tuple[int, ...]:
    tones = min(TONES, key=lambda tones: abs(cell[0, 0].astype(int) - tones.ground).sum())
    ys, xs = np.nonzero(abs(cell.astype(int) - tones.accent).sum(axis=2) < 40)
    away = np.sign(xs.mean() - len(cell) / 2), np.sign(ys.mean() - len(cell) / 2)
    right = np.cross(_SIGHTS[away], _UP)
    heights = peel(cell, view_for(level, len(cell)), level.side, level.most)
    cubes = np.argwhere(np.arange(level.most) < heights[:, :, None])
    across = cubes @ right
    columns = range(
        min(0, (level.side - 1) * right.sum()), max(0, (level.side - 1) * right.sum()) + 1
    )
    return tuple(int(cubes[across == column, 2].max(initial=-1)) + 1 for column in columns)


def solve(task: Task) -> str:
    level = LEVELS[task.metadata["difficulty"] - 1]
    shelf = shelf_for(level, asks_outline=task.grader == "mcqa")
    pixels, offered, seen = task.pictures[0].load(), _outlines(task, level), []
    for place in shelf.named_in(task.question):
        left, top = shelf.corner(place)
        seen.append(_seen(pixels[top : top + shelf.cell, left : left + shelf.cell], level))
    assert len(set(offered)) == 4, offered
    if task.grader == "mcqa":
        return "ABCD"[offered.index(seen[0])]
    (order,) = (p for p in permutations(range(4)) if [offered[i] for i in p] == seen)
    return ", ".join(f"{number}-{'ABCD'[index]}" for number, index in enumerate(order, 1))


def option_boxes(task: Task) -> list[tuple[int, int, int, int]]:
    if task.grader != "mcqa":
        return []
    level, boxes = LEVELS[task.metadata["difficulty"] - 1], []
    for index in range(4):
        left, bottom, square = (value * level.size for value in outline_corner(index, level))
        edges = (left, bottom - level.most * square, left + level.side * square, bottom)
        boxes.append(tuple(round(edge) for edge in edges))
    return boxes


def chance(task: Task) -> float:
    return 1 / 4 if task.grader == "mcqa" else 1 / 24


def _option_by(measure):
    """Rank outlines; for a matching, pair the first stack with the first in rank, and so on."""

    def attack(task: Task) -> str:
        offered = [tuple(map(int, text)) for text in task.metadata["latents"]["outlines"]]
        ranked = sorted(range(4), key=lambda index: measure(offered[index], offered))
        if task.grader == "mcqa":
            return "ABCD"[ranked[0]]
        return ", ".join(f"{number}-{'ABCD'[index]}" for number, index in enumerate(ranked, 1))

    return attack


def _apart(outline, others) -> int:
    return sum(abs(a - b) for other in others for a, b in zip(outline, other, strict=True))


ATTACKS = {
    "most ink": _option_by(lambda outline, _: -sum(outline)),
    "least ink": _option_by(lambda outline, _: sum(outline)),
    "tallest on the left": _option_by(lambda outline, _: outline.index(max(outline))),
    "tallest on the right": _option_by(lambda outline, _: -outline.index(max(outline))),
    "most like the others": _option_by(_apart),
    "least like the others": _option_by(lambda outline, others: -_apart(outline, others)),
    "first letter": lambda task: "A" if task.grader == "mcqa" else "1-A, 2-B, 3-C, 4-D",
}
