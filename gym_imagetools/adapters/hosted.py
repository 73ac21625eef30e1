"""One episode in a host: it brings whole turns, or single calls and in the end the answer."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Self

import gymnasium as gym

from gym_imagetools.contract import join_notices
from gym_imagetools.parsing import parse_turn
from gym_imagetools.prompts import replies
from gym_imagetools.registration import ENTRIES
from gym_imagetools.tools.schemas import FUNCTION_TOOLS
from gym_imagetools.types import Message, Pixels, Turn

_WITH_PROMPT_FORMAT = ("puzzle", "mixed", "dataset")
CUT_OFF = Turn("", "", incomplete=True)
"""The last turn of a rollout that was stopped before the model could answer."""


def make_native(env_id: str, keywords: Mapping[str, Any]) -> gym.Env[Any, Any]:
    """Make an environment whose prompt leaves it to the host to describe the tools.

    Args:
        env_id: An id of the package.
        keywords: Keywords of the id; ``prompt_format`` is ``native`` where it is not set.

    Raises:
        gymnasium.error.NameNotFound: There is no such id.
    """
    entry = ENTRIES.get(env_id.rpartition(":")[2])
    native = {"prompt_format": "native"} if entry and entry.factory in _WITH_PROMPT_FORMAT else {}
    return gym.make(env_id, disable_env_checker=True, **{**native, **keywords})


@dataclass(frozen=True)
class HostReply:
    """What a call is answered with.

    Attributes:
        text: The JSON result of the call, and the notice beside it.
        images: The new pictures: ``uint8`` arrays of shape (height, width, 3).
    """

    text: str
    images: tuple[Pixels, ...] = ()


class HostedEpisode:
    """Plays an environment for a host. Use it for one episode after the other.

    A host that has the model's whole turns plays them by ``play``. One that runs the loop itself
    brings each call, a turn of its own, by ``call``, and what the model says last by ``finish``:
    there, whatever comes after the episode has ended is told so and changes nothing.

    Args:
        env_id: An id of the package.
        keywords: Keywords of the id.

    Attributes:
        observation: The opening observation.
        info: The last info.
        reward: The reward paid so far.
    """

    def __init__(self, env_id: str, **keywords: Any) -> None:
        self.env = make_native(env_id, keywords)
        self.observation: dict[str, Any] = {}
        self.info: dict[str, Any] = {}
        self.reward = 0.0

    def another(self) -> Self:
        """Return an episode of the same environment: rows are checked and held once for both."""
        source = self.env.get_wrapper_attr("source")
        return deepcopy(self, {id(source): source})

    @property
    def is_over(self) -> bool:
        """Whether the episode has ended."""
        return bool(self.info["ending"])

    @property
    def prompt(self) -> list[Message]:
        """The messages that open the episode, as Responses input items."""
        prompt: list[Message] = self.env.get_wrapper_attr("prompt")
        return prompt

    @property
    def function_tools(self) -> list[Message]:
        """The tools that the model may call, as the Responses API takes them."""
        if not self.env.has_wrapper_attr("function_tools"):
            return deepcopy(FUNCTION_TOOLS)
        tools: list[Message] = self.env.get_wrapper_attr("function_tools")
        return tools

    @property
    def image_urls(self) -> list[str]:
        """The pictures of the last reply as ``data:`` URLs."""
        urls: list[str] = self.env.get_wrapper_attr("image_urls")
        return urls

    @property
    def reward_weights(self) -> dict[str, float]:
        """The weight of each objective."""
        return dict(self.env.get_wrapper_attr("reward_weights"))

    @property
    def scores(self) -> dict[str, float]:
        """The score of each objective so far, before the cap."""
        return dict(self.info["reward_scores"])

    @property
    def components(self) -> dict[str, float]:
        """What each objective has contributed to the reward so far."""
        return dict(self.info["reward_components"])

    def reset(self, task: int | str | None = None, *, seed: int | None = None) -> None:
        """Start an episode.

        Args:
            task: The number of a row, the seed of a puzzle, or a ``task_id``; None lets the
                seed choose.
            seed: Seeds the environment, where it is given.

        Raises:
            DataError: A picture of the task cannot be read any more.
            ValueError: There is no such task.
        """
        options = None if task is None else {"task": task}
        self.observation, self.info = self.env.reset(seed=seed, options=options)
        self.reward = 0.0

    def play(self, turn: Any) -> dict[str, Any]:
        """Play one assistant turn, and return the observation; an empty one once it is over.

        Args:
            turn: A member of the action space.
        """
        observation: dict[str, Any] = {"text": "", "images": ()}
        if not self.is_over:
            observation, reward, _, _, self.info = self.env.step(turn)
            self.reward += float(reward)
        return observation

    def call(self, name: str, arguments: Mapping[str, Any]) -> HostReply:
        """Play one call, and return what the model is to see.

        Args:
            name: The tool as the model named it.
            arguments: The arguments as the model wrote them; faults are the model's to read.
        """
        if self.is_over:
            return HostReply(replies.error_json(replies.EPISODE_IS_OVER))
        observation = self.play({"name": name, "arguments": dict(arguments)})
        outputs = (result["output"] for result in self.info["tool_results"])
        text = join_notices(*outputs, self.info["notice"])
        return HostReply(text, observation["images"])

    def finish(self, answer: str | None) -> None:
        """End the episode with what the model said last; an episode that is over stays as it is.

        Args:
            answer: The text. Calls in it, which the host did not run, make it no answer. None
                where the host stopped the rollout before the model could answer.
        """
        turn = CUT_OFF if answer is None else parse_turn(answer)
        self.play(replace(turn, incomplete=turn.incomplete or bool(turn.calls)))
        # Markup that cannot be read need not end an episode, but nothing follows.
        self.play(CUT_OFF)

    def close(self) -> None:
        """Close the environment."""
        self.env.close()
