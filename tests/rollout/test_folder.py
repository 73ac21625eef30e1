"""The folder of a run: one writer at a time, safe on the disk, and never in anybody's way."""

import os
import signal
import subprocess
import sys
import time

import gymnasium as gym
import pytest

from gym_imagetools.errors import DataError
from gym_imagetools.policies import OraclePolicy
from gym_imagetools.rollout import RunFolder, RunSettings, play_episode, read_records, run_folder
from gym_imagetools.rollout.failures import FailureRecord
from gym_imagetools.rollout.replay import Replayer
from gym_imagetools.rows.reader import SAMPLE

SETTINGS = RunSettings(
    env_id="ImageTools/CrowdCensus-v0", policy="oracle", num_tasks=2, group_size=1, seed=4
)
HOLD = """
import sys, time
from pathlib import Path
from gym_imagetools.rollout import RunFolder
folder = RunFolder(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture(scope="module")
def rollout():
    return play_episode(gym.make(SETTINGS.env_id), OraclePolicy(), seed=4)


@pytest.fixture
def holder(tmp_path):
    """Another process that writes into the folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def names_in(path):
    return sorted(entry.name for entry in path.iterdir())


def test_a_folder_that_another_process_writes_into_is_refused(holder, tmp_path):
    with pytest.raises(DataError, match=f"process {holder.pid} is writing"):
        RunFolder(tmp_path)
    (tmp_path / "run.json").write_text(SETTINGS.model_dump_json())
    with pytest.raises(DataError, match=f"process {holder.pid} is writing"):
        RunFolder.resume(tmp_path, SETTINGS, print)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_the_lock_of_a_dead_process_is_taken_over(holder, tmp_path, how):
    holder.send_signal(how)
    holder.wait()
    assert names_in(tmp_path) == [".lock"]
    folder = RunFolder(tmp_path)
    assert (tmp_path / ".lock").read_text() == str(os.getpid())
    del folder
    assert names_in(tmp_path) == []


def test_a_folder_is_free_again_when_it_was_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(DataError, match="empty folder"):
        RunFolder(tmp_path)
    assert names_in(tmp_path) == ["notes.txt"]


def test_a_folder_is_free_when_its_writer_is_closed(tmp_path):
    folder = RunFolder(tmp_path)
    with pytest.raises(DataError, match=f"process {os.getpid()} is writing"):
        RunFolder(tmp_path)
    folder.close()
    folder.close()
    RunFolder(tmp_path)


def test_what_is_written_is_on_the_disk_within_a_second(rollout, monkeypatch, tmp_path):
    folder, synced = RunFolder(tmp_path), []
    monkeypatch.setattr(RunFolder, "sync", lambda self: synced.append(time.monotonic()))
    folder.write(rollout)
    assert synced == []
    monkeypatch.setattr(run_folder, "SYNC_EVERY_S", 0.0)
    folder.write(rollout)
    assert len(synced) == 1


def test_pictures_are_on_the_disk_before_the_lines_that_name_them(rollout, monkeypatch, tmp_path):
    folder, synced = RunFolder(tmp_path), []
    folder.write(rollout)
    for module in ("lines", "pictures"):
        monkeypatch.setattr(f"gym_imagetools.rollout.{module}.sync_file", synced.append)
    folder.sync()
    pictures = sorted((tmp_path / "images").iterdir())
    assert sorted(synced[: len(pictures)]) == pictures
    assert synced[len(pictures) :] == [tmp_path / "images", tmp_path / "rollouts.jsonl", tmp_path]


@pytest.mark.parametrize("spoilt", [b"", b"half a picture"])
def test_a_picture_that_a_power_cut_has_spoilt_is_written_anew(rollout, tmp_path, spoilt):
    folder = RunFolder(tmp_path)
    folder.write_settings(SETTINGS)
    record = folder.write(rollout)
    del folder
    picture = tmp_path / record.image_tools_output_paths[0]
    whole = picture.read_bytes()
    picture.write_bytes(spoilt)
    folder, before = RunFolder.resume(tmp_path, SETTINGS, print)
    assert before.done == set()
    assert "is lost" in before.repairs[0]
    folder.write(rollout)
    assert picture.read_bytes() == whole


def test_a_record_that_names_other_files_leaves_them_alone(rollout, tmp_path):
    (tmp_path / "mine.png").write_bytes(b"mine")
    path = tmp_path / "run"
    folder = RunFolder(path)
    folder.write_settings(SETTINGS)
    record = folder.write(rollout)
    del folder
    lines = path / "rollouts.jsonl"
    lines.write_text(lines.read_text().replace(record.image_tools_output_paths[0], "../mine.png"))
    _, before = RunFolder.resume(path, SETTINGS, print)
    assert before.done == set()
    assert (tmp_path / "mine.png").read_bytes() == b"mine"


def fail_first_episode(path, settings=SETTINGS):
    folder = RunFolder(path)
    folder.write_settings(settings)
    (path / "images").mkdir()
    (path / "images" / "0123456789abcdef.png").write_bytes(b"of no record")
    failure = FailureRecord(
        task_index=0, rollout_index=0, task_id="t", seed=1, turn=1, kind="status", status=503,
        message="busy",
    )  # fmt: skip
    folder.write_failure(failure)


OTHERS = [SETTINGS, SETTINGS.model_copy(update={"seed": 5})]


@pytest.mark.parametrize("settings", OTHERS)
@pytest.mark.parametrize("is_resumed", [False, True])
def test_a_run_that_failed_at_once_is_in_nobodys_way(tmp_path, settings, is_resumed):
    fail_first_episode(tmp_path)
    if is_resumed:
        folder, before = RunFolder.resume(tmp_path, settings, print)
        assert before.done == set()
    else:
        folder = RunFolder(tmp_path)
        assert not (tmp_path / "images").exists()
    assert not folder.failures_path.exists()


def test_a_run_with_a_complete_episode_is_kept(rollout, tmp_path):
    folder = RunFolder(tmp_path)
    folder.write_settings(SETTINGS)
    folder.write(rollout)
    del folder
    with pytest.raises(DataError, match="empty folder"):
        RunFolder(tmp_path)
    with pytest.raises(DataError, match="seed 5 in place of 4"):
        RunFolder.resume(tmp_path, OTHERS[1], print)
    assert len(list(read_records(tmp_path / "rollouts.jsonl"))) == 1


@pytest.mark.parametrize("text", ["{}", "[1]", "mine", '{"env_id": "other"}'])
def test_a_file_that_only_has_the_name_of_settings_is_kept(tmp_path, text):
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(DataError, match="empty folder"):
        RunFolder(tmp_path)
    with pytest.raises(DataError, match="settings of a run"):
        RunFolder.resume(tmp_path, SETTINGS, print)
    assert (tmp_path / "run.json").read_text() == text


@pytest.mark.parametrize("form", ["path", "entry"])
def test_a_run_of_a_relative_file_holds_in_any_working_folder(tmp_path, monkeypatch, form):
    (tmp_path / "rows").symlink_to(SAMPLE.parent)
    monkeypatch.chdir(tmp_path)
    path = "rows/rows.jsonl"
    data = {"name": "sample", "type": "example", "path": path} if form == "entry" else path
    keywords = {"data": data, "data_root": "rows"}
    settings = RunSettings(
        env_id="ImageTools/Dataset-v0", env_kwargs=keywords, policy="demonstration",
        num_tasks=1, group_size=1, seed=1,
    )  # fmt: skip
    in_full = str(tmp_path / path)
    found = settings.env_kwargs["data"]
    assert (found["path"] if form == "entry" else found) == in_full
    assert settings.env_kwargs["data_root"] == str(tmp_path / "rows")
    env = gym.make(settings.env_id, **keywords)
    record = RunFolder(tmp_path / "run").write(play_episode(env, OraclePolicy(), task=0))
    assert record.env_kwargs == settings.env_kwargs
    monkeypatch.chdir("/")
    with Replayer() as replayer:
        assert replayer.replay(record).differences == ()
