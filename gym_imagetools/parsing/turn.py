"""One assistant turn, in any of its forms, to a :class:`~gym_imagetools.types.Turn`."""

from __future__ import annotations

from collections.abc import Sequence

from gym_imagetools.parsing import faults
from gym_imagetools.parsing.markup import OPENING_TAG, Schemas
from gym_imagetools.parsing.openai_items import Piece, is_reply, read_reply
from gym_imagetools.parsing.scan import Scan, scan
from gym_imagetools.tools.schemas import PARAMETERS
from gym_imagetools.types import ToolCall, Turn


def parse_turn(action: object, *, schemas: Schemas | None = None) -> Turn:
    """Read one assistant turn. What a model wrote never raises: it becomes ``Turn.error``.

    Args:
        action: Raw assistant text with calls as ``<tool_call>`` blocks (Qwen3-Coder XML or
            Hermes JSON); one call ``{"name", "arguments"}``; an OpenAI ``function_call`` item,
            chat message or chat tool call; a list of output items or tool calls; a whole
            ``Response`` or ``ChatCompletion``, as the client's object or as its
            ``model_dump()``; or a ``Turn``, which comes back as it is.
        schemas: The JSON schema of each tool's parameters by the tool's name, which types the
            parameters of XML calls; None for the ten image tools.

    Returns:
        The turn. Native calls and calls in the text of a message both count, in their order.

    Raises:
        TypeError: The action has none of these forms.
    """
    if isinstance(action, Turn):
        return action
    if isinstance(action, str):
        pieces = [Piece(text=action)]
    elif is_reply(action):
        pieces = list(read_reply(action))
    else:
        raise TypeError(
            "Expected a turn as text, a call, a message, a list of output items, a reply of an "
            f"OpenAI client or a Turn, got {type(action).__name__}, pass one of these."
        )
    return _turn_of(pieces, PARAMETERS if schemas is None else schemas)


def is_action(action: object) -> bool:
    """Return whether :func:`parse_turn` takes the action, whatever it says. Never raises."""
    return isinstance(action, (str, Turn)) or is_reply(action)


def _turn_of(pieces: Sequence[Piece], schemas: Schemas) -> Turn:
    scans = [_scan_piece(piece, schemas) for piece in pieces]
    text = "\n".join(piece.text for piece in pieces if piece.text)
    prose = "\n".join(filter(None, ("".join(found.prose).strip() for found in scans)))
    if any(piece.is_cut for piece in pieces):
        return Turn(text, prose, incomplete=True)
    calls = [call for found in scans for call in found.calls]
    error = _first_fault(scans, calls, prose)
    if error == faults.CALL_IN_REASONING:
        calls = _calls_in_reasoning(scans, schemas)
    is_refused = any(piece.is_refusal for piece in pieces)
    return Turn(text, prose, tuple(calls), error, refused=is_refused)


def _scan_piece(piece: Piece, schemas: Schemas) -> Scan:
    found = scan(piece.text, schemas)
    if piece.call:
        found.calls.append(piece.call)
    if piece.fault:
        found.faults.append(piece.fault)
    return found


def _first_fault(scans: Sequence[Scan], calls: Sequence[ToolCall], prose: str) -> str:
    """Return why nothing of the turn may run, or "".

    The reference refuses calls beside tags of reasoning and lets answers pass; so do we, where
    the tags do not fit.
    """
    for found in scans:
        if found.faults:
            return found.faults[0]
    if any(found.has_stray_end for found in scans) and calls:
        return faults.STRAY_END_OF_REASONING
    is_empty = not (calls or prose)
    if any(found.is_unclosed for found in scans) and (calls or is_empty):
        return faults.UNCLOSED_REASONING
    if is_empty and any(OPENING_TAG in text for found in scans for text in found.reasoning):
        return faults.CALL_IN_REASONING
    return ""


def _calls_in_reasoning(scans: Sequence[Scan], schemas: Schemas) -> list[ToolCall]:
    """Return the calls that closed reasoning holds; they do not run, but can be answered."""
    texts = [text for found in scans for text in found.reasoning]
    return [call for text in texts for call in scan(text, schemas).calls]
