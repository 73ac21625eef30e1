"""CountSamePatterns solved by finding the sample's very pixels elsewhere in the picture."""

from __future__ import annotations

import numpy as np

from gym_imagetools.puzzles.families.count_same_patterns import (
    LEVELS,
    SAMPLE_LABELS,
    Level,
    sample_corner,
)
from gym_imagetools.types import Task

SPEC_HASHES = {
    (1, 0): "e6103bbfb544d59d8f28e569c0cd73516ec5c0044ce9ce7630e64ba0b65f15c7",
    (3, 1): "6f6fc38d272f05d0f1fccda2e4b4deefed7379fa5565a62eca7c7c0fe89ad6f4",
    (5, 2): "0943d59193e1d316b175b7eaed19c9ebba4f7541e7958e6ac724ed55ab9ad8d4",
}


def solve(task: Task) -> str:
    level = _level(task)
    pixels = task.pictures[0].load().astype(np.int32)
    packed = pixels[:, :, 0] << 16 | pixels[:, :, 1] << 8 | pixels[:, :, 2]
    counts = []
    for index in range(_samples(task)):
        left, top = sample_corner(level, index)
        sample = packed[top : top + level.side, left : left + level.side]
        turns = range(4 if task.metadata["form"] == "turned" else 1)
        counts.append(
            sum(_occurrences(packed, np.rot90(sample, turn), level) for turn in turns) - 1
        )
    return ", ".join(map(str, counts))


def _occurrences(packed: np.ndarray, sample: np.ndarray, level: Level) -> int:
    """Count the places where every pixel of the sample that is never covered is the same."""
    middle = np.arange(level.side) + 0.5 - level.side / 2
    radius = (level.core - 0.02) * level.side
    rows, columns = np.nonzero(np.hypot(middle[:, None], middle) < radius)
    colors = sample[rows, columns]
    rarest = min(np.unique(colors).tolist(), key=lambda color: (colors == color).sum())
    first = int(np.flatnonzero(colors == rarest)[0])
    places = np.argwhere(packed == rarest) - (rows[first], columns[first])
    places = places[(places >= 0).all(axis=1) & (places <= len(packed) - level.side).all(axis=1)]
    for pixel in range(0, len(rows), len(rows) // 100):
        seen = packed[places[:, 0] + rows[pixel], places[:, 1] + columns[pixel]]
        places = places[seen == colors[pixel]]
    return sum((packed[y + rows, x + columns] == colors).all() for y, x in places)


def _level(task: Task) -> Level:
    return LEVELS[task.metadata["difficulty"] - 1]


def _samples(task: Task) -> int:
    return len(SAMPLE_LABELS) if task.metadata["form"] == "list" else 1


def _range(task: Task) -> tuple[int, int]:
    fewest, most = (bound // _samples(task) for bound in _level(task).targets)
    return max(1, fewest), most


def chance(task: Task) -> float:
    fewest, most = _range(task)
    return (most - fewest + 1) ** -_samples(task)


def _always(task: Task, count: float) -> str:
    return ", ".join([str(round(count))] * _samples(task))


ATTACKS = {
    "half of all figures": lambda task: _always(
        task, task.metadata["figures"] / 2 / _samples(task)
    ),
    "a share of all figures": lambda task: _always(task, task.metadata["figures"] / 4),
    "middle of the range": lambda task: _always(task, sum(_range(task)) / 2),
}
