"""One forward scan of assistant text: reasoning, prose and tool calls, in linear time."""

from __future__ import annotations

from dataclasses import dataclass, field

from gym_imagetools.parsing import faults
from gym_imagetools.parsing.limits import MAX_MARKS
from gym_imagetools.parsing.markup import BlockReader, Schemas
from gym_imagetools.parsing.tags import TagFinder, has_escaped_tag
from gym_imagetools.types import ToolCall

_THINK_END = "</think>"


@dataclass(slots=True)
class Scan:
    """What one text holds.

    Attributes:
        calls: The calls outside of closed reasoning, in the order of the text.
        prose: The pieces of text outside of calls and reasoning.
        reasoning: The pieces of closed reasoning, without their tags.
        faults: What is malformed, in the order of the text.
        is_unclosed: A ``<think>`` has no end: what follows it is no prose.
        has_stray_end: There is a ``</think>`` that ends no reasoning.
    """

    calls: list[ToolCall] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    is_unclosed: bool = False
    has_stray_end: bool = False


def scan(text: str, schemas: Schemas) -> Scan:
    """Read a text from left to right.

    Reasoning stands between ``<think>`` and ``</think>``. Where a chat template has written the
    ``<think>``, it is what stands before the first ``</think>``; there must be something.
    """
    return _Scanner(text, schemas).run() if text else Scan()


class _Scanner:
    """One scan in progress: everything before ``_at`` is read, prose before ``_shown`` is kept."""

    def __init__(self, text: str, schemas: Schemas) -> None:
        self._text = text
        self._schemas = schemas
        self._blocks = BlockReader(text, schemas)
        self._found = Scan()
        self._at = 0
        self._shown = 0

    def run(self) -> Scan:
        tags = TagFinder(self._text)
        for _ in range(MAX_MARKS):
            mark = tags.find(self._at)
            if mark is None:
                break
            start, tag = mark
            self._at = start + len(tag)
            self._read(tag, start)
        else:
            self._found.faults.append(faults.TOO_MANY_TAGS)
        self._show(len(self._text))
        if any(map(has_escaped_tag, self._found.prose)):
            self._found.faults.append(faults.ESCAPED_TAG)
        return self._found

    def _read(self, tag: str, start: int) -> None:
        match tag:
            case "<tool_call>":
                self._read_call(start)
            case "<think>":
                self._read_reasoning(start)
            case "</think>":
                self._end_reasoning(start)
            case _:
                self._found.faults.append(faults.NO_CALL_BLOCK)

    def _read_call(self, start: int) -> None:
        block = self._blocks.read(start)
        if block.fault:
            self._found.faults.append(block.fault)
        if block.call:
            self._found.calls.append(block.call)
            self._show(start)
            self._shown = block.end
        self._at = block.end

    def _read_reasoning(self, start: int) -> None:
        if self._found.is_unclosed:
            return
        end = self._text.find(_THINK_END, self._at)
        self._show(start)
        if end < 0:
            self._found.is_unclosed = True
            return
        self._found.reasoning.append(self._text[self._at : end])
        self._at = self._shown = end + len(_THINK_END)

    def _end_reasoning(self, start: int) -> None:
        """Take all before a first ``</think>`` for reasoning: the template wrote ``<think>``."""
        if self._found.reasoning or start == 0:
            self._found.has_stray_end = True
            return
        self._found = Scan(reasoning=[self._text[:start]])
        self._blocks = BlockReader(self._text, self._schemas)
        self._shown = self._at

    def _show(self, end: int) -> None:
        if not self._found.is_unclosed:
            self._found.prose.append(self._text[self._shown : end])
