"""The info dictionary: the same keys with the same types on reset and on every step.

Vector environments merge infos into arrays whose type the first environment fixes, so every key
is always there, floats are floats, and nothing is None or NaN (see DESIGN: "info").
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypedDict

from gym_imagetools.types import ToolCall

Ending = Literal["", "answered", "invalid_call", "step_limit", "incomplete"]
"""How an episode ended; "" while it runs."""

Duplicate = Literal["", "exact", "near"]
"""Whether a call repeats an earlier one."""


FULL_SCORE = 1.0
"""What an objective scores that is met in full."""


class CallResult(TypedDict):
    """One call of a turn, as ``info["tool_results"]`` lists it."""

    call_id: str
    name: str
    arguments: dict[str, Any]
    ok: bool
    duplicate: Duplicate
    output: str


class EpisodeInfo(TypedDict):
    """The info of every environment of the package; some add keys of their own."""

    task_id: str
    turn: int
    ending: Ending
    final_turn: bool
    notice: str
    tool_results: list[CallResult]
    tool_call_count: int
    tool_error_count: int
    base_reward: float
    image_tools_aux_reward: float
    reward_components: dict[str, float]
    reward_scores: dict[str, float]
    extracted_answer: str
    expected_answer: str


def opening_info(task_id: str, objectives: Iterable[str]) -> EpisodeInfo:
    """Return the info of a fresh episode.

    Args:
        task_id: The name of the task.
        objectives: The names of the reward components of the environment.
    """
    names = tuple(objectives)
    return EpisodeInfo(
        task_id=task_id,
        turn=0,
        ending="",
        final_turn=False,
        notice="",
        tool_results=[],
        tool_call_count=0,
        tool_error_count=0,
        base_reward=0.0,
        image_tools_aux_reward=0.0,
        reward_components=dict.fromkeys(names, 0.0),
        reward_scores=dict.fromkeys(names, 0.0),
        extracted_answer="",
        expected_answer="",
    )


def is_right(reward_scores: Mapping[str, float]) -> bool:
    """Return whether an episode is right: its first objective scored fully.

    That is ``answer``, ``match`` or ``correctness``; pay for the use of tools or for form makes
    no episode right.

    Args:
        reward_scores: The scores of an episode that has ended, before any cap.
    """
    return next(iter(reward_scores.values()), 0.0) >= FULL_SCORE


def call_id_of(call: ToolCall, turn: int, index: int) -> str:
    """Return the id under which a call is answered.

    Args:
        call: The call; an id given by an API is kept.
        turn: The number of the assistant turn, counted from 1.
        index: The place of the call in its turn, counted from 0.
    """
    return call.call_id or f"call_{turn}_{index}"


def refused_call(call: ToolCall, call_id: str, output: str) -> CallResult:
    """Return the entry of a call that was not run.

    Args:
        call: The call.
        call_id: The id under which it is answered.
        output: The JSON reply that says why.
    """
    return CallResult(
        call_id=call_id,
        name=call.name,
        arguments=plain_arguments(call.arguments),
        ok=False,
        duplicate="",
        output=output,
    )


def plain_arguments(arguments: Any) -> dict[str, Any]:
    """Return arguments as an info may hold them: an object without NaN and infinities.

    Args:
        arguments: What the model wrote; what is no object becomes an empty one.
    """
    return _finite(arguments) if isinstance(arguments, dict) else {}


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def join_notices(*notices: str) -> str:
    """Join the notices that are not empty into one text, a line each."""
    return "\n".join(notice for notice in notices if notice)
