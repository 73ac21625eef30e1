"""Plays a plan with many episodes in flight, in one process.

The event loop does nothing but wait for the endpoint: environments, tools, encoding and files
are the business of a few threads.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from typing import Any, Protocol

from gym_imagetools.endpoints import EndpointFailure, EndpointRefusal
from gym_imagetools.policies.policy import Env
from gym_imagetools.rollout.assignment import Assignment
from gym_imagetools.rollout.attentive_loop import run_attentively, step_back
from gym_imagetools.rollout.contestants import Contestant
from gym_imagetools.rollout.env_pool import EnvPool
from gym_imagetools.rollout.failures import FailureRecord
from gym_imagetools.rollout.records import RolloutRecord
from gym_imagetools.rollout.rollout import Rollout
from gym_imagetools.rollout.run_folder import RunFolder
from gym_imagetools.rollout.session import Session

_MIN_THREADS, _MAX_THREADS = 2, 8
"""At least one beside a grader that waits; more than these only get into each other's way."""


class Keeper(Protocol):
    """Keeps what was played; a thread of its own brings one after the other."""

    def write(self, rollout: Rollout) -> RolloutRecord | None:
        """Keep an episode, and return its record; None where that is made elsewhere."""

    def write_failure(self, failure: FailureRecord) -> None:
        """Keep what kept an episode from being played."""


class Watcher(Protocol):
    """Is told of every line that has been written."""

    def add(self, record: RolloutRecord) -> None:
        """Be told of an episode."""

    def add_failure(self, failure: FailureRecord) -> None:
        """Be told of an episode that could not be played."""


def play_plan(
    env: Env,
    contestant: Contestant,
    assignments: Sequence[Assignment],
    folder: RunFolder,
    watcher: Watcher,
    *,
    concurrency: int = 1,
    tasks: Mapping[int, str] | None = None,
) -> None:
    """Play the episodes of a plan and write their records, from a thread without an event loop.

    A request that fails after all its retries makes a failure of its episode, never a reward.
    Where the run ends early, the episodes that are complete are still written.

    Args:
        env: An environment of the run; it is copied for the episodes in flight.
        contestant: Who plays.
        assignments: What :func:`gym_imagetools.rollout.plan` returned, or a part of it.
        folder: Where the records go; it is closed in the end.
        watcher: Is told of every line.
        concurrency: Episodes in flight, >= 1. An adaptive difficulty follows the order in which
            they end, so only with 1 it takes the same course in every run.
        tasks: Tasks of the groups that were begun before, by the number of the group.

    Raises:
        EndpointFailure: The endpoint cannot be used at all, or (an ``EndpointRefusal``) key,
            model or address is wrong.
        DataError: A task's row or picture has gone bad.
        OSError: A record cannot be written.
        KeyboardInterrupt: The run was interrupted.
        ValueError: ``concurrency`` is out of its range.
    """
    if concurrency < 1:
        raise ValueError(f"Expected concurrency >= 1, got {concurrency}.")
    with closing(folder):
        if assignments:
            engine = Engine(env, contestant, folder, watcher, tasks or {})
            run_attentively(engine.play(assignments, concurrency))
        folder.put_in_order()


class Engine:
    """Plays episodes on one event loop, see :func:`play_plan`.

    Args:
        env: An environment of the run.
        contestant: Who plays.
        keeper: Where the episodes go.
        watcher: Is told of every record, on the event loop.
        tasks: Tasks of the groups that were begun before.
    """

    def __init__(
        self,
        env: Env,
        contestant: Contestant,
        keeper: Keeper,
        watcher: Watcher,
        tasks: Mapping[int, str],
    ) -> None:
        self._contestant = contestant
        self._keeper = keeper
        self._watcher = watcher
        self._pool = EnvPool(env)
        self._known_tasks = tasks
        self._tasks: dict[int, asyncio.Future[str]] = {}
        num_threads = min(max(os.cpu_count() or 1, _MIN_THREADS), _MAX_THREADS)
        self._workers = ThreadPoolExecutor(num_threads, "episode", step_back)
        self._writer = ThreadPoolExecutor(1, "writer", step_back)

    async def play(self, assignments: Iterable[Assignment], concurrency: int) -> None:
        """Play episodes, a number of them at a time; once, for the threads end with it."""
        try:
            await self._contestant.open()
            await self._play_in_lanes(iter(assignments), concurrency)
        finally:
            # Waits for what the threads have begun, so nothing is written in part.
            self._workers.shutdown(cancel_futures=True)
            self._writer.shutdown()
            await self._contestant.close()

    async def _play_in_lanes(self, assignments: Iterator[Assignment], num_lanes: int) -> None:
        try:
            async with asyncio.TaskGroup() as lanes:
                for _ in range(num_lanes):
                    lanes.create_task(self._lane(assignments))
                    # One begins a round of the event loop: all at once would hold it up.
                    await asyncio.sleep(0)
        except BaseExceptionGroup as group:
            # What stopped the first lane has stopped them all.
            raise group.exceptions[0] from None

    async def _lane(self, assignments: Iterator[Assignment]) -> None:
        for assignment in assignments:
            env = await self._in_thread(self._pool.borrow)
            try:
                await self._episode(env, await self._with_task(assignment))
            finally:
                self._pool.give_back(env)

    async def _episode(self, env: Env, assignment: Assignment) -> None:
        session = await self._in_thread(Session, env, assignment)
        self._tell_task(assignment.group, session.task_id)
        try:
            await self._contestant.play(session, env, assignment.policy_seed, self._in_thread)
        except EndpointRefusal:
            raise
        except EndpointFailure as failure:
            await self._fail(failure, session, assignment)
        else:
            await self._finish(session)

    async def _finish(self, session: Session) -> None:
        def write() -> RolloutRecord | None:
            return self._keeper.write(session.rollout(self._contestant.name))

        record: RolloutRecord | None = await self._written(write)
        if record is not None:
            self._watcher.add(record)

    async def _fail(
        self, failure: EndpointFailure, session: Session, assignment: Assignment
    ) -> None:
        line = FailureRecord.of(
            failure, assignment, task_id=session.task_id, turn=session.num_turns + 1
        )
        await self._written(lambda: self._keeper.write_failure(line))
        self._watcher.add_failure(line)

    async def _with_task(self, assignment: Assignment) -> Assignment:
        """Give the members of a group the task of its first, also where a level has moved."""
        if assignment.group in self._known_tasks:
            return replace(assignment, task=self._known_tasks[assignment.group])
        if assignment.group not in self._tasks:
            self._tasks[assignment.group] = asyncio.get_running_loop().create_future()
            return assignment
        return replace(assignment, task=await self._tasks[assignment.group])

    def _tell_task(self, group: int, task_id: str) -> None:
        shared = self._tasks.get(group)
        if shared is not None and not shared.done():
            shared.set_result(task_id)

    async def _in_thread(self, function: Any, *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._workers, function, *arguments)

    async def _written(self, write: Any) -> Any:
        """Write in the writer's thread; who is interrupted meanwhile does not stop it."""
        return await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._writer, write))
