"""Policies: who plays the episodes. Each starts a player for an episode that was just reset."""

from __future__ import annotations

from collections.abc import Callable

from gym_imagetools.policies.demonstration import DemonstrationPolicy
from gym_imagetools.policies.oracle import OraclePolicy
from gym_imagetools.policies.policy import Player, Policy
from gym_imagetools.policies.random_policy import RandomPolicy

__all__ = [
    "POLICIES",
    "DemonstrationPolicy",
    "OraclePolicy",
    "Player",
    "Policy",
    "RandomPolicy",
]

POLICIES: dict[str, Callable[[], Policy]] = {
    policy.name: policy for policy in (OraclePolicy, RandomPolicy, DemonstrationPolicy)
}
"""The policies that need no settings, by name."""
