"""CrowdCensus solved by labelling the pixels of the sample's colour."""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from gym_imagetools.puzzles.families.crowd_census import LEVELS
from gym_imagetools.types import Task

SPEC_HASHES = {
    (1, 0): "cb2464ac5a5afe1e608b93907e7a72173562ad3ff16b000d8552ab0670461a09",
    (3, 1): "b019d96749ae84b4a4b3415198bf274346afd5357345968f443c8e4923bb3f26",
    (5, 2): "1d51b8d3f9ad3cc5a267126b3305b65c3ec30b5ddcd95d3e95ff87e03262b167",
}

_SAMPLE_AT = 0.085
"""Distance of the sample's middle from both edges of its corner, of the picture's side."""


def solve(task: Task) -> str:
    pixels = task.pictures[0].load()
    near = round(_SAMPLE_AT * len(pixels))
    y = near if "the top" in task.question else -near
    x = near if "left corner" in task.question else -near
    labels, _ = ndimage.label((pixels == pixels[y, x]).all(axis=2), structure=np.ones((3, 3)))
    areas = np.bincount(labels.ravel())[1:]
    return str(int((areas >= 60).sum()) - 1)


def chance(task: Task) -> float:
    fewest, most = LEVELS[task.metadata["difficulty"] - 1].counts
    return 1 / (most - fewest + 1)


def _middle(task: Task) -> str:
    return str(sum(LEVELS[task.metadata["difficulty"] - 1].counts) // 2)


ATTACKS = {
    "middle of the range": _middle,
    "a fifth of all shapes": lambda task: str(round(task.metadata["shapes"] / 5)),
}
