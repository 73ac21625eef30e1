"""A run that was stopped goes on: nothing complete is repeated, nothing torn is kept."""

import gymnasium as gym
import pytest

from gym_imagetools.errors import DataError
from gym_imagetools.policies import OraclePolicy
from gym_imagetools.rollout import (
    EndpointSettings,
    RunFolder,
    RunSettings,
    Scripted,
    Tally,
    plan,
    play_plan,
    read_records,
)
from gym_imagetools.rollout.failures import FailureRecord

ENV_ID = "ImageTools/CrowdCensus-v0"
SETTINGS = RunSettings(
    env_id=ENV_ID, policy="oracle", num_tasks=3, group_size=2, seed=4, concurrency=2
)


class Counting(OraclePolicy):
    """The oracle, and how often it has played."""

    def __init__(self):
        self.seeds = []

    def start(self, env, *, seed):
        self.seeds.append(seed)
        return super().start(env, seed=seed)


def resumed(path, settings=SETTINGS):
    """Play what is left of a run; returns what had been done, and how many were played."""
    tally, policy = Tally(), Counting()
    folder, before = RunFolder.resume(path, settings, tally.add)
    folder.write_settings(settings)
    rest = before.rest_of(
        plan(settings.seed, num_tasks=settings.num_tasks, group_size=settings.group_size)
    )
    play_plan(
        gym.make(ENV_ID),
        Scripted(policy),
        rest,
        folder,
        tally,
        concurrency=settings.concurrency,
        tasks=before.tasks,
    )
    assert tally.num_rollouts == settings.num_tasks * settings.group_size
    return before, len(policy.seeds)


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    path = tmp_path_factory.mktemp("clean") / "run"
    resumed(path)
    return path


@pytest.fixture
def run(clean, tmp_path):
    """A copy of a finished run."""
    path = tmp_path / "run"
    for file in clean.rglob("*"):
        if file.is_file():
            copy = path / file.relative_to(clean)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(file.read_bytes())
    return path


def files_of(path):
    return {file.relative_to(path): file.read_bytes() for file in path.rglob("*") if file.is_file()}


def test_a_finished_run_is_left_as_it_is(run, clean):
    _, played = resumed(run)
    assert played == 0
    assert files_of(run) == files_of(clean)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.4, 0.5, 0.83, 0.999])
def test_a_run_cut_at_any_byte_comes_out_as_a_clean_one(run, clean, share):
    path = run / "rollouts.jsonl"
    data = path.read_bytes()
    cut = data[: int(len(data) * share)]
    path.write_bytes(cut)
    before, played = resumed(run)
    assert played == 6 - cut.count(b"\n")
    assert len(before.repairs) == (not cut.endswith(b"\n") and bool(cut))
    assert all("torn last line" in repair for repair in before.repairs)
    assert files_of(run) == files_of(clean)


def test_what_a_kill_leaves_half_written_is_cleared_away(run, clean):
    (run / ".rollouts.jsonl.part").write_bytes(b"half")
    (run / "images" / ".0f.png.part").write_bytes(b"half")
    resumed(run)
    assert files_of(run) == files_of(clean)


def test_an_episode_whose_picture_is_lost_is_played_again(run, clean):
    record = list(read_records(run / "rollouts.jsonl"))[2]
    (run / record.image_tools_output_paths[0]).unlink()
    before, played = resumed(run)
    assert played >= 1
    assert "picture" in before.repairs[0]
    assert files_of(run) == files_of(clean)


def test_failures_are_played_again_and_forgotten(run, clean):
    path = run / "rollouts.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    failure = FailureRecord(
        task_index=2, rollout_index=1, task_id="t", seed=1, turn=1, kind="timeout", status=0,
        message="no reply in time",
    )  # fmt: skip
    (run / "failures.jsonl").write_text(failure.line())
    _, played = resumed(run)
    assert played == 1
    assert files_of(run) == files_of(clean)


def test_a_longer_run_goes_on_where_a_shorter_one_ended(run):
    _, played = resumed(run, SETTINGS.model_copy(update={"num_tasks": 4, "concurrency": 3}))
    assert played == 2


def test_a_folder_without_a_run_is_begun(tmp_path):
    _, before = RunFolder.resume(tmp_path / "new", SETTINGS, Tally().add)
    assert before.done == set()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"seed": 5}, "seed 5 in place of 4"),
        ({"env_id": "ImageTools/Maze-v0"}, "env_id"),
        ({"env_kwargs": {"difficulty": 2}}, "env_kwargs"),
        ({"group_size": 3}, "group_size"),
        ({"policy": "random"}, "policy"),
        ({"version": "0"}, "version"),
        ({"endpoint": EndpointSettings(model="m")}, "endpoint.model"),
    ],
)
def test_a_run_of_other_settings_is_refused_and_left_alone(run, clean, change, named):
    with pytest.raises(DataError, match=named):
        RunFolder.resume(run, SETTINGS.model_copy(update=change), Tally().add)
    assert files_of(run) == files_of(clean)


@pytest.mark.parametrize(
    "change", [{"base_url": "http://127.0.0.1:2/v1"}, {"timeout_s": 1.0}, {"max_retries": 9}]
)
def test_the_way_to_a_model_may_change(change):
    endpoint = EndpointSettings(model="m", base_url="http://127.0.0.1:1/v1")
    one = SETTINGS.model_copy(update={"endpoint": endpoint})
    other = SETTINGS.model_copy(update={"endpoint": endpoint.model_copy(update=change)})
    assert one.differences(other) == []


def test_a_password_in_an_address_is_not_kept():
    settings = EndpointSettings(model="m", base_url="http://me:secret@host:8000/v1")
    assert settings.without_credentials().base_url == "http://host:8000/v1"
    assert EndpointSettings(model="m").without_credentials().base_url is None


@pytest.mark.parametrize("settings", [b"", b"[]", b"{", b'{"seed": 1}'])
def test_a_folder_with_other_settings_than_ours_is_refused(run, settings):
    (run / "run.json").write_bytes(settings)
    with pytest.raises(DataError, match=r"run\.json to hold the settings"):
        RunFolder.resume(run, SETTINGS, Tally().add)


def test_a_broken_line_before_the_last_is_named(run):
    path = run / "rollouts.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], b"{broken\n", *lines[2:]]))
    with pytest.raises(DataError, match="line 2 of"):
        RunFolder.resume(run, SETTINGS, Tally().add)
