"""Plays episodes: one, or those of a plan one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from gym_imagetools.policies.policy import Env, Policy
from gym_imagetools.rollout.assignment import Assignment
from gym_imagetools.rollout.rollout import Rollout
from gym_imagetools.rollout.session import Session


def play_episode(
    env: Env,
    policy: Policy,
    *,
    seed: int = 0,
    task: int | str | None = None,
    policy_seed: int = 0,
) -> Rollout:
    """Play one episode.

    Args:
        env: An environment made by ``gymnasium.make`` from an id of the package.
        policy: Who plays.
        seed: Seed of ``reset``.
        task: Row, puzzle seed or task id to play; None lets the seed choose.
        policy_seed: Seeds the choices of the policy.

    Raises:
        DataError: The task's row has gone bad, or demonstrates nothing where that is needed.
        ValueError: There is no such task.
    """
    return _play(env, policy, Assignment(0, 0, seed, task, policy_seed))


def play(env: Env, policy: Policy, assignments: Iterable[Assignment]) -> Iterator[Rollout]:
    """Play the episodes of a plan, each as it is asked for.

    Args:
        env: An environment made by ``gymnasium.make`` from an id of the package.
        policy: Who plays.
        assignments: What :func:`gym_imagetools.rollout.plan` returned, or a part of it.

    Raises:
        DataError: As for :func:`play_episode`.
    """
    tasks: dict[int, str] = {}
    for assignment in assignments:
        # The members of a group share one task, also where an adaptive difficulty has moved.
        task = tasks.get(assignment.group, assignment.task)
        rollout = _play(env, policy, replace(assignment, task=task))
        tasks[assignment.group] = rollout.task_id
        yield rollout


def _play(env: Env, policy: Policy, assignment: Assignment) -> Rollout:
    session = Session(env, assignment)
    player = policy.start(env, seed=assignment.policy_seed)
    while not session.is_over:
        session.play(player.act(session.observation, session.info))
    return session.rollout(policy.name)
