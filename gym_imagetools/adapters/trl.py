"""TRL: the class for ``GRPOTrainer(environment_factory=...)``, rewards by objective, and rows.

TRL itself is not imported: it takes any class with ``reset`` and methods with type hints. See
docs/hosts.md for a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import Parameter, Signature
from typing import Any, ClassVar, Literal

from PIL import Image

from gym_imagetools.adapters.hosted import HostedEpisode
from gym_imagetools.envs.pivot import transcript
from gym_imagetools.tools.arguments import ARGUMENTS, ToolArgs
from gym_imagetools.tools.schemas import PARAMETERS, JsonSchema, describe
from gym_imagetools.types import Message, Pixels

Part = dict[str, Any]
"""A content part as TRL takes it: ``{"type": "image", "image": PIL}`` or a text."""

RewardFunc = Callable[..., list[float | None]]
_SYSTEM = ("system", "developer")
_TYPES = {"number": float, "integer": int, "string": str, "boolean": bool, "object": dict}


class ToolEnvironment:
    """What TRL holds for one rollout; every public function of a subclass is a tool.

    Make subclasses by :func:`make_environment`.
    """

    _original: ClassVar[HostedEpisode]

    def __init__(self) -> None:
        self._episode = self._original.another()

    def reset(self, task: int | str, **row: Any) -> list[Part]:
        """Start the episode of a row, and return what TRL adds to its last message.

        Args:
            task: The column that names the task: all rollouts of a group play the same.
            row: The other columns.
        """
        self._episode.reset(task)
        images = self._episode.observation["images"]
        asked = [message for message in self._episode.prompt if message.get("role") not in _SYSTEM]
        if len(asked) > 1:
            messages = self._episode.env.get_wrapper_attr("task").messages
            return [*map(_image, images), _text(transcript(messages))]
        return _parts(asked[0]["content"], images)

    def _call(self, tool: str, arguments: Mapping[str, Any]) -> list[Part]:
        reply = self._episode.call(tool, arguments)
        return [*map(_image, reply.images), _text(reply.text)]

    def _graded(self, completion: Sequence[Mapping[str, Any]]) -> HostedEpisode:
        """Return the episode, ended by the last message of its completion."""
        self._episode.finish(_answer(completion))
        return self._episode


def make_environment(env_id: str, **keywords: Any) -> type[ToolEnvironment]:
    """Return the class whose instances are environments of a trainer.

    Each tool of the package is a method with type hints and a docstring, made from its argument
    model, and takes whatever a model writes: faults are answered and fined by the environment,
    not by TRL. Calls that TRL itself refuses (a tool that does not exist) do not reach it.

    Args:
        env_id: An id of the package whose tools are the image tools.
        keywords: Keywords of the id.
    """
    methods = {name: _method(name, model) for name, model in ARGUMENTS.items()}
    original = HostedEpisode(env_id, **keywords)
    attributes = {"_original": original, "__doc__": f"Rollouts of {env_id}.", **methods}
    return type("ImageToolsEnvironment", (ToolEnvironment,), attributes)


def reward_funcs(environment: type[ToolEnvironment]) -> list[RewardFunc]:
    """Return one reward function an objective: its score before the cap (``reward_scores``).

    Pass :func:`reward_weights` as ``GRPOConfig(reward_weights=...)`` and
    ``multi_objective_aggregation="normalize_then_sum"`` for GDPO. TRL logs each by its name.

    Args:
        environment: What :func:`make_environment` returned.
    """
    return [_score_of(name) for name in environment._original.reward_weights]


def reward_weights(environment: type[ToolEnvironment]) -> list[float]:
    """Return the weights of the objectives, in the order of :func:`reward_funcs`.

    Args:
        environment: What :func:`make_environment` returned.
    """
    return list(environment._original.reward_weights.values())


def episode_reward(
    completions: Sequence[Sequence[Mapping[str, Any]]], environments: Sequence[Any], **_: Any
) -> list[float | None]:
    """Return the reward of each episode as the environment pays it: the one function for GRPO.

    Args:
        completions: The messages of each rollout.
        environments: The environment of each; others than ours get None.
    """
    played = _played(environments, completions)
    return [None if episode is None else episode.reward for episode in played]


def make_rows(env_id: str, tasks: Iterable[int | str], **keywords: Any) -> list[dict[str, Any]]:
    """Return rows for ``datasets.Dataset.from_list``, one a task.

    A row holds the system prompt and names the task; ``reset`` adds question and pictures.

    Args:
        env_id: The id.
        tasks: Numbers of rows or seeds of puzzles.
        keywords: Keywords of the id, as :func:`make_environment` gets them.
    """
    episode = HostedEpisode(env_id, **keywords)
    rows = []
    for task in tasks:
        episode.reset(task)
        system = [
            {"role": "system", "content": _plain(message["content"])}
            for message in episode.prompt
            if message.get("role") in _SYSTEM
        ]
        rows.append({"prompt": [*system, {"role": "user", "content": ""}], "task": task})
    episode.close()
    return rows


def _score_of(objective: str) -> RewardFunc:
    def score(
        completions: Sequence[Sequence[Mapping[str, Any]]], environments: Sequence[Any], **_: Any
    ) -> list[float | None]:
        played = _played(environments, completions)
        return [None if episode is None else episode.scores.get(objective) for episode in played]

    score.__name__ = objective
    return score


def _played(
    environments: Iterable[Any], completions: Iterable[Sequence[Mapping[str, Any]]]
) -> list[HostedEpisode | None]:
    """Return the episodes, each ended by its completion; None for environments of others."""
    return [
        env._graded(completion) if isinstance(env, ToolEnvironment) else None
        for env, completion in zip(environments, completions, strict=True)
    ]


def _method(name: str, model: type[ToolArgs]) -> Callable[..., list[Part]]:
    """Return the method of a tool: its signature is for TRL to read, its body takes anything."""

    def method(self: ToolEnvironment, /, **arguments: Any) -> list[Part]:
        return self._call(name, arguments)

    own = [Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)]
    properties = PARAMETERS[name]["properties"]
    parameters = [_parameter(key, schema, model) for key, schema in properties.items()]
    method.__name__ = method.__qualname__ = name
    method.__doc__ = _docstring(describe(model), properties)
    method.__annotations__ = {item.name: item.annotation for item in parameters} | {"return": list}
    method.__signature__ = Signature(  # type: ignore[attr-defined]
        own + parameters, return_annotation=list
    )
    return method


def _parameter(name: str, schema: JsonSchema, model: type[ToolArgs]) -> Parameter:
    field = model.model_fields[name]
    default = Parameter.empty if field.is_required() else field.default
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=_annotation(schema))


def _annotation(schema: JsonSchema) -> Any:
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    if schema["type"] == "array":
        return list[_annotation(schema["items"])]  # type: ignore[misc]
    return _TYPES[schema["type"]]


def _docstring(description: str, properties: Mapping[str, JsonSchema]) -> str:
    lines = [f"    {name}: {schema['description']}" for name, schema in properties.items()]
    return "\n".join([description, "", "Args:", *lines])


def _answer(completion: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the text of the last message, if the model could finish it."""
    last = completion[-1] if completion else {}
    is_answer = last.get("role") == "assistant" and not last.get("tool_calls")
    return _plain(last.get("content") or "") if is_answer else None


def _parts(content: str | list[Message], images: Iterable[Pixels]) -> list[Part]:
    left = iter(images)
    if isinstance(content, str):
        return [_text(content)]
    return [_text(part["text"]) if "text" in part else _image(next(left)) for part in content]


def _plain(content: str | Iterable[Mapping[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if "text" in part)


def _text(text: str) -> Part:
    return {"type": "text", "text": text}


def _image(pixels: Pixels) -> Part:
    return {"type": "image", "image": Image.fromarray(pixels)}
