"""Limits how many tool calls run, in a turn and in an episode."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gymnasium as gym

from gym_imagetools.contract import CallResult, call_id_of, join_notices, refused_call
from gym_imagetools.parsing import parse_turn
from gym_imagetools.prompts import replies
from gym_imagetools.types import ToolCall, Turn
from gym_imagetools.wrappers.episode_wrapper import EpisodeWrapper, Observation, Step


class ToolCallLimit(EpisodeWrapper):
    """Narrows a turn to the calls that may run, and announces the final turn.

    - A call after the final turn was announced makes the turn an error (rule 3).
    - With ``max_tool_calls`` calls executed nothing runs any more: the reply is the final-turn
      prompt, and the final turn is announced (rule 4). The reply to the last allowed call
      already says that none is left.
    - The first ``max_tool_calls_per_turn`` calls of a turn run, never more than are left; the
      others are listed as not run (rule 5).
    - A duplicate announces the final turn when ``force_final_after_duplicate`` (rule 8).

    Args:
        env: An environment whose info has ``tool_call_count`` and ``tool_results``.
        max_tool_calls: Executed calls allowed in an episode, >= 0.
        max_tool_calls_per_turn: Calls of one turn that run, >= 1.
        force_final_after_duplicate: Whether a repeated call ends the use of tools.
    """

    def __init__(
        self,
        env: gym.Env[Observation, Any],
        *,
        max_tool_calls: int,
        max_tool_calls_per_turn: int,
        force_final_after_duplicate: bool,
    ) -> None:
        super().__init__(
            env,
            max_tool_calls=max_tool_calls,
            max_tool_calls_per_turn=max_tool_calls_per_turn,
            force_final_after_duplicate=force_final_after_duplicate,
        )
        self._max_tool_calls = max_tool_calls
        self._max_tool_calls_per_turn = max_tool_calls_per_turn
        self._force_final_after_duplicate = force_final_after_duplicate
        self._num_left = max_tool_calls
        self._final_turn = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode with all calls left."""
        self._num_left = self._max_tool_calls
        self._final_turn = False
        return self.env.reset(seed=seed, options=options)

    def step(self, action: Any) -> Step:
        """Play the turn with the calls that may run."""
        written = parse_turn(action)
        turn = self._narrow(written)
        observation, reward, terminated, truncated, info = self.env.step(turn)
        self._num_left = self._max_tool_calls - info["tool_call_count"]
        if not turn.error:
            info["tool_results"] += self._not_run(written.calls, len(turn.calls), info["turn"])
        if self._forces_final_turn(info):
            self._final_turn = True
            observation, info = _announce_final_turn(observation, info)
        info["final_turn"] = self._final_turn
        return observation, float(reward), terminated, truncated, info

    def _narrow(self, turn: Turn) -> Turn:
        if turn.error or turn.incomplete or not turn.calls:
            return turn
        if self._final_turn:
            return replace(turn, error=replies.CALL_AFTER_FINAL_TURN)
        if self._num_left <= 0:
            self._final_turn = True
            return replace(turn, calls=(), notice=join_notices(turn.notice, replies.FINAL_TURN))
        runs = turn.calls[: min(self._max_tool_calls_per_turn, self._num_left)]
        notice = join_notices(
            turn.notice,
            replies.only_first(len(runs)) if len(runs) < len(turn.calls) else "",
            replies.BUDGET_SPENT if len(runs) == self._num_left else "",
        )
        is_as_written = len(runs) == len(turn.calls) and notice == turn.notice
        return turn if is_as_written else replace(turn, calls=runs, notice=notice)

    def _not_run(self, calls: tuple[ToolCall, ...], num_run: int, turn: int) -> list[CallResult]:
        reason = replies.NOT_RUN_OVER_LIMIT if num_run else replies.NOT_RUN_NO_CALLS_LEFT
        return [
            refused_call(call, call_id_of(call, turn, index), replies.error_json(reason))
            for index, call in enumerate(calls[num_run:], start=num_run)
        ]

    def _forces_final_turn(self, info: dict[str, Any]) -> bool:
        return (
            self._force_final_after_duplicate
            and not self._final_turn
            and any(result["duplicate"] for result in info["tool_results"])
        )


def _announce_final_turn(
    observation: Observation, info: dict[str, Any]
) -> tuple[Observation, dict[str, Any]]:
    """Add the final-turn prompt to the reply."""
    if info["ending"]:
        return observation, info
    text = join_notices(observation["text"], replies.FINAL_TURN)
    info["notice"] = join_notices(info["notice"], replies.FINAL_TURN)
    return {**observation, "text": text}, info
