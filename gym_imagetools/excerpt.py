"""Long texts in part, for what is kept of a turn and shown to people."""

from __future__ import annotations

MAX_CHARS = 1_000
"""Characters of a text that are kept."""

_CUT = " … "


def excerpt(text: str) -> str:
    """Return a text, or its beginning and its end where it is longer than ``MAX_CHARS``.

    The end stays, for that is where models give their answer.
    """
    if len(text) <= MAX_CHARS:
        return text
    half = (MAX_CHARS - len(_CUT)) // 2
    return text[:half] + _CUT + text[-half:]
