"""What a turn scores at a pivot, and the parts of scoring that look at no argument."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from gym_imagetools.scoring.demonstration import Demonstration
from gym_imagetools.scoring.families import ANSWER
from gym_imagetools.scoring.pivot_settings import PivotSettings
from gym_imagetools.types import ToolCall, Turn

Failure = Literal[
    "none",
    "no_tool_call_in_rollout",
    "malformed_tool_call",
    "extra_tool_calls",
    "tool_name_mismatch",
    "target_mismatch",
    "argument_below_threshold",
]
"""What stood first between a turn and full reward; ``none`` when nothing did.

``no_tool_call_in_rollout``: no call could be read. ``malformed_tool_call``: one could, but the
turn is broken or cut, so nothing in it would run.
"""

Grade = Callable[[str], float]
"""Grades the text of an answer, 0.0 to 1.0."""


@dataclass(frozen=True, slots=True)
class PivotScore:
    """What a turn scores against a demonstration.

    Attributes:
        reward: 0.0 to 1.0.
        failure: What went wrong first.
        tool_name_match: Whether the turn takes the demonstrated decision (level 0).
        target_match: Whether on the same pictures (level 1); None when that was not asked.
        argument_score: How close, 0.0 to 1.0 (level 2); None when that was not asked.
        argument_detail: How closeness was found; None when that was not asked.
        tool_family: The family of the demonstrated tool; None without a call to compare.
        rollout_tool_name: The tool of the scored call; None without a call to compare.
        expected_tool_name: The demonstrated tool; None without a call to compare.
        num_rollout_tool_calls: How many calls could be read.
    """

    reward: float = 0.0
    failure: Failure = "none"
    tool_name_match: bool = False
    target_match: bool | None = None
    argument_score: float | None = None
    argument_detail: str | None = None
    tool_family: str | None = None
    rollout_tool_name: str | None = None
    expected_tool_name: str | None = None
    num_rollout_tool_calls: int = 0


def scored_call(turn: Turn) -> ToolCall:
    """Return the one call of a turn that is scored: the first, where all are in one notation.

    The reference reads XML calls before JSON ones, whichever come first in the text.
    """
    return next((call for call in turn.calls if call.source == "xml"), turn.calls[0])


def opening_score(turn: Turn, demonstration: Demonstration) -> PivotScore:
    """Return the score before anything was compared, failed already when there is no call."""
    score = PivotScore(num_rollout_tool_calls=len(turn.calls))
    if not turn.calls:
        return replace(score, failure="no_tool_call_in_rollout")
    if turn.error or turn.incomplete:
        return replace(score, failure="malformed_tool_call")
    return replace(
        score,
        tool_family=demonstration.family,
        rollout_tool_name=scored_call(turn).name,
        expected_tool_name=demonstration.name,
    )


def closing_score(
    score: PivotScore, settings: PivotSettings, closeness: float, detail: str
) -> PivotScore:
    """Return the score with its reward, once level 2 is known.

    Args:
        score: What levels 0 and 1 said.
        settings: Threshold, mode, and whether several calls are one too many.
        closeness: Level 2, 0.0 to 1.0.
        detail: How it was found.
    """
    score = replace(score, argument_score=closeness, argument_detail=detail)
    is_match = closeness >= settings.threshold_of(score.tool_family or "")
    reward = float(is_match) if settings.reward_mode == "binary" else closeness
    has_extra = settings.penalize_extra_tool_calls and score.num_rollout_tool_calls > 1
    failure: Failure = "argument_below_threshold"
    if is_match:
        failure = "extra_tool_calls" if has_extra else "none"
    return replace(score, reward=0.0 if has_extra else reward, failure=failure)


def score_answer(turn: Turn, settings: PivotSettings, grade: Grade | None) -> PivotScore:
    """Score a turn where the demonstration answers: by its answer, and 0 for any call.

    Args:
        turn: The model's turn.
        settings: How strict to be.
        grade: Grades the answer.

    Raises:
        ValueError: There is no ``grade``.
    """
    if grade is None:
        raise ValueError(f"Expected grade for a demonstrated {ANSWER}, got None.")
    score = PivotScore(
        tool_family="answer",
        rollout_tool_name=turn.calls[0].name if turn.calls else None,
        expected_tool_name=ANSWER,
        num_rollout_tool_calls=len(turn.calls),
    )
    if turn.is_answer:
        score = replace(score, tool_name_match=True, rollout_tool_name=ANSWER)
        closeness = 0.0 if turn.refused else grade(turn.text)
        return closing_score(score, settings, closeness, "answer")
    is_broken = turn.error or turn.incomplete
    return replace(score, failure="malformed_tool_call" if is_broken else "tool_name_mismatch")
