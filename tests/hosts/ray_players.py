"""Who plays on the workers of a cluster, importable there."""

from __future__ import annotations

import asyncio
from typing import Any

from gym_imagetools.endpoints import EndpointFailure, EndpointRefusal
from gym_imagetools.errors import DataError
from gym_imagetools.policies import DemonstrationPolicy, OraclePolicy
from gym_imagetools.rollout import Scripted

TURN_S = 0.05


class Slow(Scripted):
    """An oracle that thinks, as a model does."""

    def __init__(self) -> None:
        super().__init__(OraclePolicy())

    async def play(self, session: Any, env: Any, seed: int, in_thread: Any) -> None:
        """Wait, then play."""
        await asyncio.sleep(TURN_S)
        await super().play(session, env, seed, in_thread)


class Flaky(Slow):
    """Gets no reply for every task of an odd number."""

    async def play(self, session: Any, env: Any, seed: int, in_thread: Any) -> None:
        """Play, or fail."""
        if int(session.task_id.rpartition("#")[2]) % 2:
            raise EndpointFailure("no reply in time", "timeout")
        await super().play(session, env, seed, in_thread)


class Refused(Slow):
    """Has the wrong key."""

    async def open(self) -> None:
        """Be refused."""
        raise EndpointRefusal("the key is refused", "status", 401)


class Spoilt(Slow):
    """Meets a picture that has gone bad."""

    async def play(self, session: Any, env: Any, seed: int, in_thread: Any) -> None:
        """Play, or raise."""
        if session.task_id.endswith("#3"):
            raise DataError("Expected a picture, got none.")
        await super().play(session, env, seed, in_thread)


def oracle() -> Scripted:
    """Return an oracle."""
    return Scripted(OraclePolicy())


def demonstration() -> Scripted:
    """Return one who plays the demonstrations of the data."""
    return Scripted(DemonstrationPolicy())
