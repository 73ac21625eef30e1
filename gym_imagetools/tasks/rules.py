"""Rules that the values of a grid may follow, and what all rules that fit say of a hidden cell.

A puzzle of induction has one answer only relative to a language of rules. Here a language is a
finite tuple of rules, and a puzzle is kept only when every rule of it that fits the visible cells
gives the hidden cell the same value (agreement of the version space).

A rule is tested on grids with hidden cells: whether the visible ones leave it possible. Values are
0, 1, ... below a modulus, and :data:`HIDDEN` for a hidden cell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.int64]
"""One attribute of the cells of a grid, shape (rows, columns)."""

Place = tuple[int, int]
"""Row and column, counted from 0."""

HIDDEN = -1


@dataclass(frozen=True)
class Rule:
    """One rule of a language.

    Attributes:
        name: For latents and people.
        allows: Whether visible values leave the rule possible, by values and modulus.
    """

    name: str
    allows: Callable[[Values, int], bool]


Language = tuple[Rule, ...]


def predictions(values: Values, place: Place, modulus: int, language: Language) -> list[int]:
    """Return the values that a cell may have by at least one rule which the others allow."""
    trial = values.copy()
    found = []
    for value in range(modulus):
        trial[place] = value
        if follows(trial, modulus, language):
            found.append(value)
    return found


def follows(values: Values, modulus: int, language: Language) -> bool:
    """Whether some rule allows the values."""
    return any(rule.allows(values, modulus) for rule in language)


def misfits(attributes: Sequence[Values], modulus: int, language: Language) -> list[Place]:
    """Return the cells that, hidden one at a time, leave a rule to every attribute."""
    places = []
    for place in np.ndindex(attributes[0].shape):
        trials = [values.copy() for values in attributes]
        for trial in trials:
            trial[place] = HIDDEN
        if all(follows(trial, modulus, language) for trial in trials):
            places.append((place[0], place[1]))
    return places


def _is_cycle(values: Values, modulus: int) -> bool:
    """Whether stripes, along which the tiles repeat with a period of 3 or 4, hold one value each.

    Cells with the same p * row + q * column, modulo the period, are a stripe.
    """
    rows, columns = np.nonzero(values != HIDDEN)
    seen = values[rows, columns]
    for period in (3, 4):
        steps = np.arange(period)
        p, q = (grid.reshape(-1, 1) for grid in np.meshgrid(steps, steps))
        stripes = (p * rows + q * columns) % period
        one = np.zeros((len(p), period), np.int64)
        np.put_along_axis(one, stripes, np.broadcast_to(seen, stripes.shape), axis=1)
        if (np.take_along_axis(one, stripes, axis=1) == seen).all(axis=1).any():
            return True
    return False


def _has_equal_rows(values: Values, modulus: int) -> bool:
    """Whether each row holds one value."""
    seen = values != HIDDEN
    highest = values.max(axis=1, keepdims=True)
    return bool((~seen | (values == highest)).all())


def _is_latin(values: Values, modulus: int) -> bool:
    """Whether every row holds every value once."""
    if values.shape[1] != modulus:
        return False
    counts = (values[:, :, None] == np.arange(modulus)).sum(axis=1)
    return bool((counts <= 1).all())


def _is_mirrored(values: Values, modulus: int) -> bool:
    """Whether each row reads the same from both ends."""
    opposite = values[:, ::-1]
    return bool(((values == opposite) | (values == HIDDEN) | (opposite == HIDDEN)).all())


def _by_columns(rule: Rule, name: str) -> Rule:
    return Rule(name, lambda values, modulus: rule.allows(values.T, modulus))


CYCLE = Rule("cycle", _is_cycle)
ROWS = Rule("rows", _has_equal_rows)
COLUMNS = _by_columns(ROWS, "columns")
LATIN_ROWS = Rule("latin rows", _is_latin)
LATIN_COLUMNS = _by_columns(LATIN_ROWS, "latin columns")
MIRROR = Rule("mirror", _is_mirrored)
MIRROR_DOWN = _by_columns(MIRROR, "mirror down")

STRIPES: Language = (CYCLE, ROWS, COLUMNS)
"""For grids of which one tile is wrong: of rules that pair cells either of a pair could be."""

GRID_LANGUAGE: Language = (
    *STRIPES,
    LATIN_ROWS,
    LATIN_COLUMNS,
    MIRROR,
    MIRROR_DOWN,
)
"""For grids of tiles. No rule cares for names: kinds may be numbered in any order."""
