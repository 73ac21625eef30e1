"""Short words for calls and endings, shared by the sheet and the transcript."""

from __future__ import annotations

from collections.abc import Iterator
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
_NAMELESS = ("bbox_2d", "point_2d", "degrees", "axis", "color")


def call_words(record: CallRecord) -> str:
    """Return a call in a few words, such as ``zoom #0 [250,250,750,750]``.

    Defaults and labels are left out.
    """
    name = record.name.removeprefix("image_").removesuffix("_tool").removesuffix("_in")
    pictures = [f"#{index}" for index in record.arguments.image_indices]
    return " ".join([name.replace("_", " "), *pictures, *_argument_words(record)])


def _argument_words(record: CallRecord) -> Iterator[str]:
    arguments = record.arguments.model_dump(exclude_defaults=True)
    for key, value in arguments.items():
        if key in _NAMELESS:
            yield _value_words(value)
        elif key not in ("label", "labels") and not key.startswith("img_"):
            yield f"{key.replace('_', ' ')} {_value_words(value)}"


def repeat_words(record: CallRecord) -> str:
    """Return what is said of a call that repeats an earlier one; "" for others."""
    return {"": "", "exact": "repeats an earlier call", "near": "seen before"}[record.repeat.kind]


def _value_words(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_value_words, value)) + "]"
    return str(value)
