"""A run in a process of its own, killed or interrupted while it runs."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from gym_imagetools.rollout import read_records
from tests.endpoints.runs import CENSUS, SEED, script_of
from tests.endpoints.server import MODEL, serving

TASKS, GROUP = 6, 4
COMMAND = [sys.executable, "-c", "from gym_imagetools.cli import app; app()", "rollout"]


def start(server, path, *words):
    options = {
        "--env": CENSUS, "--num-tasks": TASKS, "--group-size": GROUP, "--seed": SEED,
        "--concurrency": 4, "--base-url": server.base_url, "--model": MODEL, "--out": path,
    }  # fmt: skip
    flat = [str(word) for option in options.items() for word in option]
    return subprocess.Popen(
        [*COMMAND, *flat, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finish(server, path, *words):
    process = start(server, path, *words)
    out, errors = process.communicate(timeout=120)
    assert process.returncode == 0, out + errors
    return errors


def wait_for_lines(path, count, process):
    file = path / "rollouts.jsonl"
    while not (file.exists() and file.read_bytes().count(b"\n") >= count):
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)


def files_of(path):
    kept = {"run.json"}
    files = [file for file in path.rglob("*") if file.is_file() and file.name not in kept]
    return {file.relative_to(path): file.read_bytes() for file in files}


@pytest.fixture(scope="module")
def server():
    # A run of some seconds: what is complete is written once a second.
    with serving(script_of("vllm", CENSUS, {}, TASKS, delay_s=0.25, keeps_requests=False)) as one:
        yield one


@pytest.fixture(scope="module")
def clean(server, tmp_path_factory):
    path = tmp_path_factory.mktemp("clean") / "run"
    finish(server, path)
    return files_of(path)


def test_a_run_killed_at_random_moments_comes_out_as_a_clean_one(server, clean, tmp_path):
    path = tmp_path / "run"
    for count in sorted(np.random.default_rng(7).integers(0, TASKS * GROUP - 2, size=3)):
        process = start(server, path, "--resume")
        wait_for_lines(path, int(count), process)
        process.kill()
        process.communicate()
    finish(server, path, "--resume")
    assert files_of(path) == clean


def test_an_interrupted_run_writes_what_is_complete_and_tells_how_to_go_on(server, clean, tmp_path):
    path = tmp_path / "run"
    process = start(server, path)
    wait_for_lines(path, 3, process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    (line,) = errors.splitlines()
    written = list(read_records(path / "rollouts.jsonl"))
    assert line.startswith(f"Interrupted. ({len(written)} complete episodes are written; ")
    assert "--resume" in line
    assert 3 <= len(written) < TASKS * GROUP
    finish(server, path, "--resume")
    assert files_of(path) == clean
