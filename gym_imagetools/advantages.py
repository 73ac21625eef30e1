"""Advantages of rollouts: GRPO, Dr. GRPO and GDPO, and the gate that conditions easy rewards.

A *group* holds the rollouts of one task; ``groups`` names the group of each rollout, in any order.
Rewards are an array of shape (n,) or a dict of such arrays, one for each objective.

Sources: GRPO (arXiv 2402.03300), Dr. GRPO (arXiv 2503.20783), GDPO (arXiv 2601.05242). Standard
deviations are unbiased (``ddof=1``), as in the published implementations.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

EPSILON = 1e-4
"""Added to a standard deviation before dividing by it."""


def grpo(
    rewards: ArrayLike | Mapping[str, ArrayLike], groups: ArrayLike, *, epsilon: float = EPSILON
) -> Floats:
    """Normalise the (summed) reward inside each group: ``(r - mean) / (std + epsilon)``.

    Args:
        rewards: Shape (n,), or a dict of such arrays, which are summed first.
        groups: Shape (n,): the group of each rollout, as integers or text.
        epsilon: Added to the standard deviation, > 0.

    Returns:
        Shape (n,). A group of one, or of equal rewards, gets exactly 0.

    Raises:
        ValueError: If shapes differ, a reward is not finite, or ``epsilon`` is out of range.
    """
    total = _total(rewards)
    return _normalise(total, _group_of_each(groups, total.size), epsilon)


def dr_grpo(rewards: ArrayLike | Mapping[str, ArrayLike], groups: ArrayLike) -> Floats:
    """Centre the (summed) reward inside each group: ``r - mean``, without dividing by the spread.

    Args:
        rewards: Shape (n,), or a dict of such arrays, which are summed first.
        groups: Shape (n,): the group of each rollout, as integers or text.

    Returns:
        Shape (n,). A group of one, or of equal rewards, gets exactly 0.

    Raises:
        ValueError: If shapes differ or a reward is not finite.
    """
    total = _total(rewards)
    return _centre(total, _group_of_each(groups, total.size))


def gdpo(
    scores: ArrayLike | Mapping[str, ArrayLike],
    groups: ArrayLike,
    weights: Mapping[str, float] | None = None,
    *,
    epsilon: float = EPSILON,
) -> Floats:
    """Normalise each score inside its group, sum them with weights, then normalise the batch.

    Unlike GRPO it tells rollouts of equal total reward apart. A weight acts after the group's
    normalisation; on the raw score the standard deviation would cancel it.

    Args:
        scores: A dict of arrays of shape (n,), one for each objective; an array is one objective.
        groups: Shape (n,): the group of each rollout, as integers or text.
        weights: The weight of every objective, >= 0; None weighs all of them 1.
        epsilon: Added to the standard deviations, > 0.

    Returns:
        Shape (n,).

    Raises:
        ValueError: If shapes differ, a score is not finite, ``weights`` does not name exactly the
            objectives of ``scores``, or a number is out of range.
    """
    columns = _columns(scores)
    shares = _checked_weights(weights, columns)
    size = next(iter(columns.values())).size
    group = _group_of_each(groups, size)
    combined = np.zeros(size)
    for name, column in columns.items():
        combined += shares[name] * _normalise(column, group, epsilon)
    return _normalise(combined, np.zeros(size, dtype=np.intp), epsilon)


def gate(scores: Mapping[str, ArrayLike], by: str, threshold: float) -> dict[str, Floats]:
    """Condition the easy objectives on a hard one: 0 wherever the hard one is below a threshold.

    Weights cannot stop a policy from collecting a reward that is much easier than the others;
    this can.

    Args:
        scores: A dict of arrays of shape (n,), one for each objective.
        by: The hard objective; it is returned unchanged.
        threshold: The least value of the hard objective at which the others count.

    Returns:
        A new dict with the same names and shapes.

    Raises:
        ValueError: If ``by`` is not among the scores, shapes differ, or a number is not finite.
    """
    columns = _columns(scores)
    if by not in columns:
        raise ValueError(f"Expected by to be one of {sorted(columns)}, got {by!r}.")
    if not np.isfinite(threshold):
        raise ValueError(f"Expected threshold to be finite, got {threshold!r}.")
    passed = columns[by] >= threshold
    return {
        name: column if name == by else np.where(passed, column, 0.0)
        for name, column in columns.items()
    }


def _columns(scores: ArrayLike | Mapping[str, ArrayLike]) -> dict[str, Floats]:
    """Return the objectives as checked float arrays of one shape (n,)."""
    named = scores if isinstance(scores, Mapping) else {"reward": scores}
    if not named:
        raise ValueError("Expected at least one objective, got an empty dict.")
    columns = {name: np.array(values, dtype=np.float64) for name, values in named.items()}
    size = next(iter(columns.values())).size
    for name, column in columns.items():
        if column.shape != (size,):
            raise ValueError(f"Expected {name!r} of shape ({size},), got shape {column.shape}.")
        if not np.isfinite(column).all():
            raise ValueError(f"Expected finite values of {name!r}, got NaN or infinity.")
    return columns


def _total(rewards: ArrayLike | Mapping[str, ArrayLike]) -> Floats:
    """Return the sum of the objectives, of shape (n,)."""
    columns = list(_columns(rewards).values())
    return np.asarray(np.sum(columns, axis=0), dtype=np.float64)


def _group_of_each(groups: ArrayLike, size: int) -> NDArray[np.intp]:
    """Number the groups 0, 1, ... and return the number of each rollout, of shape (n,)."""
    labels = np.asarray(groups)
    if labels.shape != (size,):
        raise ValueError(f"Expected groups of shape ({size},), got shape {labels.shape}.")
    return np.unique(labels, return_inverse=True)[1].reshape(size)


def _checked_weights(
    weights: Mapping[str, float] | None, columns: Mapping[str, Floats]
) -> Mapping[str, float]:
    """Return one weight for each objective."""
    if weights is None:
        return dict.fromkeys(columns, 1.0)
    if set(weights) != set(columns):
        raise ValueError(f"Expected weights for {sorted(columns)}, got {sorted(weights)}.")
    for name, weight in weights.items():
        if not (np.isfinite(weight) and weight >= 0):
            raise ValueError(f"Expected the weight of {name!r} to be >= 0, got {weight!r}.")
    return weights


def _centre(values: Floats, group: NDArray[np.intp]) -> Floats:
    """Subtract each group's mean; groups of equal values become exactly 0."""
    means = np.bincount(group, weights=values) / np.maximum(np.bincount(group), 1)
    return np.where(_is_constant(values, group), 0.0, values - means[group])


def _normalise(values: Floats, group: NDArray[np.intp], epsilon: float) -> Floats:
    """Subtract each group's mean and divide by its unbiased standard deviation plus epsilon."""
    if not (np.isfinite(epsilon) and epsilon > 0):
        raise ValueError(f"Expected epsilon > 0, got {epsilon!r}.")
    centred = _centre(values, group)
    degrees_of_freedom = np.maximum(np.bincount(group) - 1, 1)
    spread = np.sqrt(np.bincount(group, weights=centred**2) / degrees_of_freedom)
    return np.asarray(centred / (spread[group] + epsilon), dtype=np.float64)


def _is_constant(values: Floats, group: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Say of each rollout whether its whole group has one value.

    Asked of the values and not of their spread: a mean of equal floats can be off by one bit.
    """
    num_groups = int(group.max(initial=-1)) + 1
    lowest, highest = np.full(num_groups, np.inf), np.full(num_groups, -np.inf)
    np.minimum.at(lowest, group, values)
    np.maximum.at(highest, group, values)
    constant: NDArray[np.bool_] = lowest == highest
    return constant[group]
