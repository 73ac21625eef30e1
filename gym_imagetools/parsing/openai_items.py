"""Forms of the OpenAI dialects, taken apart into pieces of text and calls, in their order.

Nothing of ``openai`` is imported: replies are known by their keys, and objects by pydantic's
``model_dump``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gym_imagetools.parsing import faults
from gym_imagetools.parsing.faults import Malformed
from gym_imagetools.parsing.limits import MAX_PARTS
from gym_imagetools.parsing.markup import clean_name
from gym_imagetools.parsing.values import copy_json, decode_arguments
from gym_imagetools.types import ToolCall

_MESSAGE_KEYS = frozenset({"role", "content", "tool_calls"})
REASONING_PARTS = frozenset({"reasoning", "reasoning_text", "thinking", "redacted_thinking"})
_BROKEN_OFF = frozenset({"incomplete", "failed", "cancelled"})
_OUR_TYPES = frozenset({"message", "function_call", "function", "custom", "reasoning"})


@dataclass(frozen=True, slots=True)
class Piece:
    """One part of a reply: text, a call, a fault, or that the reply was cut.

    Attributes:
        text: Text of the assistant.
        call: A native call; with a fault its id can still be answered.
        fault: Why nothing may run.
        is_cut: The token limit cut the reply here.
        is_refusal: The model refuses to answer here.
    """

    text: str = ""
    call: ToolCall | None = None
    fault: str = ""
    is_cut: bool = False
    is_refusal: bool = False


def is_reply(action: object) -> bool:
    """Return whether the action is a mapping, a list, or an object with pydantic's dump."""
    return isinstance(action, (Mapping, list, tuple)) or _has_model_dump(action)


def read_reply(action: object) -> Iterator[Piece]:
    """Yield the pieces of a call, a message, a list of items or a whole reply.

    Args:
        action: What :func:`is_reply` accepts, whatever it holds.
    """
    if isinstance(action, (list, tuple)):
        yield from _read_items(action)
        return
    reply = _as_mapping(action)
    match reply:
        case {"choices": [choice]}:
            yield from _read_choice(_as_mapping(choice))
        case {"choices": _}:
            yield Piece(fault=faults.NOT_ONE_CHOICE)
        case {"message": _}:
            yield from _read_choice(reply)
        case {"output": list() | tuple() as items} if "call_id" not in reply:
            yield from _read_items(items)
            yield Piece(is_cut=_is_cut(reply))
        case _:
            yield from _read_item(reply)


def _read_choice(choice: Mapping[str, Any]) -> Iterator[Piece]:
    yield from _read_message(_as_mapping(choice.get("message")))
    yield Piece(is_cut=_text(choice, "finish_reason") in ("length", "content_filter"))


def _read_items(items: Sequence[Any]) -> Iterator[Piece]:
    if len(items) > MAX_PARTS:
        yield Piece(fault=faults.TOO_MANY_PARTS)
        return
    for item in map(_as_mapping, items):
        if not _is_for_the_server(item):
            yield from _read_item(item)


def _read_item(item: Mapping[str, Any]) -> Iterator[Piece]:
    """Yield the pieces of an output item, a chat message, a chat tool call or a plain call."""
    kind = _text(item, "type")
    if kind == "reasoning":
        return
    yield Piece(is_cut=_is_cut(item))
    call_id = _text(item, "call_id") or _text(item, "id")
    if kind == "function_call" or (not kind and "name" in item and "role" not in item):
        yield _read_call(item, call_id)
    elif kind == "function" or (not kind and isinstance(item.get("function"), Mapping)):
        # Some servers leave the type of a tool call out.
        yield _read_call(_as_mapping(item.get("function")), call_id)
    elif kind == "message" or not item.keys().isdisjoint(_MESSAGE_KEYS):
        yield from _read_message(item)
    elif kind == "custom" or "call_id" in item:
        call = ToolCall(_text(item, "name"), {}, call_id)
        yield Piece(call=call, fault=faults.NOT_A_FUNCTION_CALL)
    else:
        yield Piece(fault=faults.NOT_A_TURN)


def _read_message(message: Mapping[str, Any]) -> Iterator[Piece]:
    if message.keys().isdisjoint(_MESSAGE_KEYS):
        yield Piece(fault=faults.NOT_A_TURN)
    if message.get("role") is not None and _text(message, "role") != "assistant":
        yield Piece(fault=faults.NOT_THE_ASSISTANT)
    yield _read_content(message.get("content"))
    refusal = _text(message, "refusal")
    yield Piece(text=refusal, is_refusal=bool(refusal))
    calls = message.get("tool_calls") or ()
    if not isinstance(calls, (list, tuple)) or any(map(_is_message, calls)):
        yield Piece(fault=faults.NOT_A_FUNCTION_CALL)
    else:
        yield from _read_items(calls)
    if isinstance(message.get("function_call"), Mapping):
        # How Chat Completions wrote a call before there were several.
        yield _read_call(message["function_call"], "")


def _read_content(content: Any) -> Piece:
    """Return the text of a message's content; a refusal is what the assistant says, too."""
    if content is None or isinstance(content, str):
        return Piece(text=content or "")
    if not isinstance(content, (list, tuple)) or len(content) > MAX_PARTS:
        return Piece(fault=faults.NOT_TEXT)
    parts = [part for part in map(_as_mapping, content) if not _is_reasoning(part)]
    texts = [part.get("text", part.get("refusal")) for part in parts]
    if not all(isinstance(text, str) for text in texts):
        return Piece(fault=faults.NOT_TEXT)
    is_refusal = any("text" not in part and part.get("refusal") for part in parts)
    return Piece(text="".join(texts), is_refusal=is_refusal)


def _read_call(function: Mapping[str, Any], call_id: str) -> Piece:
    """Return a native call; one that cannot be read keeps its id, and has no arguments."""
    name = clean_name(_text(function, "name"))
    arguments: dict[str, Any] = {}
    fault = "" if name else faults.NO_TOOL_NAME
    try:
        arguments = _read_arguments(function.get("arguments"))
    except Malformed as error:
        fault = str(error)
    return Piece(call=ToolCall(name, arguments, call_id), fault=fault)


def _read_arguments(value: Any) -> dict[str, Any]:
    """Return the arguments of a native call; a missing or blank text means none."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return {}
    arguments = decode_arguments(value) if isinstance(value, str) else copy_json(value)
    if not isinstance(arguments, dict):
        raise Malformed(faults.NOT_AN_OBJECT)
    return arguments


def _is_for_the_server(item: Mapping[str, Any]) -> bool:
    """Return whether an item of a list is none of ours, such as a web search of the server.

    An item with a ``call_id`` waits for an answer of the client.
    """
    kind = _text(item, "type")
    return bool(kind) and kind not in _OUR_TYPES and "call_id" not in item


def _is_message(call: Any) -> bool:
    """Return whether what stands among tool calls is a message of its own, and no call."""
    return not _as_mapping(call).keys().isdisjoint(_MESSAGE_KEYS)


def _is_reasoning(part: Mapping[str, Any]) -> bool:
    return _text(part, "type") in REASONING_PARTS


def _is_cut(item: Mapping[str, Any]) -> bool:
    """Return whether a reply or an item did not come to its own end."""
    return _text(item, "status") in _BROKEN_OFF


def _text(item: Mapping[str, Any], key: str) -> str:
    """Return what is under a key if it is text, and "" for anything else."""
    value = item.get(key)
    return value if isinstance(value, str) else ""


def _has_model_dump(thing: object) -> bool:
    return callable(getattr(type(thing), "model_dump", None))


def _as_mapping(thing: Any) -> Mapping[str, Any]:
    """Return a mapping as it is, an object as its dump, and anything else as an empty one."""
    if not _has_model_dump(thing):
        return thing if isinstance(thing, Mapping) else {}
    # Servers fill the client's classes with values outside of their types; we check our own.
    dump = thing.model_dump(warnings=False)
    return dump if isinstance(dump, Mapping) else {}
