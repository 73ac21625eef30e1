"""The native calls of a turn: each has an id, and each id must be answered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gym_imagetools.contract import call_id_of
from gym_imagetools.conversation.echo import is_object
from gym_imagetools.conversation.utterance import Utterance
from gym_imagetools.types import Message, ToolCall

CALL_ITEMS = ("function_call", "custom_tool_call")
"""Types of the output items that wait for an output of their own."""

OUTPUT_ITEMS = ("function_call_output", "custom_tool_call_output")
"""Types of the items that answer them."""

# Endpoints refuse a call without a name; no tool has this one.
_UNNAMED = "unnamed"


@dataclass(frozen=True)
class OpenCall:
    """A native call that must be answered by its id.

    Attributes:
        call_id: Its id.
        item_type: ``function_call`` or ``custom_tool_call``.
        has_own_id: Whether the id came with the call.
        is_whole: Whether its arguments came whole.
        is_cut: Whether the token limit cut the turn, so that nothing of it may run.
    """

    call_id: str
    item_type: str
    has_own_id: bool
    is_whole: bool
    is_cut: bool


def open_calls(utterance: Utterance, turn: int) -> tuple[OpenCall, ...]:
    """Return the native calls of a turn in order, after giving an id to those without one.

    Args:
        utterance: The turn; calls without an id or a name get one in its messages.
        turn: The number of the turn, counted from 1.
    """
    id_field = "call_id" if utterance.dialect == "responses" else "id"
    is_cut = utterance.is_cut or any(
        message.get("status") == "incomplete" for message in utterance.messages
    )
    opened = []
    for index, wire in enumerate(_wire_calls(utterance)):
        own_id = str(wire.get(id_field) or "")
        wire[id_field] = call_id_of(ToolCall("", {}, call_id=own_id), turn, index)
        item_type = CALL_ITEMS[wire["type"].startswith("custom")]
        is_whole = _complete(wire)
        opened.append(OpenCall(wire[id_field], item_type, bool(own_id), is_whole, is_cut))
    return tuple(opened)


def _wire_calls(utterance: Utterance) -> Iterator[Message]:
    for message in utterance.messages:
        if message.get("type") in CALL_ITEMS:
            yield message
        for call in message.get("tool_calls", ()):
            call["type"] = "custom" if "custom" in call else "function"
            yield call


def _complete(wire: Message) -> bool:
    """Give a call the fields that every server wants, and return whether it came whole."""
    kind = wire["type"]
    if kind not in CALL_ITEMS and not isinstance(wire.get(kind), dict):
        wire[kind] = {}
    fields = wire if kind in CALL_ITEMS else wire[kind]
    fields["name"] = str(fields.get("name") or _UNNAMED)
    if kind.startswith("custom"):
        fields["input"] = str(fields.get("input") or "")
        return True
    arguments = fields.get("arguments")
    is_blank = arguments is None or (isinstance(arguments, str) and not arguments.strip())
    fields["arguments"] = {} if is_blank else arguments
    return is_blank or is_object(arguments)
