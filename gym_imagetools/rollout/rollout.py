"""One finished episode, with all that records, tables and exports tell of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gym_imagetools.contract import EpisodeInfo
from gym_imagetools.endpoints import ModelReply
from gym_imagetools.rollout.assignment import Assignment
from gym_imagetools.types import Message


@dataclass(frozen=True)
class Step:
    """One assistant turn and what came of it.

    Attributes:
        reward: The pay of the step.
        observation: The text of the answer.
        image_urls: The pictures that the step made, as ``data:`` URLs.
        info: The info of the step.
        reply: The model's reply that was the turn; None where a policy played it.
    """

    reward: float
    observation: str
    image_urls: tuple[str, ...]
    info: EpisodeInfo
    reply: ModelReply | None = None


@dataclass(frozen=True)
class Rollout:
    """One finished episode.

    Attributes:
        assignment: What fixed the episode.
        env_id: The id of the environment.
        env_kwargs: Its keywords, those that were given.
        policy: The name of who played.
        task_id: The name of the task.
        family: The kind of task.
        question: The text that ``reset`` observed.
        prompt: The messages that opened the episode, pictures as ``data:`` URLs.
        tools: The function tools, as the Responses API takes them.
        output: What was said since: assistant items, and the environment's answers.
        steps: The turns.
    """

    assignment: Assignment
    env_id: str
    env_kwargs: Mapping[str, Any]
    policy: str
    task_id: str
    family: str
    question: str
    prompt: tuple[Message, ...]
    tools: tuple[Message, ...]
    output: tuple[Message, ...]
    steps: tuple[Step, ...]

    @property
    def final(self) -> EpisodeInfo:
        """The info of the last step: scores, counts and how the episode ended."""
        return self.steps[-1].info

    @property
    def reward(self) -> float:
        """The pay of the whole episode."""
        # The components are running totals that sum to the pay (DESIGN, section 6).
        return float(sum(self.final["reward_components"].values()))

    @property
    def image_urls(self) -> tuple[str, ...]:
        """The pictures that tools made, in their order."""
        return tuple(url for step in self.steps for url in step.image_urls)
