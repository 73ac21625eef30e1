"""Rollouts: play episodes with a policy or a model, and keep them as NeMo Gym's records."""

from __future__ import annotations

from gym_imagetools.rollout.assignment import Assignment, plan
from gym_imagetools.rollout.contestants import Contestant, Model, Scripted
from gym_imagetools.rollout.engine import play_plan
from gym_imagetools.rollout.failures import FailureRecord
from gym_imagetools.rollout.loop import play, play_episode
from gym_imagetools.rollout.model_player import ModelPlayer
from gym_imagetools.rollout.records import RolloutRecord, make_record, read_records
from gym_imagetools.rollout.rollout import Rollout, Step
from gym_imagetools.rollout.run_folder import RunFolder
from gym_imagetools.rollout.run_settings import EndpointSettings, RunSettings
from gym_imagetools.rollout.session import Session
from gym_imagetools.rollout.tally import Tally

__all__ = [
    "Assignment",
    "Contestant",
    "EndpointSettings",
    "FailureRecord",
    "Model",
    "ModelPlayer",
    "Rollout",
    "RolloutRecord",
    "RunFolder",
    "RunSettings",
    "Scripted",
    "Session",
    "Step",
    "Tally",
    "make_record",
    "plan",
    "play",
    "play_episode",
    "play_plan",
    "read_records",
]
