"""One episode being played, whoever acts: it steps the environment and keeps what was said."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, cast

import gymnasium as gym

from gym_imagetools.contract import EpisodeInfo
from gym_imagetools.conversation import Conversation
from gym_imagetools.endpoints import ModelReply
from gym_imagetools.envs import PivotEnv, WeatherEnv
from gym_imagetools.policies.policy import Env
from gym_imagetools.prompts.calls import xml_call
from gym_imagetools.prompts.system import PromptFormat
from gym_imagetools.rollout.assignment import Assignment
from gym_imagetools.rollout.rollout import Rollout, Step
from gym_imagetools.rollout.run_settings import located
from gym_imagetools.settings import EpisodeSettings
from gym_imagetools.types import Message

_NEVER_CUT = 2**31
_NO_PART_OF_THE_TASK = ("render_mode",)


class Session:
    """One episode, without the one who plays it.

    The caller asks a policy for an action, waiting for it in whatever way it likes, and plays it::

        session = Session(env, assignment)
        while not session.is_over:
            session.play(player.act(session.observation, session.info))
        rollout = session.rollout(policy.name)

    Args:
        env: An environment made by ``gymnasium.make`` from an id of the package.
        assignment: Which task to play.

    Attributes:
        observation: The last observation.
        info: The last info.

    Raises:
        DataError: The task's row or picture has gone bad.
        ValueError: There is no such task.
    """

    def __init__(self, env: Env, assignment: Assignment) -> None:
        task = assignment.task
        self.observation, self.info = env.reset(
            seed=assignment.seed, options=None if task is None else {"task": task}
        )
        self._env = env
        self._assignment = assignment
        self._question: str = self.observation["text"]
        self._prompt: list[Message] = env.get_wrapper_attr("prompt")
        self._form = call_form(env)
        self._conversation = Conversation(
            self._prompt,
            tool_calls="native" if self._form == "native" else "text",
            # A record holds what was said, to the letter.
            defuse_placeholders=False,
            max_echo_chars=_NEVER_CUT,
        )
        self._steps: list[Step] = []

    @property
    def task_id(self) -> str:
        """Names the task."""
        return str(self.info["task_id"])

    @property
    def num_turns(self) -> int:
        """Assistant turns so far."""
        return len(self._steps)

    @property
    def image_urls(self) -> tuple[str, ...]:
        """The pictures that the last step made, as ``data:`` URLs; none before the first."""
        return self._steps[-1].image_urls if self._steps else ()

    @property
    def is_over(self) -> bool:
        """Whether the episode has ended."""
        return bool(self.info["ending"])

    def play(self, action: Any, reply: ModelReply | None = None) -> None:
        """Play one assistant turn.

        Args:
            action: A member of the action space.
            reply: The model's reply that the action is of, for the record.
        """
        self._conversation.add_turn(_said(action, self._form))
        self.observation, reward, _, truncated, self.info = self._env.step(action)
        urls = tuple(self._env.get_wrapper_attr("image_urls"))
        if truncated or not self.is_over:
            self._conversation.add_reply(self.observation, self.info, urls)
        text = self.observation["text"]
        self._steps.append(Step(float(reward), text, urls, cast(EpisodeInfo, self.info), reply))

    def rollout(self, policy: str) -> Rollout:
        """Return the finished episode.

        Args:
            policy: The name of who played.
        """
        spec = _spec_of(self._env)
        task = self._env.get_wrapper_attr("task")
        messages = self._conversation.messages
        return Rollout(
            assignment=self._assignment,
            env_id=spec.id,
            env_kwargs=_given_keywords(spec),
            policy=policy,
            task_id=task.task_id,
            family=getattr(task, "family", "") or spec.name,
            question=self._question,
            prompt=tuple(messages[: len(self._prompt)]),
            tools=_tools(self._env),
            output=tuple(messages[len(self._prompt) :]),
            steps=tuple(self._steps),
        )


def call_form(env: Env) -> PromptFormat:
    """Return how calls are written in an environment's conversation.

    Args:
        env: An environment made by ``gymnasium.make`` from an id of the package.
    """
    if isinstance(env.unwrapped, WeatherEnv):
        return "native"
    if isinstance(env.unwrapped, PivotEnv):
        return "xml"
    keywords = _spec_of(env).kwargs
    return cast(PromptFormat, keywords.get("prompt_format", EpisodeSettings.prompt_format))


def _said(action: Any, form: Literal["xml", "json", "native"]) -> Any:
    """Return an action as the record shows it.

    A bare call stands there in the notation of the prompt, and a refusal of Chat Completions as
    the part of Responses that it is.
    """
    match action:
        case {"message": {"refusal": str(refusal)} as message} if refusal:
            return [_refusing(message.get("content"), refusal)]
    is_bare = isinstance(action, Mapping) and set(action) == {"name", "arguments"}
    if form != "xml" or not is_bare or not isinstance(action["arguments"], Mapping):
        return action
    try:
        return xml_call(action["name"], action["arguments"])
    except ValueError:
        # What XML cannot say goes into the record as JSON.
        return action


def _refusing(text: Any, refusal: str) -> Message:
    said = [{"type": "output_text", "text": text, "annotations": []}] if text else []
    content = [*said, {"type": "refusal", "refusal": refusal}]
    return {"type": "message", "role": "assistant", "content": content}


def _spec_of(env: Env) -> gym.envs.registration.EnvSpec:
    if env.spec is None:
        raise ValueError("Expected an environment made by gymnasium.make, got one without a spec.")
    return env.spec


def _given_keywords(spec: gym.envs.registration.EnvSpec) -> dict[str, Any]:
    registered = gym.spec(spec.id).kwargs
    given = {
        key: value
        for key, value in spec.kwargs.items()
        if key not in _NO_PART_OF_THE_TASK and (key not in registered or registered[key] != value)
    }
    plain: dict[str, Any] = json.loads(json.dumps(given, default=str))
    return located(plain)


def _tools(env: Env) -> tuple[Message, ...]:
    if not env.has_wrapper_attr("function_tools"):
        return ()
    return tuple(env.get_wrapper_attr("function_tools"))
