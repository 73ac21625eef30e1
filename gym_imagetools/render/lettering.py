"""Text on a sheet: broken into lines, or cut to one line, by the width of its letters."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cache

from PIL import ImageFont

_MAX_CHARS = 1_000
"""Characters of a text that are looked at: no sheet has room for more."""

_ELLIPSIS = "…"


@cache
def font(size_px: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return Pillow's own font, which is the same on every machine."""
    return ImageFont.load_default(size_px)


def wrap(text: str, width_px: int, size_px: int, *, max_lines: int) -> str:
    """Break a text into lines that fit; what is left over is cut with an ellipsis."""
    lines = [""]
    for word in _words(text[:_MAX_CHARS], width_px, size_px):
        line = f"{lines[-1]} {word}".strip()
        if _width(line, size_px) <= width_px:
            lines[-1] = line
        else:
            lines.append(word)
    if len(lines) > max_lines:
        lines = [*lines[: max_lines - 1], " ".join(lines[max_lines - 1 :])]
    return "\n".join(fit(line, width_px, size_px) for line in lines)


def fit(text: str, width_px: int, size_px: int) -> str:
    """Return the text in one line, cut at its end with an ellipsis until it fits."""
    line = _one_line(text[:_MAX_CHARS])
    return _fitted(line, width_px, size_px, lambda n: line[:n] + _ELLIPSIS)


def fit_end(text: str, width_px: int, size_px: int) -> str:
    """Return the text in one line, cut at its beginning: answers stand at the end."""
    line = _one_line(text[-_MAX_CHARS:])
    return _fitted(line, width_px, size_px, lambda n: _ELLIPSIS + line[len(line) - n :])


def _fitted(line: str, width_px: int, size_px: int, shortened: Callable[[int], str]) -> str:
    if _width(line, size_px) <= width_px:
        return line
    too_wide = bisect_left(
        range(len(line)), True, key=lambda n: _width(shortened(n), size_px) > width_px
    )
    return shortened(max(0, too_wide - 1))


def _words(text: str, width_px: int, size_px: int) -> Iterator[str]:
    """Yield the words, those that are wider than a line in parts."""
    num_chars = max(1, width_px // size_px)
    for word in _one_line(text).split():
        if _width(word, size_px) <= width_px:
            yield word
        else:
            yield from (word[i : i + num_chars] for i in range(0, len(word), num_chars))


def _one_line(text: str) -> str:
    """Return the text without breaks and without half characters, which no font can draw."""
    return " ".join(text.encode("utf-8", "replace").decode().split())


def _width(line: str, size_px: int) -> float:
    return font(size_px).getlength(line)
