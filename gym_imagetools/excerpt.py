"""Long texts in part, for what is kept of a turn and shown to people."""

from __future__ import annotations

MAX_CHARS = 1_000
"""Characters of a text that are kept."""

_CUT = " … "
_MARK = "\N{REPLACEMENT CHARACTER}"


def excerpt(text: str) -> str:
    """Return a text, or its beginning and its end where it is longer than ``MAX_CHARS``.

    The end stays, for that is where models give their answer. What cannot be printed (escape
    codes, lone surrogates) becomes a mark, so that a terminal shows it and does not obey it.
    """
    if len(text) > MAX_CHARS:
        half = (MAX_CHARS - len(_CUT)) // 2
        text = text[:half] + _CUT + text[-half:]
    return "".join(char if char.isprintable() or char in "\n\t" else _MARK for char in text)
