"""The two halves of the seeds: what is trained on is never evaluated on.

One bit of a seed tells its half, so that neither a list of seeds nor a table is needed. It is a
high bit: small seeds, those that people write by hand, belong to training.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from gym_imagetools.puzzles.puzzle import checked_seed

Split = Literal["train", "eval"]

EVAL_BIT = 1 << 30
"""Set in every seed of ``eval`` and in none of ``train``."""


def check_split(split: object) -> None:
    """Check the name of a half.

    Raises:
        ValueError: It is not ``train``, ``eval`` or None (both).
    """
    if split not in ("train", "eval", None):
        raise ValueError(f"Expected split to be 'train', 'eval' or None, got {split!r}.")


def draw_seed(rng: np.random.Generator, split: Split | None) -> int:
    """Return a random seed of a half; of both with None."""
    return seed_of_split(int(rng.integers(2 * EVAL_BIT)), split)


def seed_of_split(index: object, split: Split | None) -> int:
    """Return the seed that an index stands for in a half.

    Args:
        index: Any integer from 0 on. A seed of the half stands for itself, so that a recorded
            task can be played again; another one gets the half's bit. Small indices are seeds of
            ``train`` as they are.
        split: The half, or None to take every index as it is.

    Raises:
        ValueError: The index is no integer from 0 on.
    """
    seed = checked_seed(index)
    if split is None:
        return seed
    return seed | EVAL_BIT if split == "eval" else seed & ~EVAL_BIT
