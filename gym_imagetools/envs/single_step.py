"""The info of environments whose episode is one step."""

from __future__ import annotations

from collections.abc import Mapping

from gym_imagetools.contract import (
    CallResult,
    Ending,
    EpisodeInfo,
    call_id_of,
    opening_info,
    refused_call,
)
from gym_imagetools.prompts import replies
from gym_imagetools.types import ToolCall, Turn


def closing_info(
    task_id: str, turn: Turn, scores: Mapping[str, float], results: list[CallResult]
) -> EpisodeInfo:
    """Return the info of the one step of an episode.

    Args:
        task_id: The name of the task.
        turn: The turn that was scored.
        scores: The score of each objective; they sum to the reward.
        results: What each call of the turn was answered.
    """
    info = opening_info(task_id, scores)
    info["turn"] = 1
    info["ending"] = _ending(turn)
    info["reward_components"] = dict(scores)
    info["reward_scores"] = dict(scores)
    info["base_reward"] = float(sum(scores.values()))
    info["tool_results"] = results
    info["tool_call_count"] = sum(result["ok"] for result in results)
    info["tool_error_count"] = int(bool(turn.error))
    return info


def refused_turn(turn: Turn) -> list[CallResult]:
    """Return the one entry of a turn of which nothing may run; none for a good turn."""
    reason = replies.CUT_OFF if turn.incomplete else turn.error
    if not reason:
        return []
    call = turn.calls[0] if turn.calls else ToolCall("", {})
    return [refused_call(call, call_id_of(call, 1, 0), replies.error_json(reason))]


def _ending(turn: Turn) -> Ending:
    if turn.incomplete:
        return "incomplete"
    return "invalid_call" if turn.error else "answered"
