"""A recorded episode, played by OpenEnv's own client over WebSocket."""

from __future__ import annotations

from openenv.core.generic_client import GenericEnvClient

from gym_imagetools.adapters.openenv import make_app
from tests.hosts.rollouts import Outcome, Recording
from tests.hosts.served import served


def play(recording: Recording) -> Outcome:
    """Return what the steps paid, and the last observation."""
    with (
        served(make_app(recording.env_id, **recording.keywords), ws="auto") as url,
        GenericEnvClient(base_url=url).sync() as client,
    ):
        client.reset(task=recording.task)
        total = 0.0
        for turn in recording.turns:
            result = client.step({"turn": turn})
            total += result.reward
    assert result.done
    return Outcome(total, result.observation)
