"""The vector entry points of the registered ids.

Gymnasium refuses ``vector_kwargs`` and ``wrappers`` for them: pass ``autoreset_mode``,
``group_size`` and ``num_workers`` as plain keywords of ``make_vec``, and to wrap each environment
make a ``ThreadVectorEnv`` of your own functions.
"""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import gymnasium as gym
from gymnasium.vector import AutoresetMode

from gym_imagetools.registration import NAMESPACE
from gym_imagetools.tasks.curriculum import AdaptiveDifficulty
from gym_imagetools.vector.thread_vector_env import ThreadVectorEnv


def puzzle(*, family: str, **keywords: Any) -> ThreadVectorEnv:
    """Make a vector environment of one puzzle family; see :func:`make`."""
    return make(family, **keywords)


def make(
    name: str,
    *,
    num_envs: int = 1,
    autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    group_size: int = 1,
    num_workers: int | None = None,
    **keywords: Any,
) -> ThreadVectorEnv:
    """Make a vector environment of an id.

    One environment is made and copied, so that data rows are checked once. An adaptive difficulty
    is one controller for all of them.

    Args:
        name: The id without namespace and version.
        num_envs: How many episodes run side by side, >= 1.
        autoreset_mode: What happens to an episode that has ended.
        group_size: How many neighbours share a task.
        num_workers: Threads; None for as many as there are processors.
        keywords: Those of the id.
    """
    if keywords.get("difficulty") == "adaptive":
        keywords["difficulty"] = AdaptiveDifficulty()
    first = gym.make(f"{NAMESPACE}/{name}-v0", disable_env_checker=True, **keywords)
    shared = keywords.get("difficulty")
    copies = [
        copy.deepcopy(first, {id(shared): shared} if shared is not None else None)
        for _ in range(num_envs - 1)
    ]
    return ThreadVectorEnv(
        [lambda env=env: env for env in (first, *copies)],  # type: ignore[misc]
        autoreset_mode=autoreset_mode,
        group_size=group_size,
        num_workers=num_workers,
    )


mixed = partial(make, "Mixed")
dataset = partial(make, "Dataset")
pivot = partial(make, "Pivot")
weather = partial(make, "Weather")
