"""The ids. To import this module imports no environment: Gymnasium loads them when one is made."""

from __future__ import annotations

import gymnasium as gym

from gym_imagetools.tasks.families import FAMILIES

NAMESPACE = "ImageTools"
_FACTORIES = "gym_imagetools.factories"


def register_envs() -> None:
    """Register every id of the package that is not registered yet."""
    for family in FAMILIES:
        _register(family, "puzzle", family=family)
    for name in ("Mixed", "Dataset", "Pivot", "Weather"):
        _register(name, name.lower())


def _register(name: str, factory: str, **keywords: str) -> None:
    env_id = f"{NAMESPACE}/{name}-v0"
    if env_id not in gym.registry:
        gym.register(env_id, entry_point=f"{_FACTORIES}:{factory}", kwargs=keywords)
