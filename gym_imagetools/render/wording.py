"""Short words for calls and endings, shared by the sheet and the transcript."""

from __future__ import annotations

from typing import Any

from gym_imagetools.contract import Ending
from gym_imagetools.episode import CallRecord

ENDINGS: dict[Ending, str] = {
    "": "running",
    "answered": "answered",
    "invalid_call": "ended by an invalid call",
    "step_limit": "out of turns",
    "incomplete": "reply cut off",
}
_HIDDEN = ("label", "img_idx")


def call_words(record: CallRecord) -> str:
    """Return a call in a few words, such as ``zoom in #0 [250, 250, 750, 750]``."""
    name = record.name.removeprefix("image_").removesuffix("_tool").replace("_", " ")
    arguments = record.arguments.model_dump(exclude_none=True)
    source = f" #{arguments['img_idx']}" if "img_idx" in arguments else ""
    shown = [_value_words(value) for key, value in arguments.items() if key not in _HIDDEN]
    return " ".join([name + source, *filter(None, shown)])


def repeat_words(record: CallRecord) -> str:
    """Return what is said of a call that repeats an earlier one; "" for others."""
    return {"": "", "exact": "repeats an earlier call", "near": "seen before"}[record.repeat.kind]


def _value_words(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value_words(item) for item in value) + "]"
    return str(value)
