r"""Exact graders of the puzzles: the answer is a value of one small type, and equal or not.

The answer is the content of the last box, or the whole reply when there is no box. It is read
strictly: what is not just one value of the type is no answer, so prose, hedges and lists of all
options score 0. ``expected_answer`` is written in the same form:

- ``integer``: ``42``, also ``1,024``.
- ``coord``: ``row,column`` with or without brackets, both 1 or more.
- ``pairs``: ``1-4, 2-3``: pairs and the two ends of each in any order, each pair once.
- ``set``: ``A, C and F``, with or without braces: items in any order, each once.
- ``intlist``: ``3, 1, 2``: integers in this order.
- ``compare``: one of ``<``, ``>``, ``=``.
"""

from __future__ import annotations

import re
import unicodedata
from abc import abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar, Self

from gym_imagetools.graders.extraction import find_boxes, unwrap_styles
from gym_imagetools.graders.fields import Fields, bad_gold, gold_text
from gym_imagetools.graders.grader import Grader, judge, no_answer
from gym_imagetools.graders.items import split_items, strip_brackets
from gym_imagetools.graders.numbers import read_tex_groups, ungroup
from gym_imagetools.types import Score

_MAX_LENGTH = 2000
_INTEGER = re.compile(r"[+-]?\d{1,18}")
_COORD = re.compile(r"(\d{1,9})\s*[,;]\s*(\d{1,9})")
_PAIR = re.compile(r"(\w{1,20})\s*-\s*(\w{1,20})")
_ITEM = re.compile(r"\w[\w .+\-]{0,60}")
_COMPARISONS = {"<": "<", ">": ">", "=": "=", "\\lt": "<", "\\gt": ">", "&lt;": "<", "&gt;": ">"}


@dataclass(frozen=True)
class Exact(Grader):
    """Grades by equality of two values of one type; the subclasses say how a value is read.

    Attributes:
        gold: The expected value.
    """

    gold: Hashable
    form: ClassVar[str]
    """The form of an answer, for errors."""

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Make the grader of a row; see :meth:`Grader.from_fields`."""
        text = gold_text(fields)
        value = cls.read(tidy(text))
        if value is None:
            raise bad_gold(cls.form, text)
        return cls(value)

    def grade_reply(self, reply: str) -> Score:
        """Grade a reply; see :meth:`Grader.grade_reply`."""
        boxes = find_boxes(reply)
        answer = boxes[-1] if boxes else reply
        if not answer or not answer.strip():
            return no_answer()
        if len(answer) > _MAX_LENGTH or (value := self.read(tidy(answer))) is None:
            return no_answer(f"expected {self.form}")
        return judge(value == self.gold, answer.strip())

    @classmethod
    @abstractmethod
    def read(cls, text: str) -> Hashable | None:
        """Return the value that the whole tidy text is, or None."""


class Integer(Exact):
    """Grades one integer."""

    form = "an integer such as 42"

    @classmethod
    def read(cls, text: str) -> int | None:
        """Return the integer; thousands groups are read."""
        text = ungroup(text)
        return int(text) if _INTEGER.fullmatch(text) else None


class Coord(Exact):
    """Grades one cell of a grid."""

    form = "row,column such as 3,5"

    @classmethod
    def read(cls, text: str) -> tuple[int, int] | None:
        """Return row and column, both counted from 1."""
        match = _COORD.fullmatch(strip_brackets(text))
        if match is None:
            return None
        row, column = int(match[1]), int(match[2])
        return (row, column) if row and column else None


class Pairs(Exact):
    """Grades a matching: an unordered set of unordered pairs."""

    form = "pairs such as 1-4, 2-3"

    @classmethod
    def read(cls, text: str) -> frozenset[frozenset[str]] | None:
        """Return the pairs; a repeated pair or a pair of equal ends is refused."""
        matches = [_PAIR.fullmatch(strip_brackets(item)) for item in split_items(text)]
        ends = [frozenset((_label(m[1]), _label(m[2]))) for m in matches if m]
        pairs = frozenset(ends)
        is_whole = len(pairs) == len(matches) and all(len(pair) == 2 for pair in pairs)
        return pairs if is_whole else None


class LabelSet(Exact):
    """Grades an unordered set of labels."""

    form = "different items such as A, C, F"

    @classmethod
    def read(cls, text: str) -> frozenset[str] | None:
        """Return the items; a repeated item is refused."""
        items = split_items(text)
        if not all(_ITEM.fullmatch(item) for item in items):
            return None
        labels = frozenset(_label(item) for item in items)
        return labels if len(labels) == len(items) else None


class IntList(Exact):
    """Grades an ordered list of integers."""

    form = "integers such as 3, 1, 2"

    @classmethod
    def read(cls, text: str) -> tuple[int, ...] | None:
        """Return the integers; a comma always separates here, it is never a thousands mark."""
        items = re.split(r"\s*[,;]\s*|\s+", strip_brackets(text))
        if not all(_INTEGER.fullmatch(item) for item in items):
            return None
        return tuple(int(item) for item in items)


class Compare(Exact):
    """Grades one sign of comparison."""

    form = "one of <, >, ="

    @classmethod
    def read(cls, text: str) -> str | None:
        """Return the sign."""
        return _COMPARISONS.get(text)


def tidy(text: str) -> str:
    r"""Return an answer in NFKC, with ``-`` for every dash and no ``$``, style or full stop."""
    text = unicodedata.normalize("NFKC", text)
    text = re.sub("[\u2212\u2013\u2014\u2010\u2011]", "-", text)
    text = read_tex_groups(unwrap_styles(text.strip().strip("$")))
    return text.removesuffix(".").strip().strip("$").strip()


def _label(text: str) -> str:
    return " ".join(text.upper().split())
