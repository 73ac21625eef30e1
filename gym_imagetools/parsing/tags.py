"""The tags of calls and reasoning in a text, found in little time however many ``<`` it holds.

A pattern that is tried at every ``<`` takes tens of milliseconds on a megabyte of them. So after
a good many of them tags are looked for by plain searches, which skip what cannot match.
"""

from __future__ import annotations

import re
from heapq import heappop, heappush

from gym_imagetools.parsing.limits import MAX_MARKS

TAGS = ("<tool_call>", "</tool_call>", "<function=", "</function>", "<think>", "</think>")

_TAG = re.compile("|".join(TAGS))
_MAX_TRIES = 2 * MAX_MARKS
_ESCAPED_LESS_THAN = ("lt", "LT", "#60", "#x3c", "#x3C")
_ESCAPED_TAG_ENDS = (";tool_call", ";/tool_call", ";function=", ";/function=")


class TagFinder:
    """Finds the tags of one text, asked from left to right.

    Args:
        text: Any text.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._tries_left = _MAX_TRIES
        self._next: list[tuple[int, str]] | None = None

    def find(self, at: int) -> tuple[int, str] | None:
        """Return the start of the next tag, and the tag.

        Args:
            at: Where to look from; never before an earlier one.
        """
        while self._tries_left:
            self._tries_left -= 1
            at = self._text.find("<", at)
            if at < 0:
                return None
            if tag := _TAG.match(self._text, at):
                return at, tag[0]
            at += 1
        return self._find_each(at)

    def _find_each(self, at: int) -> tuple[int, str] | None:
        """Look for each tag by itself; none is looked for twice in the same part of the text."""
        places = [(-1, tag) for tag in TAGS] if self._next is None else self._next
        while places and places[0][0] < at:
            _, tag = heappop(places)
            start = self._text.find(tag, at)
            if start >= 0:
                heappush(places, (start, tag))
        self._next = places
        return places[0] if places else None


def has_tag(text: str, start: int, end: int) -> bool:
    """Return whether a tag stands in a part of a text."""
    return any(text.find(tag, start, end) >= 0 for tag in TAGS)


def has_escaped_tag(text: str) -> bool:
    """Return whether a tag of a call stands in a text with its ``<`` escaped, however often.

    Of a thousand words that could end one and do not, the rest is not looked at.
    """
    return "&" in text and any(_has_escaped(text, end) for end in _ESCAPED_TAG_ENDS)


def _has_escaped(text: str, end: str) -> bool:
    at = text.find(end)
    for _ in range(MAX_MARKS):
        if at < 0 or _is_escaped(text, at):
            break
        at = text.find(end, at + 1)
    else:
        return False
    return at >= 0


def _is_escaped(text: str, end: int) -> bool:
    """Return whether ``&lt``, ``&amp;lt``, ``&#60`` and so on end at a place."""
    for escape in _ESCAPED_LESS_THAN:
        if text.endswith(escape, 0, end):
            start = end - len(escape)
            while text.endswith("amp;", 0, start):
                start -= len("amp;")
            return text.endswith("&", 0, start)
    return False
