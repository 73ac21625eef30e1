"""How surprising counts are: tails in standard deviations, evenness, dependence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np
from scipy.stats import chisquare, norm

MIN_EXPECTED = 5.0
"""Least expected count of a category in a chi-square test."""


def surprise(hits: Sequence[bool], chances: Sequence[float]) -> float:
    """How many standard deviations more hits than chance, by the exact tail.

    The number of hits has the distribution of a sum of coins of different chances. Half of the
    probability of just this number counts to either side, so that as many as expected is near 0.
    """
    total, sums = sum(hits), _distribution(chances)
    more = sums[total + 1 :].sum() + sums[total] / 2
    fewer = sums[:total].sum() + sums[total] / 2
    return float(norm.isf(more) if more < fewer else norm.ppf(fewer))


def _distribution(chances: Sequence[float]) -> np.ndarray:
    """The probabilities of 0, 1, ... hits, by products of polynomials, half by half."""
    if len(chances) <= 1:
        return np.array([1 - chances[0], chances[0]]) if len(chances) else np.ones(1)
    middle = len(chances) // 2
    halves = _distribution(chances[:middle]), _distribution(chances[middle:])
    return np.convolve(*halves)


def evenness(values: Sequence[Hashable], num_categories: int) -> float:
    """The p-value of values that are drawn evenly from so many categories.

    1.0 where the categories are too many for so few values to tell.
    """
    expected = len(values) / num_categories
    counts = [*Counter(values).values()]
    if len(counts) > num_categories:
        return 0.0
    if num_categories < 2 or expected < MIN_EXPECTED:
        return 1.0
    return float(chisquare(counts + [0] * (num_categories - len(counts))).pvalue)


def dependence(sizes: Sequence[float], classes: Sequence[Hashable], num_shuffles: int) -> float:
    """The p-value of sizes that tell nothing of classes, by shuffling: mutual information."""
    bins = min(8, len(sizes) // 10)
    if bins < 2 or len(set(classes)) < 2 or len(set(sizes)) < 2:
        return 1.0
    edges = np.quantile(sizes, np.linspace(0, 1, bins + 1)[1:-1])
    binned = np.searchsorted(edges, sizes)
    coded = np.unique([str(value) for value in classes], return_inverse=True)[1]
    rng, width = np.random.default_rng(0), coded.max() + 1

    def information(codes: np.ndarray) -> float:
        joint = np.bincount(binned * width + codes, minlength=bins * width) / len(codes)
        return float((joint * np.log(joint, where=joint > 0, out=np.zeros_like(joint))).sum())

    found = information(coded)
    above = sum(information(rng.permutation(coded)) >= found - 1e-12 for _ in range(num_shuffles))
    return (1 + above) / (1 + num_shuffles)
