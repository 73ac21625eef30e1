"""Pays and fines the use of tools."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gymnasium as gym

from gym_imagetools.contract import CallResult
from gym_imagetools.scoring.ledgers import LEDGERS, Ledger, RewardPolicy
from gym_imagetools.wrappers.episode_wrapper import EpisodeWrapper, Observation, Step

OBJECTIVE = "tool_use"
WEIGHT = 0.05
"""The weight of ``tool_use`` beside an answer of weight 1, for GDPO."""


class ToolUseReward(EpisodeWrapper):
    """Adds the auxiliary reward of tool use as the objective ``tool_use`` (rules 9 and 10).

    Args:
        env: An environment whose info has ``tool_results`` and ``tool_error_count``.
        tool_success_reward: Pay for an executed call that is no duplicate, >= 0.
        tool_success_reward_cap: What the pay may come to, >= 0.
        invalid_tool_call_penalty: Pay for a refused or malformed turn, <= 0.
        duplicate_tool_call_penalty: Pay for a call that repeats an earlier one, <= 0.
        reward_policy: How the pay adds up: ``reference`` (a running cap) or ``strict`` (bonuses
            capped apart from penalties).
    """

    def __init__(
        self,
        env: gym.Env[Observation, Any],
        *,
        tool_success_reward: float,
        tool_success_reward_cap: float,
        invalid_tool_call_penalty: float,
        duplicate_tool_call_penalty: float,
        reward_policy: RewardPolicy,
    ) -> None:
        super().__init__(
            env,
            tool_success_reward=tool_success_reward,
            tool_success_reward_cap=tool_success_reward_cap,
            invalid_tool_call_penalty=invalid_tool_call_penalty,
            duplicate_tool_call_penalty=duplicate_tool_call_penalty,
            reward_policy=reward_policy,
        )
        self._tool_success_reward = tool_success_reward
        self._invalid_tool_call_penalty = invalid_tool_call_penalty
        self._duplicate_tool_call_penalty = duplicate_tool_call_penalty
        self._fresh_ledger: Ledger = LEDGERS[reward_policy](float(tool_success_reward_cap))
        self._ledger: Ledger = self._fresh_ledger
        self._num_errors = 0

    @property
    def reward_weights(self) -> dict[str, float]:
        """The weight of each objective, for GDPO."""
        return {**self.env.get_wrapper_attr("reward_weights"), OBJECTIVE: WEIGHT}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode with an empty ledger."""
        self._ledger = self._fresh_ledger
        self._num_errors = 0
        observation, info = self.env.reset(seed=seed, options=options)
        return observation, self._book(info)

    def step(self, action: Any) -> Step:
        """Play the turn and pay for its calls."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        before = self._ledger.total
        self._ledger = self._pay(info["tool_results"], info["tool_error_count"])
        pay = self._ledger.total - before
        return observation, float(reward) + pay, terminated, truncated, self._book(info)

    def _pay(self, results: Iterable[CallResult], num_errors: int) -> Ledger:
        executed = [result for result in results if result["ok"]]
        num_repeats = sum(bool(result["duplicate"]) for result in executed)
        num_new_errors = num_errors - self._num_errors
        self._num_errors = num_errors
        return self._ledger.after(
            self._tool_success_reward * (len(executed) - num_repeats),
            self._duplicate_tool_call_penalty * num_repeats
            + self._invalid_tool_call_penalty * num_new_errors,
            made_picture=bool(executed),
        )

    def _book(self, info: dict[str, Any]) -> dict[str, Any]:
        total = self._ledger.total
        info["image_tools_aux_reward"] = total
        info["reward_components"] = {**info["reward_components"], OBJECTIVE: total}
        info["reward_scores"] = {**info["reward_scores"], OBJECTIVE: total}
        return info
