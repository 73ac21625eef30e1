"""Pivot rows: a transcript up to one decision, and the call that was demonstrated there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gym_imagetools.errors import DataError
from gym_imagetools.graders import Grader, make_grader
from gym_imagetools.rows.messages import Prompt, read_prompt
from gym_imagetools.scoring.demonstration import Demonstration
from gym_imagetools.types import Message, Picture

_ANSWER_KEYS = ("expected_answer", "answer", "text")


@dataclass(frozen=True)
class PivotTask:
    """One decision to take.

    Attributes:
        task_id: Such as ``pivots.jsonl#3``.
        prompt: The transcript before the decision, with its pictures.
        demonstration: What the demonstration did there.
        grader: Grades the answer where the demonstration answers; None elsewhere.
        expected_answer: The gold answer where the demonstration answers; "" elsewhere.
    """

    task_id: str
    prompt: Prompt
    demonstration: Demonstration
    grader: Grader | None = None
    expected_answer: str = ""

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """The pictures of the transcript, in its order."""
        return self.prompt.pictures

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages of the transcript."""
        return self.prompt.messages


def read_pivot_row(row: Mapping[str, Any], name: str, root: Path | None) -> PivotTask:
    r"""Read a pivot row, and check all of it.

    Where the demonstration answers (``{"name": "__answer__", "arguments": {"answer": "B"}}``) the
    arguments hold the right answer and may name a ``grader`` with its fields; without one the
    answer is compared as text in ``\boxed{}``.

    Args:
        row: The row, as JSON values.
        name: The task's id.
        root: The folder of the pictures that are files; None when there are none.

    Raises:
        DataError: The demonstration, a message or a picture cannot be used.
    """
    demonstration = Demonstration.from_row(row)
    prompt = read_prompt(row, root)
    if not demonstration.is_answer:
        return PivotTask(name, prompt, demonstration)
    fields = dict(demonstration.arguments)
    answer = next((fields[key] for key in _ANSWER_KEYS if fields.get(key) is not None), None)
    if answer is None:
        raise DataError(
            "Expected the arguments of a demonstrated `__answer__` to hold the right `answer`, "
            f"got {sorted(fields)}; add it."
        )
    grading = {"extraction_mode": "boxed", **fields, "expected_answer": answer}
    grader = make_grader(str(fields.pop("grader", "string_match")), grading)
    return PivotTask(name, prompt, demonstration, grader, str(answer))
