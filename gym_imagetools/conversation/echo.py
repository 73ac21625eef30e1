"""What a model said, made safe to send back: bounded, free of live tokens, valid JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from gym_imagetools.conversation.placeholders import defuse

NO_ARGUMENTS = "{}"
"""Stands for arguments that are no JSON object: servers parse what is replayed."""

_TEXT_FIELDS = frozenset({"text", "content", "refusal", "reasoning", "reasoning_content", "name"})
# Helpers of the client library; no endpoint knows them.
_CLIENT_FIELDS = frozenset({"parsed", "parsed_arguments"})


@dataclass(frozen=True)
class Echo:
    """The rules by which a model's own words are sent back to it.

    Attributes:
        max_chars: The longest text that is sent whole; the middle of a longer one is cut out.
        defuse_placeholders: Whether placeholder tokens get a mark (see ``placeholders``).
    """

    max_chars: int
    defuse_placeholders: bool

    def text(self, text: str) -> str:
        """Return the text bounded, encodable, and without live placeholder tokens."""
        text = encodable(cut_middle(text, self.max_chars))
        return defuse(text) if self.defuse_placeholders else text

    def arguments(self, arguments: Any) -> str:
        """Return the arguments of a call as a JSON object, as they came wherever possible.

        Args:
            arguments: JSON text, or already an object; anything else becomes ``{}``.
        """
        try:
            decoded = arguments_object(arguments)
            safe = _map_strings(decoded, self.text)
            if isinstance(arguments, str) and safe == decoded:
                written = arguments
            else:
                written = json.dumps(safe, ensure_ascii=False, allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            return NO_ARGUMENTS
        return written if len(written) <= self.max_chars else NO_ARGUMENTS

    def item(self, item: Any) -> Any:
        """Return a copy of an output item or chat message that can be sent back.

        Items keep their ids, their order and their empty fields. Fields that are null are left
        out, for the endpoints refuse null where they would have left the field out, except for
        the two that may be null. Reasoning summaries and encrypted reasoning are never touched.
        """
        if isinstance(item, list | tuple):
            return [self.item(part) for part in item]
        if not isinstance(item, dict):
            return item
        return {key: self._field(key, item[key]) for key in item if _is_sent(item, key)}

    def _field(self, key: str, value: Any) -> Any:
        if key == "arguments":
            return self.arguments(value)
        if key in _TEXT_FIELDS and isinstance(value, str):
            return self.text(value)
        return value if key == "summary" else self.item(value)


def cut_middle(text: str, max_chars: int) -> str:
    """Return the text with its middle replaced by a note of what is missing, if it is too long.

    Args:
        text: Any text.
        max_chars: Characters that are kept: one half from the start, one from the end.
    """
    if len(text) <= max_chars:
        return text
    tail = max_chars // 2
    head = max_chars - tail
    mark = f"\n[... {len(text) - max_chars} characters cut ...]\n"
    return text[:head] + mark + text[len(text) - tail :]


def encodable(text: str) -> str:
    """Return the text with lone surrogates, which UTF-8 cannot hold, as question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def arguments_object(arguments: Any) -> dict[str, Any]:
    """Return the arguments of a call as an object.

    Args:
        arguments: Strict JSON text, or already an object.

    Raises:
        ValueError: The text is no strict JSON, or no object.
        RecursionError: The JSON is nested too deeply.
    """
    decoded = arguments
    if isinstance(arguments, str):
        decoded = json.loads(arguments, parse_constant=_refuse_constant)
    if not isinstance(decoded, dict):
        raise ValueError(f"Expected a JSON object of arguments, got {type(decoded).__name__}.")
    return decoded


def is_object(arguments: Any) -> bool:
    """Return whether the arguments of a call came whole: as a JSON object."""
    try:
        arguments_object(arguments)
    except (ValueError, RecursionError):
        return False
    return True


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"Expected strict JSON, got {name}.")


def _map_strings(value: Any, change: Callable[[str], str]) -> Any:
    """Return JSON data with every string in it changed, keys too."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_map_strings(part, change) for part in value]
    if isinstance(value, dict):
        return {change(str(key)): _map_strings(part, change) for key, part in value.items()}
    return value


def _is_sent(item: dict[str, Any], key: str) -> bool:
    """Return whether a field is sent: null only as encrypted reasoning or a message's content."""
    nullable = key == "encrypted_content" or (key == "content" and "role" in item)
    return key not in _CLIENT_FIELDS and (item[key] is not None or nullable)
