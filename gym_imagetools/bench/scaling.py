"""Many episodes in one process: what threads give, and what memory is held."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Iterator
from typing import Any

import gymnasium as gym

from gym_imagetools.bench.episodes import CALLS
from gym_imagetools.bench.table import Figure
from gym_imagetools.images.cache import ENCODED, PIXELS

_PUZZLE = "ImageTools/CrowdCensus-v0"
_LEVEL = 5


def measure_vector(*, num_runs: int) -> Iterator[Figure]:
    """Yield how much faster two threads step eight episodes than one does.

    Args:
        num_runs: Counted runs of each.
    """
    ratios = sorted(_episodes_s(1) / _episodes_s(2) for _ in range(num_runs))
    ratio = ratios[len(ratios) // 2]
    spread = (ratios[-1] - ratios[0]) / ratio
    title = "two threads / one, eight episodes"
    yield Figure("vector", title, ratio, "x", spread, ">= 1.8", ratio >= 1.8)


def _episodes_s(num_workers: int) -> float:
    """Return the wall time of a step of eight episodes that share nothing."""
    PIXELS.clear()
    envs = gym.make_vec(_PUZZLE, num_envs=8, num_workers=num_workers, difficulty=_LEVEL)
    envs.reset(seed=11)
    start = time.perf_counter()
    for tool, arguments in CALLS:
        envs.step([{"name": tool, "arguments": arguments}] * 8)
    elapsed = time.perf_counter() - start
    envs.close()
    return elapsed


def measure_memory(*, num_episodes: int = 1000, group_size: int = 8) -> Iterator[Figure]:
    """Yield the bytes that episodes in flight hold beside the shared caches.

    Args:
        num_episodes: Episodes in flight.
        group_size: How many of them share a task.
    """
    caches = (PIXELS.max_bytes, ENCODED.max_bytes)
    PIXELS.resize(64 * 2**20)
    ENCODED.resize(64 * 2**20)
    _in_flight(0)  # what is loaded once is no cost of an episode
    PIXELS.clear()
    ENCODED.clear()
    gc.collect()
    tracemalloc.start()
    envs = [_in_flight(index // group_size) for index in range(num_episodes)]
    gc.collect()
    held = tracemalloc.get_traced_memory()[0] - PIXELS.nbytes - ENCODED.nbytes
    tracemalloc.stop()
    PIXELS.resize(caches[0])
    ENCODED.resize(caches[1])
    each_kb = held / len(envs) / 1000
    bound_kb = 60.0
    title = f"held by each of {num_episodes} episodes in flight"
    yield Figure("memory", title, each_kb, "kB", 0.0, f"<= {bound_kb:g} kB", each_kb <= bound_kb)


def _in_flight(seed: int) -> Any:
    env = gym.make(_PUZZLE, disable_env_checker=True)
    env.reset(seed=seed)
    for tool, arguments in CALLS:
        env.step({"name": tool, "arguments": arguments})
    return env
