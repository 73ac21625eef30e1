"""Drawing puzzles: how long each family and level takes, PNG encoding apart."""

from __future__ import annotations

import time
from collections.abc import Iterator

from gym_imagetools.bench.table import Figure
from gym_imagetools.bench.timing import Timing
from gym_imagetools.puzzles.families import FAMILIES
from gym_imagetools.puzzles.puzzle import LEVELS, Streams
from gym_imagetools.puzzles.registry import family

_SMALL_PX = 1024


def measure(*, num_runs: int) -> Iterator[Figure]:
    """Yield median and 95th percentile for each family and level; every draw has another seed.

    Args:
        num_runs: Half of the puzzles drawn of each.
    """
    for name in FAMILIES:
        for level in LEVELS:
            yield from _measure_level(name, level, 2 * num_runs)


def _measure_level(name: str, level: int, num_draws: int) -> Iterator[Figure]:
    kind = family(name)
    kind.draw(Streams.of(name, level, num_draws), level)  # loads what the first drawing needs
    sides, runs_ms = [], []
    for seed in range(num_draws):
        start = time.process_time()
        drawn = kind.draw(Streams.of(name, level, seed), level)
        runs_ms.append((time.process_time() - start) * 1000)
        sides.append(max(drawn.images[0].shape))
    timing, bound = Timing(tuple(runs_ms)), 60 if max(sides) <= _SMALL_PX else 120
    median, title = timing.median_ms, f"{name} level {level}"
    yield Figure("puzzles", title, median, "ms", timing.spread, f"< {bound} ms", median < bound)
    yield Figure("puzzles", f"{title}, 95th percentile", timing.p95_ms, "ms")
