"""Rollouts: play episodes with a policy, and keep them as NeMo Gym's records."""

from __future__ import annotations

from gym_imagetools.rollout.assignment import Assignment, plan
from gym_imagetools.rollout.loop import play, play_episode
from gym_imagetools.rollout.records import RolloutRecord, make_record, read_records
from gym_imagetools.rollout.rollout import Rollout, Step
from gym_imagetools.rollout.run_folder import RunFolder, RunSettings
from gym_imagetools.rollout.session import Session

__all__ = [
    "Assignment",
    "Rollout",
    "RolloutRecord",
    "RunFolder",
    "RunSettings",
    "Session",
    "Step",
    "make_record",
    "plan",
    "play",
    "play_episode",
    "read_records",
]
