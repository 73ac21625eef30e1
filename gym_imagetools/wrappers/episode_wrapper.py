"""What the wrappers share: constructor arguments in the spec, and one kind of step."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from gym_imagetools.settings import RANGES, check_range

Observation = dict[str, Any]
Step = tuple[Observation, float, bool, bool, dict[str, Any]]


class EpisodeWrapper(gym.Wrapper[Observation, Any, Observation, Any], RecordConstructorArgs):
    """A wrapper whose keyword arguments stand in the environment's spec.

    Args:
        env: The environment to wrap.
        arguments: The keyword arguments of the subclass, so that ``gym.make(env.spec)`` and the
            spec's JSON rebuild the stack.

    Raises:
        ValueError: A keyword that an id takes, too, is outside of its range.
    """

    def __init__(self, env: gym.Env[Observation, Any], **arguments: Any) -> None:
        for keyword, value in arguments.items():
            if keyword in RANGES:
                check_range(keyword, value, RANGES[keyword])
        RecordConstructorArgs.__init__(self, **arguments)
        gym.Wrapper.__init__(self, env)
