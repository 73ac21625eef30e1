"""pass@k and majority@k: over arrays as fractions, over rollout records in percent."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gym_imagetools.metrics.records import Record, number
from gym_imagetools.metrics.spread import std_dev

Vote = tuple[Hashable, float]
"""An answer (None where there was none) and its score."""

NO_ANSWER = "no_answer"


def pass_at_k(correct: ArrayLike, k: int) -> float:
    """Estimate, without bias, the chance that one of k samples of a task is right.

    The mean over the tasks of ``1 - C(wrong, k) / C(samples, k)`` (arXiv 2107.03374).

    Args:
        correct: Shape (tasks, samples), booleans or 0 and 1.
        k: How many samples are drawn, 1 to ``samples``.

    Returns:
        A fraction, 0 to 1.

    Raises:
        ValueError: If the shape, a value or ``k`` is out of range.
    """
    return statistics.fmean(_pass_value(row, k) for row in _checked_table(correct, k).tolist())


def majority_at_k(answers: Sequence[Sequence[Hashable]], correct: ArrayLike, k: int) -> float:
    """Score the most frequent answer among the first k samples of each task.

    Answers that share the highest count share the score. A task without any answer scores 0.

    Args:
        answers: Shape (tasks, samples); None where no answer was found.
        correct: Shape (tasks, samples), booleans or 0 and 1.
        k: How many samples vote, 1 to ``samples``.

    Returns:
        A fraction, 0 to 1.

    Raises:
        ValueError: If the shapes differ, or a value or ``k`` is out of range.
    """
    table = _checked_table(correct, k)
    if [len(row) for row in answers] != [table.shape[1]] * table.shape[0]:
        raise ValueError(f"Expected answers of the shape of correct, {table.shape}.")
    return statistics.fmean(
        _majority_value(list(zip(said, scores, strict=True))[:k])
        for said, scores in zip(answers, table.tolist(), strict=True)
    )


def pass_majority_metrics(
    tasks: Sequence[Sequence[Record]],
    scores: Sequence[str] | None = None,
    answer_key: str | None = None,
) -> dict[str, Any]:
    """Return pass@k, avg-of-k and majority@k for every k, in percent.

    Args:
        tasks: The rollout records of each task.
        scores: The fields to score; None scores ``reward`` under the name ``accuracy``. A record
            without the field is left out for that field only.
        answer_key: The field of the extracted answer, None where there was none. It adds
            ``majority@k``, and ``no_answer`` as a further score.

    Returns:
        ``pass@{k}/{score}`` (unbiased where all scores of a task are 0 or 1, else the best of the
        first k); ``pass@1[avg-of-{k}]/{score}``, the mean of the first k, with
        ``/std_dev_across_runs`` and ``/std_err_across_runs``; ``majority@{k}/{score}``; and
        ``per_sample_aggregate``, each score's mean over the tasks, rollout by rollout.
    """
    if not tasks:
        return {}
    tables = [[_scores_of(record, scores, answer_key) for record in task] for task in tasks]
    votes = [[record.get(answer_key or "") for record in task] for task in tasks]
    metrics: dict[str, Any] = {"per_sample_aggregate": {}}
    for name in sorted({name for table in tables for row in table for name in row}):
        runs = _means_by_rollout(tables, name)
        metrics["per_sample_aggregate"][name] = runs
        for k in range(1, max(map(len, tables)) + 1):
            metrics |= _percent(f"pass@{k}/{name}", _pass_values(tables, name, k))
            metrics |= _percent(f"pass@1[avg-of-{k}]/{name}", _means(tables, name, k))
            metrics |= _spread_across_runs(f"pass@1[avg-of-{k}]/{name}", runs[:k], k)
            if answer_key is not None:
                metrics |= _percent(f"majority@{k}/{name}", _majorities(tables, votes, name, k))
    return metrics


def sample_std_dev_metrics(
    tasks: Sequence[Sequence[Record]],
    scores: Sequence[str] | None = None,
    answer_key: str | None = None,
) -> dict[str, float]:
    """Return how much the rollouts of one task differ, for every k >= 2.

    Args:
        tasks: The rollout records of each task.
        scores: As in :func:`pass_majority_metrics`.
        answer_key: As in :func:`pass_majority_metrics`.

    Returns:
        ``pass@1[avg-of-{k}]/{score}/avg_sample_std_dev``: the mean over the tasks of the unbiased
        standard deviation of the first k scores.
    """
    tables = [[_scores_of(record, scores, answer_key) for record in task] for task in tasks]
    metrics = {}
    for name in sorted({name for table in tables for row in table for name in row}):
        for k in range(2, max(map(len, tables)) + 1):
            first = [_column(table[:k], name) for table in tables]
            spreads = [std_dev(column) for column in first if len(column) > 1]
            if spreads:
                key = f"pass@1[avg-of-{k}]/{name}/avg_sample_std_dev"
                metrics[key] = statistics.fmean(spreads)
    return metrics


def subset_metrics(
    tasks: Sequence[Sequence[Record]],
    subset_key: str,
    scores: Sequence[str] | None = None,
    answer_key: str | None = None,
) -> dict[str, float]:
    """Return :func:`pass_majority_metrics` of each value of a field, prefixed ``{value}/``.

    Args:
        tasks: The rollout records of each task. A task takes the value of its first record that
            has one; tasks without are left out.
        subset_key: The field, such as ``difficulty``.
        scores: As in :func:`pass_majority_metrics`.
        answer_key: As in :func:`pass_majority_metrics`.

    Returns:
        The figures, without ``per_sample_aggregate``.
    """
    subsets: dict[Any, list[Sequence[Record]]] = {}
    for task in tasks:
        value = next((record[subset_key] for record in task if record.get(subset_key)), None)
        if value is not None:
            subsets.setdefault(value, []).append(task)
    return {
        f"{value}/{key}": figure
        for value, subset in subsets.items()
        for key, figure in pass_majority_metrics(subset, scores, answer_key).items()
        if key != "per_sample_aggregate"
    }


def _checked_table(correct: ArrayLike, k: int) -> NDArray[np.float64]:
    table = np.asarray(correct, dtype=np.float64)
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(f"Expected correct of shape (tasks, samples), got shape {table.shape}.")
    if not np.isin(table, (0.0, 1.0)).all():
        raise ValueError("Expected only 0 and 1 in correct, got other values.")
    if not 1 <= k <= table.shape[1]:
        raise ValueError(f"Expected k from 1 to {table.shape[1]}, the number of samples, got {k}.")
    return table


def _scores_of(
    record: Record, scores: Sequence[str] | None, answer_key: str | None
) -> dict[str, float]:
    """Return the named scores that this record has."""
    fields = {"accuracy": "reward"} if scores is None else {name: name for name in scores}
    values = {name: number(record.get(field)) for name, field in fields.items()}
    if answer_key is not None:
        values[NO_ANSWER] = float(record.get(answer_key) is None)
    return {name: value for name, value in values.items() if value is not None}


def _column(table: Iterable[dict[str, float]], name: str) -> list[float]:
    """Return one score of the rollouts of a task, without those that lack it."""
    return [row[name] for row in table if name in row]


def _pass_values(tables: list[list[dict[str, float]]], name: str, k: int) -> list[float]:
    """Return pass@k of each task with at least k scores."""
    columns = [_column(table, name) for table in tables]
    return [_pass_value(column, k) for column in columns if len(column) >= k]


def _pass_value(scores: list[float], k: int) -> float:
    """Return pass@k of one task: unbiased for 0/1 scores, else the best of the first k."""
    if not set(scores) <= {0.0, 1.0}:
        return max(scores[:k])
    return 1.0 - math.comb(scores.count(0.0), k) / math.comb(len(scores), k)


def _means(tables: list[list[dict[str, float]]], name: str, k: int) -> list[float]:
    """Return the mean of the first k scores of each task."""
    columns = [_column(table[:k], name) for table in tables]
    return [statistics.fmean(column) for column in columns if column]


def _means_by_rollout(tables: list[list[dict[str, float]]], name: str) -> list[float]:
    """Return the percentage over the tasks of each rollout, without those nobody scored."""
    by_rollout = [
        _column((table[i] for table in tables if i < len(table)), name)
        for i in range(max(map(len, tables)))
    ]
    return [100 * statistics.fmean(column) for column in by_rollout if column]


def _majorities(
    tables: list[list[dict[str, float]]], answers: list[list[Hashable]], name: str, k: int
) -> list[float]:
    """Return majority@k of each task."""
    return [
        _majority_value([(a, row[name]) for a, row in pairs if name in row])
        for pairs in (
            list(zip(said, table, strict=True))[:k]
            for said, table in zip(answers, tables, strict=True)
        )
    ]


def _majority_value(votes: Sequence[Vote]) -> float:
    """Return the mean score of the most frequent (answer, score) pairs, 0 without an answer."""
    counts = Counter(vote for vote in votes if vote[0] is not None)
    if not counts:
        return 0.0
    highest = max(counts.values())
    return statistics.fmean(score for (_, score), count in counts.items() if count == highest)


def _percent(key: str, values: list[float]) -> dict[str, float]:
    return {key: 100 * statistics.fmean(values)} if values else {}


def _spread_across_runs(key: str, runs: list[float], k: int) -> dict[str, float]:
    """Return the unbiased standard deviation of the first k runs, and of their mean."""
    if k < 2 or len(runs) < 2:
        return {}
    deviation = std_dev(runs)
    return {
        f"{key}/std_dev_across_runs": deviation,
        f"{key}/std_err_across_runs": deviation / math.sqrt(len(runs)),
    }
