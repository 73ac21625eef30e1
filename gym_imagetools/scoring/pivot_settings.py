"""How strictly a pivot is scored: names, defaults and ranges, each written once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from gym_imagetools.scoring.families import FAMILIES

RewardMode = Literal["binary", "continuous"]

DEFAULT_THRESHOLD = 0.5


@dataclass(frozen=True, kw_only=True)
class PivotSettings:
    """The keywords of the pivot scorers; names and defaults are the reference's.

    Attributes:
        reward_mode: ``binary`` pays 1.0 from the threshold on, ``continuous`` the score itself.
        argument_threshold: The argument's score that counts as a match, >= 0 (above 1: never). A
            dict sets it by family; the families it does not name keep 0.5.
        numeric_tolerance: Difference that degrees, alpha and numbers for an axis may have, >= 0.
        enable_target_match: Whether the pictures must be the same ones.
        penalize_extra_tool_calls: Whether a turn with several calls earns nothing.
        unify_region_inspect_tools: Whether zoom and crop are one decision.

    Raises:
        ValueError: A value is out of range; the message names keyword, value and range.
    """

    reward_mode: RewardMode = "binary"
    argument_threshold: float | Mapping[str, float] = DEFAULT_THRESHOLD
    numeric_tolerance: float = 1e-6
    enable_target_match: bool = True
    penalize_extra_tool_calls: bool = True
    unify_region_inspect_tools: bool = True

    def __post_init__(self) -> None:
        if self.reward_mode not in get_args(RewardMode):
            raise _out_of_range("reward_mode", self.reward_mode, "'binary' or 'continuous'")
        if isinstance(self.argument_threshold, Mapping):
            _check_thresholds(self.argument_threshold)
        elif not _is_not_negative(self.argument_threshold):
            raise _out_of_range(
                "argument_threshold", self.argument_threshold, "a number >= 0 or a dict by family"
            )
        if not _is_not_negative(self.numeric_tolerance):
            raise _out_of_range("numeric_tolerance", self.numeric_tolerance, "a number >= 0")
        for name in (
            "enable_target_match",
            "penalize_extra_tool_calls",
            "unify_region_inspect_tools",
        ):
            if not isinstance(getattr(self, name), bool):
                raise _out_of_range(name, getattr(self, name), "True or False")

    def threshold_of(self, family: str) -> float:
        """Return the score from which on an argument of this family matches."""
        if isinstance(self.argument_threshold, Mapping):
            return self.argument_threshold.get(family, DEFAULT_THRESHOLD)
        return self.argument_threshold


def _check_thresholds(thresholds: Mapping[str, Any]) -> None:
    families = sorted(set(FAMILIES.values()))
    for family, threshold in thresholds.items():
        if family not in families:
            raise _out_of_range("argument_threshold", family, f"a dict by {', '.join(families)}")
        if not _is_not_negative(threshold):
            raise _out_of_range(f"argument_threshold[{family!r}]", threshold, "a number >= 0")


def _is_not_negative(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and value >= 0


def _out_of_range(keyword: str, value: Any, words: str) -> ValueError:
    return ValueError(f"Expected {keyword} to be {words}, got {value!r}.")
