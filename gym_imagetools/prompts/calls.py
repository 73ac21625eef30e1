"""How a call is written as text: Qwen3-Coder XML, the notation of the system prompt.

Hermes JSON is written by :func:`gym_imagetools.conversation.utterance.call_markup`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_NAME = re.compile(r"[^<>\s]+")


def xml_call(name: str, arguments: Mapping[str, Any]) -> str:
    """Write a call as Qwen3-Coder XML; ``parse_turn`` reads the same call.

    Args:
        name: The tool's name.
        arguments: Its arguments, as JSON values.

    Raises:
        ValueError: A name is empty, or holds a blank or a bracket, which the notation cannot say.
    """
    for word in (name, *arguments):
        if not _NAME.fullmatch(word):
            raise ValueError(
                f"Expected a name without blanks and angle brackets, got {word!r}; "
                "write the call as JSON."
            )
    parameters = "".join(
        f"<parameter={key}>\n{_written(value)}\n</parameter>\n" for key, value in arguments.items()
    )
    return f"<tool_call>\n<function={name}>\n{parameters}</function>\n</tool_call>"


def _written(value: Any) -> str:
    """Write a value so that it is read back as it is; plain text stays plain."""
    if isinstance(value, str) and _is_plain(value):
        return value
    # A tag inside of a value would end it.
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")


def _is_plain(text: str) -> bool:
    """Return whether a text is read as itself: no markup, no JSON, no blanks to be stripped."""
    if not text or text != text.strip() or "<" in text or text[0] in "\"'([{":
        return False
    try:
        json.loads(text)
    except ValueError:
        return True
    return False
