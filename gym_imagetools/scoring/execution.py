"""A pivot scored by what the call does: both calls run, and their results are compared.

The score, 0.0 to 1.0:

- Zoom and crop: intersection over union of the regions of the same picture that they show.
- Any two results with the same pixels: 1.0, whatever the arguments say. A crop of the whole
  picture is a rotation by 360 degrees; two points on one plain patch are one reading of it.
- Everything else: 0.0.

The measuring tools are called for their facts, so for them equal pixels count only under the same
tool's name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gym_imagetools.affine import map_box
from gym_imagetools.coordinates import Box
from gym_imagetools.errors import DataError, ToolError
from gym_imagetools.scoring.demonstration import Demonstration
from gym_imagetools.scoring.families import REGION_TOOLS
from gym_imagetools.scoring.overlap import iou
from gym_imagetools.scoring.pivot import Closeness, is_same_decision
from gym_imagetools.scoring.pivot_score import (
    Grade,
    PivotScore,
    closing_score,
    opening_score,
    score_answer,
    scored_call,
)
from gym_imagetools.scoring.pivot_settings import PivotSettings
from gym_imagetools.tools import ToolResult, run_tool
from gym_imagetools.tools.arguments import ARGUMENTS
from gym_imagetools.types import Pixels, ToolCall, Turn

PIXEL_TOLERANCE = 2
"""How far apart, of 255 in each channel, two pixels may be and count as the same."""


def score_execution(
    turn: Turn,
    demonstration: Demonstration,
    settings: PivotSettings,
    pictures: Sequence[Pixels],
    grade: Grade | None = None,
) -> PivotScore:
    """Score a turn by running its call and the demonstrated one.

    Level 1 (``target_match``) is not asked: the results say which pictures were read.

    Args:
        turn: The model's turn.
        demonstration: What the demonstration did at this point.
        settings: How strict to be; ``numeric_tolerance`` and ``enable_target_match`` have no
            meaning here.
        pictures: The pictures in the store at this point, by their index.
        grade: Grades an answer; needed where the demonstration answers.

    Raises:
        DataError: The demonstrated call cannot be run on these pictures.
        ValueError: The demonstration answers, and there is no ``grade``.
    """
    if demonstration.is_answer:
        return score_answer(turn, settings, grade)
    score = opening_score(turn, demonstration)
    if score.failure != "none":
        return score
    call, is_same = scored_call(turn), is_same_decision(scored_call(turn), demonstration, settings)
    score = replace(score, tool_name_match=is_same)
    if not is_same and (_measures(call.name) or _measures(demonstration.name)):
        return replace(score, failure="tool_name_mismatch")
    closeness = _compare(call, demonstration, pictures, can_be_regions=is_same)
    score = closing_score(score, settings, *closeness)
    is_other_tool = score.failure == "argument_below_threshold" and not is_same
    return replace(score, failure="tool_name_mismatch") if is_other_tool else score


def run_demonstration(demonstration: Demonstration, pictures: Sequence[Pixels]) -> ToolResult:
    """Run the demonstrated call.

    Args:
        demonstration: A call, not an answer.
        pictures: The pictures in the store at this point, by their index.

    Raises:
        DataError: The call cannot be run on these pictures.
    """
    try:
        return run_tool(demonstration.name, demonstration.arguments, pictures)
    except ToolError as error:
        raise DataError(
            f"Expected a demonstrated {demonstration.name} that runs, got an error: {error} Mend "
            "the row or leave it out."
        ) from error


def _measures(name: str) -> bool:
    return name in ARGUMENTS and ARGUMENTS[name].measures


def _compare(
    call: ToolCall,
    demonstration: Demonstration,
    pictures: Sequence[Pixels],
    *,
    can_be_regions: bool,
) -> Closeness:
    """Run both calls and compare what they made."""
    shown = run_demonstration(demonstration, pictures)
    try:
        done = run_tool(call.name, call.arguments, pictures)
    except ToolError:
        return Closeness(0.0, "rollout_call_failed")
    if _has_same_pixels(done, shown):
        return Closeness(1.0, "pixels")
    is_region = can_be_regions and demonstration.name in REGION_TOOLS
    overlap = _overlap(done, shown) if is_region else None
    return Closeness(0.0, "pixels") if overlap is None else Closeness(overlap, "region_iou")


def _has_same_pixels(done: ToolResult, shown: ToolResult) -> bool:
    if done.pixels.shape != shown.pixels.shape:
        return False
    difference = np.abs(done.pixels.astype(np.int16) - shown.pixels)
    return bool((difference <= PIXEL_TOLERANCE).all())


def _overlap(done: ToolResult, shown: ToolResult) -> float | None:
    """Return how much the regions overlap that two results show of one picture, if it is one."""
    if done.source_index != shown.source_index or done.affine is None or shown.affine is None:
        return None
    return iou(map_box(done.affine, _frame(done)), map_box(shown.affine, _frame(shown)))


def _frame(result: ToolResult) -> Box:
    height, width = result.pixels.shape[:2]
    return 0.0, 0.0, float(width), float(height)
