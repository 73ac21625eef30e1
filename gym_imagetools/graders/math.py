r"""Grades mathematics by symbolic equality (math-verify).

Fields of a row: ``expected_answer`` (TeX or plain; ``$...$``, ``\(...\)`` and ``\boxed{...}``
around it are dropped), and ``deadline_s`` (5.0), the seconds that one comparison may take.

The content of the last box is the answer. math-verify decides (a decimal that stands for a fraction
or an irrational number needs six decimals), and these hold besides: an expected answer that is
words is compared as text, two decimals are equal only exactly, two units must be the same one, a
measure (cm, kg) must not be left out where it is expected, and neither an equation nor another
relation is a value (``x=5`` and ``> 5`` are not 5, although 5 answers ``x=5``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from gym_imagetools.graders.blank import is_blank
from gym_imagetools.graders.extraction import last_box, last_closed_box
from gym_imagetools.graders.fields import Fields, bad_gold, gold_text, number_field
from gym_imagetools.graders.grader import Grader, judge, no_answer
from gym_imagetools.graders.look_alikes import is_look_alike, is_same_wording, is_wording
from gym_imagetools.graders.math_process import MATH_PROCESS
from gym_imagetools.graders.notation import fold, plain
from gym_imagetools.graders.numbers import read_tex_groups
from gym_imagetools.types import Score

_MAX_LENGTH = 4000
_MAX_DEADLINE_S = 3600.0


@dataclass(frozen=True)
class Math(Grader):
    """Grades by symbolic equality; see the module's text.

    Attributes:
        gold: The expected answer without delimiters.
        deadline_s: Seconds that one comparison may take, above 0 and at most 3600.
    """

    gold: str
    deadline_s: float = 5.0

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Make the grader of a row; see :meth:`Grader.from_fields`."""
        text = gold_text(fields)
        gold = _normal(_strip_delimiters(text))
        if is_blank(gold) or not plain(fold(gold)):
            raise bad_gold("an answer with something in it to compare", text)
        deadline_s = number_field(
            fields, "deadline_s", cls.deadline_s, positive=True, at_most=_MAX_DEADLINE_S
        )
        return cls(gold, deadline_s)

    def grade_reply(self, reply: str) -> Score:
        """Grade a reply; see :meth:`Grader.grade_reply`.

        Raises:
            RuntimeError: If the worker process cannot be started.
        """
        content = last_box(reply)
        if content is None or is_blank(content):
            return no_answer("no box with an answer found")
        if len(content) > _MAX_LENGTH:
            return no_answer("too long to be an answer")
        answer = _normal(content.strip())
        reply_of_worker = MATH_PROCESS.ask(self.gold, answer, self.deadline_s)
        if reply_of_worker is None:
            return Score(0.0, "", "could not be checked in time")
        if is_wording(self.gold):
            is_right = is_same_wording(answer, self.gold)
        else:
            is_right = reply_of_worker["equal"] and not is_look_alike(answer, self.gold)
        return judge(is_right, reply_of_worker["extracted"])


def _normal(text: str) -> str:
    """Write the minus sign and thousands groups as math-verify reads them."""
    return read_tex_groups(re.sub("\u2212|\u2013(?=\\s?[\\d.])", "-", text))


def _strip_delimiters(text: str) -> str:
    if text.startswith("\\(") and text.endswith("\\)"):
        text = text[2:-2].strip()
    if len(text) > 1 and text.startswith("$") and text.endswith("$"):
        text = text.strip("$").strip()
    if text.startswith(("\\boxed", "\\fbox")) and (content := last_closed_box(text)) is not None:
        text = content.strip()
    return text
