"""A data row of NeMo Gym as a task: its fields, and which grader they are for."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from gym_imagetools.errors import DataError
from gym_imagetools.graders import make_grader
from gym_imagetools.rows.faults import first_fault, shown
from gym_imagetools.rows.messages import read_prompt
from gym_imagetools.types import Task

AGENT_GRADERS = {
    "string_match_simple_agent": "string_match",
    "math_with_judge_simple_agent": "math",
    "mcqa_simple_agent": "mcqa",
    "gui_coordinate_simple_agent": "gui_coordinate",
}
"""The agents that rows of NeMo Gym 0.7 name, and the grader behind each of them."""


class AgentRef(BaseModel):
    """How a row names an agent. Its ``type`` says nothing about grading."""

    name: str


class Row(BaseModel):
    """One row. Fields that are not named here are the grader's, and are passed on as they are."""

    model_config = ConfigDict(extra="allow", frozen=True)

    responses_create_params: dict[str, Any]
    """The request that opens the episode; ``input`` holds its messages."""

    image_tools_base_agent_ref: AgentRef | None = None
    """Chooses the grader as the reference does, where ``grader`` does not."""

    grader: str | None = None
    """Names the grader."""

    demonstration: tuple[str, ...] = ()
    """Assistant turns that play this row."""

    metadata: dict[str, Any] | None = None
    """Facts about the row. Agents never see them."""

    category: Any = None
    family: Any = None
    """The kind of question, for tables."""

    agent_ref: Any = None
    uuid: Any = None
    expected_action: Any = None
    """Known fields of rows that no grader reads."""

    @property
    def grading(self) -> dict[str, Any]:
        """The fields of the grader."""
        return dict(self.model_extra or {})

    @property
    def kind(self) -> str:
        """The kind of question: the first text among ``category`` and ``family``, or ""."""
        facts = self.metadata or {}
        kinds = (self.category, self.family, facts.get("category"), facts.get("family"))
        return next((kind for kind in kinds if isinstance(kind, str) and kind), "")


def read_row(row: Mapping[str, Any], name: str, root: Path | None) -> Task:
    """Read a row as a task, and check all of it.

    Args:
        row: The row, as JSON values.
        name: The task's id, such as ``rows.jsonl#17``.
        root: The folder of the pictures that are files; None when there are none.

    Raises:
        DataError: A field, the grader or a picture cannot be used; the message names it.
    """
    try:
        fields = Row.model_validate(row)
    except ValidationError as error:
        raise DataError(first_fault(error)) from error
    _check_answer(fields)
    grader = _grader_name(fields)
    make_grader(grader, fields.grading)
    prompt = read_prompt(row, root)
    return Task(
        task_id=name,
        question=prompt.question,
        pictures=prompt.pictures,
        grader=grader,
        grading=fields.grading,
        messages=prompt.messages,
        family=fields.kind,
        demonstration=fields.demonstration,
        metadata=fields.metadata or {},
    )


def _grader_name(row: Row) -> str:
    if row.grader is not None:
        return row.grader
    if row.image_tools_base_agent_ref is None:
        raise DataError(
            "Expected `grader` (or `image_tools_base_agent_ref.name`) to name the grader, got "
            "neither; add one."
        )
    agent = row.image_tools_base_agent_ref.name
    if agent not in AGENT_GRADERS:
        close = get_close_matches(agent, AGENT_GRADERS, n=1)
        hint = f"did you mean {close[0]!r}?" if close else "or name a `grader`."
        raise DataError(
            "Expected `image_tools_base_agent_ref.name` to be one of "
            f"{', '.join(AGENT_GRADERS)}, got {shown(agent)}; {hint}"
        )
    return AGENT_GRADERS[agent]


def _check_answer(row: Row) -> None:
    if row.grading.get("expected_answer") is None:
        hint = (
            "add the right answer."
            if row.expected_action is None
            else "rows with `expected_action` are played by ImageTools/Pivot-v0."
        )
        raise DataError(f"Expected `expected_answer` to hold an answer, got none; {hint}")
