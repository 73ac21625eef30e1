"""Ray: the episodes of a run played on many machines, and vector environments as actors.

Workers play and the driver writes. What a worker has played travels to the driver whole and is
written there as on one machine, so records, resume and metrics are the same. A task that was on a
lost machine is played again on another, and an episode that has come already is dropped.
"""

from __future__ import annotations

import json
import logging
import pickle
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

import gymnasium as gym
import ray
import ray.data
from gymnasium.vector import AutoresetMode

import gym_imagetools
from gym_imagetools.endpoints import EndpointFailure
from gym_imagetools.errors import DataError, GenerationError
from gym_imagetools.rollout import (
    Assignment,
    Contestant,
    FailureRecord,
    Rollout,
    RolloutRecord,
    RunFolder,
)
from gym_imagetools.rollout.attentive_loop import run_attentively
from gym_imagetools.rollout.engine import Engine, Watcher

gym.register_envs(gym_imagetools)

MakeContestant = Callable[[], Contestant]
"""Makes the one who plays, on a worker."""

LOCAL = "local"
"""The address that starts a cluster on this machine alone."""

_ROLLOUT, _FAILURE, _ERROR = "rollout", "failure", "error"
_CONNECT_S = 10.0
_BATCHES_IN_FLIGHT = 2
"""Episodes of a batch for each lane of a worker: its last ones leave few lanes idle."""

Row = dict[str, Any]


def connect(address: str) -> None:
    """Connect to a cluster, quietly; a connection that is there already stays.

    Args:
        address: Such as ``auto``, ``10.0.0.1:6379``, or ``local`` to start one on this machine.

    Raises:
        ConnectionError: There is no cluster.
    """
    if ":" in address and not ray.is_initialized():
        _expect_listener(address)
    ray.init(address=address, log_to_driver=False, logging_level="error", ignore_reinit_error=True)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)


def play_on_cluster(
    env_id: str,
    keywords: Mapping[str, Any],
    make_contestant: MakeContestant,
    assignments: Sequence[Assignment],
    folder: RunFolder,
    watcher: Watcher,
    *,
    concurrency: int = 16,
    num_workers: int | None = None,
    tasks: Mapping[int, str] | None = None,
) -> None:
    """Play the episodes of a plan on the cluster that Ray is connected to.

    Data and keywords must be readable on every machine, and the package installed there. A
    worker reads the key of an endpoint from its own variables.

    Args:
        env_id: An id of the package.
        keywords: Its keywords.
        make_contestant: Makes the one who plays, on a worker.
        assignments: What :func:`gym_imagetools.rollout.plan` returned, or a part of it.
        folder: Where the records go, on this machine.
        watcher: Is told of every line.
        concurrency: Episodes in flight on each worker, >= 1.
        num_workers: Workers, of one processor each; None for as many as the cluster has.
        tasks: Tasks of the groups that were begun before, by the number of the group.

    Raises:
        EndpointFailure: The endpoint cannot be used at all.
        DataError: A task's row or picture has gone bad.
        GenerationError: A puzzle could not be made.
        OSError: A record cannot be written.
        ValueError: A number is out of its range, or the difficulty is adaptive: the workers
            would each adapt their own.
    """
    expect_settings(keywords, concurrency, num_workers)
    with closing(folder):
        if assignments:
            rows = list(task_rows(assignments, tasks or {}))
            group_size = max(1, len(assignments) // len(rows))
            num_batches = _ceil(len(rows) * group_size, _BATCHES_IN_FLIGHT * concurrency)
            settings = (env_id, dict(keywords), make_contestant, concurrency)
            played = _played(rows, num_batches, settings, num_workers)
            keep(played, folder, watcher)
        folder.put_in_order()


def expect_settings(keywords: Mapping[str, Any], concurrency: int, num_workers: int | None) -> None:
    """Check what :func:`play_on_cluster` is given, before a cluster is asked.

    Raises:
        ValueError: As for :func:`play_on_cluster`.
    """
    for keyword, value in (("concurrency", concurrency), ("num_workers", num_workers)):
        if value is not None and value < 1:
            raise ValueError(f"Expected {keyword} >= 1, got {value}.")
    difficulty = keywords.get("difficulty")
    if not (difficulty is None or isinstance(difficulty, int)):
        raise ValueError(f"Expected a fixed difficulty on a cluster, got {difficulty!r}.")


def task_rows(assignments: Sequence[Assignment], tasks: Mapping[int, str]) -> Iterator[Row]:
    """Yield one row a task, with the episodes of its group.

    Args:
        assignments: The episodes, those of a group one after the other.
        tasks: Tasks of the groups that were begun before, by the number of the group.
    """
    for group, members in groupby(assignments, key=lambda one: one.group):
        known = tasks.get(group)
        episodes = [one if known is None else replace(one, task=known) for one in members]
        plain = [[one.member, one.seed, one.task, one.policy_seed] for one in episodes]
        yield {"group": group, "episodes": json.dumps(plain)}


class Worker:
    """Plays the tasks of a batch with many episodes in flight, on one event loop.

    An actor holds one copy of it, and makes its environment once.

    Args:
        env_id: An id of the package.
        keywords: Its keywords.
        make_contestant: Makes the one who plays.
        concurrency: Episodes in flight, >= 1.
    """

    def __init__(
        self,
        env_id: str,
        keywords: dict[str, Any],
        make_contestant: MakeContestant,
        concurrency: int,
    ) -> None:
        self._env: gym.Env[Any, Any] = gym.make(env_id, **keywords)
        self._make_contestant = make_contestant
        self._concurrency = concurrency

    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        """Play a batch.

        Args:
            batch: Columns of :func:`task_rows`.

        Returns:
            The columns ``kind`` and ``data``: a row an episode, and one for what ended the run.
        """
        shipment = _Shipment()
        engine = Engine(self._env, self._make_contestant(), shipment, shipment, {})
        try:
            run_attentively(engine.play(_episodes(batch), self._concurrency))
        except (EndpointFailure, DataError, GenerationError, OSError) as error:
            shipment.add_row(_ERROR, error)
        return {"kind": shipment.kinds, "data": shipment.data}


class VectorEnvActor:
    """A vector environment for an actor of Ray, for training loops that step by themselves.

    ``ray.remote(VectorEnvActor).remote("ImageTools/Maze-v0", num_envs=8)`` makes one. Arrays that
    come from an actor are read-only. A lost actor has lost its episodes: reset a new one.

    Args:
        env_id: An id of the package.
        num_envs: Episodes side by side, >= 1.
        autoreset_mode: What happens to an episode that has ended; by default it waits.
        keywords: Keywords of ``gymnasium.make_vec`` and of the id.
    """

    def __init__(
        self,
        env_id: str,
        num_envs: int,
        autoreset_mode: str | AutoresetMode = AutoresetMode.DISABLED,
        **keywords: Any,
    ) -> None:
        self._envs = gym.make_vec(
            env_id, num_envs=num_envs, autoreset_mode=autoreset_mode, **keywords
        )

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start episodes, as the vector environment does."""
        return self._envs.reset(seed=seed, options=options)  # type: ignore[arg-type]  # lists, too

    def step(self, actions: Sequence[Any]) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play one turn in every environment."""
        return self._envs.step(actions)

    def close(self) -> None:
        """Close the environments."""
        self._envs.close()


@dataclass
class _Shipment:
    """Keeps what a worker has played as rows for the driver."""

    kinds: list[str] = field(default_factory=list)
    data: list[bytes] = field(default_factory=list)

    def add_row(self, kind: str, what: Any) -> None:
        self.kinds.append(kind)
        self.data.append(pickle.dumps(what))

    def write(self, rollout: Rollout) -> None:
        self.add_row(_ROLLOUT, rollout)

    def write_failure(self, failure: FailureRecord) -> None:
        self.add_row(_FAILURE, failure)

    def add(self, record: RolloutRecord) -> None:
        """Do nothing: the driver tells of records."""

    def add_failure(self, failure: FailureRecord) -> None:
        """Do nothing: the driver tells of failures."""


def _expect_listener(address: str) -> None:
    """Raise where nobody listens: Ray would ask again and again for minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), _CONNECT_S).close()
    except (OSError, ValueError) as error:
        raise ConnectionError(
            f"Expected the address of a Ray cluster, HOST:PORT, got {address} ({error}); "
            "`ray status` there tells it."
        ) from None


def _played(
    rows: list[Row], num_batches: int, settings: tuple[Any, ...], num_workers: int | None
) -> Iterator[Row]:
    num_processors = int(ray.cluster_resources().get("CPU", 1))
    size = max(1, min(num_workers or num_processors, num_batches))
    dataset = ray.data.from_items(rows, override_num_blocks=num_batches).map_batches(
        Worker,
        fn_constructor_args=settings,
        batch_size=None,
        # Actors and their tasks are tried again without end by default; fewer will do as well.
        compute=ray.data.ActorPoolStrategy(min_size=1, max_size=size, initial_size=size),
        num_cpus=1,
    )
    played: Iterator[Row] = dataset.iter_rows()
    return played


def keep(played: Iterator[Row], folder: RunFolder, watcher: Watcher) -> None:
    """Write what workers have played, each episode once.

    Args:
        played: Rows with the columns that a :class:`Worker` returns.
        folder: Where the records go.
        watcher: Is told of every line.

    Raises:
        EndpointFailure: A row holds it; so for ``DataError``, ``GenerationError`` and ``OSError``.
    """
    come: set[tuple[int, int]] = set()
    for row in played:
        what = pickle.loads(row["data"])
        if row["kind"] == _ERROR:
            raise what
        place = _place(what)
        if place in come:
            continue
        come.add(place)
        if row["kind"] == _ROLLOUT:
            watcher.add(folder.write(what))
        else:
            folder.write_failure(what)
            watcher.add_failure(what)


def _place(what: Rollout | FailureRecord) -> tuple[int, int]:
    if isinstance(what, Rollout):
        return what.assignment.group, what.assignment.member
    return what.task_index, what.rollout_index


def _episodes(batch: Mapping[str, Sequence[Any]]) -> Iterator[Assignment]:
    for group, episodes in zip(batch["group"], batch["episodes"], strict=True):
        for member, seed, task, policy_seed in json.loads(episodes):
            yield Assignment(int(group), member, seed, task, policy_seed)


def _ceil(count: int, size: int) -> int:
    return -(-count // size)
