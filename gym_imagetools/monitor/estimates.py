"""Estimates with their uncertainty, from tasks that are drawn and rollouts that belong together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

CONFIDENCE = 0.95
RESAMPLES = 2_000
"""Bootstrap samples: the ends of an interval are then good to about a hundredth of its width."""

_CHUNK = 1_000_000
_BISECTIONS = 60


@dataclass(frozen=True)
class Mean:
    """A mean over episodes.

    Attributes:
        mean: The mean.
        standard_error: Its standard error, with the episodes of a group taken as one draw; None
            for a single group, which tells nothing of it.
        count: The number of episodes.
    """

    mean: float
    standard_error: float | None
    count: int


@dataclass(frozen=True)
class Interval:
    """A mean over tasks with its 95 % confidence interval.

    Attributes:
        value: The mean.
        low: The lower bound; None where there are too few tasks to tell.
        high: The upper bound.
        count: The number of tasks.
    """

    value: float
    low: float | None
    high: float | None
    count: int


@dataclass(frozen=True)
class Share:
    """How many of a number.

    Attributes:
        count: How many.
        total: Of how many.
    """

    count: int
    total: int

    @property
    def value(self) -> float | None:
        """The share, 0 to 1; None of nothing."""
        return self.count / self.total if self.total else None


def mean_of_groups(groups: Sequence[Sequence[float]]) -> Mean:
    """Return the mean over all values, with the standard error of draws of whole groups.

    Rollouts of one task resemble each other, so that many of them tell less than as many tasks
    (cluster-robust standard error, arXiv 2411.00640, section 2.2; here with the factor G/(G-1)).

    Args:
        groups: The values of each group; no group is empty.
    """
    values = [value for group in groups for value in group]
    mean = fmean(values)
    if len(groups) < 2:
        return Mean(mean, None, len(values))
    squares = math.fsum(math.fsum(value - mean for value in group) ** 2 for group in groups)
    correction = len(groups) / (len(groups) - 1)
    return Mean(mean, math.sqrt(squares * correction) / len(values), len(values))


def interval_of_tasks(values: Sequence[float], rng: np.random.Generator) -> Interval:
    """Return the mean over tasks with its interval: exact for zeros and ones, else bootstrapped.

    Args:
        values: One value a task, at least one.
        rng: Draws the bootstrap samples.
    """
    mean, count = fmean(values), len(values)
    if set(values) <= {0.0, 1.0}:
        return Interval(mean, *exact_interval(round(math.fsum(values)), count), count)
    return Interval(mean, *bootstrap_interval(values, rng), count)


def exact_interval(successes: int, trials: int) -> tuple[float, float]:
    """Return the Clopper-Pearson interval of a proportion.

    Args:
        successes: 0 to ``trials``.
        trials: >= 1.
    """
    tail = (1 - CONFIDENCE) / 2
    low = 0.0 if successes == 0 else _solve(lambda p: tail - _at_least(successes, trials, p))
    high = (
        1.0
        if successes == trials
        else _solve(lambda p: _at_least(successes + 1, trials, p) - (1 - tail))
    )
    return low, high


def bootstrap_interval(
    values: Sequence[float], rng: np.random.Generator
) -> tuple[float | None, float | None]:
    """Return the percentile interval of the mean of values; nothing for a single one.

    Args:
        values: What is drawn from, with replacement.
        rng: Draws the samples.
    """
    if len(values) < 2:
        return None, None
    table = np.asarray(values, dtype=np.float64)
    means = np.concatenate(list(_resampled_means(table, rng)))
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(means, [tail, 1 - tail]).tolist()
    return low, high


def _resampled_means(values: np.ndarray, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield the means of the samples, in chunks that bound the memory."""
    rows = max(1, _CHUNK // len(values))
    for start in range(0, RESAMPLES, rows):
        size = (min(rows, RESAMPLES - start), len(values))
        yield values[rng.integers(len(values), size=size)].mean(axis=1)


def _at_least(successes: int, trials: int, chance: float) -> float:
    """Return the probability of that many successes or more."""
    if not 0 < chance < 1:
        return float(chance >= 1)
    log, log_not = math.log(chance), math.log1p(-chance)
    return math.fsum(
        math.exp(_log_choose(trials, k) + k * log + (trials - k) * log_not)
        for k in range(successes, trials + 1)
    )


def _log_choose(total: int, chosen: int) -> float:
    return math.lgamma(total + 1) - math.lgamma(chosen + 1) - math.lgamma(total - chosen + 1)


def _solve(function: Callable[[float], float]) -> float:
    """Return where a monotone function of 0..1 changes its sign."""
    low, high = 0.0, 1.0
    is_positive = function(low) > 0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if (function(middle) > 0) == is_positive:
            low = middle
        else:
            high = middle
    return (low + high) / 2
