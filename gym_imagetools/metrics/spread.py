"""How far values spread: standard deviation, and the t interval of their mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache


def std_dev(values: Sequence[float]) -> float:
    """Return the unbiased (n - 1) standard deviation, 0 for fewer than two values."""
    if len(values) < 2:
        return 0.0
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def t_interval(
    mean: float, standard_error: float, count: int, confidence: float = 0.95
) -> tuple[float, float]:
    """Return the two-sided Student t interval of a mean.

    Args:
        mean: The mean of the values.
        standard_error: Its standard error, >= 0; 0 makes the interval a point.
        count: The number of values, >= 2.
        confidence: The coverage, between 0 and 1.

    Returns:
        The lower and the upper bound.

    Raises:
        ValueError: If a number is out of range.
    """
    if count < 2:
        raise ValueError(f"Expected count >= 2, got {count!r}.")
    if not standard_error >= 0:
        raise ValueError(f"Expected standard_error >= 0, got {standard_error!r}.")
    margin = standard_error * t_quantile(confidence, count - 1)
    return mean - margin, mean + margin


@lru_cache(maxsize=1024)
def t_quantile(confidence: float, degrees_of_freedom: int) -> float:
    """Return the t within which a Student variable lies with the given probability.

    Args:
        confidence: The probability of -t..t, between 0 and 1 exclusive.
        degrees_of_freedom: A whole number >= 1.

    Returns:
        The quantile, exact to about 1e-12.

    Raises:
        ValueError: If a number is out of range.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"Expected confidence between 0 and 1, got {confidence!r}.")
    if degrees_of_freedom < 1:
        raise ValueError(f"Expected degrees_of_freedom >= 1, got {degrees_of_freedom!r}.")
    low, high = 0.0, math.pi / 2
    while low < (middle := (low + high) / 2) < high:
        if _central_probability(middle, degrees_of_freedom) < confidence:
            low = middle
        else:
            high = middle
    return math.sqrt(degrees_of_freedom) * math.tan(low)


def _central_probability(angle: float, degrees_of_freedom: int) -> float:
    """Return the probability of -t..t for ``t = sqrt(degrees_of_freedom) * tan(angle)``.

    The finite series for whole degrees of freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4).
    """
    cosine_squared = math.cos(angle) ** 2
    is_odd = degrees_of_freedom % 2 == 1
    term, total = (math.cos(angle) if is_odd else 1.0), 0.0
    for power in range(2 if is_odd else 1, degrees_of_freedom, 2):
        total += term
        term *= cosine_squared * power / (power + 1)
    if is_odd:
        return 2 / math.pi * (angle + math.sin(angle) * total)
    return math.sin(angle) * total
