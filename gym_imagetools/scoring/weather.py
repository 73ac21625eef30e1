"""One expected tool call, scored on three objectives that do not depend on one another."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gym_imagetools.errors import DataError
from gym_imagetools.scoring.reply import PredictedCall, Reply, read_reply


@dataclass(frozen=True, slots=True)
class WeatherScore:
    """The score of each objective, 0.0 or 1.0.

    Attributes:
        correctness: Some call has the expected name and arguments.
        schema_valid: The first call's arguments are a JSON object that holds every required
            parameter of the tool it calls.
        format: There is exactly one call and no text of the assistant.
        predicted_calls: The calls of the reply.
    """

    correctness: float
    schema_valid: float
    format: float
    predicted_calls: tuple[PredictedCall, ...] = ()

    @property
    def components(self) -> dict[str, float]:
        """The objectives by name; they sum to the reward."""
        return {
            "correctness": self.correctness,
            "schema_valid": self.schema_valid,
            "format": self.format,
        }

    @property
    def reward(self) -> float:
        """The sum of the objectives, 0.0 to 3.0."""
        return sum(self.components.values())


def score_weather(
    action: object, expected_call: Mapping[str, Any], tools: Sequence[Mapping[str, Any]]
) -> WeatherScore:
    """Score a reply.

    Args:
        action: The reply, in any form :func:`~gym_imagetools.parsing.parse_turn` takes. Raw
            output items say more than a parsed turn: which of several calls is broken.
        expected_call: ``{"name": ..., "arguments": {...}}``. Further arguments of a call are
            allowed.
        tools: The declared tools, in the Responses or the Chat form.

    Raises:
        TypeError: The action has none of these forms.
    """
    schemas = declared_schemas(tools)
    reply = read_reply(action, schemas)
    return WeatherScore(
        correctness=float(any(_is_expected(call, expected_call) for call in reply.calls)),
        schema_valid=float(_is_valid(reply, schemas, expected_call.get("name"))),
        format=float(len(reply.calls) == 1 and not reply.has_text),
        predicted_calls=reply.calls,
    )


def read_expected_call(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the expected call of a data row.

    Raises:
        DataError: ``expected_call`` is missing, empty, or its arguments are no object.
    """
    call = row.get("expected_call")
    if not isinstance(call, Mapping) or not call:
        raise DataError(
            'Expected `expected_call` as {"name": ..., "arguments": {...}}, got '
            f"{call!r}; add the call that is right."
        )
    arguments = call.get("arguments")
    if arguments is not None and not isinstance(arguments, Mapping):
        raise DataError(
            f"Expected the arguments of `expected_call` as an object, got {arguments!r}; write "
            "them as one."
        )
    return call


def declared_schemas(tools: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return the JSON schema of each declared tool's parameters, by the tool's name.

    Args:
        tools: The declared tools, in the Responses or the Chat form.
    """
    declared = [tool.get("function", tool) for tool in tools]
    return {tool["name"]: tool.get("parameters") or {} for tool in declared if "name" in tool}


def _is_expected(call: PredictedCall, expected: Mapping[str, Any]) -> bool:
    if call.arguments is None or call.name != expected.get("name"):
        return False
    return all(
        key in call.arguments and _is_equal(call.arguments[key], value)
        for key, value in (expected.get("arguments") or {}).items()
    )


def _is_valid(reply: Reply, schemas: Mapping[str, Mapping[str, Any]], expected: object) -> bool:
    """Say whether the first call fits its tool's schema; a null counts as present.

    The tool must be declared. The one the row expects is known even where it is not; nothing is
    required of it then.
    """
    if not reply.calls or reply.calls[0].arguments is None:
        return False
    name, arguments = reply.calls[0].name, reply.calls[0].arguments
    if name not in schemas and name != expected:
        return False
    return all(key in arguments for key in schemas.get(name, {}).get("required") or ())


def _is_equal(value: Any, expected: Any) -> bool:
    """Compare JSON values: 1.0 is 1, true is not, and text is compared in Unicode's NFC."""
    if isinstance(value, bool) or isinstance(expected, bool):
        return value is expected
    if isinstance(value, str) and isinstance(expected, str):
        return unicodedata.normalize("NFC", value) == unicodedata.normalize("NFC", expected)
    if isinstance(value, list) and isinstance(expected, list):
        return len(value) == len(expected) and all(map(_is_equal, value, expected))
    if isinstance(value, dict) and isinstance(expected, dict):
        return value.keys() == expected.keys() and all(
            _is_equal(value[key], expected[key]) for key in value
        )
    return bool(value == expected)
