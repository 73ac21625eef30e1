"""FindTheSame solved by comparing the pixels of all cells, each in the first of its four turns."""

from __future__ import annotations

import numpy as np

from gym_imagetools.puzzles.families.find_the_same import LEVELS
from gym_imagetools.types import Task

SPEC_HASHES = {
    (1, 0): "623fc83988968f671c7930c69a684ecbe171c9ca88e9e4ab0b0095775d664403",
    (3, 1): "c52aede25d292da696a9c79c11502a8e7ac826e4cee12641328784355fab7d55",
    (5, 2): "af9151643dc8bf81873748fc71ee143555c36fa484ea6e320c66fbaa1dbdf277",
}


def solve(task: Task) -> str:
    level = LEVELS[task.metadata["difficulty"] - 1]
    grid, pixels = level.grid, task.pictures[0].load()
    inset = int(grid.pitch * 0.15)
    seen: dict[bytes, list[int]] = {}
    for cell in range(grid.rows * grid.columns):
        x, y = grid.corner(cell)
        middle = pixels[y + inset : y + grid.pitch - inset, x + inset : x + grid.pitch - inset]
        turns = range(4 if "quarter turns" in task.question else 1)
        first = min(np.rot90(middle, turn).tobytes() for turn in turns)
        seen.setdefault(first, []).append(cell)
    ((first, second),) = (cells for cells in seen.values() if len(cells) > 1)
    return f"{first + 1}-{second + 1}" if task.grader == "pairs" else str(second)


def _count(task: Task) -> int:
    return len(task.metadata["latents"]["kinds"])


def chance(task: Task) -> float:
    count = _count(task)
    return 2 / (count * (count - 1)) if task.grader == "pairs" else 1 / (count - 1)


def _vectors(task: Task) -> np.ndarray:
    latents = task.metadata["latents"]
    sizes = [len(values) for values in latents["slots"].values()]
    return np.stack(np.unravel_index(latents["kinds"], sizes), axis=1)


def _with_its_neighbour(task: Task, scores: np.ndarray) -> str:
    """The figure of the highest score, and beside it whichever is drawn next.

    The second must be blind: equal figures have equal scores, so two of the best are often twins.
    """
    best = 1 + int(scores[1:].argmax())
    if task.grader != "pairs":
        return str(best)
    first, second = sorted((best, best + 1 if best + 1 < len(scores) else best - 1))
    return f"{first + 1}-{second + 1}"


def _frequent(task: Task) -> str:
    vectors = _vectors(task)
    return _with_its_neighbour(task, (vectors[:, None] == vectors).sum(axis=(1, 2)))


def _rare(task: Task) -> str:
    vectors = _vectors(task)
    return _with_its_neighbour(task, -(vectors[:, None] == vectors).sum(axis=(1, 2)))


ATTACKS = {
    "adjacent": lambda task: "1-2" if task.grader == "pairs" else "1",
    "first and last": lambda task: (
        f"1-{_count(task)}" if task.grader == "pairs" else str(_count(task) - 1)
    ),
    "frequent values": _frequent,
    "rare values": _rare,
}
