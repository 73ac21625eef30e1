"""How an environment chooses the task of an episode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

import gymnasium as gym
import numpy as np

TaskT = TypeVar("TaskT", covariant=True)


class Source(Protocol[TaskT]):
    """Gives an environment its tasks."""

    @property
    def num_tasks(self) -> int | None:
        """The number of tasks; None when they never end."""

    def reset(self, rng: np.random.Generator) -> None:
        """Start sequences anew; called when the environment is seeded."""

    def next(self, rng: np.random.Generator) -> TaskT:
        """Return the next task; all that is random in the choice comes from ``rng``."""

    def task(self, index: int | str) -> TaskT:
        """Return one certain task, by its number or its id."""


def choose_task(
    source: Source[TaskT], rng: np.random.Generator, options: Mapping[str, Any] | None
) -> TaskT:
    """Return the task that ``reset`` plays.

    Args:
        source: Where the tasks come from.
        rng: The environment's generator.
        options: The options of ``reset``: ``{"task": i}`` chooses row or seed ``i``, or the
            task of a ``task_id``.

    Raises:
        ValueError: There is no such task, or an option of another name.
    """
    options = options or {}
    if unknown := sorted(set(options) - {"task"}):
        raise ValueError(f"Expected reset options {{'task': index}}, got {unknown} besides.")
    if "task" in options:
        return source.task(options["task"])
    return source.next(rng)


def reset_needed() -> gym.error.ResetNeeded:
    """Return the error of a step or a look outside of an episode."""
    return gym.error.ResetNeeded("Expected a running episode, got none: call reset() first.")
