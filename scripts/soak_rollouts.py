"""A long run over the loopback, and one that is killed again and again.

Tells how much memory it takes, how long the event loop stands still, and whether the killed run
comes out as the clean one:

    python scripts/soak_rollouts.py --tasks 250 --group-size 8 --concurrency 256 --kills 10

The oracle stands behind a scripted server in a process of its own; everything is real but it.
`make soak` runs it without kills, `make soak-kills` with ten of them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import gymnasium as gym
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from gym_imagetools.endpoints import Endpoint
from gym_imagetools.rollout import Model, RolloutRecord, RunFolder, Tally, plan, play_plan
from tests.endpoints.served import oracle_turns
from tests.endpoints.server import MODEL, Script, serving

SEED = 1
TICK_S = 0.005
COMMAND = [sys.executable, "-c", "from gym_imagetools.cli import app; app()", "rollout"]


class Watched(Model):
    """A model whose event loop is watched by a clock.

    Attributes:
        stalls_s: How late the loop called what was due, in seconds: what other processes took, too.
        busy_s: How long the loop's own thread computed each time, in seconds.
    """

    async def open(self) -> None:
        """Start the clock."""
        await super().open()
        self.stalls_s: list[float] = []
        self.busy_s: list[float] = []
        self._set()

    async def close(self) -> None:
        """Stop the clock."""
        self._clock.cancel()
        await super().close()

    def _set(self) -> None:
        loop = asyncio.get_running_loop()
        due_s = loop.time() + TICK_S
        self._clock = loop.call_at(due_s, self._ring, due_s, time.thread_time())

    def _ring(self, due_s: float, computed_s: float) -> None:
        self.stalls_s.append(asyncio.get_running_loop().time() - due_s)
        self.busy_s.append(time.thread_time() - computed_s)
        self._set()


class Memory(Tally):
    """Notes the memory in use at every hundredth episode."""

    def __init__(self) -> None:
        super().__init__()
        self.megabytes: list[int] = []

    def add(self, record: RolloutRecord) -> None:
        """Add a record."""
        super().add(record)
        if self.num_rollouts % 100 == 0:
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            self.megabytes.append(pages * resource.getpagesize() // 2**20)


def _serve(env_id: str, num_tasks: int, delay_s: float, pipe: Connection) -> None:
    table = oracle_turns(env_id, {}, num_tasks=num_tasks, seed=SEED)
    script = Script("vllm", table, delay_s=delay_s, keeps_requests=False)
    with serving(script) as server:
        pipe.send(server.base_url)
        pipe.recv()


@contextmanager
def _server(env_id: str, num_tasks: int, delay_s: float) -> Iterator[str]:
    context = multiprocessing.get_context("spawn")
    mine, its = context.Pipe()
    process = context.Process(target=_serve, args=(env_id, num_tasks, delay_s, its), daemon=True)
    process.start()
    try:
        yield mine.recv()
    finally:
        mine.send("done")
        process.join()


def _soak(options: argparse.Namespace, base_url: str) -> None:
    folder, tally = RunFolder(options.out / "soak"), Memory()
    endpoint = Endpoint(
        base_url, MODEL, server="vllm", api_key="none", concurrency=options.concurrency
    )
    model = Watched(endpoint)
    assignments = plan(SEED, num_tasks=options.tasks, group_size=options.group_size)
    started_s = time.monotonic()
    play_plan(
        gym.make(options.env),
        model,
        assignments,
        folder,
        tally,
        concurrency=options.concurrency,
    )
    figures = {
        "rollouts": tally.num_rollouts,
        "failures": tally.num_failures,
        "mean_reward": tally.mean("reward"),
        "seconds": round(time.monotonic() - started_s, 1),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "mb_at_every_100": tally.megabytes,
        "stall_ms": _percentiles_ms(model.stalls_s),
        "busy_ms": _percentiles_ms(model.busy_s),
    }
    sys.stdout.write(json.dumps(figures) + "\n")
    if tally.num_rollouts != len(assignments) or tally.mean("reward") != 1.0:
        sys.exit("Expected every episode to be complete and right.")


def _percentiles_ms(seconds: list[float]) -> dict[str, float]:
    values = np.percentile(1000 * np.array(seconds), [50, 99, 100])
    return dict(zip(("median", "p99", "worst"), values.round(1).tolist(), strict=True))


def _kill(options: argparse.Namespace, base_url: str) -> None:
    """Kill a run at random moments and compare what comes out with the clean run."""
    path, rng = options.out / "killed", np.random.default_rng(SEED)
    words = {
        "--env": options.env, "--num-tasks": options.tasks, "--group-size": options.group_size,
        "--seed": SEED, "--concurrency": options.concurrency, "--base-url": base_url,
        "--server": "vllm", "--model": MODEL, "--out": path,
    }  # fmt: skip
    command = [*COMMAND, *(str(word) for pair in words.items() for word in pair), "--resume"]
    total = options.tasks * options.group_size
    for moment in sorted(rng.integers(0, total, size=options.kills)):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while process.poll() is None and _num_lines(path) < moment:
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.5))
        process.kill()
        process.wait()
        sys.stdout.write(f"killed with {_num_lines(path)} complete episodes\n")
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    same = _files_of(path) == _files_of(options.out / "soak")
    sys.stdout.write(f"the same files as the clean run: {same}\n")
    if not same:
        sys.exit(1)


def _files_of(path: Path) -> dict[str, bytes]:
    """Return the records and the pictures of a run by their names."""
    files = [path / "rollouts.jsonl", *(path / "images").iterdir()]
    return {str(file.relative_to(path)): file.read_bytes() for file in files}


def _num_lines(path: Path) -> int:
    lines = path / "rollouts.jsonl"
    return lines.read_bytes().count(b"\n") if lines.exists() else 0


def main() -> None:
    """Run the soak, then the kills."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--env", default="ImageTools/CrowdCensus-v0")
    parser.add_argument("--tasks", type=int, default=250)
    parser.add_argument("--group-size", type=int, default=8)
    parser.add_argument("--concurrency", type=int, default=256)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--delay-s", type=float, default=0.2)
    parser.add_argument("--out", type=Path, default=Path("runs/soak"))
    options = parser.parse_args()
    shutil.rmtree(options.out, ignore_errors=True)
    with _server(options.env, options.tasks, options.delay_s) as base_url:
        _soak(options, base_url)
        if options.kills:
            _kill(options, base_url)


if __name__ == "__main__":
    main()
