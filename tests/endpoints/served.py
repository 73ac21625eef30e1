"""What the scripted server says: the turns that an oracle has played beforehand, by their task.

A task is known by its opening messages, whatever the dialect: their texts and pictures. So the
server answers from the messages of a request alone, and knows nothing of episodes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import gymnasium as gym

from gym_imagetools.parsing import parse_turn
from gym_imagetools.policies import OraclePolicy
from gym_imagetools.prompts.calls import xml_call
from gym_imagetools.rollout import plan
from gym_imagetools.rollout.session import Session

Turns = tuple[Any, ...]


def oracle_turns(
    env_id: str, keywords: Mapping[str, Any], *, num_tasks: int, seed: int = 0
) -> dict[str, Turns]:
    """Return the turns of the oracle for each task of a plan, by the key of its prompt."""
    env = gym.make(env_id, **keywords)
    available = env.get_wrapper_attr("num_tasks")
    table = {}
    for assignment in plan(seed, num_tasks=num_tasks, available=available):
        session = Session(env, assignment)
        key = opening_key(env.get_wrapper_attr("prompt"))
        player = OraclePolicy().start(env, seed=0)
        turns = []
        while not session.is_over:
            turns.append(player.act(session.observation, session.info))
            session.play(turns[-1])
        table[key] = tuple(turns)
    return table


def opening_key(messages: Iterable[Mapping[str, Any]]) -> str:
    """Return what names the messages: all that is said and shown but by the assistant."""
    digest = hashlib.sha256()
    for message in messages:
        if not is_own(message):
            for word in _words(message):
                digest.update(word.encode() + b"\0")
    return digest.hexdigest()


def find_turns(table: Mapping[str, Turns], messages: list[Mapping[str, Any]]) -> tuple[Turns, int]:
    """Return the turns of the task that the messages open, and where its prompt ends.

    Raises:
        KeyError: There is no such task.
    """
    for end in range(1, len(messages) + 1):
        key = opening_key(messages[:end])
        if key in table:
            return table[key], end
    raise KeyError("Expected the opening of a known task.")


def is_own(message: Mapping[str, Any]) -> bool:
    """Return whether a message or an item is the assistant's."""
    if "role" in message:
        return message["role"] == "assistant"
    return not str(message.get("type", "")).endswith("_output")


def num_own_turns(messages: Iterable[Mapping[str, Any]]) -> int:
    """Return how many turns of the assistant there are: runs of its items."""
    flags = [is_own(message) for message in messages]
    return sum(flag and not before for flag, before in zip(flags, [False, *flags], strict=False))


def as_text(turn: Any, notation: str) -> str:
    """Return a turn in the notation ``xml`` or ``json``."""
    if not isinstance(turn, Mapping):
        return str(turn)
    if notation == "xml":
        return xml_call(turn["name"], turn["arguments"])
    body = json.dumps({"name": turn["name"], "arguments": turn["arguments"]})
    return f"<tool_call>\n{body}\n</tool_call>"


def as_calls(turn: Any) -> tuple[str, list[dict[str, Any]]]:
    """Return a turn as the text beside its calls, and the calls."""
    parsed = parse_turn(turn)
    calls = [{"name": call.name, "arguments": call.arguments} for call in parsed.calls]
    return (parsed.prose if calls else parsed.text), calls


def _words(message: Mapping[str, Any]) -> Iterator[str]:
    content = message.get("content", message.get("output")) or ""
    for part in [{"text": content}] if isinstance(content, str) else content:
        if "image_url" in part:
            url = part["image_url"]
            yield url if isinstance(url, str) else url["url"]
        else:
            yield part["text"]
