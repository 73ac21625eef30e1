"""Splits a list that is written out into its items."""

from __future__ import annotations

import re

_SEPARATOR = re.compile(r"[,;\n]\s*(?:and\b)?|\sand\s", re.IGNORECASE)
_BRACKETS = {"{": "}", "[": "]", "(": ")"}


def strip_brackets(text: str) -> str:
    r"""Return the text without the one pair of brackets around the whole of it (``\{`` too)."""
    text = text.strip().replace("\\{", "{").replace("\\}", "}")
    if len(text) < 2 or _BRACKETS.get(text[0]) != text[-1]:
        return text
    inner = text[1:-1]
    return text if text[0] in inner or text[-1] in inner else inner.strip()


def split_items(text: str) -> list[str]:
    """Return the items of a list whose separators are commas, semicolons, lines or ``and``.

    A list that ends in a separator or has two in a row holds an empty item.
    """
    return [item.strip() for item in _SEPARATOR.split(strip_brackets(text))]
