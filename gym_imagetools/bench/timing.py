"""Timing of functions: several runs in turn, medians, spread, and ratios pair by pair."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Action = Callable[[], Any]


@dataclass(frozen=True)
class Timing:
    """CPU milliseconds of one function over several runs, all its threads together.

    Attributes:
        runs_ms: One figure a run.
    """

    runs_ms: tuple[float, ...]

    @property
    def median_ms(self) -> float:
        """The median, the figure to quote."""
        return statistics.median(self.runs_ms)

    @property
    def p95_ms(self) -> float:
        """The time that 95 of 100 runs stay below."""
        ordered = sorted(self.runs_ms)
        return ordered[math.ceil(0.95 * len(ordered)) - 1]

    @property
    def spread(self) -> float:
        """Largest less smallest run, as a part of the median: how noisy the machine was."""
        return (max(self.runs_ms) - min(self.runs_ms)) / self.median_ms if self.median_ms else 0.0

    def ratio_to(self, other: Timing) -> float:
        """Return the median of this timing over another's, run by run."""
        pairs = zip(self.runs_ms, other.runs_ms, strict=True)
        return statistics.median(mine / theirs for mine, theirs in pairs if theirs > 0)


def time_in_turn(
    actions: Mapping[str, Action], *, num_runs: int = 7, min_ms: float = 20.0
) -> dict[str, Timing]:
    """Time several functions in turn, so that a drift of the machine hits all of them.

    Args:
        actions: The functions by name.
        num_runs: Counted runs of each, >= 1, after one that warms up.
        min_ms: A run repeats its function until it has taken about this long.
    """
    repeats = {name: _repeats(action, min_ms) for name, action in actions.items()}
    runs: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(num_runs):
        for name, action in actions.items():
            runs[name].append(_run_ms(action, repeats[name]))
    return {name: Timing(tuple(figures)) for name, figures in runs.items()}


def _repeats(action: Action, min_ms: float) -> int:
    first_ms = min(_run_ms(action, 1), _run_ms(action, 1))
    return max(1, round(min_ms / max(first_ms, 0.001)))


def _run_ms(action: Action, repeats: int) -> float:
    start = time.process_time()
    for _ in range(repeats):
        action()
    return (time.process_time() - start) * 1000 / repeats
