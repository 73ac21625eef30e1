"""The one interface of all graders."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

from gym_imagetools.graders.extraction import strip_reasoning
from gym_imagetools.graders.fields import Fields
from gym_imagetools.types import Score


class Grader(ABC):
    """Grades replies to one question: a frozen object made from the fields of a row."""

    @classmethod
    @abstractmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Make the grader of a row.

        Args:
            fields: The row's grading fields; ``expected_answer`` is always needed, fields that
                the grader does not know are left alone.

        Raises:
            DataError: If a field cannot be used; the message names it and what was expected.
        """

    @abstractmethod
    def grade_reply(self, reply: str) -> Score:
        """Grade a reply that is free of reasoning and of white space around it."""

    def grade(self, text: str) -> Score:
        """Grade the last assistant text of an episode; reasoning in it never counts.

        Never raises on what a model wrote: a text without a readable answer scores 0.
        """
        return self.grade_reply(strip_reasoning(text).strip())


def judge(is_right: bool, extracted: str) -> Score:
    """Build the score of an answer that was read and compared."""
    return Score(1.0, extracted, "right") if is_right else Score(0.0, extracted, "wrong")


def no_answer(reason: str = "no answer found") -> Score:
    """Build the score of a reply that holds no readable answer."""
    return Score(0.0, "", reason)
