"""Limits how many turns an episode has."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gymnasium as gym

from gym_imagetools.parsing import parse_turn
from gym_imagetools.wrappers.episode_wrapper import EpisodeWrapper, Observation, Step


class StepLimit(EpisodeWrapper):
    """Marks the last turn, which the environment grades whatever it is, and truncates.

    Gymnasium's own ``TimeLimit`` stops an episode from outside, without grading.

    Args:
        env: The environment to wrap.
        max_steps: Assistant turns allowed, >= 1.
    """

    def __init__(self, env: gym.Env[Observation, Any], *, max_steps: int) -> None:
        super().__init__(env, max_steps=max_steps)
        self._max_steps = max_steps
        self._num_steps = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode with all turns left."""
        self._num_steps = 0
        return self.env.reset(seed=seed, options=options)

    def step(self, action: Any) -> Step:
        """Play the turn, marked as the last one when no other follows."""
        self._num_steps += 1
        turn, is_last = parse_turn(action), self._num_steps >= self._max_steps
        if turn.is_last != is_last:
            turn = replace(turn, is_last=is_last)
        observation, reward, terminated, truncated, info = self.env.step(turn)
        return observation, float(reward), terminated, truncated, info
