"""Inspect AI: one task an id, ``inspect eval gym_imagetools/Maze``.

The whole turn of the model is played by the environment, so every rule of it holds: unknown
tools, arguments that are no JSON and cut replies count as they do in plain Gymnasium.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentText,
    ModelOutput,
    get_model,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall, ToolInfo, ToolParams

from gym_imagetools.adapters.hosted import HostedEpisode
from gym_imagetools.conversation import Conversation
from gym_imagetools.conversation.conversation import ImageRole
from gym_imagetools.registration import ENTRIES
from gym_imagetools.types import Message

_STORED = "gym_imagetools"
_FINISH_REASONS = {
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
}
_OUTCOME = ("task_id", "ending", "turn", "tool_call_count", "tool_error_count", "reward_scores")


def make_task(
    env_id: str,
    *,
    num_tasks: int = 32,
    first_task: int = 0,
    image_role: ImageRole = "tool",
    **keywords: Any,
) -> Task:
    """Return the evaluation of an id.

    Args:
        env_id: An id of the package.
        num_tasks: How many tasks are played; a data set may hold fewer.
        first_task: The number of the first row, or the seed of the first puzzle.
        image_role: Who shows the pictures that tools make: ``tool``, or ``user`` for servers that
            take pictures only from the user.
        keywords: Keywords of the id.
    """
    samples = _samples(HostedEpisode(env_id, **keywords), first_task)
    return Task(
        dataset=list(islice(samples, num_tasks)),
        solver=play(env_id, image_role, keywords),
        scorer=reward_components(),
    )


@solver
def play(env_id: str, image_role: ImageRole, keywords: dict[str, Any]) -> Solver:
    """Play the episode of a sample, the model's turns being the actions.

    Args:
        env_id: An id of the package.
        image_role: Who shows the pictures that tools make.
        keywords: Keywords of the id.
    """
    original = HostedEpisode(env_id, **keywords)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        episode = original.another()
        episode.reset(state.metadata["task"])
        try:
            await _play(episode, state, image_role)
        finally:
            # A limit of Inspect may have stopped the sample: it is graded as it stands.
            episode.finish(None)
            outcome = {key: episode.info[key] for key in _OUTCOME}
            state.store.set(
                _STORED,
                {
                    "components": episode.components,
                    "answer": episode.info["extracted_answer"],
                    "expected": episode.info["expected_answer"],
                    "outcome": {"reward": episode.reward, **outcome},
                },
            )
            episode.close()
        return state

    return solve


@scorer(metrics={"*": [mean(), stderr()]})
def reward_components() -> Scorer:
    """Score a sample by its reward components; they sum to the reward, which is in the metadata."""

    async def score(state: TaskState, target: Target) -> Score:
        played = state.store.get(_STORED)
        return Score(
            value=played["components"],
            answer=played["answer"],
            explanation=f"{played['outcome']['ending']}; expected {played['expected']!r}",
            metadata=played["outcome"],
        )

    return score


async def _play(episode: HostedEpisode, state: TaskState, image_role: ImageRole) -> None:
    conversation = Conversation(episode.prompt, "chat", tool_calls="native", image_role=image_role)
    tools = [_tool(schema) for schema in episode.function_tools]
    while not episode.is_over:
        state.output = await get_model().generate(state.messages, tools=tools)
        state.messages.append(state.output.message)
        action = _action(state.output)
        conversation.add_turn(action)
        num_said = len(conversation.messages)
        observation = episode.play(action)
        conversation.add_reply(observation, episode.info, episode.image_urls)
        if not episode.is_over:
            state.messages.extend(map(_chat_message, conversation.messages[num_said:]))


def _samples(episode: HostedEpisode, first: int) -> Iterator[Sample]:
    num_tasks = episode.env.get_wrapper_attr("num_tasks")
    number = first
    while num_tasks is None or number < num_tasks:
        episode.reset(number)
        messages = Conversation(episode.prompt, "chat").messages
        yield Sample(
            id=episode.info["task_id"],
            input=[_chat_message(message) for message in messages],
            target=_gold(episode.env.get_wrapper_attr("task")),
            metadata={"task": number},
        )
        number += 1


def _gold(played: Any) -> str:
    """Return what a task asks for, to be shown beside what was answered."""
    expected = getattr(played, "expected_answer", None)
    return json.dumps(played.expected_call) if expected is None else str(expected)


def _tool(schema: Mapping[str, Any]) -> ToolInfo:
    return ToolInfo(
        name=schema["name"],
        description=schema.get("description") or "",
        parameters=ToolParams.model_validate(schema.get("parameters") or {}),
    )


def _action(output: ModelOutput) -> Message:
    """Return the model's turn as the reply of a chat interface."""
    message: Message = {"role": "assistant", "content": output.message.text}
    if output.message.tool_calls:
        message["tool_calls"] = [_call(call) for call in output.message.tool_calls]
    reason = _FINISH_REASONS.get(output.stop_reason, "stop")
    return {"choices": [{"message": message, "finish_reason": reason}]}


def _call(call: ToolCall) -> Message:
    # Arguments that Inspect could not read must not pass for an empty object.
    arguments = call.parse_error or json.dumps(call.arguments)
    function = {"name": call.function, "arguments": arguments}
    return {"id": call.id, "type": "function", "function": function}


def _chat_message(message: Message) -> ChatMessage:
    content = _content(message.get("content") or "")
    match message["role"]:
        case "system" | "developer":
            return ChatMessageSystem(content=content)
        case "tool":
            return ChatMessageTool(content=content, tool_call_id=message["tool_call_id"])
        case "assistant":
            calls = [_inspect_call(call) for call in message.get("tool_calls") or ()]
            return ChatMessageAssistant(content=content, tool_calls=calls or None)
        case _:
            return ChatMessageUser(content=content)


def _inspect_call(call: Mapping[str, Any]) -> ToolCall:
    function = call["function"]
    return ToolCall(
        id=call["id"], function=function["name"], arguments=json.loads(function["arguments"])
    )


def _content(content: str | Sequence[Mapping[str, Any]]) -> str | list[Content]:
    if isinstance(content, str):
        return content
    return [
        ContentText(text=part["text"])
        if part["type"] == "text"
        else ContentImage(image=part["image_url"]["url"], detail=part["image_url"]["detail"])
        for part in content
    ]


def _register(env_id: str) -> None:
    """Register the task of an id under the name between namespace and version."""
    name = env_id.partition("/")[2].removesuffix("-v0")

    @task(name=name)
    def evaluation(
        num_tasks: int = 32, first_task: int = 0, image_role: ImageRole = "tool", **keywords: Any
    ) -> Task:
        return make_task(
            env_id,
            num_tasks=num_tasks,
            first_task=first_task,
            image_role=image_role,
            **keywords,
        )


for _env_id in ENTRIES:
    _register(_env_id)
