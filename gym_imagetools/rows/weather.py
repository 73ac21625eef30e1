"""Weather rows: a question, the declared tools, and the one call that answers it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gym_imagetools.errors import DataError
from gym_imagetools.rows.messages import read_prompt
from gym_imagetools.scoring.weather import read_expected_call
from gym_imagetools.types import Message


@dataclass(frozen=True)
class WeatherTask:
    """One question about the weather.

    Attributes:
        task_id: Such as ``weather.jsonl#3`` or ``Weather/123456``.
        question: The text of the last user message.
        messages: The messages that open the episode.
        tools: The declared tools, as OpenAI's Responses dialect lists them.
        expected_call: ``{"name": ..., "arguments": {...}}``.
    """

    task_id: str
    question: str
    messages: tuple[Message, ...]
    tools: tuple[Mapping[str, Any], ...]
    expected_call: Mapping[str, Any]


def read_weather_row(row: Mapping[str, Any], name: str, root: Path | None) -> WeatherTask:
    """Read a weather row, and check all of it.

    Args:
        row: The row, as JSON values.
        name: The task's id.
        root: The folder of the pictures that are files; None when there are none.

    Raises:
        DataError: The expected call, a tool or a message cannot be used.
    """
    expected_call = read_expected_call(row)
    prompt = read_prompt(row, root)
    if prompt.pictures:
        raise DataError("Expected messages of text in a weather row, got a picture; remove it.")
    tools = row["responses_create_params"].get("tools") or []
    if not isinstance(tools, list) or not all(isinstance(tool, Mapping) for tool in tools):
        raise DataError(
            "Expected `responses_create_params.tools` to be a list of function tools, got "
            f"{type(tools).__name__}; write it so."
        )
    return WeatherTask(name, prompt.question, prompt.messages, tuple(tools), expected_call)
