"""Pays the whole episode at its last step."""

from __future__ import annotations

from typing import Any

import gymnasium as gym

from gym_imagetools.wrappers.episode_wrapper import EpisodeWrapper, Observation, Step


class EpisodicReward(EpisodeWrapper):
    """Moves the rewards of an episode to its last step; until then each step pays 0.

    The components follow: they stay 0 until they are paid.

    Args:
        env: An environment whose info has running ``reward_components``.
    """

    def __init__(self, env: gym.Env[Observation, Any]) -> None:
        super().__init__(env)
        self._owed = 0.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode with nothing owed."""
        self._owed = 0.0
        return self.env.reset(seed=seed, options=options)

    def step(self, action: Any) -> Step:
        """Play the turn; pay everything when the episode ends."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._owed += float(reward)
        if terminated or truncated:
            return observation, self._owed, terminated, truncated, info
        info["reward_components"] = dict.fromkeys(info["reward_components"], 0.0)
        return observation, 0.0, terminated, truncated, info
