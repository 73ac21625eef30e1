"""Many episodes in one process: what threads give, and what memory is held."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import gymnasium as gym

from gym_imagetools.bench.episodes import CALLS
from gym_imagetools.bench.soak import hold_in_flight, small_caches
from gym_imagetools.bench.table import Figure
from gym_imagetools.images.cache import PIXELS

_FOLDER = "gym_imagetools_bench_"
_CACHE_BYTES = 64 * 2**20
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
        num_episodes: Episodes in flight, each with four pictures of 1024x768.
        group_size: How many of them share a task.
    """
    with tempfile.TemporaryDirectory(prefix=_FOLDER) as folder, small_caches(_CACHE_BYTES):
        held = hold_in_flight(
            Path(folder),
            num_episodes=num_episodes,
            group_size=group_size,
            size=(1024, 768),
            num_pictures=4,
        )
    each_kb, bound_kb = held.held_bytes / num_episodes / 1000, held.bound_bytes / 1000
    title = f"held by each of {num_episodes} episodes in flight"
    ask = f"<= {bound_kb:.0f} kB, 1.2 x its sources and 4 kB a turn"
    yield Figure("memory", title, each_kb, "kB", 0.0, ask, each_kb <= bound_kb)
    cache_mb, cache_bound_mb = held.cache_bytes / 2**20, 2 * _CACHE_BYTES / 2**20
    title, ask = "both caches, full", f"<= {cache_bound_mb:g} MB"
    yield Figure("memory", title, cache_mb, "MB", 0.0, ask, cache_mb <= cache_bound_mb)
