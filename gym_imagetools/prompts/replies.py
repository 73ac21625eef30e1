"""What the environments answer to a turn."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

FINAL_TURN = (
    "This is your final turn: give your final answer to the question now, from what you have "
    "seen so far. Do not call a tool again."
)
BUDGET_SPENT = "No tool calls are left. Your next turn must be your final answer."
CALL_AFTER_FINAL_TURN = (
    "The final answer was due in this turn, so the tool call was refused. No tool can be called "
    "any more."
)
NO_PICTURES = "There is no picture to work on: this question comes without pictures."
NOT_RUN_AFTER_ERROR = "Not run: an earlier call of the same turn failed."
NOT_RUN_OVER_LIMIT = "Not run: too many calls in one turn."
NOT_RUN_NO_CALLS_LEFT = "Not run: no tool calls are left."
EPISODE_IS_OVER = "The episode is over. Nothing was run, and nothing counts any more."
CUT_OFF = "The reply was cut off by the token limit before it was complete. Nothing was run."


def only_first(num_run: int) -> str:
    """Say that only the first calls of a turn were run.

    Args:
        num_run: How many calls were run.
    """
    calls = "call was" if num_run == 1 else f"{num_run} calls were"
    return f"Only the first {calls} run. Call again in your next turn for more."


def exact_duplicate() -> str:
    """Warn of a call that repeats an earlier one."""
    return "You made this very call before. Its result is the same; use what you have seen."


def near_duplicate(iou: float) -> str:
    """Warn of a region that was looked at before.

    Args:
        iou: Intersection over union with the earlier region, 0..1.
    """
    return (
        f"This region was looked at before (overlap {iou:.2f}). Use what you have seen, or look "
        "somewhere else."
    )


def result_json(result: Mapping[str, Any]) -> str:
    """Return a tool's result as JSON that cannot be taken for markup.

    Labels are text of the model: ``<`` and ``>`` are escaped, so that an echoed
    ``</tool_response>`` or ``<image>`` neither ends the block nor counts as a picture.
    """
    text = json.dumps(result, ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e")


def error_json(message: str) -> str:
    """Return the JSON reply to a call or a turn that was refused."""
    return result_json({"ok": False, "error": message})


def tool_response(output: str) -> str:
    """Wrap the JSON of one call for a model that reads markup."""
    return f"<tool_response>\n{output}\n</tool_response>"


NOT_RUN_PIVOT = "Not run: this episode scores the decision alone."


def not_declared(name: str) -> str:
    """Say that a tool was not declared.

    Args:
        name: The name the model called.
    """
    return f"There is no tool named {name[:80]!r}."


def weather_report(city: str) -> str:
    """Return what ``get_weather`` says of a city: always the same, for it is not what is asked."""
    return f"The weather in {city[:80]} is mild and mostly clear."
