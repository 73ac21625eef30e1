"""Means and spreads of rollout records: over all of them, by task, and by repeat."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gym_imagetools.metrics.passes import pass_majority_metrics
from gym_imagetools.metrics.records import (
    MASK,
    ROLLOUT_INDEX,
    TASK_INDEX,
    Record,
    figures,
    grouped,
    indexed,
)
from gym_imagetools.metrics.spread import std_dev, t_interval


def aggregate(
    rows: Sequence[Record], scores: Sequence[str] | None = None, answer_key: str | None = None
) -> dict[str, Any]:
    """Summarise the rollouts of an evaluation in one flat dict.

    Args:
        rows: Rollout records. Every numeric top-level field counts, booleans as 0 or 1, and token
            counts are read from ``response.usage``; names that begin with ``_`` are left out.
        scores: As in :func:`~gym_imagetools.metrics.pass_majority_metrics`.
        answer_key: As there.

    Returns:
        ``mean/``, ``max/``, ``min/``, ``median/`` and ``std/`` (unbiased; 0 for a single row) of
        each field over all rollouts, not averaged by task first; the same of the repeats' means
        under ``mean_across_repeats/mean/`` and so on; the figures of
        :func:`~gym_imagetools.metrics.pass_majority_metrics`; and ``num_repeats``. Where rows are
        masked they count in ``coverage/`` alone.

    Raises:
        ValueError: If the same (task, rollout) comes twice.
    """
    filled = indexed(rows)
    measured = _measured(filled)
    if not measured:
        return dict(_coverage(filled))
    tasks = list(grouped(measured, TASK_INDEX).values())
    return {
        **_describe(measured),
        **_across_repeats(repeat_level_metrics(measured)),
        **_coverage(filled),
        **pass_majority_metrics(tasks, scores, answer_key),
        "num_repeats": len({row[ROLLOUT_INDEX] for row in filled}),
    }


def key_metrics(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """Return the headline figures of :func:`aggregate`: the means and, if any, the coverage."""
    return {
        name: value for name, value in metrics.items() if name.startswith(("mean/", "coverage/"))
    }


def group_level_metrics(rows: Sequence[Record]) -> list[dict[str, Any]]:
    """Summarise each task, in the order of the task index.

    Args:
        rows: Rollout records; masked ones are left out.

    Returns:
        One dict a task: its index, ``mean/`` to ``std/`` of each field, and how many rollouts
        there are.

    Raises:
        ValueError: If the same (task, rollout) comes twice.
    """
    return [
        {
            TASK_INDEX: index,
            **_describe(group),
            "num_rollouts": len(group),
            "expected_num_rollouts": len(group),
            "missing_num_rollouts": 0,
            "reward_profile_completion_pct": 100.0,
        }
        for index, group in grouped(_measured(indexed(rows)), TASK_INDEX).items()
    ]


def repeat_level_metrics(rows: Sequence[Record]) -> list[dict[str, Any]]:
    """Summarise each repeat, that is each rollout index, over the tasks.

    Args:
        rows: Rollout records; masked ones are left out.

    Returns:
        One dict a repeat: its index, how many tasks it has and misses, and of each field the mean,
        median, unbiased standard deviation, standard error, extremes, quartiles and (from two
        values on) the 95 % t interval. Empty when there is only one repeat.

    Raises:
        ValueError: If the same (task, rollout) comes twice.
    """
    measured = _measured(indexed(rows))
    repeats = grouped(measured, ROLLOUT_INDEX)
    if len(repeats) < 2:
        return []
    num_tasks = len({row[TASK_INDEX] for row in measured})
    return [
        {
            ROLLOUT_INDEX: index,
            "sample_count": len(repeat),
            "missing_count": num_tasks - len(repeat),
            **_describe_repeat(repeat),
        }
        for index, repeat in repeats.items()
    ]


def _measured(rows: Iterable[Record]) -> list[Record]:
    return [row for row in rows if not row.get(MASK)]


def _coverage(rows: Sequence[Record]) -> dict[str, int]:
    """Say how much was measured; empty when nothing was masked."""
    measured = _measured(rows)
    if len(measured) == len(rows):
        return {}
    measured_tasks = {row[TASK_INDEX] for row in measured}
    return {
        "coverage/measured_rollouts": len(measured),
        "coverage/masked_rollouts": len(rows) - len(measured),
        "coverage/measured_tasks": len(measured_tasks),
        "coverage/fully_masked_tasks": len({row[TASK_INDEX] for row in rows} - measured_tasks),
    }


def _columns(rows: Sequence[Record]) -> dict[str, list[float]]:
    """Return the values of each field, without the rows that lack it."""
    columns: dict[str, list[float]] = {}
    for row in rows:
        for name, value in figures(row).items():
            columns.setdefault(name, []).append(value)
    return columns


def _describe(rows: Sequence[Record]) -> dict[str, float]:
    """Summarise each field; one value among several rows has no standard deviation."""
    summary: dict[str, float] = {}
    for name, values in _columns(rows).items():
        moments = _moments(values)
        del moments["se"]
        if len(values) < 2 <= len(rows):
            del moments["std"]
        summary |= {f"{key}/{name}": value for key, value in moments.items()}
    return summary


def _describe_repeat(rows: Sequence[Record]) -> dict[str, float]:
    """Summarise each field of one repeat, with quartiles and an interval."""
    summary: dict[str, float] = {}
    for name, values in _columns(rows).items():
        p25, p75 = np.percentile(values, [25, 75]).tolist()
        moments = {**_moments(values), "p25": p25, "p75": p75, **_interval(values)}
        moments["sem"] = moments.pop("se")
        summary |= {f"{key}/{name}": value for key, value in moments.items()}
    return summary


def _across_repeats(repeats: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Summarise the means of the repeats, each repeat one observation."""
    columns: dict[str, list[float]] = {}
    for repeat in repeats:
        for name, value in repeat.items():
            if name.startswith("mean/"):
                columns.setdefault(name, []).append(value)
    summary: dict[str, float] = {}
    for name, values in columns.items():
        moments = {**_moments(values), **_interval(values)}
        summary |= {f"{key}_across_repeats/{name}": value for key, value in moments.items()}
    return summary


def _moments(values: Sequence[float]) -> dict[str, float]:
    return {
        "mean": statistics.fmean(values),
        "median": statistics.median(values),
        "std": std_dev(values),
        "se": std_dev(values) / math.sqrt(len(values)),
        "min": min(values),
        "max": max(values),
    }


def _interval(values: Sequence[float]) -> dict[str, float]:
    """Return the 95 % t interval of the mean, empty for a single value."""
    if len(values) < 2:
        return {}
    error = std_dev(values) / math.sqrt(len(values))
    low, high = t_interval(statistics.fmean(values), error, len(values))
    return {"ci_low_95": low, "ci_high_95": high}
