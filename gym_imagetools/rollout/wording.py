"""A finished episode in a few words, for tables."""

from __future__ import annotations

from gym_imagetools.prompts import replies
from gym_imagetools.rollout.rollout import Rollout


def calls_in_words(rollout: Rollout) -> str:
    """Return the executed calls, such as ``13`` or ``3 (1 invalid)``."""
    final = rollout.final
    errors = final["tool_error_count"]
    return f"{final['tool_call_count']}" + (f" ({errors} invalid)" if errors else "")


def ending_in_words(rollout: Rollout) -> str:
    """Return how an episode ended, and what led to it."""
    match rollout.final["ending"]:
        case "invalid_call":
            return _invalid_in_words(rollout)
        case "step_limit":
            return _out_of_turns_in_words(rollout)
        case "incomplete":
            return "reply cut off by the token limit"
        case _:
            return "answered"


def _invalid_in_words(rollout: Rollout) -> str:
    before = [step.info for step in rollout.steps[:-1]]
    if not before or not before[-1]["final_turn"]:
        return "invalid call (ends)"
    is_warned = any(result["duplicate"] for info in before for result in info["tool_results"])
    cause = "duplicate warning" if is_warned else "final turn announced"
    return f"{cause}, then another call (invalid, ends)"


def _out_of_turns_in_words(rollout: Rollout) -> str:
    final = rollout.final
    if not (final["final_turn"] or replies.BUDGET_SPENT in final["notice"]):
        return "max_steps used up"
    call = _ordinal(final["tool_call_count"])
    return f"{call} call hit max_tool_calls; max_steps used up before the forced final turn"


def _ordinal(number: int) -> str:
    is_teen = number % 100 in (11, 12, 13)
    suffix = "th" if is_teen else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"
