"""The data that flows through one step: turns and calls in, tasks and scores out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
"""Pixels of a picture: ``uint8`` of shape (height, width, 3), RGB, read-only where shared."""

Message = dict[str, Any]
"""One input item of the OpenAI Responses dialect."""


class Picture(Protocol):
    """A recipe for pixels: small, immutable, picklable, and always able to make them again."""

    @property
    def key(self) -> str:
        """Names the pixels: equal keys mean equal pixels. Never made by hashing pixels."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""

    def load(self) -> Pixels:
        """Return the pixels, read-only, from the shared cache or made anew."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool as a model wrote it.

    Attributes:
        name: The tool's name, not yet known to exist.
        arguments: The arguments, not yet checked against the tool's schema.
        call_id: The id an API gave the call; "" for calls read from text.
        source: The notation it was read from: ``xml``, ``json`` or ``native``.
    """

    name: str
    arguments: dict[str, Any]
    call_id: str = ""
    source: str = "native"


@dataclass(frozen=True, slots=True)
class Turn:
    """One assistant turn, parsed once; a member of the action space.

    Attributes:
        text: The raw text: what is graded and recorded.
        prose: What stands outside of calls and reasoning.
        calls: The calls in the order of the text.
        error: Not empty when nothing may run (malformed markup, or a call after the final turn
            was announced). The calls stay, so that each of their ids can be answered.
        notice: What the reply adds beside the tool results. A turn with a notice and no calls is
            answered by the notice: it is not a final answer.
        is_last: No turn follows; whatever this is gets graded.
        incomplete: The reply was cut by the token limit: nothing runs, and it is graded 0.
        refused: The model refused to answer, by the part of a reply that is made for it: it is
            graded 0, whatever it says.
    """

    text: str
    prose: str
    calls: tuple[ToolCall, ...] = ()
    error: str = ""
    notice: str = ""
    is_last: bool = False
    incomplete: bool = False
    refused: bool = False

    @property
    def is_answer(self) -> bool:
        """Whether this turn is the final answer: nothing to run, refuse or announce."""
        return not (self.calls or self.error or self.notice or self.incomplete)


@dataclass(frozen=True, slots=True)
class Score:
    """What a grader says of an answer.

    Attributes:
        value: The reward, 0.0 to 1.0.
        extracted: The answer that was read from the text; "" when there was none.
        reason: One short sentence for people.
    """

    value: float
    extracted: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Task:
    """One question about pictures, with what is needed to grade an answer.

    Attributes:
        task_id: Names the task for ever, such as ``Maze/2/123456`` or ``rows.jsonl#17``.
        question: The question as text.
        pictures: The source pictures, at full size.
        grader: A key of :data:`gym_imagetools.graders.GRADERS`.
        grading: The grader's own fields; ``expected_answer`` is always among them.
        messages: The messages of a data row that open the episode (Responses input items);
            empty when the environment writes them from the question.
        family: The kind of task, for tables.
        demonstration: Assistant turns that solve the task, where the data holds them.
        metadata: Facts about the task for people and tests. Agents never see them.
    """

    task_id: str
    question: str
    pictures: tuple[Picture, ...]
    grader: str
    grading: Mapping[str, Any]
    messages: tuple[Message, ...] = ()
    family: str = ""
    demonstration: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def expected_answer(self) -> str:
        """The canonical answer as text."""
        return str(self.grading["expected_answer"])
