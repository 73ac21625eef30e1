"""Which episodes a run plays, and the seeds that fix each of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Assignment:
    """One episode of a run.

    Attributes:
        group: Number of its task in the run; the members of a group share one task.
        member: Its number within the group.
        seed: Seed of ``reset``.
        task: What to play: the number of a row, or a task id; None lets the seed choose.
        policy_seed: Seeds the choices of the policy; different for each member.
    """

    group: int
    member: int
    seed: int
    task: int | str | None
    policy_seed: int


def plan(
    seed: int, *, num_tasks: int, group_size: int = 1, available: int | None = None
) -> list[Assignment]:
    """Return the episodes of a run, the members of each group one after the other.

    An episode is fixed by the run's seed, its group and its member alone: a longer run begins
    with a shorter one, and a single episode can be played again.

    Args:
        seed: The run's seed, from 0 on.
        num_tasks: Tasks to play, >= 1.
        group_size: Episodes of each task, >= 1.
        available: Rows of the data, which are walked in order; None for endless tasks.

    Raises:
        ValueError: A number is out of its range, or there are fewer rows than tasks to play.
    """
    for keyword, value, low in (
        ("seed", seed, 0),
        ("num_tasks", num_tasks, 1),
        ("group_size", group_size, 1),
    ):
        if value < low:
            raise ValueError(f"Expected {keyword} >= {low}, got {value}.")
    if available is not None and num_tasks > available:
        raise ValueError(f"Expected num_tasks <= {available}, the rows there are, got {num_tasks}.")
    return [
        Assignment(
            group=group,
            member=member,
            seed=_derived(seed, group),
            task=None if available is None else group,
            policy_seed=_derived(seed, group, member),
        )
        for group in range(num_tasks)
        for member in range(group_size)
    ]


def _derived(seed: int, *key: int) -> int:
    return int(np.random.SeedSequence(seed, spawn_key=key).generate_state(1)[0])
