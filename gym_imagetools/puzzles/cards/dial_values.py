"""Values of one track of dials that follow a rule, and a wrong one for the unknown panel.

Where a glance at one panel, or a liking for known or for new values, could tell the true value
from the wrong one, such a guess would beat the options' even chances. So in a row both are equally
often as far ahead of any one panel, and equally often one that was seen.
"""

from __future__ import annotations

import numpy as np

from gym_imagetools.puzzles.cards.dial_rules import HOLES
from gym_imagetools.puzzles.cards.dials import PLACES, ROW
from gym_imagetools.puzzles.cards.rules import OPERATIONS, Values

_EVERY_SECOND = 0.25
"""How often a row goes back and forth; as often it steps on and the second value is offered."""

_MATRIX_SHARES = (0.2, 0.2, 0.6)  # along rows, along columns, otherwise


def draw_row(rng: np.random.Generator) -> tuple[Values, int]:
    """Draw numbers that step on, or go back and forth; return them and a wrong last one.

    Steps are odd: as long clockwise as not, and on eight places no three steps lead back. A step
    k leads from a to a + 3k, and wrong is a - k, one step back, or the second number. For each of
    the first three, the wrong number is as far ahead as the true one is for another step.
    """
    start, step = int(rng.integers(PLACES)), int(rng.choice((1, 3, 5, 7)))
    index = np.arange(ROW)
    if rng.random() < _EVERY_SECOND:
        values, wrong = start + index % 2 * step, start + 3 * step
    else:
        goes_back = rng.random() >= _EVERY_SECOND / (1 - _EVERY_SECOND)
        values, wrong = start + index * step, start - step if goes_back else start + step
    return np.asarray(values % PLACES)[None], wrong % PLACES


def draw_matrix(rng: np.random.Generator, *, has_steps: bool) -> tuple[Values, int]:
    """Draw three rows of numbers that follow a rule across or down; and a wrong last one.

    Args:
        rng: Draws them.
        has_steps: Whether numbers may go on by a step, rather than be three in another order.
    """
    distinct = rng.permutation(PLACES)[:3]
    step = int(rng.choice((1, 3, 5, 7)))
    rows, columns = np.indices((3, 3))
    way = int(rng.choice(3, p=_MATRIX_SHARES))
    if way < 2:
        values = np.asarray(distinct[(rows, columns)[way]])
    else:
        if has_steps and rng.integers(2):
            values = np.asarray((distinct[rows] + columns * step) % PLACES)
        else:
            values = np.asarray(distinct[(columns + int(rng.integers(1, 3)) * rows) % 3])
        values = values if rng.integers(2) else values.T
    return values, _wrong_in_matrix(rng, values)


def draw_sets(rng: np.random.Generator) -> tuple[Values, int]:
    """Draw three rows of sets, as bits, and a wrong last one, in which one mark is elsewhere.

    The third of each row (or of each column) is made of the other two.
    """
    operation = list(OPERATIONS.values())[int(rng.integers(2))]
    sets = (1 << np.argsort(rng.random((3, 2, PLACES)), axis=2)[:, :, :3]).sum(axis=2)
    values = np.column_stack([sets, operation(sets[:, 0], sets[:, 1])])
    moved = _moved(int(values[HOLES["matrix"]]))
    wrong = moved[int(rng.integers(len(moved)))] if moved else 0
    return values if rng.integers(2) else values.T, wrong


def _wrong_in_matrix(rng: np.random.Generator, values: Values) -> int:
    """Return a wrong last number: a known or a new one, about as often as the true one is."""
    *seen, true = values.ravel().tolist()
    is_new = rng.random() < (0.5 if true in seen else 0.8)
    others = set(range(PLACES)) - {true}
    choices = sorted(others - set(seen) if is_new else others & set(seen)) or sorted(others)
    return choices[int(rng.integers(len(choices)))]


def _moved(marks: int) -> list[int]:
    """Return the sets with one mark at another place."""
    taken = [1 << i for i in range(PLACES) if marks >> i & 1]
    free = [1 << i for i in range(PLACES) if not marks >> i & 1]
    return [marks - a + b for a in taken for b in free]
