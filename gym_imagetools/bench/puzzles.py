"""Drawing puzzles: the median time of each family and level, PNG encoding apart."""

from __future__ import annotations

from collections.abc import Iterator

from gym_imagetools.bench.table import Figure
from gym_imagetools.bench.timing import Timing, time_in_turn
from gym_imagetools.puzzles.families import FAMILIES
from gym_imagetools.puzzles.puzzle import LEVELS, Streams
from gym_imagetools.puzzles.registry import family


def measure(*, num_runs: int) -> Iterator[Figure]:
    """Yield a figure for each family and level; every run draws another seed.

    Args:
        num_runs: Puzzles drawn of each.
    """
    for name in FAMILIES:
        for level in LEVELS:
            yield _measure_level(name, level, num_runs)


def _measure_level(name: str, level: int, num_runs: int) -> Figure:
    kind, seeds = family(name), iter(range(10**6))
    side = max(kind.draw(Streams.of(name, level, 0), level).images[0].shape)
    timings = [
        time_in_turn(
            {"draw": lambda: kind.draw(Streams.of(name, level, next(seeds)), level)},
            num_runs=1,
            min_ms=0.0,
        )["draw"]
        for _ in range(num_runs)
    ]
    timing = Timing(tuple(run for one in timings for run in one.runs_ms))
    bound = 60 if side <= 1024 else 120
    return Figure(
        "puzzles",
        f"{name} level {level}",
        timing.median_ms,
        "ms",
        timing.spread,
        f"< {bound} ms",
        timing.median_ms < bound,
    )
