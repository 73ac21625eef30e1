"""A real vision-language model, served by ``transformers serve``, plays: ``make test-model``."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import gymnasium as gym
import pytest

from gym_imagetools.rollout import read_records

pytest.importorskip("transformers", reason="make test-model installs it")
pytest.importorskip("uvicorn", reason="make test-model installs it")

ENV, TASKS, GROUP = "ImageTools/CrowdCensus-v0", 10, 2
UP_WITHIN_S = 120
SURROUNDINGS = {**os.environ, "HF_HUB_OFFLINE": "1", "OPENAI_API_KEY": "any"}
COMMAND = [sys.executable, "-c", "from gym_imagetools.cli import app; app()"]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    from tests.model.tiny_gemma import build

    env = gym.make(ENV)
    env.reset(seed=1)
    prompt = json.dumps(env.get_wrapper_attr("prompt")[0])
    folder = tmp_path_factory.mktemp("model")
    build(folder, [prompt])
    return folder


@contextmanager
def served(model, log: Path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["serve", str(model), "--host", "127.0.0.1", "--port", str(port)]
    words += ["--device", "cpu", "--dtype", "float32"]
    command = [Path(sys.executable).with_name("transformers"), *words]
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out, env=SURROUNDINGS)
    try:
        wait_for(f"http://127.0.0.1:{port}/health", process, log)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait()


def wait_for(address, process, log):
    for _ in range(UP_WITHIN_S):
        assert process.poll() is None, log.read_text()
        try:
            urllib.request.urlopen(address, timeout=5).close()
        except OSError:
            time.sleep(1)
        else:
            return
    raise AssertionError(log.read_text())


def run(*words):
    finished = subprocess.run(
        [*COMMAND, *map(str, words)],
        env=SURROUNDINGS,
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_a_served_model_plays_and_its_record_holds(model, tmp_path, api):
    out = tmp_path / "run"
    with served(model, tmp_path / "server.log") as base_url:
        options = {
            "--env": ENV, "--num-tasks": TASKS, "--group-size": GROUP, "--concurrency": 4,
            "--server": "transformers", "--api": api, "--base-url": base_url, "--model": model,
            "--max-output-tokens": 24, "--temperature": 1, "--out": out,
        }  # fmt: skip
        run("rollout", *(word for option in options.items() for word in option))
    records = list(read_records(out / "rollouts.jsonl"))
    places = [(record.task_index, record.rollout_index) for record in records]
    assert places == [(task, member) for task in range(TASKS) for member in range(GROUP)]
    assert not (out / "failures.jsonl").exists()
    assert all(record.usage and record.usage["output_tokens"] for record in records)
    assert f"{len(records)} episodes come out as recorded" in run("verify", out)
    assert f"{len(records)} episodes" in run("metrics", out)
    run("report", out)
