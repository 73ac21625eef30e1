r"""Finds the answer in a reply: outside of reasoning, in a box, after a marker, on a line.

Every function here takes time linear in the length of the text.
"""

from __future__ import annotations

import re

_THINK_TAG = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)

_BOX_COMMAND = re.compile(r"\\(?:boxed|fbox)")

# An opening of a box, or a brace. ``\boxed 7`` without braces holds one word.
_BOX_TOKEN = re.compile(
    r"(?P<open>\\(?:boxed|fbox)\s*\{)|(?P<bare>\\(?:boxed|fbox)[^\S\n]+(?P<word>[^\s{}$\\]+))|[{}]"
)

# ``answer:`` as a word of its own, with Markdown emphasis around it or not.
_FINAL_ANSWER = re.compile(
    r"(?<![A-Za-z])(?:final\s+)?answer[*_]*\s*[:\uff1a][*_]*\s*(.+)", re.IGNORECASE
)

TEXT_STYLES = r"text|textbf|textit|textrm|textup|textsf|texttt|mathrm|mathbf|mathit|mathsf|emph"
"""The commands that only set a text in a style, as alternatives of a pattern."""

_STYLED = re.compile(rf"\\(?:{TEXT_STYLES})\{{(.*)\}}", re.DOTALL)
_PLAIN_TEXT = re.compile(r"\\text\{(.*)\}", re.DOTALL)
_MAX_LAYERS = 8


def strip_reasoning(text: str) -> str:
    """Return what a text says outside of its reasoning.

    ``<think>...</think>`` blocks go, and so does all that stands before a ``</think>`` whose
    opening was part of the prompt. A block that is never closed means that the reply was cut
    while the model was still thinking: it holds no answer at all.
    """
    kept: list[str] = []
    position = 0
    is_open = False
    for tag in _THINK_TAG.finditer(text):
        is_closing = bool(tag[1])
        if is_closing and not is_open:
            kept.clear()
        elif not is_closing and not is_open:
            kept.append(text[position : tag.start()])
        position = tag.end()
        is_open = not is_closing
    return "" if is_open else "".join([*kept, text[position:]])


def find_boxes(text: str) -> list[str | None]:
    """Return the contents of all boxes, in the order in which they begin; None for a cut one.

    Braces are counted once for all boxes, from the first one on.
    """
    contents: list[str | None] = []
    first = _BOX_COMMAND.search(text)
    if first is None:
        return contents
    open_braces: list[tuple[int, int] | None] = []  # (index in contents, where the content begins)
    for token in _BOX_TOKEN.finditer(text, first.start()):
        if token["open"]:
            open_braces.append((len(contents), token.end()))
            contents.append(None)
        elif token["bare"]:
            contents.append(token["word"])
        elif token[0] == "{":
            open_braces.append(None)
        elif open_braces and (opened := open_braces.pop()):
            index, start = opened
            contents[index] = text[start : token.start()]
    return contents


def last_box(text: str) -> str | None:
    """Return the content of the last box, or None when there is none or it is never closed.

    A box that was cut is not passed over: the model had begun another answer.
    """
    contents = find_boxes(text)
    return contents[-1] if contents else None


def last_closed_box(text: str) -> str | None:
    """Return the content of the last box that is closed, or None."""
    contents = reversed(find_boxes(text))
    return next((content for content in contents if content is not None), None)


def final_answer(text: str) -> str | None:
    """Return what follows the last ``Answer:`` or ``Final answer:``, or None.

    The first marker of a line counts. Markdown's stars around the answer and full stops after
    it are not part of it.
    """
    last = None
    for match in _FINAL_ANSWER.finditer(text):
        last = match
    if last is None:
        return None
    return last[1].strip().rstrip(".").strip("*").strip().rstrip(".")


def last_line(text: str) -> str | None:
    """Return the last line that is not blank, or None."""
    return next((line for part in reversed(text.splitlines()) if (line := part.strip())), None)


def unwrap_text(text: str) -> str:
    r"""Return the text without the ``\text{...}`` around the whole of it."""
    return _unwrap(text, _PLAIN_TEXT)


def unwrap_styles(text: str) -> str:
    r"""Return the text without ``\text{...}``, ``\textbf{...}`` and the like around all of it."""
    return _unwrap(text, _STYLED)


def _unwrap(text: str, wrapper: re.Pattern[str]) -> str:
    text = text.strip()
    for _ in range(_MAX_LAYERS):
        match = wrapper.fullmatch(text)
        if match is None or not _is_balanced(match[1]):
            break
        text = match[1].strip()
    return text


def _is_balanced(text: str) -> bool:
    depth = 0
    for brace in re.finditer(r"[{}]", text):
        depth += 1 if brace[0] == "{" else -1
        if depth < 0:
            return False
    return depth == 0
