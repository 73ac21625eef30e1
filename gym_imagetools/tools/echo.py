"""What a model wrote, given back to it: bounded in length and safe to encode."""

from __future__ import annotations

import json

LABEL_LIMIT = 200
ECHO_LIMIT = 60


def bounded(text: str, limit: int) -> str:
    """Return the text cut to ``limit`` characters, with lone surrogates replaced."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return cut.encode("utf-8", "replace").decode("utf-8")


def as_text(value: object, limit: int = LABEL_LIMIT) -> str:
    """Return any JSON value as bounded text: text as it is, nothing for null.

    Args:
        value: What stands where a text belongs, such as a label.
        limit: The most characters to keep.
    """
    if value is None:
        return ""
    try:
        return bounded(str(value), limit)
    except (ValueError, RecursionError):  # numbers of thousands of digits, lists nested as deep
        return ""


def echo(value: object) -> str:
    """Return a short JSON notation of the value for an error message.

    Angle brackets are escaped, so that a message never holds markup a model wrote.
    """
    if isinstance(value, str):
        value = bounded(value, ECHO_LIMIT)
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return "a value that is not plain JSON"
    return bounded(text, ECHO_LIMIT + 2).replace("<", "\\u003c").replace(">", "\\u003e")
