"""What a policy is: it starts a player for each episode, and the player answers observations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import gymnasium as gym

Env = gym.Env[Any, Any]


class Player(Protocol):
    """Plays one episode."""

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Any:
        """Return the next assistant turn, a member of the action space.

        Args:
            observation: What ``reset`` or the last ``step`` returned.
            info: The info of the same call.
        """


class Policy(Protocol):
    """Starts players. It holds nothing of an episode, so one policy serves many at once."""

    @property
    def name(self) -> str:
        """Names the policy in records."""

    def start(self, env: Env, *, seed: int) -> Player:
        """Return the player of the episode that was just reset.

        Args:
            env: The environment, after ``reset``.
            seed: Seeds the player's own choices; the members of a group differ in it.
        """
