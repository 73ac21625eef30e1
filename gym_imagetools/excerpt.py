"""Long texts in part, for what is kept of a turn and shown to people."""

from __future__ import annotations

MAX_CHARS = 1_000
"""Characters of a text that are kept."""


def excerpt(text: str) -> str:
    """Return a text, or its beginning and an ellipsis where it is longer than ``MAX_CHARS``."""
    return text if len(text) <= MAX_CHARS else text[:MAX_CHARS] + " …"
