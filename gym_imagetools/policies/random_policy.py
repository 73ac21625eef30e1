"""Plays random turns: schema-valid calls, and now and then an answer."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import gymnasium as gym

from gym_imagetools.policies.policy import Env, Player


class RandomPolicy:
    """Samples the action space, from the seed of the rollout alone."""

    name = "random"

    def start(self, env: Env, *, seed: int) -> Player:
        """Return a player with its own copy of the action space."""
        space = copy.deepcopy(env.action_space)
        space.seed(seed)
        return RandomPlayer(space)


class RandomPlayer:
    """Plays one episode at random.

    Args:
        space: A seeded action space that is this player's own.
    """

    def __init__(self, space: gym.Space[Any]) -> None:
        self._space = space

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Any:
        """Return a random turn."""
        return self._space.sample()
