"""Grades a click: how far a point is from the expected one.

Fields of a row (NeMo Gym's): ``expected_answer`` is ``x,y`` as fractions of the picture (0..1);
``max_dist`` (0.15) is the distance, in the same unit, at which the reward has fallen to 0.

The reply holds ``<point>(x, y)</point>`` in thousandths; the first one counts. Decimals are read.
A point outside of the picture scores 0. The reward is ``(1 - distance / max_dist) ** 2``.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Self

from gym_imagetools.graders.fields import Fields, bad_gold, gold_text, number_field
from gym_imagetools.graders.grader import Grader, no_answer
from gym_imagetools.types import Score

# At most nine digits: a longer number is no coordinate but a model that ran away.
_NUMBER = r"([-\u2212]?\d{1,9}(?:\.\d{1,9})?)"
_POINT = re.compile(rf"<point>\s*\[?\s*\(\s*{_NUMBER}\s*,\s*{_NUMBER}\s*\)\s*\]?\s*</point>")
_THOUSANDTHS = 1000.0


@dataclass(frozen=True)
class GuiCoordinate(Grader):
    """Grades a point by its distance to the expected one; see the module's text.

    Attributes:
        gold: The expected point, fractions 0..1 of the picture's width and height.
        max_dist: The distance that earns nothing any more, above 0.
    """

    gold: tuple[float, float]
    max_dist: float = 0.15

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Make the grader of a row; see :meth:`Grader.from_fields`."""
        return cls(
            gold=_read_gold(gold_text(fields)),
            max_dist=number_field(fields, "max_dist", cls.max_dist, positive=True),
        )

    def grade_reply(self, reply: str) -> Score:
        """Grade a reply; see :meth:`Grader.grade_reply`."""
        match = _POINT.search(reply)
        if match is None:
            return no_answer("no <point>(x, y)</point> found")
        x, y = (float(number.replace("\u2212", "-")) / _THOUSANDTHS for number in match.groups())
        extracted = f"{x},{y}"
        if not (0.0 <= x <= 1.0 and 0.0 <= y <= 1.0):
            return Score(0.0, extracted, "outside of the picture")
        distance = ((x - self.gold[0]) ** 2 + (y - self.gold[1]) ** 2) ** 0.5
        value = (1.0 - distance / self.max_dist) ** 2 if distance < self.max_dist else 0.0
        return Score(value, extracted, f"distance {distance:.4g}")


def _read_gold(text: str) -> tuple[float, float]:
    try:
        x, y = (float(part) for part in text.split(","))
    except ValueError:
        raise bad_gold("x,y", text) from None
    if not all(math.isfinite(part) and 0.0 <= part <= 1.0 for part in (x, y)):
        raise bad_gold("x,y as fractions of the picture, 0 to 1", text)
    return x, y
