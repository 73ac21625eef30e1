"""Values out of text: JSON, typed XML parameters and Python literals, all within limits."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from itertools import accumulate
from typing import Any

import numpy as np

from gym_imagetools.parsing import faults
from gym_imagetools.parsing.faults import Malformed
from gym_imagetools.parsing.limits import MAX_DEPTH, MAX_DIGITS, MAX_LITERAL_CHARS, MAX_PARTS

_TOO_LARGE = 10**MAX_DIGITS
_CHUNK_CHARS = 65_536
_BRACKET = re.compile(r"[\[\](){}]")
_STEP = {"[": 1, "(": 1, "{": 1, "]": -1, ")": -1, "}": -1}
# Every token that may stand in a list, tuple, string, number, True, False or None; no operator,
# name or call, and no escape that could make the compiler warn.
_PYTHON_LITERAL = re.compile(
    rf"""(?:[\[\](),\s]
        | True | False | None
        | [-+]?(?:[0-9]{{1,{MAX_DIGITS}}}+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?
        | '(?:[^'\\\n]|\\[\\'"nrt])*+'
        | "(?:[^"\\\n]|\\[\\'"nrt])*+"
    )++""",
    re.VERBOSE,
)


def decode_json(text: str) -> Any:
    """Decode JSON as Python's ``json`` does (NaN and Infinity included), within the limits.

    Args:
        text: JSON without blanks around it.

    Raises:
        Malformed: The text is over a limit.
        json.JSONDecodeError: The text is no JSON.
    """
    if text.startswith(("[", "{")):
        check_limits(text)
    return _DECODER.decode(text)


def decode_arguments(value: Any) -> Any:
    """Return arguments as they are, or decoded when they are the JSON text of an object.

    A repeated layer of JSON text is decoded once more. What holds no object stays as it is.

    Raises:
        Malformed: The text is over a limit.
    """
    decoded = value
    for _ in range(2):
        if not isinstance(decoded, str):
            break
        try:
            decoded = decode_json(decoded.strip())
        except json.JSONDecodeError:
            break
    return decoded if isinstance(decoded, dict) else value


def read_parameter(text: str, types: frozenset[str]) -> Any:
    """Read the text of an XML parameter as the schema asks.

    Args:
        text: The parameter's text without the blanks around it.
        types: The JSON types its schema allows; empty for an unknown parameter.

    Returns:
        Text where the schema allows text (without quotes when it is a JSON string). Otherwise
        what the text says in JSON, or else as a Python literal of an allowed type, or else the
        text itself.

    Raises:
        Malformed: The text is over a limit.
    """
    if "string" in types:
        return _read_text(text)
    try:
        return decode_json(text)
    except json.JSONDecodeError:
        return _read_literal(text, types)


def allowed_types(schema: Mapping[str, Any]) -> frozenset[str]:
    """Return the JSON types a property's schema allows; empty when it does not say."""
    named = schema.get("type", ())
    types = {named} if isinstance(named, str) else set(named)
    for option in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        types |= allowed_types(option)
    return frozenset(types)


def check_limits(text: str) -> None:
    """Refuse a text whose decoding would cost too much.

    Brackets and commas inside of strings count as well: no call needs that many of them.

    Raises:
        Malformed: Too many parts, or brackets nested too deep.
    """
    num_openings = num_parts = 0
    for start in range(0, len(text), _CHUNK_CHARS):  # one text full of brackets ends it early
        chunk = text[start : start + _CHUNK_CHARS]
        num_openings += sum(map(chunk.count, "[{("))
        num_parts += sum(map(chunk.count, "[{(]}),"))
        if num_parts > MAX_PARTS:
            raise Malformed(faults.TOO_MANY_PARTS)
    if num_openings > MAX_DEPTH:
        depths = accumulate(_STEP[bracket] for bracket in _BRACKET.findall(text))
        if max(depths) > MAX_DEPTH:
            raise Malformed(faults.TOO_DEEP)


def copy_json(value: Any, *, depth: int = MAX_DEPTH) -> Any:
    """Copy an argument object that was handed over as Python values.

    Raises:
        Malformed: It is nested too deep (or holds itself), too large, or not made of JSON values.
    """
    return _Copy().of(value, depth)


class _Copy:
    """One copy in progress; counts its nodes, for shared parts can unfold without end."""

    def __init__(self) -> None:
        self.num_left = MAX_PARTS

    def of(self, value: Any, depth: int) -> Any:
        self.num_left -= 1
        if self.num_left < 0:
            raise Malformed(faults.TOO_MANY_PARTS)
        if isinstance(value, (np.ndarray, np.generic)):
            value = value.tolist()
        if value is None or isinstance(value, (bool, str, float)):
            return value
        if isinstance(value, int):
            return _check_integer(value)
        if depth == 0:
            raise Malformed(faults.TOO_DEEP)
        if isinstance(value, (list, tuple)):
            return [self.of(item, depth - 1) for item in value]
        if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
            return {key: self.of(item, depth - 1) for key, item in value.items()}
        raise Malformed(faults.NOT_JSON)


def _check_integer(value: int) -> int:
    if abs(value) >= _TOO_LARGE:
        raise Malformed(faults.TOO_LONG_NUMBER)
    return value


def _read_integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise Malformed(faults.TOO_LONG_NUMBER)
    return int(digits)


_DECODER = json.JSONDecoder(parse_int=_read_integer)


def _read_text(text: str) -> str:
    if text.startswith(("[", "{")):
        check_limits(text)
    if len(text) > 1 and text[0] == text[-1] == '"':
        try:
            return str(_DECODER.decode(text))
        except json.JSONDecodeError:
            return text
    return text


def _read_literal(text: str, types: frozenset[str]) -> Any:
    """Read a Python literal of an allowed type; return anything else as the text it is."""
    if not types or len(text) > MAX_LITERAL_CHARS or not _PYTHON_LITERAL.fullmatch(text):
        return text
    check_limits(text)
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text
    return _without_tuples(value) if _fits(value, types) else text


def _fits(value: Any, types: frozenset[str]) -> bool:
    match value:
        case None:
            return True  # as JSON's null is read whatever the schema asks
        case bool():
            return "boolean" in types
        case int() | float():
            return not types.isdisjoint({"integer", "number"})
        case list() | tuple():
            return "array" in types
        case _:
            return False


def _without_tuples(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_without_tuples(item) for item in value]
    return value
