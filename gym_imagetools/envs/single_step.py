"""The info of environments whose episode is one step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gym_imagetools.contract import Ending, EpisodeInfo, call_id_of, opening_info, refused_call
from gym_imagetools.prompts import replies
from gym_imagetools.types import Turn


def closing_info(
    task_id: str, turn: Turn, scores: Mapping[str, float], refusals: Iterable[str]
) -> EpisodeInfo:
    """Return the info of the one step of an episode.

    Args:
        task_id: The name of the task.
        turn: The turn that was scored.
        scores: The score of each objective; they sum to the reward.
        refusals: Why each call of the turn was not run, in their order.
    """
    info = opening_info(task_id, scores)
    info["turn"] = 1
    info["ending"] = (
        "incomplete" if turn.incomplete else "invalid_call" if turn.error else "answered"
    )
    info["reward_components"] = dict(scores)
    info["reward_scores"] = dict(scores)
    info["base_reward"] = float(sum(scores.values()))
    info["tool_error_count"] = int(bool(turn.error))
    info["tool_results"] = [
        refused_call(call, call_id_of(call, 1, index), replies.error_json(reason))
        for index, (call, reason) in enumerate(zip(turn.calls, refusals, strict=False))
    ]
    return info


def _ending(turn: Turn) -> Ending:
    if turn.incomplete:
        return "incomplete"
    return "invalid_call" if turn.error else "answered"
