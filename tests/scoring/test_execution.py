"""Pivots scored by running both calls."""

from __future__ import annotations

import numpy as np
import pytest

from gym_imagetools.errors import DataError
from gym_imagetools.parsing import parse_turn
from gym_imagetools.scoring.demonstration import Demonstration
from gym_imagetools.scoring.execution import score_execution
from gym_imagetools.scoring.pivot_settings import PivotSettings
from gym_imagetools.types import ToolCall, Turn

NOISE = np.random.default_rng(0).integers(0, 256, (200, 400, 3), dtype=np.uint8)
PLAIN = np.full((200, 400, 3), (200, 30, 30), dtype=np.uint8)
PICTURES = (NOISE, PLAIN, NOISE)

ZOOM, CROP, ROTATE = "image_zoom_in_tool", "image_crop_tool", "image_rotate_tool"
WHOLE = {"bbox_2d": [0, 0, 1000, 1000]}
LEFT = {"bbox_2d": [0, 0, 500, 1000]}


def score(called: tuple, shown: tuple, **settings):
    return score_execution(
        parse_turn({"name": called[0], "arguments": called[1]}),
        Demonstration(*shown),
        PivotSettings(reward_mode="continuous", **settings),
        PICTURES,
    )


@pytest.mark.parametrize(
    ("called", "shown", "value"),
    [
        ((CROP, LEFT), (CROP, LEFT), 1.0),
        ((ZOOM, LEFT), (CROP, LEFT), 1.0),
        ((ZOOM, {**LEFT, "factor": 1.5}), (ZOOM, LEFT), 1.0),
        ((CROP, WHOLE), (CROP, LEFT), 0.5),
        ((CROP, {"bbox_2d": [500, 0, 1000, 1000]}), (CROP, LEFT), 0.0),
        # Coordinates beyond the picture are clamped before regions are compared.
        ((CROP, {"bbox_2d": [-500, -10, 500, 1000]}), (CROP, LEFT), 1.0),
        # Regions are whole pixels of the picture.
        ((CROP, {"bbox_2d": [0, 0, 499.9, 999.9]}), (CROP, LEFT), 1.0),
        # Another picture, other pixels; another picture, the same pixels.
        ((CROP, {**LEFT, "img_idx": 1}), (CROP, LEFT), 0.0),
        ((CROP, {**LEFT, "img_idx": 2}), (CROP, LEFT), 1.0),
    ],
)
def test_regions_of_one_picture_score_their_overlap(called, shown, value):
    scored = score(called, shown)
    assert scored.argument_score == pytest.approx(value, abs=0.01)
    assert scored.reward == scored.argument_score
    assert scored.failure == ("none" if value >= 0.5 else "argument_below_threshold")


@pytest.mark.parametrize(
    ("called", "shown"),
    [
        ((ROTATE, {"degrees": 450}), (ROTATE, {"degrees": 90})),
        ((ROTATE, {"degrees": 360}), (CROP, WHOLE)),
        ((CROP, WHOLE), (ROTATE, {"degrees": 0})),
        (
            ("color_at_tool", {"point_2d": [500, 500], "img_idx": 1}),
            ("color_at_tool", {"point_2d": [400, 600], "img_idx": 1}),
        ),
        (
            ("image_overlay_tool", {"img_idx_a": 0, "img_idx_b": 2}),
            ("image_overlay_tool", {"img_idx_a": 2, "img_idx_b": 0}),
        ),
        (
            ("image_side_by_side_tool", {"img_indices": [2, 1]}),
            ("image_side_by_side_tool", {"img_indices": [0, 1]}),
        ),
    ],
)
def test_equal_pixels_are_one_result(called, shown):
    scored = score(called, shown)
    assert (scored.reward, scored.argument_detail, scored.failure) == (1.0, "pixels", "none")


@pytest.mark.parametrize(
    ("called", "shown", "failure"),
    [
        ((ROTATE, {"degrees": 91}), (ROTATE, {"degrees": 90}), "argument_below_threshold"),
        (
            ("image_flip_tool", {"axis": "vertical"}),
            (ROTATE, {"degrees": 180}),
            "tool_name_mismatch",
        ),
        (
            ("image_side_by_side_tool", {"img_indices": [1, 0]}),
            ("image_side_by_side_tool", {"img_indices": [0, 1]}),
            "argument_below_threshold",
        ),
        (
            ("color_at_tool", {"point_2d": [10, 10]}),
            ("color_at_tool", {"point_2d": [800, 800]}),
            "argument_below_threshold",
        ),
    ],
)
def test_other_pixels_are_another_result(called, shown, failure):
    scored = score(called, shown)
    assert (scored.reward, scored.failure) == (0.0, failure)


def test_a_measuring_tool_is_not_replaced_by_one_whose_picture_looks_alike():
    nothing = ("find_color_tool", {"color": [0, 255, 0], "tolerance": 0, "img_idx": 1})
    whole = (CROP, {**WHOLE, "img_idx": 1})
    assert score(nothing, nothing).reward == 1.0
    assert score(whole, nothing).failure == "tool_name_mismatch"
    assert score(nothing, whole).failure == "tool_name_mismatch"


def test_zoom_and_crop_can_be_told_apart():
    scored = score((ZOOM, LEFT), (CROP, LEFT), unify_region_inspect_tools=False)
    assert (scored.reward, scored.failure) == (0.0, "tool_name_mismatch")


@pytest.mark.parametrize(
    "called",
    [
        (CROP, {}),
        (CROP, {"bbox_2d": "junk"}),
        (CROP, {"bbox_2d": [5, 5, 5, 5]}),
        (CROP, {**LEFT, "img_idx": 3}),
        (ROTATE, {"degrees": "NaN"}),
    ],
)
def test_a_call_that_fails_scores_nothing(called):
    shown = (called[0], LEFT if called[0] == CROP else {"degrees": 90})
    scored = score(called, shown)
    assert (scored.reward, scored.argument_detail) == (0.0, "rollout_call_failed")


@pytest.mark.parametrize("name", ["other_tool", "", "<region_inspect>"])
@pytest.mark.parametrize("arguments", [LEFT, [1, 2], "text", None])
def test_a_call_of_no_tool_scores_nothing(name, arguments):
    turn = Turn("", "", (ToolCall(name, arguments),))
    scored = score_execution(turn, Demonstration(CROP, LEFT), PivotSettings(), PICTURES)
    assert scored.reward == 0.0


@pytest.mark.parametrize(
    "shown",
    [(CROP, {"bbox_2d": [5, 5, 5, 5]}), (CROP, {**LEFT, "img_idx": 9}), ("custom_tool", {})],
)
def test_a_demonstration_that_fails_is_refused(shown):
    with pytest.raises(DataError, match=f"Expected a demonstrated {shown[0]} that runs"):
        score((CROP, LEFT), shown)


def test_turns_without_a_call_and_with_several_score_as_ever():
    shown, settings = Demonstration(CROP, LEFT), PivotSettings()
    crop = ToolCall(CROP, LEFT)
    for turn, failure in [
        (parse_turn("words"), "no_tool_call_in_rollout"),
        (Turn("", "", (crop,), error="broken"), "malformed_tool_call"),
        (Turn("", "", (crop, crop)), "extra_tool_calls"),
    ]:
        scored = score_execution(turn, shown, settings, PICTURES)
        assert (scored.reward, scored.failure) == (0.0, failure)


def test_a_demonstrated_answer_is_graded():
    answer = Demonstration("__answer__", {})
    scored = score_execution(parse_turn("B"), answer, PivotSettings(), PICTURES, lambda text: 1.0)
    assert scored.reward == 1.0
