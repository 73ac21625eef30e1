import asyncio
import errno
import gc
import sys
import threading

import gymnasium as gym
import pytest

from gym_imagetools.endpoints import EndpointFailure, EndpointRefusal
from gym_imagetools.policies import OraclePolicy
from gym_imagetools.rollout import RunFolder, Scripted, Tally, plan, play_plan, read_records
from gym_imagetools.rollout.env_pool import EnvPool

ENV_ID = "ImageTools/CrowdCensus-v0"


class Answering:
    """Answers B after a while, and counts how many wait at once."""

    name = "answering"

    def __init__(self, turns=None):
        self.turns = turns
        self.waiting = self.most = 0
        self.loop_threads = set()
        self.is_closed = False

    async def open(self):
        pass

    async def play(self, session, env, seed, in_thread):
        self.loop_threads.add(threading.current_thread().name)
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        await asyncio.sleep(0.01)
        self.waiting -= 1
        await self.answer(session, in_thread)

    async def answer(self, session, in_thread):
        await in_thread(session.play, "\\boxed{B}")

    async def close(self):
        self.is_closed = True


class Gathering(Answering):
    """Answers when so many episodes wait."""

    def __init__(self, count):
        super().__init__()
        self.gate = asyncio.Barrier(count)

    async def answer(self, session, in_thread):
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        async with asyncio.timeout(120):
            await self.gate.wait()
        self.waiting -= 1
        await super().answer(session, in_thread)


class Failing(Answering):
    """Raises for one group."""

    def __init__(self, error, group=1):
        super().__init__()
        self.error, self.group = error, group

    async def answer(self, session, in_thread):
        if session._assignment.group == self.group:
            raise self.error
        await super().answer(session, in_thread)


def play(path, contestant, *, num_tasks=4, group_size=1, concurrency=2, keywords=None, env=ENV_ID):
    tally, folder = Tally(), RunFolder(path)
    assignments = plan(1, num_tasks=num_tasks, group_size=group_size)
    made = gym.make(env, **(keywords or {}))
    play_plan(made, contestant, assignments, folder, tally, concurrency=concurrency)
    return tally, list(read_records(folder.rollouts_path))


@pytest.mark.parametrize("concurrency", [1, 3, 64])
def test_so_many_episodes_are_in_flight_and_no_more(concurrency, tmp_path):
    most = min(concurrency, 12)
    contestant = Gathering(most)
    tally, records = play(tmp_path, contestant, num_tasks=12, concurrency=concurrency)
    assert contestant.most == most
    assert tally.num_rollouts == len(records) == 12
    assert contestant.is_closed


def test_the_order_of_the_records_is_that_of_the_plan(tmp_path):
    _, records = play(tmp_path, Answering(), num_tasks=5, group_size=3, concurrency=8)
    places = [(record.task_index, record.rollout_index) for record in records]
    assert places == sorted(places)
    assert len(places) == 15


@pytest.mark.parametrize("concurrency", [1, 6])
@pytest.mark.parametrize("difficulty", [2, "adaptive"])
def test_the_members_of_a_group_share_their_task(concurrency, difficulty, tmp_path):
    keywords = {"families": ["CrowdCensus", "Maze"], "difficulty": difficulty}
    contestant = Scripted(OraclePolicy())
    _, records = play(
        tmp_path, contestant, num_tasks=7, group_size=4, concurrency=concurrency,
        keywords=keywords, env="ImageTools/Mixed-v0",
    )  # fmt: skip
    tasks = {(record.task_index, record.task_id) for record in records}
    assert len(tasks) == 7
    assert all(record.reward == 1.0 for record in records)


def test_all_environments_of_a_run_teach_one_adaptive_difficulty(tmp_path):
    env = gym.make("ImageTools/Mixed-v0", families=["CrowdCensus"], difficulty="adaptive")
    folder = RunFolder(tmp_path)
    play_plan(env, Scripted(OraclePolicy()), plan(1, num_tasks=45), folder, Tally(), concurrency=3)
    assert env.get_wrapper_attr("source").controller.level("CrowdCensus") >= 2


def test_an_endpoint_failure_is_a_line_of_its_own_and_the_run_goes_on(tmp_path):
    error = EndpointFailure("no reply in time", "timeout")
    tally, records = play(tmp_path, Failing(error), group_size=2)
    assert (tally.num_failures, tally.num_rollouts) == (2, 6)
    assert {record.task_index for record in records} == {0, 2, 3}
    lines = (tmp_path / "failures.jsonl").read_text().splitlines()
    assert len(lines) == 2
    assert '"kind":"timeout"' in lines[0]


@pytest.mark.parametrize(
    "error",
    [
        EndpointRefusal("401", "status", 401),
        OSError(errno.ENOSPC, "No space left on device"),
        KeyboardInterrupt(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_stops_a_run_leaves_whole_lines(error, tmp_path):
    contestant = Failing(error, group=5)
    with pytest.raises(type(error)):
        play(tmp_path, contestant, num_tasks=20, concurrency=2)
    assert contestant.is_closed
    records = list(read_records(tmp_path / "rollouts.jsonl"))
    assert 3 <= len(records) < 20
    assert 5 not in {record.task_index for record in records}


def test_no_endpoint_is_needed_where_nothing_is_left_to_play(tmp_path):
    class Unreachable(Answering):
        async def open(self):
            raise EndpointRefusal("none", "connection")

    folder = RunFolder(tmp_path)
    play_plan(gym.make(ENV_ID), Unreachable(), [], folder, Tally())


def test_concurrency_out_of_range_is_named(tmp_path):
    with pytest.raises(ValueError, match="concurrency >= 1"):
        play(tmp_path, Answering(), concurrency=0)


def test_lent_environments_are_used_again_and_share_their_source():
    env = gym.make("ImageTools/Dataset-v0")
    pool = EnvPool(env)
    one, two = pool.borrow(), pool.borrow()
    assert one is env
    assert two is not env
    assert two.get_wrapper_attr("source") is env.get_wrapper_attr("source")
    pool.give_back(two)
    assert pool.borrow() is two


def test_copies_play_as_their_original():
    env = gym.make(ENV_ID, difficulty=3)
    pool = EnvPool(env)
    one, two = pool.borrow(), pool.borrow()
    assert one.reset(seed=3)[1] == two.reset(seed=3)[1]
    one.step("\\boxed{1}")
    assert two.get_wrapper_attr("exchanges") == ()


def test_the_garbage_collector_is_as_before_after_a_run(tmp_path):
    before = gc.get_threshold(), gc.get_freeze_count(), sys.getswitchinterval()
    play(tmp_path, Answering(), num_tasks=1)
    assert (gc.get_threshold(), gc.get_freeze_count(), sys.getswitchinterval()) == before
