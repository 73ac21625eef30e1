"""What rules say of dials: marks as numbers or sets, the unknown panel, the two that differ."""

from __future__ import annotations

import numpy as np

from gym_imagetools.puzzles.cards.dials import PLACES, ROW
from gym_imagetools.puzzles.cards.rules import (
    MATRICES,
    OPERATIONS,
    SEQUENCES,
    SET_MATRICES,
    Values,
    predictions,
)

HOLES = {"row": (0, ROW - 1), "matrix": (2, 2)}
"""Form -> row and column of the unknown panel, the last one."""


def numbers_of(masks: Values, track: int) -> Values:
    """Return what rules speak of: the place of a single mark, or the number of dots less one."""
    if track == 2:
        return np.array([max(0, int(mask).bit_count() - 1) for mask in masks])
    return np.array([max(0, int(mask).bit_length() - 1) for mask in masks])


def predictions_for(given: Values, form: str, *, are_sets: bool) -> list[int]:
    """Return what the rules that fit say of the unknown panel.

    Args:
        given: One track of the given panels: numbers, or sets as bits.
        form: ``row`` or ``matrix``.
        are_sets: Whether they are sets; only in a matrix.
    """
    grid = np.append(given, 0).reshape((1, ROW) if form == "row" else (3, 3))
    hole = HOLES[form]
    if not are_sets:
        return predictions(grid, hole, PLACES, SEQUENCES if form == "row" else MATRICES)
    numbers = sorted(set(given.tolist()))
    made = {int(do(a, b)) for do in OPERATIONS.values() for a in numbers for b in numbers}
    return predictions(grid, hole, 1 << PLACES, SET_MATRICES, sorted(made.union(numbers)))


def odd_pairs(outer: Values, inner: Values) -> list[tuple[int, int]]:
    """Return the pairs of panels that differ from all others, which agree, in some respect.

    Respects are each place, how far one is ahead of the other, and where they mirror each other.
    """
    pairs = set()
    for respect in (outer, inner, (inner - outer) % PLACES, (inner + outer) % PLACES):
        values, counts = np.unique(respect, return_counts=True)
        for value in values[counts == len(respect) - 2].tolist():
            first, second = np.flatnonzero(respect != value).tolist()
            pairs.add((first, second))
    return sorted(pairs)
