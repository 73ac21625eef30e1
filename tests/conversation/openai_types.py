"""Checks messages against the client library's own types, to the last nested field."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from openai.types.chat import ChatCompletionMessageParam
from openai.types.responses.response_input_param import ResponseInputItemParam
from pydantic import TypeAdapter

_ADAPTERS: dict[str, TypeAdapter[Any]] = {
    "responses": TypeAdapter(ResponseInputItemParam),
    "chat": TypeAdapter(ChatCompletionMessageParam),
}


def assert_accepted(dialect: str, messages: list[dict[str, Any]]) -> None:
    """Raise unless the client's types hold every message and know every field of it.

    Their iterables are validated only when they are walked, and unknown fields are dropped in
    silence: so the validated message is walked and must equal the one that was given.
    """
    for message in messages:
        assert _walk(_ADAPTERS[dialect].validate_python(message)) == message
    sent = json.dumps(messages, ensure_ascii=False, allow_nan=False).encode()
    assert json.loads(sent) == messages


def _walk(value: Any) -> Any:
    if isinstance(value, str | int | float | bool | None):
        return value
    if isinstance(value, Mapping):
        return {key: _walk(part) for key, part in value.items()}
    return [_walk(part) for part in value]
