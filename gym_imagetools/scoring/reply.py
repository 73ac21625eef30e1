"""A reply as the weather scorer sees it: its calls with their arguments, and whether it talks.

:func:`~gym_imagetools.parsing.parse_turn` asks what may run and refuses the turn as a whole. Here
each call is judged for itself, so the arguments are read as strict JSON from what the model sent.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from gym_imagetools.parsing import parse_turn
from gym_imagetools.parsing.limits import MAX_DEPTH
from gym_imagetools.parsing.openai_items import REASONING_PARTS
from gym_imagetools.types import Turn

Schemas = Mapping[str, Mapping[str, Any]]

_MAX_DEPTH = 6
"""A call lies at most this deep in a reply: choices, message, tool calls, function."""


@dataclass(frozen=True, slots=True)
class PredictedCall:
    """A call of the reply.

    Attributes:
        name: The tool's name.
        arguments: The arguments; None when they are no JSON object.
    """

    name: str
    arguments: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model replied.

    Attributes:
        calls: The calls in their order.
        has_text: Whether the assistant says anything beside calls and reasoning.
    """

    calls: tuple[PredictedCall, ...] = ()
    has_text: bool = False


def read_reply(action: object, schemas: Schemas) -> Reply:
    """Read an action in any form :func:`~gym_imagetools.parsing.parse_turn` takes.

    A message without text says nothing. A reply that the token limit cut is empty.

    Args:
        action: The action.
        schemas: The JSON schema of each tool's parameters by name, for calls in text.

    Raises:
        TypeError: The action has none of these forms.
    """
    if parse_turn(action, schemas=schemas).incomplete:
        return Reply()
    parts = list(_parts(action, schemas))
    calls = tuple(part for part in parts if isinstance(part, PredictedCall))
    return Reply(calls, any(isinstance(part, str) and part.strip() for part in parts))


def _parts(thing: Any, schemas: Schemas, depth: int = 0) -> Iterator[PredictedCall | str]:
    """Yield the calls of an action or of a part of one, and the texts beside them."""
    if depth > _MAX_DEPTH:
        return
    if hasattr(thing, "model_dump"):
        thing = thing.model_dump(warnings=False)
    if isinstance(thing, str | Turn):
        yield from _parts_of_turn(parse_turn(thing, schemas=schemas))
    elif isinstance(thing, list | tuple):
        for item in thing:
            yield from _parts(item, schemas, depth + 1)
    elif isinstance(thing, Mapping):
        yield from _parts_of_item(thing, schemas, depth + 1)


def _parts_of_turn(turn: Turn) -> Iterator[PredictedCall | str]:
    """Yield the parts of a parsed turn; a malformed one is text without a call."""
    if turn.error:
        yield turn.text or turn.error
        return
    yield turn.prose
    for call in turn.calls:
        yield PredictedCall(call.name, read_arguments(call.arguments))


def _parts_of_item(
    item: Mapping[str, Any], schemas: Schemas, depth: int
) -> Iterator[PredictedCall | str]:
    match item:
        case {"type": "function_call", "name": str(name)}:
            yield PredictedCall(name, read_arguments(item.get("arguments", {})))
        case {"type": "function", "function": call} | {"function": dict() as call}:
            yield from _parts(call, schemas, depth)
        case {"choices": [part, *_]} | {"message": part}:
            yield from _parts(part, schemas, depth)
        case {"output": list() | tuple() as items} if "call_id" not in item:
            yield from _parts(items, schemas, depth)
        case {"type": "message"} | {"role": _}:
            yield from _parts(_text_of(item), schemas, depth)
            yield from _parts(item.get("tool_calls"), schemas, depth)
        case {"name": str(name)} if "type" not in item:
            yield PredictedCall(name, read_arguments(item.get("arguments", {})))


def _text_of(message: Mapping[str, Any]) -> str:
    """Return what a message says; a refusal is what the assistant says, too."""
    content = message.get("content")
    parts = list(content) if isinstance(content, list | tuple) else [content]
    parts = [part for part in parts if not _is_reasoning(part)]
    texts = [
        part.get("text") or part.get("refusal") if isinstance(part, Mapping) else part
        for part in (*parts, message.get("refusal"))
    ]
    return "".join(text for text in texts if isinstance(text, str))


def _is_reasoning(part: object) -> bool:
    return isinstance(part, Mapping) and part.get("type") in REASONING_PARTS


def read_arguments(value: object) -> Mapping[str, Any] | None:
    """Read arguments, JSON text or a mapping, as a JSON object; None when they are none.

    NaN and infinities are no JSON. Nothing raises.
    """
    try:
        text = value if isinstance(value, str) else json.dumps(value, allow_nan=False)
        arguments = json.loads(text, parse_constant=_refuse)
    except (TypeError, ValueError, RecursionError):
        return None
    return arguments if isinstance(arguments, dict) and not _is_deep(arguments) else None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"Expected JSON, got {constant}.")


def _is_deep(value: object) -> bool:
    """Whether a value is nested beyond the limit, found level by level."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        inner: list[object] = []
        for item in level:
            if isinstance(item, dict):
                inner.extend(item.values())
            elif isinstance(item, list):
                inner.extend(item)
        level = inner
    return bool(level)
