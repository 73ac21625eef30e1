"""A recorded episode, played by OpenEnv's own client over WebSocket."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from openenv.core.generic_client import GenericEnvClient

from gym_imagetools.adapters.openenv import make_app
from tests.hosts.rollouts import Outcome, Recording

START_S = 30.0


@contextmanager
def served(app: Any) -> Iterator[str]:
    """Serve an application on a free port of this machine, and yield its address."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        until = time.monotonic() + START_S
        while not server.started:
            assert time.monotonic() < until
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def play(recording: Recording) -> Outcome:
    """Return what the steps paid, and the last observation."""
    with (
        served(make_app(recording.env_id, **recording.keywords)) as url,
        GenericEnvClient(base_url=url).sync() as client,
    ):
        client.reset(task=recording.task)
        total = 0.0
        for turn in recording.turns:
            result = client.step({"turn": turn})
            total += result.reward
    assert result.done
    return Outcome(total, result.observation)
