"""Pays one number an objective, for multi-objective reinforcement learning."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from gym_imagetools.wrappers.episode_wrapper import EpisodeWrapper, Observation


class VectorReward(EpisodeWrapper):
    """Gives the reward as a vector, one entry an objective, as MO-Gymnasium does.

    The entries are in the order of ``reward_weights`` and sum to the scalar reward.
    ``reward_space`` (a ``Box``) and ``reward_dim`` stand on the wrapper and, for MO-Gymnasium's
    wrappers, on the environment at the bottom: they look for them at ``env.unwrapped``.

    Args:
        env: An environment with ``reward_weights`` and running ``reward_components``.
    """

    def __init__(self, env: gym.Env[Observation, Any]) -> None:
        super().__init__(env)
        self._objectives = tuple(env.get_wrapper_attr("reward_weights"))
        self.reward_dim = len(self._objectives)
        self.reward_space = gym.spaces.Box(-np.inf, np.inf, (self.reward_dim,), np.float64)
        bottom: Any = env.unwrapped
        bottom.reward_dim, bottom.reward_space = self.reward_dim, self.reward_space
        self._paid = np.zeros(self.reward_dim)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode with nothing paid."""
        self._paid = np.zeros(self.reward_dim)
        return self.env.reset(seed=seed, options=options)

    def step(
        self, action: Any
    ) -> tuple[Observation, NDArray[np.float64], bool, bool, dict[str, Any]]:
        """Play the turn and pay each objective its change."""
        observation, _, terminated, truncated, info = self.env.step(action)
        totals = np.array([info["reward_components"][name] for name in self._objectives])
        reward, self._paid = totals - self._paid, totals
        return observation, reward, terminated, truncated, info
