"""Rules that the values of a grid may follow, and what all rules that fit say of a hidden cell.

A puzzle of induction has one answer only relative to a language of rules. Here a language is a
finite tuple of rules, and a puzzle is kept only when every rule of it that fits the visible cells
gives the hidden cell the same value (agreement of the version space).

A rule is tested on grids with hidden cells: whether the visible ones leave it possible. Values are
0, 1, ... below a modulus, and :data:`HIDDEN` for a hidden cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
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


def predictions(
    values: Values,
    place: Place,
    modulus: int,
    language: Language,
    candidates: Iterable[int] | None = None,
) -> list[int]:
    """Return the values that a cell may have by at least one rule which the others allow.

    Args:
        values: The grid; what it has in the cell does not matter.
        place: The cell.
        modulus: Values are below it.
        language: The rules.
        candidates: The values that some rule could give, or None for all.
    """
    trial = values.copy()
    found = []
    for value in range(modulus) if candidates is None else candidates:
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


def _has_step(values: Values, modulus: int) -> bool:
    """Whether values change by one step from column to column, the same in all rows."""
    seen = (values[:, 1:] != HIDDEN) & (values[:, :-1] != HIDDEN)
    return len(set(((values[:, 1:] - values[:, :-1]) % modulus)[seen].tolist())) <= 1


def _repeats(values: Values, modulus: int) -> bool:
    """Whether every second value of a row is the same."""
    return all(_has_equal_rows(values[:, start::2], modulus) for start in (0, 1))


def _has_same_sets(values: Values, modulus: int) -> bool:
    """Whether all rows hold the same values, all different."""
    rows = [set(row) - {HIDDEN} for row in values.tolist()]
    whole = max(rows, key=len)
    return len(whole) == values.shape[1] and all(
        row <= whole and len(row) == sum(value != HIDDEN for value in line)
        for row, line in zip(rows, values.tolist(), strict=True)
    )


def _combines(operation: Callable[[Values, Values], Values]) -> Callable[[Values, int], bool]:
    """Return the test whether the bits of a row's first two values make those of its third."""

    def allows(values: Values, modulus: int) -> bool:
        whole = values[(values != HIDDEN).all(axis=1)]
        return bool((operation(whole[:, 0], whole[:, 1]) == whole[:, 2]).all())

    return allows


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

STEP = Rule("step", _has_step)
SAME_SETS = Rule("same sets", _has_same_sets)

SEQUENCES: Language = (STEP, Rule("every second", _repeats))
"""For rows of numbers; a rule that keeps the number is a step of 0."""

MATRICES: Language = (
    ROWS,
    COLUMNS,
    STEP,
    _by_columns(STEP, "step down"),
    SAME_SETS,
    _by_columns(SAME_SETS, "same sets down"),
)
"""For three rows of three numbers."""

OPERATIONS: dict[str, Callable[[Values, Values], Values]] = {
    "xor": np.bitwise_xor,
    "or": np.bitwise_or,
    "and": np.bitwise_and,
}

SET_MATRICES: Language = (
    ROWS,
    COLUMNS,
    *(
        rule
        for name, operation in OPERATIONS.items()
        for across in [Rule(name, _combines(operation))]
        for rule in (across, _by_columns(across, f"{name} down"))
    ),
)
"""For three rows of three sets, each the bits of a number."""
