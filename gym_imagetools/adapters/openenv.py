"""OpenEnv: a server of one environment, for its clients over HTTP and WebSocket."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from openenv.core.env_server import Action, Environment, Observation, State, create_app
from pydantic import Field

from gym_imagetools.adapters.hosted import HostedEpisode
from gym_imagetools.types import Message


class ImageToolsAction(Action):
    """One assistant turn."""

    turn: str | dict[str, Any] | list[Any] = Field(
        description="Text, one call {name, arguments}, a message, or the items of a reply."
    )


class ImageToolsObservation(Observation):
    """What the model is to see, and what the turn was paid."""

    text: str = Field(description="The question, or the reply to the turn.")
    images: list[str] = Field(description="The pictures that are new, as data: URLs.")
    prompt: list[Message] = Field(
        default_factory=list, description="After a reset, the messages that open the episode."
    )
    tools: list[Message] = Field(
        default_factory=list, description="After a reset, the tools, as the Responses API has them."
    )
    task_id: str = Field(description="Names the task.")
    ending: str = Field(description="How the episode ended; empty while it runs.")
    reward_components: dict[str, float] = Field(
        description="What each objective has contributed so far; they sum to the rewards."
    )
    reward_scores: dict[str, float] = Field(description="The same objectives before the cap.")


class ImageToolsState(State):
    """The running episode."""

    task_id: str = Field(default="", description="Names the task.")
    total_reward: float = Field(default=0.0, description="The reward paid so far.")


class ImageToolsEnvironment(Environment[ImageToolsAction, ImageToolsObservation, ImageToolsState]):
    """Plays episodes for one client; a server makes one for each.

    Args:
        episode: The episode to play.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, episode: HostedEpisode) -> None:
        super().__init__()
        self._episode = episode
        self._state = ImageToolsState()

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        task: int | str | None = None,
        **_: Any,
    ) -> ImageToolsObservation:
        """Start an episode.

        Args:
            seed: Seeds the choice of the task, as in Gymnasium.
            episode_id: The client's name of the episode.
            task: A row, the seed of a puzzle or a ``task_id``; None lets the seed choose.

        Raises:
            ValueError: There is no such task.
        """
        episode = self._episode
        episode.reset(task, seed=seed)
        task_id = str(episode.info["task_id"])
        self._state = ImageToolsState(episode_id=episode_id or task_id, task_id=task_id)
        opening = {"prompt": episode.prompt, "tools": episode.function_tools}
        return self._observe(episode.observation["text"], None, **opening)

    def step(
        self, action: ImageToolsAction, timeout_s: float | None = None, **_: Any
    ) -> ImageToolsObservation:
        """Play one assistant turn; once the episode has ended nothing changes any more.

        Args:
            action: The turn.
            timeout_s: Taken and not used: tools take milliseconds.
        """
        before = self._episode.reward
        observation = self._episode.play(action.turn)
        self._state.step_count = self._episode.info["turn"]
        self._state.total_reward = self._episode.reward
        return self._observe(observation["text"], self._episode.reward - before)

    @property
    def state(self) -> ImageToolsState:
        """The running episode."""
        return self._state

    def close(self) -> None:
        """Close the environment."""
        self._episode.close()

    def _observe(self, text: str, reward: float | None, **opening: Any) -> ImageToolsObservation:
        episode = self._episode
        return ImageToolsObservation(
            text=text,
            images=episode.image_urls,
            done=episode.is_over,
            reward=reward,
            task_id=episode.info["task_id"],
            ending=episode.info["ending"],
            reward_components=episode.components,
            reward_scores=episode.scores,
            **opening,
        )


def make_app(env_id: str, *, max_concurrent_envs: int = 64, **keywords: Any) -> FastAPI:
    """Return the server of an environment.

    Args:
        env_id: An id of the package.
        max_concurrent_envs: Clients with an episode at the same time, >= 1.
        keywords: Keywords of the id.

    Raises:
        ValueError: A keyword is outside of its range.
    """
    original = HostedEpisode(env_id, **keywords)
    app: FastAPI = create_app(
        lambda: ImageToolsEnvironment(original.another()),
        ImageToolsAction,
        ImageToolsObservation,
        env_name="gym_imagetools",
        max_concurrent_envs=max_concurrent_envs,
        state_cls=ImageToolsState,
    )
    return app
