"""Caps what an episode pays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym

from gym_imagetools.wrappers.episode_wrapper import EpisodeWrapper, Observation, Step


class RewardCap(EpisodeWrapper):
    """Pays the change of ``min(reward_cap, sum of the components)`` at each step (rule 12).

    What the cap cuts comes off the last components first, so that the answer keeps its share.
    The scores (``reward_scores``) stay as they are.

    Args:
        env: An environment whose info has running ``reward_components``.
        reward_cap: The most an episode pays, > 0.
    """

    def __init__(self, env: gym.Env[Observation, Any], *, reward_cap: float) -> None:
        super().__init__(env, reward_cap=reward_cap)
        self._reward_cap = float(reward_cap)
        self._paid = 0.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode with nothing paid."""
        self._paid = 0.0
        return self.env.reset(seed=seed, options=options)

    def step(self, action: Any) -> Step:
        """Play the turn and pay within the cap."""
        observation, _, terminated, truncated, info = self.env.step(action)
        components = trim(info["reward_components"], self._reward_cap)
        info["reward_components"] = components
        total = sum(components.values())
        reward, self._paid = total - self._paid, total
        return observation, reward, terminated, truncated, info


def trim(components: Mapping[str, float], cap: float) -> dict[str, float]:
    """Return the components, cut from the last one on until their sum is at most the cap.

    Args:
        components: Contributions by objective; only positive ones can be cut.
        cap: The most they may come to together.
    """
    trimmed = dict(components)
    for name in reversed(trimmed):
        excess = sum(trimmed.values()) - cap
        if excess <= 0:
            break
        trimmed[name] -= min(excess, max(trimmed[name], 0.0))
    return trimmed
