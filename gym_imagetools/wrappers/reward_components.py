"""Keeps the promise that the reward components sum to the reward paid."""

from __future__ import annotations

import math
from typing import Any

import gymnasium as gym

from gym_imagetools.wrappers.episode_wrapper import EpisodeWrapper, Observation, Step

REST = "rest"
_TOLERANCE = 1e-6


class RewardComponents(EpisodeWrapper):
    """Stands outermost and compares the running components with the reward paid so far.

    Put it around foreign wrappers that change the reward, with ``foreign_rewards=True``: what
    they add or take is booked under ``rest``.

    Args:
        env: An environment whose info has running ``reward_components``.
        foreign_rewards: Whether wrappers below add rewards of their own. Without, a reward that
            is not the sum of its components is a fault of the stack.
    """

    def __init__(self, env: gym.Env[Observation, Any], *, foreign_rewards: bool = True) -> None:
        super().__init__(env, foreign_rewards=foreign_rewards)
        self._foreign_rewards = foreign_rewards
        self._paid = 0.0

    @property
    def reward_weights(self) -> dict[str, float]:
        """The weight of each objective, for GDPO."""
        weights: dict[str, float] = dict(self.env.get_wrapper_attr("reward_weights"))
        return {**weights, REST: 1.0} if self._foreign_rewards else weights

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode with nothing paid."""
        self._paid = 0.0
        observation, info = self.env.reset(seed=seed, options=options)
        return observation, self._book(info)

    def step(self, action: Any) -> Step:
        """Play the turn and book what was paid.

        Raises:
            RuntimeError: The components do not sum to the reward and ``foreign_rewards`` is off.
        """
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._paid += float(reward)
        return observation, float(reward), terminated, truncated, self._book(info)

    def _book(self, info: dict[str, Any]) -> dict[str, Any]:
        components = info["reward_components"]
        rest = self._paid - sum(components.values())
        if self._foreign_rewards:
            info["reward_components"] = {**components, REST: rest}
            info["reward_scores"] = {**info["reward_scores"], REST: rest}
        elif not math.isclose(rest, 0.0, abs_tol=_TOLERANCE):
            raise RuntimeError(
                f"Expected the reward components {components} to sum to the reward paid, "
                f"{self._paid}. A wrapper below changes the reward: use foreign_rewards=True."
            )
        return info
