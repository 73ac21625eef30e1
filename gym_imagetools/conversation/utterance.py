"""One assistant turn, in whatever form it came, as messages of one of the two dialects."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from gym_imagetools.conversation.placeholders import escape_brackets
from gym_imagetools.parsing import parse_turn
from gym_imagetools.types import Message, ToolCall, Turn

DialectName = Literal["responses", "chat"]
ToolCallForm = Literal["text", "native"]

_MAX_DEPTH = 100
"""Arguments of a call may be nested as deep as the parser reads them, and some more."""


@dataclass(frozen=True)
class Utterance:
    """One assistant turn in the dialect it came in.

    Attributes:
        dialect: Whether the messages are output items or one chat message.
        messages: Copies that belong to this utterance alone.
        is_cut: Whether the reply as a whole ran into the token limit.
    """

    dialect: DialectName
    messages: list[Message]
    is_cut: bool = False


def read_utterance(action: Any, tool_calls: ToolCallForm) -> Utterance:
    """Read an assistant turn without losing what its endpoint wants back.

    Args:
        action: Any member of the action space.
        tool_calls: How calls are written that have no id of an endpoint: as ``<tool_call>``
            text, or as native calls. A call with an id is native either way.

    Raises:
        TypeError: The action is no assistant turn.
        ValueError: A message is not the assistant's.
    """
    said = _plain(action)
    if isinstance(said, str) and tool_calls == "native":
        said = parse_turn(said)
    if isinstance(said, Turn):
        return _from_turn(said, tool_calls)
    if isinstance(said, str):
        return Utterance("responses", [_assistant(said)])
    if isinstance(said, dict):
        return _from_dict(said, tool_calls)
    if isinstance(said, list):
        return _from_list(said)
    raise TypeError(
        "Expected an assistant turn (text, a dict, a list of items, a Turn, or a client's "
        f"reply), got {type(action).__name__}."
    )


def call_markup(call: ToolCall) -> str:
    """Write a call as a model writes it in text; ``parse_turn`` reads the same call."""
    body = json.dumps({"name": call.name, "arguments": call.arguments}, ensure_ascii=False)
    return f"<tool_call>\n{escape_brackets(body)}\n</tool_call>"


def _plain(action: Any, depth: int = 0) -> Any:
    """Return a client's object as the data it received; copies of everything else."""
    if depth > _MAX_DEPTH:
        raise ValueError(f"Expected an assistant turn nested at most {_MAX_DEPTH} deep, got more.")
    if isinstance(action, str | Turn):
        return action
    if callable(getattr(action, "model_dump", None)):
        # Only what was set: fields that the endpoint never sent are not sent to it either.
        return action.model_dump(mode="json", by_alias=True, exclude_unset=True, warnings=False)
    if isinstance(action, Mapping):
        return {key: _plain(value, depth + 1) for key, value in action.items()}
    if isinstance(action, list | tuple):
        return [_plain(part, depth + 1) for part in action]
    return copy.deepcopy(action)


def _assistant(text: str) -> Message:
    return {"role": "assistant", "content": text}


def _from_dict(said: Message, tool_calls: ToolCallForm) -> Utterance:
    match said:
        case {"choices": [dict() as choice, *_]} | ({"message": dict()} as choice):
            is_cut = choice.get("finish_reason") == "length"
            return Utterance("chat", [_own(choice.get("message") or {})], is_cut)
        case {"output": list() as items} if "call_id" not in said:
            utterance = _from_list(items)
            return replace(utterance, is_cut=said.get("status") == "incomplete")
        case {"type": _} | {"function": _}:
            return _from_list([said])
        case {"role": _} | {"content": _} | {"tool_calls": _}:
            return Utterance("chat", [_own(said)])
    return _from_turn(parse_turn(said), tool_calls)


def _from_list(said: list[Any]) -> Utterance:
    forms = {_form(part) for part in said}
    if len(forms) > 1 or None in forms:
        raise TypeError(
            f"Expected a list of output items, or of tool calls, or one message, got {said!r:.200}."
        )
    if "tool call" in forms:
        return Utterance("chat", [_own({"tool_calls": said})])
    if "message" in forms:
        return Utterance("chat", [_own(part) for part in said])
    return Utterance("responses", [_typed(part) for part in said])


def _form(part: Any) -> Literal["tool call", "message", "item"] | None:
    if not isinstance(part, dict):
        return None
    if "function" in part or "custom" in part:
        return "tool call"
    return "message" if "tool_calls" in part else "item"


def _typed(item: Message) -> Message:
    """Return an output item; a bare call ``{"name", "arguments"}`` as the item it stands for."""
    kind = str(item.get("type") or ("message" if "role" in item else "function_call"))
    if kind.endswith("_output"):
        raise _not_the_assistant(kind)
    return _own(item) if kind == "message" else {**item, "type": kind}


def _own(message: Message) -> Message:
    """Return a message of the assistant without what can be neither words nor calls."""
    own = {**message, "role": message.get("role") or "assistant"}
    if own["role"] != "assistant":
        raise _not_the_assistant(own["role"])
    if own.get("type") != "message":
        own.pop("type", None)
    content, calls = own.get("content"), own.pop("tool_calls", None)
    own["content"] = _dicts(content) if isinstance(content, list) else content
    if not isinstance(own["content"], str | list):
        own["content"] = None
    if isinstance(calls, list) and _dicts(calls):
        own["tool_calls"] = _dicts(calls)
    return own


def _dicts(parts: list[Any]) -> list[Message]:
    return [part for part in parts if isinstance(part, dict)]


def _not_the_assistant(speaker: object) -> ValueError:
    return ValueError(
        f"Expected a turn of the assistant, got {speaker!r}; what the environment says belongs "
        "into add_reply()."
    )


def _from_turn(turn: Turn, tool_calls: ToolCallForm) -> Utterance:
    has_ids = any(call.call_id for call in turn.calls)
    if has_ids or (turn.calls and tool_calls == "native" and not turn.error):
        said = [_assistant(turn.prose)] if turn.prose.strip() else []
        return Utterance("responses", said + [_item(call) for call in turn.calls], turn.incomplete)
    if any(call.source == "native" for call in turn.calls):
        blocks = [turn.prose, *(call_markup(call) for call in turn.calls)]
        text = "\n".join(block for block in blocks if block)
        return Utterance("responses", [_assistant(text)], turn.incomplete)
    return Utterance("responses", [_assistant(turn.text)], turn.incomplete)


def _item(call: ToolCall) -> Message:
    return {
        "type": "function_call",
        "call_id": call.call_id,
        "name": call.name,
        "arguments": call.arguments,
    }
