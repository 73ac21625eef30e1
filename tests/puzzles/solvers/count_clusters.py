"""CountClusters solved by labelling the pixels of land, also when all land grows by a pixel."""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from gym_imagetools.puzzles.families.count_clusters import LABELS, LEVELS, sample_center
from gym_imagetools.types import Task

SPEC_HASHES = {
    (1, 0): "50803a9b2033902d8eaa6b1fa37ae1949508501b7de5eb625d0a6a90b94536e8",
    (3, 1): "02de19a1093dddd58b4e1606e3acffae65f850c3e351fb206b6e6fdea8912972",
    (5, 2): "4effb5163f28aaee2069dcf6c7f0b56763168e51e9d125cf7849fcb86a92f31d",
}

_EVERY_NEIGHBOUR = np.ones((3, 3), dtype=bool)


def solve(task: Task) -> str:
    pixels = task.pictures[0].load().astype(np.int16)
    size, form = len(pixels), task.metadata["form"]
    if form == "islands":
        counts = [_islands(_unlike(pixels, pixels[2, 2]))]
    elif form == "colors":
        sides = (sample_center(index) for index in range(len(LABELS)))
        colors = [pixels[round(y * size), round(x * size)] for x, y in sides]
        counts = [_islands(~_unlike(pixels, color)) - 1 for color in colors]
    else:
        land, middle = _unlike(pixels, pixels[2, 2]), size // 2
        away = round(0.01 * size)
        counts = [_islands(land[:, : middle - away]), _islands(land[:, middle + away :])]
    return _answer(form, counts)


def _unlike(pixels: np.ndarray, color: np.ndarray) -> np.ndarray:
    return (abs(pixels - color) > 36).any(axis=2)


def _islands(land: np.ndarray) -> int:
    counts = set()
    for grown in (land, ndimage.binary_erosion(land, _EVERY_NEIGHBOUR)):
        labels, _ = ndimage.label(grown, _EVERY_NEIGHBOUR)
        counts.add(int((np.bincount(labels.ravel())[1:] >= 60).sum()))
    (count,) = counts
    return count


def _answer(form: str, counts: list[int]) -> str:
    if form == "compare":
        left, right = counts
        return ">" if left > right else "<" if left < right else "="
    return ", ".join(map(str, [*counts, sum(counts)] if form == "sum" else counts))


def _bounds(task: Task) -> tuple[int, int]:
    return LEVELS[task.metadata["difficulty"] - 1].bounds(task.metadata["form"])


def chance(task: Task) -> float:
    fewest, most = _bounds(task)
    parts = {"islands": 1, "colors": 3, "sum": 2}.get(task.metadata["form"], 0)
    return (most - fewest + 1) ** -parts if parts else 1 / 3


def _by(estimate):
    """The answer when each number is what is estimated of its plan."""

    def guess(task: Task) -> str:
        fewest, most = _bounds(task)
        plans = task.metadata["latents"]["plans"]
        counts = [estimate(lobes, groups, fewest, most) for _, lobes, groups in plans]
        return _answer(task.metadata["form"], [round(count) for count in counts])

    return guess


def _share(lobes: int, groups: int, fewest: int, most: int) -> float:
    """Islands as a part of the lobes, as they are on average."""
    return lobes * (fewest + most) / (2 * most + max(2, most // 2))


ATTACKS = {
    "groups": _by(lambda lobes, groups, fewest, most: groups),
    "lobes": _by(lambda lobes, groups, fewest, most: lobes),
    "share of the lobes": _by(_share),
    "between groups and lobes": _by(lambda lobes, groups, fewest, most: (groups + lobes) / 2),
    "middle of the range": _by(lambda lobes, groups, fewest, most: (fewest + most) / 2),
    "most": _by(lambda lobes, groups, fewest, most: most),
}
