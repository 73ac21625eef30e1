"""A pivot: one decision of a model, scored against the call a demonstration made there.

Three levels, each reached only through the one before: the same tool (0), the same pictures (1),
the same argument (2; :mod:`gym_imagetools.scoring.families` says which). ``label`` and ``factor``
never count, nor do the tolerances of the colour tools.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from gym_imagetools.scoring.demonstration import Demonstration
from gym_imagetools.scoring.families import decision_of
from gym_imagetools.scoring.overlap import iou
from gym_imagetools.scoring.pivot_score import (
    Grade,
    PivotScore,
    closing_score,
    opening_score,
    score_answer,
    scored_call,
)
from gym_imagetools.scoring.pivot_settings import PivotSettings
from gym_imagetools.scoring.values import (
    read_box,
    read_color,
    read_float,
    read_indices,
    read_int,
    read_point,
)
from gym_imagetools.types import ToolCall, Turn

Arguments = Mapping[str, Any]


class Closeness(NamedTuple):
    """How close an argument is to the demonstrated one, 0.0 to 1.0, and how that was found."""

    value: float
    detail: str


def score_pivot(
    turn: Turn,
    demonstration: Demonstration,
    settings: PivotSettings,
    grade: Grade | None = None,
) -> PivotScore:
    """Score a turn by the arguments of its call, as the reference does.

    Args:
        turn: The model's turn.
        demonstration: What the demonstration did at this point.
        settings: How strict to be.
        grade: Grades an answer; needed where the demonstration answers.

    Raises:
        ValueError: The demonstration answers, and there is no ``grade``.
    """
    if demonstration.is_answer:
        return score_answer(turn, settings, grade)
    score = opening_score(turn, demonstration)
    if score.failure != "none":
        return score
    call, family = scored_call(turn), demonstration.family
    if not is_same_decision(call, demonstration, settings):
        return replace(score, failure="tool_name_mismatch")
    score = replace(score, tool_name_match=True)
    called = call.arguments if isinstance(call.arguments, Mapping) else {}
    if settings.enable_target_match:
        score = replace(score, target_match=_on_same(family, called, demonstration.arguments))
        if not score.target_match:
            return replace(score, failure="target_mismatch")
    closeness = _COMPARED[family](called, demonstration.arguments, settings.numeric_tolerance)
    return closing_score(score, settings, *closeness)


def is_same_decision(call: ToolCall, shown: Demonstration, settings: PivotSettings) -> bool:
    """Say whether a call uses the demonstrated tool (level 0)."""
    unify = settings.unify_region_inspect_tools
    return decision_of(call.name, unify=unify) == decision_of(shown.name, unify=unify)


def _on_same(family: str, called: Arguments, shown: Arguments) -> bool:
    """Say whether two calls read the same pictures (level 1)."""
    if family == "pair":
        return all(_is_same_index(called, shown, key) for key in ("img_idx_a", "img_idx_b"))
    if family == "multi":
        indices, expected = (read_indices(args.get("img_indices")) for args in (called, shown))
        # The reference's leniency: lists that cannot be read are not compared.
        return indices is None or expected is None or sorted(indices) == sorted(expected)
    if family == "unknown":
        return True
    return _is_same_index(called, shown, "img_idx", default=0)


def _is_same_index(
    called: Arguments, shown: Arguments, key: str, default: int | None = None
) -> bool:
    """Compare an index; a missing one is the tool's default, and junk is no match.

    A demonstration that does not say which picture asks for none.
    """
    indices = [
        default if args.get(key) is None else read_int(args[key]) for args in (called, shown)
    ]
    return indices[1] is None or indices[0] == indices[1]


def _compare_boxes(called: Arguments, shown: Arguments, tolerance: float) -> Closeness:
    box, expected = read_box(called.get("bbox_2d")), read_box(shown["bbox_2d"])
    if box is None or expected is None:
        return Closeness(0.0, "rollout_bbox_unparseable")
    # A flat box has no overlap, not even with itself.
    if box == expected:
        return Closeness(1.0, "exact_bbox")
    return Closeness(iou(box, expected), "iou")


def _compare_points(called: Arguments, shown: Arguments, tolerance: float) -> Closeness:
    point, expected = read_point(called.get("point_2d")), read_point(shown["point_2d"])
    if point is None or expected is None:
        return Closeness(0.0, "rollout_point_unparseable")
    distance = math.dist(point, expected)
    # In this order max() turns a NaN into 0.
    return Closeness(max(0.0, 1.0 - distance / 1000), "point_distance")


def _compare_colors(called: Arguments, shown: Arguments, tolerance: float) -> Closeness:
    color, expected = read_color(called.get("color")), read_color(shown.get("color"))
    if color is None or expected is None:
        is_same = called.get("color") == shown.get("color")
        return Closeness(1.0, "color_absent") if is_same else Closeness(0.0, "color_mismatch")
    distance = sum(abs(one - other) for one, other in zip(color, expected, strict=True))
    return Closeness(1.0 - min(distance, 3 * 255) / (3 * 255), "color_distance")


def _compare_scalars(called: Arguments, shown: Arguments, tolerance: float) -> Closeness:
    """Compare the first of degrees and axis that the demonstration has."""
    key = next((key for key in ("degrees", "axis") if key in shown), None)
    if key is None:
        return Closeness(1.0, "scalar_no_key")
    number, expected = read_float(called.get(key)), read_float(shown[key])
    if number is None or expected is None:
        return Closeness(float(_as_word(called.get(key)) == _as_word(shown[key])), key)
    difference = abs(number - expected)
    if key == "degrees":
        difference = min(difference % 360, -difference % 360)
    return Closeness(float(difference <= tolerance), key)


def _compare_alphas(called: Arguments, shown: Arguments, tolerance: float) -> Closeness:
    """Compare alpha where both calls have one; the pictures were level 1."""
    alpha, expected = read_float(called.get("alpha")), read_float(shown.get("alpha"))
    if alpha is None or expected is None:
        return Closeness(1.0, "index_only")
    return Closeness(float(abs(alpha - expected) <= tolerance), "alpha")


def _compare_nothing(called: Arguments, shown: Arguments, tolerance: float) -> Closeness:
    return Closeness(1.0, "unknown_family")


def _as_word(value: object) -> str | None:
    """Return a plain value as a word of any case; None for a list or an object."""
    if isinstance(value, (list, tuple, Mapping)):
        return None
    return str(value).strip().lower()


_COMPARED: dict[str, Callable[[Arguments, Arguments, float], Closeness]] = {
    "bbox": _compare_boxes,
    "point": _compare_points,
    "color": _compare_colors,
    "scalar": _compare_scalars,
    "pair": _compare_alphas,
    "multi": _compare_alphas,
    "unknown": _compare_nothing,
}
