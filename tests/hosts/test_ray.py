"""Runs on a real cluster of three nodes on this machine."""

import json
import subprocess
import sys

import gymnasium as gym
import numpy as np
import pytest

pytest.importorskip("ray.data", reason="the ray extra is missing")

import ray

from gym_imagetools.adapters import ray as adapter
from gym_imagetools.endpoints import EndpointFailure, EndpointRefusal
from gym_imagetools.errors import DataError
from gym_imagetools.rollout import (
    FailureRecord,
    RunFolder,
    RunSettings,
    Tally,
    plan,
    play_plan,
)
from tests.hosts import ray_players
from tests.hosts.ray_cluster import REPOSITORY, files_of, nodes
from tests.hosts.recipes import run_recipe

# Ray leaves sockets and processes behind, and warns of itself.
pytestmark = pytest.mark.filterwarnings("default")

MAZE, DATASET = "ImageTools/Maze-v0", "ImageTools/Dataset-v0"


@pytest.fixture(scope="module")
def cluster():
    with nodes(3) as cluster:
        yield cluster


def on_one_machine(env_id, keywords, contestant, assignments, folder) -> Tally:
    tally = Tally()
    play_plan(gym.make(env_id, **keywords), contestant, assignments, folder, tally, concurrency=4)
    return tally


def on_cluster(env_id, keywords, make_contestant, assignments, folder, **more) -> Tally:
    tally = Tally()
    adapter.play_on_cluster(
        env_id, keywords, make_contestant, assignments, folder, tally, concurrency=2, **more
    )
    return tally


@pytest.mark.parametrize(
    ("env_id", "keywords", "available"),
    [(MAZE, {"difficulty": 2}, None), (DATASET, {"max_tool_calls": 5}, 12)],
)
def test_a_run_leaves_the_same_bytes_as_on_one_machine(
    cluster, tmp_path, env_id, keywords, available
):
    assignments = plan(7, num_tasks=12, group_size=2, available=available)
    policy = ray_players.oracle if available is None else ray_players.demonstration
    alone, together = RunFolder(tmp_path / "alone"), RunFolder(tmp_path / "together")
    first = on_one_machine(env_id, keywords, policy(), assignments, alone)
    second = on_cluster(env_id, keywords, policy, assignments, together)
    assert files_of(alone.path) == files_of(together.path)
    # Episodes end in any order, and so do the last digits of sums.
    assert vars(first) | {"sums": None} == vars(second) | {"sums": None}
    assert dict(second.sums) == pytest.approx(dict(first.sums))


def test_a_run_that_was_begun_on_one_machine_ends_on_the_cluster(cluster, tmp_path):
    assignments = plan(7, num_tasks=8, group_size=3)
    settings = RunSettings(env_id=MAZE, policy="oracle", num_tasks=8, group_size=3, seed=7)
    whole = RunFolder(tmp_path / "whole")
    whole.write_settings(settings)
    on_one_machine(MAZE, {}, ray_players.oracle(), assignments, whole)
    begun = RunFolder(tmp_path / "begun")
    begun.write_settings(settings)
    on_one_machine(MAZE, {}, ray_players.oracle(), assignments[:10], begun)
    del begun
    folder, before = RunFolder.resume(tmp_path / "begun", settings, lambda record: None)
    rest = before.rest_of(assignments)
    assert len(rest) == 14
    on_cluster(MAZE, {}, ray_players.oracle, rest, folder, tasks=before.tasks)
    assert files_of(tmp_path / "whole") == files_of(tmp_path / "begun")


def test_an_episode_that_comes_twice_is_written_once(tmp_path):
    assignments = plan(3, num_tasks=3, group_size=2)
    worker = adapter.Worker(MAZE, {}, ray_players.oracle, 2)
    (*tasks,) = adapter.task_rows(assignments, {})
    batch = {key: [row[key] for row in tasks] for key in ("group", "episodes")}
    columns = worker(batch)
    rows = [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]
    folder, tally = RunFolder(tmp_path / "run"), Tally()
    adapter.keep(iter(rows + rows[:3] + rows), folder, tally)
    assert tally.num_rollouts == folder.num_rollouts == 6


def test_failures_are_kept_as_failures(cluster, tmp_path):
    folder = RunFolder(tmp_path / "run")
    assignments = plan(0, num_tasks=12, available=12)
    tally = on_cluster(DATASET, {}, ray_players.Flaky, assignments, folder)
    assert (tally.num_rollouts, tally.num_failures) == (6, 6)
    lines = folder.failures_path.read_text().splitlines()
    failures = [FailureRecord.model_validate_json(line) for line in lines]
    assert [failure.task_index for failure in failures] == [1, 3, 5, 7, 9, 11]
    assert {failure.kind for failure in failures} == {"timeout"}


def test_what_ends_a_run_is_raised_on_the_driver(cluster, tmp_path):
    assignments = plan(0, num_tasks=12, available=12)
    folder = RunFolder(tmp_path / "refused")
    with pytest.raises(EndpointRefusal, match="the key is refused") as refusal:
        on_cluster(DATASET, {}, ray_players.Refused, assignments, folder)
    assert refusal.value.status == 401
    assert folder.num_rollouts == 0
    with pytest.raises(DataError, match="Expected a picture"):
        on_cluster(DATASET, {}, ray_players.Spoilt, assignments, RunFolder(tmp_path / "spoilt"))


@pytest.mark.parametrize(
    ("keywords", "numbers"),
    [
        ({"difficulty": "adaptive"}, {}),
        ({}, {"concurrency": 0}),
        ({}, {"num_workers": 0}),
    ],
)
def test_what_cannot_be_fanned_out_is_refused_before_anything_is_played(
    tmp_path, keywords, numbers
):
    folder = RunFolder(tmp_path / "run")
    with pytest.raises(ValueError, match="Expected"):
        adapter.play_on_cluster(
            "ImageTools/Mixed-v0",
            keywords,
            ray_players.oracle,
            plan(0, num_tasks=1),
            folder,
            Tally(),
            **numbers,
        )


def test_failures_of_endpoints_travel_whole():
    import pickle

    for kind in (EndpointFailure, EndpointRefusal):
        error = pickle.loads(pickle.dumps(kind("no such model", "status", 404)))
        assert (type(error), str(error), error.kind, error.status) == (
            kind,
            "no such model",
            "status",
            404,
        )


def test_a_vector_environment_in_an_actor_plays_as_one_at_hand(cluster):
    actor = ray.remote(adapter.VectorEnvActor).remote(MAZE, num_envs=3, difficulty=2)
    local = gym.make_vec(MAZE, num_envs=3, difficulty=2, autoreset_mode="Disabled")
    rotate = {"name": "image_rotate_tool", "arguments": {"degrees": 90}}
    steps = [
        (ray.get(actor.reset.remote(seed=5)), local.reset(seed=5)),
        (ray.get(actor.step.remote((rotate,) * 3)), local.step((rotate,) * 3)),
        (ray.get(actor.step.remote(("no idea",) * 3)), local.step(("no idea",) * 3)),
    ]
    for theirs, ours in steps:
        assert theirs[0]["text"] == ours[0]["text"]
        for mine, other in zip(theirs[0]["images"], ours[0]["images"], strict=True):
            assert all(np.array_equal(*pair) for pair in zip(mine, other, strict=True))
        assert theirs[-1]["task_id"].tolist() == ours[-1]["task_id"].tolist()
    assert steps[-1][0][1].tolist() == steps[-1][1][1].tolist()
    ray.get(actor.close.remote())


def cli(*words):
    command = [sys.executable, "-c", "from gym_imagetools.cli import app; app()", *map(str, words)]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)


def test_the_command_line_plays_on_a_cluster_and_resumes(cluster, tmp_path):
    base = ("rollout", "--env", MAZE, "-k", "difficulty=2", "--group-size", 2, "--seed", 3)
    alone = cli(*base, "--num-tasks", 6, "--out", tmp_path / "alone", "--quiet")
    assert alone.returncode == 0, alone.stderr
    fanned = (*base, "--ray", cluster.address, "--ray-workers", 2, "--out", tmp_path / "fanned")
    first = cli(*fanned, "--num-tasks", 3, "--log-json")
    assert first.returncode == 0, first.stderr
    assert json.loads(first.stdout.splitlines()[-1])["rollouts"] == 6
    again = cli(*fanned, "--num-tasks", 6, "--quiet", "--resume")
    assert again.returncode == 0, again.stderr
    assert files_of(tmp_path / "alone") == files_of(tmp_path / "fanned")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--ray-workers", 2), "--ray ADDRESS"),
        (("--ray", "127.0.0.1:1"), "127.0.0.1:1"),
        (("--ray", "auto", "-k", "difficulty=adaptive"), "fixed difficulty"),
    ],
)
def test_the_command_line_refuses_in_one_line(tmp_path, words, expected):
    base = ("rollout", "--env", "ImageTools/Mixed-v0", "--out", tmp_path / "run")
    result = cli(*base, *words)
    assert result.returncode == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: ")
    assert expected in line


def test_the_recipe_runs(cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_recipe("Ray", address=cluster.address)
    assert len((tmp_path / "runs" / "maze" / "rollouts.jsonl").read_text().splitlines()) == 16
