"""Runs over the loopback: a scripted server on one side, the engine on the other."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym

from gym_imagetools.endpoints import Endpoint
from gym_imagetools.rollout import (
    FailureRecord,
    Model,
    RolloutRecord,
    RunFolder,
    Tally,
    plan,
    play_plan,
    read_records,
)
from tests.endpoints.served import Turns, oracle_turns
from tests.endpoints.server import MODEL, Script, serving

SEED = 1
CENSUS = "ImageTools/CrowdCensus-v0"
"""Its oracle calls two tools before it answers."""


@dataclass
class Run:
    """What a run has left behind."""

    path: Path
    tally: Tally
    script: Script

    @property
    def records(self) -> list[RolloutRecord]:
        path = self.path / "rollouts.jsonl"
        return list(read_records(path)) if path.exists() else []

    @property
    def failures(self) -> list[FailureRecord]:
        path = self.path / "failures.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        return [FailureRecord.model_validate(json.loads(line)) for line in lines]


@functools.cache
def _table(env_id: str, keywords: str, num_tasks: int) -> dict[str, Turns]:
    return oracle_turns(env_id, json.loads(keywords), num_tasks=num_tasks, seed=SEED)


def script_of(
    manners: str, env_id: str, keywords: dict[str, Any], num_tasks: int, **more: Any
) -> Script:
    table = _table(env_id, json.dumps(keywords), num_tasks)
    return Script(manners, table, **more)


def run_over_loopback(
    path: Path,
    *,
    manners: str = "openai",
    env_id: str = CENSUS,
    keywords: dict[str, Any] | None = None,
    num_tasks: int = 1,
    group_size: int = 1,
    concurrency: int = 4,
    script: dict[str, Any] | None = None,
    **endpoint: Any,
) -> Run:
    """Play a plan with the oracle behind a server; keywords left over are the endpoint's."""
    keywords = keywords or {}
    served = script_of(manners, env_id, keywords, num_tasks, **(script or {}))
    env = gym.make(env_id, **keywords)
    available = env.get_wrapper_attr("num_tasks")
    assignments = plan(SEED, num_tasks=num_tasks, group_size=group_size, available=available)
    tally = Tally()
    folder = RunFolder(path)
    settings = {"api_key": "key", "max_retries": 0, "server": manners, **endpoint}
    with serving(served) as server:
        asked = Endpoint(server.base_url, MODEL, **settings)
        play_plan(env, Model(asked), assignments, folder, tally, concurrency=concurrency)
    return Run(path, tally, served)
