"""A grader's fields: reads them from a data row and refuses what cannot be used."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from gym_imagetools.errors import DataError
from gym_imagetools.graders.blank import is_blank

Fields = Mapping[str, Any]
"""The grading fields of a row, under NeMo Gym's names."""


class FieldLog(dict[str, Any]):
    """Grading fields that note which of them were asked for."""

    def __init__(self, fields: Fields) -> None:
        super().__init__(fields)
        self.asked_for: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        """Return a field as a dict does, and note its name."""
        self.asked_for.add(name)
        return super().get(name, default)


class GoldError(DataError):
    """The row's expected answer cannot be used: no answer of a model could ever be right."""


def gold_text(fields: Fields) -> str:
    """Return ``expected_answer`` as stripped text.

    Raises:
        GoldError: If it is missing, shows nothing, or is neither text nor a number.
    """
    gold = fields.get("expected_answer")
    if isinstance(gold, bool) or not isinstance(gold, str | int | float):
        raise bad_gold("text or a number", gold)
    text = str(gold).strip()
    if is_blank(text):
        raise bad_gold("a text that shows something", gold)
    return text


def bad_gold(expected: str, gold: object) -> GoldError:
    """Build the error for an expected answer that is not ``expected``."""
    return GoldError(
        f"Expected `expected_answer` to be {expected}, got {gold!r}; correct or drop the row."
    )


def bad_field(name: str, expected: str, value: object) -> DataError:
    """Build the error for a field that is not ``expected``."""
    return DataError(f"Expected `{name}` to be {expected}, got {value!r}; correct the row.")


def choice_field(fields: Fields, name: str, choices: Sequence[str], default: str) -> str:
    """Return a field that names one of ``choices``; missing or null means ``default``.

    Raises:
        DataError: If it names anything else.
    """
    value = fields.get(name)
    if value is None:
        return default
    if value not in choices:
        raise bad_field(name, f"one of {', '.join(choices)}", value)
    return str(value)


def flag_field(fields: Fields, name: str) -> bool:
    """Return a field that is true or false; missing or null means false.

    Raises:
        DataError: If it is not a boolean.
    """
    value = fields.get(name)
    if value is None:
        return False
    if not isinstance(value, bool):
        raise bad_field(name, "true or false", value)
    return value


def number_field(
    fields: Fields,
    name: str,
    default: float,
    *,
    positive: bool = False,
    at_most: float = sys.float_info.max,
) -> float:
    """Return a number from 0, or from above 0 when ``positive``, to ``at_most``.

    Raises:
        DataError: If it is no such number.
    """
    value = fields.get(name)
    if value is None:
        return default
    expected = "a finite number above 0" if positive else "a finite number, 0 or more"
    if at_most < sys.float_info.max:
        expected += f", at most {at_most:g}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise bad_field(name, expected, value)
    if not 0 <= value <= at_most or (positive and value == 0):  # false for NaN too
        raise bad_field(name, expected, value)
    return float(value)
