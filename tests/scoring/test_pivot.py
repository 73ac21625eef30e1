"""Pivots: the golden decisions, what differs from the reference on purpose, and the settings."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_imagetools.errors import DataError
from gym_imagetools.parsing import parse_turn
from gym_imagetools.scoring.demonstration import Demonstration
from gym_imagetools.scoring.families import FAMILIES
from gym_imagetools.scoring.pivot import score_pivot
from gym_imagetools.scoring.pivot_settings import PivotSettings
from gym_imagetools.types import ToolCall, Turn

GOLDEN = Path(__file__).parents[1] / "golden/pivot.public.jsonl"
ROWS = [json.loads(line) for line in GOLDEN.read_text().splitlines()]

# Where the reference is wrong, by the number of the accepted deviation.
BROKEN_MARKUP = {"pivot-calls-011"}  # 51
BROKEN_ROLLOUT = {"pivot-calls-016", "pivot-calls-019"}  # 52: the reference crashes
REFUSED = {  # 52
    "pivot-bbox-021",
    "pivot-bbox-024",
    "pivot-expected-000",
    "pivot-expected-008",
    "pivot-expected-013",
    "pivot-expected-014",
    "pivot-expected-016",
    "pivot-expected-018",
    "pivot-point-017",
}
OTHER_TARGET = {"pivot-target-008"}  # 53
DEVIATING = BROKEN_MARKUP | BROKEN_ROLLOUT | REFUSED | OTHER_TARGET

BOX = {"bbox_2d": [100, 100, 500, 500]}
CROP = ("image_crop_tool", BOX)


def rows(*, deviating: set[str] | None = None):
    chosen = [
        row
        for row in ROWS
        if (row["id"] not in DEVIATING if deviating is None else row["id"] in deviating)
    ]
    return pytest.mark.parametrize("row", chosen, ids=[row["id"] for row in chosen])


def turn_of(row: dict) -> Turn:
    runs = row.get("text_runs") or ()
    text = row["text"]
    return parse_turn("".join(part * times for part, times in runs) if text is None else text)


def call(name: str, arguments: dict) -> Turn:
    return parse_turn({"name": name, "arguments": arguments})


def score(called: tuple, shown: tuple, **settings):
    return score_pivot(call(*called), Demonstration(*shown), PivotSettings(**settings))


@pytest.mark.parametrize("mode", ["binary", "continuous"])
@rows()
def test_golden_pivots_score_as_in_the_reference(row, mode):
    expect = row["expect"]
    settings = PivotSettings(reward_mode=mode, **row["config"])
    scored = score_pivot(turn_of(row), Demonstration.from_row(row["body"]), settings)
    for name in expect.keys() - {"binary", "continuous", "argument_score"}:
        assert getattr(scored, name) == expect[name], name
    assert scored.argument_score == pytest.approx(expect["argument_score"], abs=1e-9)
    assert scored.reward == pytest.approx(expect[mode]["reward"], abs=1e-9)
    assert scored.failure == expect[mode]["failure"]


@rows(deviating=REFUSED)
def test_unusable_demonstrations_are_refused(row):
    with pytest.raises(DataError, match="Expected"):
        Demonstration.from_row(row["body"])


@rows(deviating=BROKEN_MARKUP | BROKEN_ROLLOUT)
def test_a_broken_rollout_scores_nothing(row):
    scored = score_pivot(turn_of(row), Demonstration.from_row(row["body"]), PivotSettings())
    assert scored.reward == 0.0
    assert scored.failure in {"malformed_tool_call", "argument_below_threshold"}


@rows(deviating=OTHER_TARGET)
def test_a_missing_index_is_the_default_of_the_tool(row):
    scored = score_pivot(turn_of(row), Demonstration.from_row(row["body"]), PivotSettings())
    assert (scored.reward, scored.failure) == (0.0, "target_mismatch")


@pytest.mark.parametrize(
    ("index", "expected", "is_same"),
    [
        (None, 0, True),
        (0, None, True),
        (None, 1, False),
        (1, None, False),
        ("1", 1, True),
        ("x", 0, False),
        ("x", None, False),
        ([0], 0, False),
        (math.inf, 0, False),
        (0, "x", True),
    ],
)
def test_an_index_is_read_with_its_default_and_junk_is_no_match(index, expected, is_same):
    called = ("image_crop_tool", {**BOX, "img_idx": index})
    shown = ("image_crop_tool", {**BOX, "img_idx": expected})
    assert score(called, shown).target_match is is_same


@pytest.mark.parametrize(
    ("arguments", "is_same"),
    [
        ({"img_idx_a": 0, "img_idx_b": 1}, True),
        ({"img_idx_a": 1, "img_idx_b": 0}, False),
        ({"img_idx_b": 1}, False),
        ({"img_idx_a": 0, "img_idx_b": "x"}, False),
        ({}, False),
    ],
)
def test_a_pair_needs_both_of_its_indices(arguments, is_same):
    shown = ("image_diff_tool", {"img_idx_a": 0, "img_idx_b": 1})
    assert score(("image_diff_tool", arguments), shown).target_match is is_same


def test_what_a_pair_does_not_demonstrate_is_not_compared():
    shown = ("image_diff_tool", {"img_idx_b": 1})
    assert score(("image_diff_tool", {"img_idx_a": 7, "img_idx_b": 1}), shown).target_match


@pytest.mark.parametrize(
    "turn",
    [
        Turn("text", "", (ToolCall(*CROP),), error="broken"),
        Turn("text", "", (ToolCall(*CROP),), incomplete=True),
    ],
)
def test_a_turn_that_runs_nothing_earns_nothing(turn):
    scored = score_pivot(turn, Demonstration(*CROP), PivotSettings())
    assert (scored.reward, scored.failure) == (0.0, "malformed_tool_call")


@pytest.mark.parametrize("text", ["", "the answer", "<tool_call>", "<tool_call>{bad</tool_call>"])
def test_a_turn_without_a_readable_call_has_none(text):
    scored = score_pivot(parse_turn(text), Demonstration(*CROP), PivotSettings())
    assert (scored.reward, scored.failure) == (0.0, "no_tool_call_in_rollout")
    assert scored.num_rollout_tool_calls == 0


@pytest.mark.parametrize("mode", ["binary", "continuous"])
def test_further_calls_cost_the_reward_and_are_named(mode):
    turn = Turn("", "", (ToolCall(*CROP), ToolCall("image_flip_tool", {"axis": "vertical"})))
    scored = score_pivot(turn, Demonstration(*CROP), PivotSettings(reward_mode=mode))
    assert (scored.reward, scored.failure) == (0.0, "extra_tool_calls")
    assert scored.num_rollout_tool_calls == 2
    lenient = PivotSettings(reward_mode=mode, penalize_extra_tool_calls=False)
    assert score_pivot(turn, Demonstration(*CROP), lenient).reward == 1.0


def test_what_failed_first_is_named_before_further_calls():
    far = ToolCall("image_crop_tool", {"bbox_2d": [600, 600, 900, 900]})
    scored = score_pivot(Turn("", "", (far, far)), Demonstration(*CROP), PivotSettings())
    assert scored.failure == "argument_below_threshold"


@pytest.mark.parametrize("name", sorted(set(FAMILIES) - {"__answer__"}))
def test_labels_and_factor_never_count(name):
    arguments = {**BOX, "point_2d": [1, 2], "degrees": 90, "img_idx_a": 0, "img_idx_b": 1}
    cosmetic = {"label": "x", "labels": ["a", "b"], "factor": 9, "tolerance": 3, "min_size": 1}
    scored = score((name, {**arguments, **cosmetic}), (name, arguments))
    assert (scored.reward, scored.failure) == (1.0, "none")


@pytest.mark.parametrize("reward_mode", ["binary", "continuous"])
@pytest.mark.parametrize(
    ("threshold", "is_match"),
    [(0.5, True), (0.51, False), ({"bbox": 0.9}, False), ({"point": 0.9}, True), (1.1, False)],
)
def test_the_threshold_may_differ_by_family(threshold, is_match, reward_mode):
    half = ("image_crop_tool", {"bbox_2d": [100, 100, 500, 300]})
    scored = score(half, CROP, argument_threshold=threshold, reward_mode=reward_mode)
    assert scored.failure == ("none" if is_match else "argument_below_threshold")
    assert scored.reward == (0.5 if reward_mode == "continuous" else float(is_match))


def test_zoom_and_crop_are_one_decision_unless_told_apart():
    zoom = ("image_zoom_in_tool", BOX)
    assert score(zoom, CROP).reward == 1.0
    assert score(zoom, CROP, unify_region_inspect_tools=False).failure == "tool_name_mismatch"
    assert score(CROP, CROP, unify_region_inspect_tools=False).reward == 1.0


def test_the_picture_need_not_match_when_that_is_switched_off():
    scored = score(("image_crop_tool", {**BOX, "img_idx": 4}), CROP, enable_target_match=False)
    assert (scored.reward, scored.target_match) == (1.0, None)


@pytest.mark.parametrize(
    ("degrees", "expected", "tolerance", "is_match"),
    [
        (450, 90, 1e-6, True),
        (-10, 350, 1e-6, True),
        (359.9999999, 0, 1e-6, True),
        (1, 359, 2, True),
        (91, 90, 0.5, False),
        ("90", 90, 0, True),
        (math.nan, 90, 5, False),
        (math.inf, 90, 5, False),
        ("left", 90, 5, False),
        (None, 0, 5, False),
    ],
)
def test_degrees_are_compared_modulo_a_full_turn(degrees, expected, tolerance, is_match):
    called, shown = ({"degrees": value} for value in (degrees, expected))
    scored = score(
        ("image_rotate_tool", called), ("image_rotate_tool", shown), numeric_tolerance=tolerance
    )
    assert scored.reward == float(is_match)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**320), 10**320)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["[1,2]", "1 2 3 4", "NaN", "[" * 9999]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)
argument_names = st.sampled_from(
    [
        *("bbox_2d", "point_2d", "color", "degrees", "axis", "alpha"),
        *("img_idx", "img_idx_a", "img_idx_b", "img_indices"),
    ]
)


@given(
    st.sampled_from([*FAMILIES, "<region_inspect>", "other_tool"]),
    st.dictionaries(argument_names, json_values) | json_values,
    st.sampled_from(
        [
            CROP,
            ("color_at_tool", {"point_2d": [5, 5]}),
            ("find_color_tool", {"color": [1, 2, 3]}),
            ("image_rotate_tool", {"degrees": 90}),
            ("image_flip_tool", {"axis": "vertical"}),
            ("image_overlay_tool", {"img_idx_a": 0, "img_idx_b": 1, "alpha": 0.5}),
            ("image_side_by_side_tool", {"img_indices": [0, 1]}),
        ]
    ),
    st.booleans(),
)
def test_whatever_a_model_writes_scores_from_0_to_1(name, arguments, shown, is_lenient):
    turn = Turn("", "", (ToolCall(name, arguments),))
    settings = PivotSettings(reward_mode="continuous", enable_target_match=not is_lenient)
    scored = score_pivot(turn, Demonstration(*shown), settings)
    assert 0.0 <= scored.reward <= 1.0
    assert isinstance(scored.reward, float)


ANSWER = Demonstration("__answer__", {})


@pytest.mark.parametrize(
    ("mode", "value", "reward", "failure"),
    [
        ("binary", 1.0, 1.0, "none"),
        ("binary", 0.6, 1.0, "none"),
        ("binary", 0.0, 0.0, "argument_below_threshold"),
        ("continuous", 0.6, 0.6, "none"),
        ("continuous", 0.25, 0.25, "argument_below_threshold"),
    ],
)
def test_a_demonstrated_answer_is_graded(mode, value, reward, failure):
    asked = []
    scored = score_pivot(
        parse_turn("It is B."),
        ANSWER,
        PivotSettings(reward_mode=mode),
        lambda text: asked.append(text) or value,
    )
    assert (scored.reward, scored.failure, asked) == (reward, failure, ["It is B."])
    assert scored.tool_family == "answer"


@pytest.mark.parametrize(
    ("turn", "failure"),
    [
        (call(*CROP), "tool_name_mismatch"),
        (parse_turn("<tool_call>{bad</tool_call>"), "malformed_tool_call"),
        (Turn("It is", "It is", incomplete=True), "malformed_tool_call"),
    ],
)
def test_what_is_no_answer_is_not_graded_as_one(turn, failure):
    scored = score_pivot(turn, ANSWER, PivotSettings(), lambda text: 1.0)
    assert (scored.reward, scored.failure) == (0.0, failure)


def test_a_demonstrated_answer_needs_a_grader():
    with pytest.raises(ValueError, match="Expected grade for a demonstrated __answer__"):
        score_pivot(parse_turn("B"), ANSWER, PivotSettings())


@pytest.mark.parametrize(
    ("keyword", "value"),
    [
        ("reward_mode", "dense"),
        ("argument_threshold", -0.1),
        ("argument_threshold", math.nan),
        ("argument_threshold", True),
        ("argument_threshold", "0.5"),
        ("argument_threshold", {"box": 0.5}),
        ("argument_threshold", {"bbox": -1}),
        ("numeric_tolerance", -1),
        ("numeric_tolerance", None),
        ("enable_target_match", 1),
        ("penalize_extra_tool_calls", None),
        ("unify_region_inspect_tools", "yes"),
    ],
)
def test_a_setting_out_of_range_is_named(keyword, value):
    with pytest.raises(ValueError, match=f"Expected {keyword}"):
        PivotSettings(**{keyword: value})
