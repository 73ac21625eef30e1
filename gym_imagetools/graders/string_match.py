r"""Compares the answer with the expected one as text and as an exact number.

Fields of a row (the first three are NeMo Gym's):

- ``expected_answer``: the right answer.
- ``extraction_mode``: where the answer stands: ``final_answer`` (default: after the last
  ``Answer:``, else in the last box), ``boxed``, ``last_line`` or ``full_response``.
- ``case_sensitive``: the very same characters, nothing is read into them.
- ``unordered``: the answer is a set of items, in any order, each named once
  (``1, 2 and 3`` is ``3, 1, 2``).
- ``tolerance``, ``relative_tolerance``: how far a number may be off; 0 by default, the wider one
  counts. Without them numbers are compared exactly: 1999 is never 2000.

Units are compared. Only a unit that TeX sets beside the number (``5\text{ cm}``) is read as
typesetting when the expected answer has no unit, as math checkers do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from gym_imagetools.graders import extraction
from gym_imagetools.graders.blank import is_blank
from gym_imagetools.graders.fields import (
    Fields,
    bad_field,
    bad_gold,
    choice_field,
    flag_field,
    gold_text,
    number_field,
)
from gym_imagetools.graders.grader import Grader, judge, no_answer
from gym_imagetools.graders.items import split_items
from gym_imagetools.graders.notation import drop_typeset_unit, fold, plain, spellings
from gym_imagetools.graders.numbers import is_close, read_number, read_quantity
from gym_imagetools.types import Score

_MAX_LENGTH_RATIO = 20
_MAX_EXTRA_LENGTH = 1000
_MAX_LENGTH = 20_000
"""A longer text is compared as it is: NFKC turns one character into up to 18."""


def _boxed(text: str) -> str | None:
    content = extraction.last_closed_box(text)
    return None if content is None else extraction.unwrap_text(content)


def _final_answer(text: str) -> str | None:
    answer = extraction.final_answer(text)
    return _boxed(text) if answer is None else answer


EXTRACTION_MODES: dict[str, Callable[[str], str | None]] = {
    "boxed": _boxed,
    "final_answer": _final_answer,
    "last_line": extraction.last_line,
    "full_response": lambda text: text or None,
}


@dataclass(frozen=True)
class StringMatch(Grader):
    """Grades by equality of the answer with the expected one; see the module's text.

    Attributes:
        gold: The expected answer, not empty.
        extraction_mode: A key of :data:`EXTRACTION_MODES`.
        case_sensitive: Compare the very characters.
        unordered: Compare items in any order.
        tolerance: Absolute tolerance of numbers, 0 or more.
        relative_tolerance: Relative tolerance of numbers, 0 or more.
    """

    gold: str
    extraction_mode: str = "final_answer"
    case_sensitive: bool = False
    unordered: bool = False
    tolerance: float = 0.0
    relative_tolerance: float = 0.0

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Make the grader of a row; see :meth:`Grader.from_fields`."""
        grader = cls(
            gold=gold_text(fields),
            extraction_mode=choice_field(
                fields, "extraction_mode", tuple(EXTRACTION_MODES), cls.extraction_mode
            ),
            case_sensitive=flag_field(fields, "case_sensitive"),
            unordered=flag_field(fields, "unordered"),
            tolerance=number_field(fields, "tolerance", 0.0),
            relative_tolerance=number_field(fields, "relative_tolerance", 0.0),
        )
        grader._check()
        return grader

    def grade_reply(self, reply: str) -> Score:
        """Grade a reply; see :meth:`Grader.grade_reply`."""
        answer = EXTRACTION_MODES[self.extraction_mode](reply)
        if not answer or is_blank(answer):
            return no_answer()
        return judge(self._is_right(answer), answer)

    def _check(self) -> None:
        if not any(spellings(plain(fold(self.gold[:_MAX_LENGTH])))):
            raise bad_gold("a text with something in it to compare", self.gold)
        if self.case_sensitive and (self.unordered or self.tolerance or self.relative_tolerance):
            raise bad_field(
                "case_sensitive", "false beside `unordered` or a tolerance", self.case_sensitive
            )

    def _is_right(self, answer: str) -> bool:
        if self.case_sensitive:
            return answer.strip() == self.gold
        if len(answer) > _MAX_LENGTH_RATIO * len(self.gold) + _MAX_EXTRA_LENGTH:
            return False
        if max(len(answer), len(self.gold)) > _MAX_LENGTH:
            return answer.strip() == self.gold
        folded, gold = fold(answer), fold(self.gold)
        if self.unordered:
            return _is_same_set(folded, gold)
        return _is_same_text(folded, gold) or self._is_same_quantity(folded, gold)

    def _is_same_quantity(self, answer: str, gold: str) -> bool:
        expected = read_quantity(plain(gold))
        if expected is None:
            return False
        if not expected.unit:
            answer = drop_typeset_unit(answer)
        found = read_quantity(plain(answer))
        return (
            found is not None
            and found.unit == expected.unit
            and is_close(found.value, expected.value, self.tolerance, self.relative_tolerance)
        )


def _is_same_text(answer: str, gold: str) -> bool:
    return answer == gold or not spellings(plain(answer)).isdisjoint(spellings(plain(gold)))


def _is_same_set(answer: str, gold: str) -> bool:
    return _item_keys(answer) == _item_keys(gold)


def _item_keys(text: str) -> list[str]:
    items = (plain(item) for item in split_items(text.replace("$", "")))
    return sorted(item if (number := read_number(item)) is None else str(number) for item in items)
