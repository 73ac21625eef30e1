"""A recorded episode, played by a vector environment in an actor of Ray."""

from __future__ import annotations

import ray

from gym_imagetools.adapters.ray import VectorEnvActor
from tests.hosts.ray_cluster import nodes
from tests.hosts.rollouts import Outcome, Recording


def play(recording: Recording) -> Outcome:
    """Return what the first of two environments side by side paid."""
    with nodes(1):
        return _play(recording)


def _play(recording: Recording) -> Outcome:
    actor = ray.remote(VectorEnvActor).remote(
        recording.env_id, num_envs=2, autoreset_mode="Disabled", **recording.keywords
    )
    ray.get(actor.reset.remote(options={"task": [recording.task, recording.task]}))
    total = 0.0
    for turn in recording.turns:
        _, rewards, _, _, infos = ray.get(actor.step.remote((turn, turn)))
        total += float(rewards[0])
    ray.get(actor.close.remote())
    info = {
        key: {name: float(values[0]) for name, values in infos[key].items() if name[0] != "_"}
        for key in ("reward_components", "reward_scores")
    }
    return Outcome(total, info)
