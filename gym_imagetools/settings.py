"""The keywords of the image-tools ids: names, defaults and ranges, each written once."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Literal

from gym_imagetools.prompts.system import PromptFormat
from gym_imagetools.scoring.ledgers import RewardPolicy

CropFormat = Literal["jpeg", "png", "webp"]
Resample = Literal["exact", "fast"]


@dataclass(frozen=True)
class Range:
    """The values a keyword may have.

    Attributes:
        words: The range in words, for the error.
        holds: Whether a value lies in it; values of a wrong type do not.
    """

    words: str
    holds: Callable[[Any], bool]


def integer(low: int, high: int | None = None) -> Range:
    """Return the range of whole numbers from ``low`` to ``high`` (None: no bound)."""
    words = f"an integer >= {low}" if high is None else f"an integer from {low} to {high}"
    return Range(words, lambda x: _is_int(x) and x >= low and (high is None or x <= high))


def number(words: str, holds: Callable[[float], bool]) -> Range:
    """Return a range of finite numbers."""
    return Range(words, lambda x: _is_real(x) and math.isfinite(x) and holds(x))


def choice(*values: str) -> Range:
    """Return the range of a few names."""
    return Range(
        "one of " + ", ".join(map(repr, values)), lambda x: isinstance(x, str) and x in values
    )


def optional(range_: Range) -> Range:
    """Return the range with None added."""
    return Range(f"None or {range_.words}", lambda x: x is None or range_.holds(x))


FLAG = Range("True or False", lambda x: isinstance(x, bool))
DIFFICULTY = integer(1, 5)
SPLIT = choice("train", "eval")
ORDER = choice("shuffle", "sequential")
ON_DATA_ERROR = choice("raise", "skip")


def _is_int(x: Any) -> bool:
    return isinstance(x, int) and not isinstance(x, bool)


def _is_real(x: Any) -> bool:
    """Whether a value is a number that a float can hold."""
    return isinstance(x, int | float) and not isinstance(x, bool) and abs(x) < 1e300


def check_range(keyword: str, value: Any, range_: Range) -> None:
    """Check one keyword.

    Raises:
        ValueError: The value is outside; the message names keyword, value and range.
    """
    if not range_.holds(value):
        raise ValueError(f"Expected {keyword} to be {range_.words}, got {value!r}.")


RANGES: dict[str, Range] = {
    "max_tool_calls": integer(0),
    "max_steps": optional(integer(1)),
    "max_tool_calls_per_turn": integer(1),
    "tool_success_reward": number("a number >= 0", lambda x: x >= 0),
    "tool_success_reward_cap": number("a number >= 0", lambda x: x >= 0),
    "invalid_tool_call_penalty": number("a number <= 0", lambda x: x <= 0),
    "duplicate_tool_call_penalty": number("a number <= 0", lambda x: x <= 0),
    "duplicate_iou_threshold": number("a number > 0 (above 1: never)", lambda x: x > 0),
    "force_final_after_duplicate": FLAG,
    "terminate_on_invalid_tool_call": FLAG,
    "reward_cap": number("a number > 0", lambda x: x > 0),
    "reward_policy": choice("reference", "strict"),
    "crop_min_pixels": integer(1),
    "crop_max_pixels": integer(1),
    "preview_max_side": optional(integer(32)),
    "crop_format": choice("jpeg", "png", "webp"),
    "crop_jpeg_quality": integer(1, 100),
    "resample": choice("exact", "fast"),
    "prompt_format": choice("xml", "json", "native"),
}


@dataclass(frozen=True, kw_only=True)
class EpisodeSettings:
    """The keywords that every image-tools id takes (DESIGN section 1).

    Attributes:
        max_tool_calls: Executed calls allowed.
        max_steps: Assistant turns allowed; None for two more than the calls, so that the forced
            final turn always gets its answer.
        max_tool_calls_per_turn: Calls of one turn that run.
        tool_success_reward: Pay for an executed call that is no duplicate.
        tool_success_reward_cap: What that pay may come to.
        invalid_tool_call_penalty: Pay for a refused or malformed turn.
        duplicate_tool_call_penalty: Pay for a call that repeats an earlier one.
        duplicate_iou_threshold: Overlap from which a region repeats an earlier one.
        force_final_after_duplicate: Whether a repeated call ends the use of tools.
        terminate_on_invalid_tool_call: Whether a refused turn ends the episode.
        reward_cap: The most an episode pays.
        reward_policy: The published rules, or the ungameable ones.
        crop_min_pixels: Smallest area of a zoomed picture in pixels.
        crop_max_pixels: Largest area of a zoomed picture in pixels.
        preview_max_side: Longest side of a delivered picture in pixels; None for full size.
        crop_format: Encoding of pictures in messages and records.
        crop_jpeg_quality: Quality of JPEG and WebP.
        resample: Zoom by Pillow's exact bicubic, or by OpenCV's fast one.
        prompt_format: How the tools are described to the model.
    """

    max_tool_calls: int = 20
    max_steps: int | None = None
    max_tool_calls_per_turn: int = 1
    tool_success_reward: float = 0.01
    tool_success_reward_cap: float = 0.05
    invalid_tool_call_penalty: float = -0.01
    duplicate_tool_call_penalty: float = -0.02
    duplicate_iou_threshold: float = 0.5
    force_final_after_duplicate: bool = True
    terminate_on_invalid_tool_call: bool = True
    reward_cap: float = 1.0
    reward_policy: RewardPolicy = "reference"
    crop_min_pixels: int = 262_144
    crop_max_pixels: int = 1_048_576
    preview_max_side: int | None = None
    crop_format: CropFormat = "jpeg"
    crop_jpeg_quality: int = 95
    resample: Resample = "exact"
    prompt_format: PromptFormat = "xml"

    def __post_init__(self) -> None:
        for field in fields(self):
            check_range(field.name, getattr(self, field.name), RANGES[field.name])
        if self.crop_min_pixels > self.crop_max_pixels:
            raise ValueError(
                f"Expected crop_min_pixels <= crop_max_pixels, got {self.crop_min_pixels} > "
                f"{self.crop_max_pixels}."
            )
        if self.num_steps < self.max_tool_calls + 2:
            warnings.warn(
                f"max_steps={self.max_steps} leaves less than two turns after "
                f"max_tool_calls={self.max_tool_calls} calls: a forced final turn may get no "
                f"answer. Use max_steps >= {self.max_tool_calls + 2}.",
                stacklevel=2,
            )

    @property
    def num_steps(self) -> int:
        """Assistant turns allowed, with the default worked out."""
        return self.max_tool_calls + 2 if self.max_steps is None else self.max_steps
