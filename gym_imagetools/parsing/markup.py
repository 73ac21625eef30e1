"""One ``<tool_call>`` block: Qwen3-Coder XML or Hermes JSON, read to a call and its end."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gym_imagetools.parsing import faults
from gym_imagetools.parsing.faults import Malformed
from gym_imagetools.parsing.limits import MAX_MARKS, MAX_PARAMETERS, MAX_PARTS
from gym_imagetools.parsing.tags import has_tag
from gym_imagetools.parsing.values import (
    allowed_types,
    decode_arguments,
    decode_json,
    read_parameter,
)
from gym_imagetools.types import ToolCall

Schemas = Mapping[str, Mapping[str, Any]]
"""The JSON schema of each tool's parameters, by the tool's name."""

OPENING_TAG = "<tool_call>"
CLOSING_TAG = "</tool_call>"

# Quantifiers are possessive (``*+``): a pattern that has failed is never tried in another way.
# A no-break space may stand in a name, to be stripped; other blanks end it.
_BLANKS = r" \t-\r\x1c-\x1f\x85\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_NAME = rf"([^>{_BLANKS}]*+)"
_XML_HEAD = re.compile(rf"<tool_call>\s*+<function={_NAME}>")
_XML_END = re.compile(r"</function>\s*+</tool_call>")
_PARAMETER = re.compile(rf"<parameter={_NAME}(>?)")
_JSON_HEAD = re.compile(r"<tool_call>\s*+(```\w*+\s*+)?+(?=\{)")
# Outside of its strings JSON holds neither "<" nor a backslash. So of any three blocks that start
# inside of each other's strings one is stopped at once, and all of them together cost linear time.
_JSON_BODY = re.compile(
    rf'(?:[^"<\\]++|"[^"\\]*+(?:\\.[^"\\]*+)*+"){{0,{2 * MAX_PARTS}}}+', re.DOTALL
)
_PARAMETER_END = "</parameter>"
_FENCE = "```"
_INVISIBLE = "\xa0\u200b\u200c\u200d\u2060\ufeff"


@dataclass(frozen=True, slots=True)
class Block:
    """What stands at an opening tag: a call with its end, a fault, or a call with a fault."""

    end: int
    call: ToolCall | None = None
    fault: str = ""


class BlockReader:
    """Reads the blocks of one text, asked from left to right.

    It remembers what it has looked for in vain, so that a search is never made twice.
    """

    def __init__(self, text: str, schemas: Schemas) -> None:
        self._text = text
        self._schemas = schemas
        self._has_xml_end = True
        self._json_start = 0

    def read(self, start: int) -> Block:
        """Read the block whose ``<tool_call>`` stands at ``start``."""
        if head := _XML_HEAD.match(self._text, start):
            return self._read_xml(head)
        if head := _JSON_HEAD.match(self._text, start):
            return self._read_json(head)
        return Block(start + len(OPENING_TAG), fault=faults.NOT_A_CALL)

    def _read_xml(self, head: re.Match[str]) -> Block:
        after_tag = head.start() + len(OPENING_TAG)
        name = clean_name(head[1])
        if not name:
            return Block(after_tag, fault=faults.NO_TOOL_NAME)
        end = _XML_END.search(self._text, head.end()) if self._has_xml_end else None
        if end is None:
            self._has_xml_end = False
            return Block(after_tag, fault=faults.UNCLOSED_FUNCTION)
        body = self._text[head.end() : end.start()]
        arguments, fault = _read_parameters(body, self._schemas.get(name, {}))
        if has_tag(self._text, head.start(1), end.start()):
            fault = faults.TAG_IN_CALL
        return Block(end.end(), ToolCall(name, arguments, source="xml"), fault)

    def _read_json(self, head: re.Match[str]) -> Block:
        after_tag = head.start() + len(OPENING_TAG)
        if head.start() < self._json_start:
            return Block(after_tag, fault=faults.NOT_A_CALL)
        body = _JSON_BODY.match(self._text, head.end())
        end = body.end() if body else head.end()
        try:
            payload = _decode_body(self._text[head.end() : end], is_fenced=bool(head[1]))
            if not self._text.startswith(CLOSING_TAG, end):
                raise Malformed(faults.UNCLOSED_JSON)
            call = _call_of(payload)
        except Malformed as fault:
            self._give_up_json(head.end())
            return Block(after_tag, fault=str(fault))
        is_misnamed = "parameters" in payload and "arguments" not in payload
        return Block(end + len(CLOSING_TAG), call, faults.NO_ARGUMENTS_KEY if is_misnamed else "")

    def _give_up_json(self, start: int) -> None:
        """Read no JSON block up to the place that could have ended this one.

        What a broken block holds may be quoted text; the reference runs none of it either.
        """
        self._json_start = len(self._text)
        for _ in range(MAX_MARKS):
            end = self._text.find(CLOSING_TAG, start)
            if end < 0:
                return
            if self._text[start:end].rstrip().endswith("}"):
                self._json_start = end + len(CLOSING_TAG)
                return
            start = end + len(CLOSING_TAG)


def clean_name(name: str) -> str:
    """Return the name of a tool or parameter without invisible characters around it."""
    return name.strip(_INVISIBLE)


def _decode_body(body: str, *, is_fenced: bool) -> dict[str, Any]:
    """Decode the JSON object of a block, out of one code fence if there is one."""
    body = body.rstrip()
    if is_fenced:
        if not body.endswith(_FENCE):
            raise Malformed(faults.UNCLOSED_FENCE)
        body = body.removesuffix(_FENCE).rstrip()
    try:
        payload: dict[str, Any] = decode_json(body)
    except json.JSONDecodeError as error:
        raise Malformed(faults.broken_json(error.msg, error.pos)) from None
    return payload


def _call_of(payload: dict[str, Any]) -> ToolCall:
    """Return the call a JSON object stands for.

    Arguments that are no object stay what they are: the tool refuses them.
    """
    name = clean_name(str(payload.get("name") or payload.get("tool_name") or ""))
    if not name:
        raise Malformed(faults.NO_TOOL_NAME)
    arguments = decode_arguments(payload.get("arguments") or {})
    return ToolCall(name, arguments, source="json")


def _read_parameters(body: str, schema: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the arguments in the body of an XML call, and what is wrong with them."""
    arguments: dict[str, Any] = {}
    num_openings = body.count("<parameter=")
    if num_openings > MAX_PARAMETERS:
        return arguments, faults.TOO_MANY_PARTS
    is_unclosed = num_openings > body.count(_PARAMETER_END)
    fault = ""
    for name, text in _split_parameters(body):
        types = allowed_types(schema.get("properties", {}).get(name, {}))
        try:
            value = read_parameter(text, types)
        except Malformed as limit:
            return arguments, str(limit)
        if name in arguments and arguments[name] != value:
            fault = faults.REPEATED_PARAMETER
        if is_unclosed and "<parameter=" in text:
            fault = faults.UNCLOSED_PARAMETER
        arguments[name] = value
    return arguments, fault


def _split_parameters(body: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each parameter.

    One that is never closed is left out, as in the reference: the tool says that it misses it.
    """
    opening = _PARAMETER.search(body)
    while opening:
        at = opening.end()
        name = clean_name(opening[1])
        # Without a ">" the name ran into a blank, as would the name of any tag it ran over.
        if name and opening[2]:
            end = body.find(_PARAMETER_END, at)
            if end < 0:
                return
            yield name, body[at:end].strip()
            at = end + len(_PARAMETER_END)
        opening = _PARAMETER.search(body, at)
