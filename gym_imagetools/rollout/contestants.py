"""Who plays the episodes of an engine: a model behind an endpoint, or a policy that needs none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from gym_imagetools.endpoints import Endpoint, ModelReply, ServerProfile
from gym_imagetools.policies.policy import Env, Policy
from gym_imagetools.rollout.attentive_loop import Turnstile
from gym_imagetools.rollout.model_player import ModelPlayer
from gym_imagetools.rollout.session import Session

InThread = Callable[..., Awaitable[Any]]
"""Runs a function with its arguments in a thread and waits for what it returns."""


class Contestant(Protocol):
    """Plays episodes, many at once."""

    @property
    def name(self) -> str:
        """Names who plays in records."""

    async def open(self) -> None:
        """Make ready, once a run.

        Raises:
            EndpointFailure: The endpoint cannot be used.
        """

    async def play(self, session: Session, env: Env, seed: int, in_thread: InThread) -> None:
        """Play an episode to its end.

        Args:
            session: The episode, just begun.
            env: Its environment.
            seed: Seeds the player's own choices.
            in_thread: Runs what takes the processor's time.

        Raises:
            EndpointFailure: The model gave no reply.
        """

    async def close(self) -> None:
        """Let go of connections, once a run."""


class Scripted:
    """Plays with a policy.

    Args:
        policy: The policy.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    @property
    def name(self) -> str:
        """The name of the policy."""
        return self._policy.name

    async def open(self) -> None:
        """Do nothing."""

    async def play(self, session: Session, env: Env, seed: int, in_thread: InThread) -> None:
        """Play an episode in one thread."""
        await in_thread(self._play, session, env, seed)

    async def close(self) -> None:
        """Do nothing."""

    def _play(self, session: Session, env: Env, seed: int) -> None:
        player = self._policy.start(env, seed=seed)
        while not session.is_over:
            session.play(player.act(session.observation, session.info))


class Model:
    """Plays with a model behind an endpoint.

    Args:
        endpoint: The endpoint; it is closed with the run.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._profile: ServerProfile | None = None
        self._turnstile = Turnstile()

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._endpoint.model

    async def open(self) -> None:
        """Ask the server who it is."""
        self._profile = await self._endpoint.open()

    async def play(self, session: Session, env: Env, seed: int, in_thread: InThread) -> None:
        """Play an episode turn by turn."""
        profile = self._profile or await self._endpoint.open()
        player = await in_thread(ModelPlayer, self._endpoint, profile, env, seed)
        while not session.is_over:
            body = await in_thread(player.request)
            await self._turnstile.wait()
            reply = await self._endpoint.send(body)
            await in_thread(_step, session, player, reply)

    async def close(self) -> None:
        """Close the endpoint's connections."""
        await self._endpoint.close()


def _step(session: Session, player: ModelPlayer, reply: ModelReply) -> None:
    session.play(reply.action, reply)
    if not session.is_over:
        player.hear(reply.action, session.observation, session.info, session.image_urls)
