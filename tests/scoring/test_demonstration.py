"""The demonstrated call of a pivot row: where it is found, and what is refused."""

from __future__ import annotations

import json

import pytest

from gym_imagetools.errors import DataError
from gym_imagetools.scoring.demonstration import Demonstration

CROP = {"name": "image_crop_tool", "arguments": {"bbox_2d": [1, 2, 3, 4]}}
FLIP = {"name": "image_flip_tool", "arguments": {"axis": "vertical"}}


@pytest.mark.parametrize(
    "row",
    [
        {"expected_action": CROP},
        {"expected_action": {**CROP, "arguments": json.dumps(CROP["arguments"])}},
        {"metadata": {"expected_action": CROP}},
        {"expected_answer": json.dumps(CROP)},
        {"expected_action": CROP, "metadata": {"expected_action": FLIP}},
        {"metadata": {"expected_action": CROP}, "expected_answer": json.dumps(FLIP)},
        {"expected_action": {}, "metadata": {"expected_action": CROP}},
        {"expected_action": None, "metadata": None, "expected_answer": json.dumps(CROP)},
        {"expected_action": {"name": ""}, "expected_answer": json.dumps(CROP)},
        {"expected_action": "a word", "metadata": {"expected_action": CROP}},
    ],
)
def test_the_first_named_call_of_a_row_counts(row):
    demonstration = Demonstration.from_row(row)
    assert (demonstration.name, demonstration.arguments) == (CROP["name"], CROP["arguments"])
    assert demonstration.family == "bbox"
    assert not demonstration.is_answer


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"expected_action": {}},
        {"expected_action": {"arguments": {}}},
        {"expected_action": [CROP]},
        {"metadata": {"expected_action": json.dumps(CROP)}},
        {"metadata": "text", "expected_answer": "B"},
        {"expected_answer": "[1]"},
        {"expected_answer": "[" * 5000},
        {"expected_answer": 7},
    ],
)
def test_a_row_without_a_named_call_is_refused(row):
    with pytest.raises(DataError, match="Expected `expected_action`"):
        Demonstration.from_row(row)


@pytest.mark.parametrize("arguments", ["{bad", "[1, 2]", [1, 2], 5, "[" * 5000])
def test_arguments_that_are_no_object_are_refused(arguments):
    with pytest.raises(DataError, match="`arguments` as an object"):
        Demonstration.from_row({"expected_action": {**CROP, "arguments": arguments}})


@pytest.mark.parametrize("name", [5, ["image_crop_tool"], "  ", True])
def test_a_name_that_is_no_text_is_refused(name):
    with pytest.raises(DataError, match="`name` as text"):
        Demonstration.from_row({"expected_action": {"name": name}})


@pytest.mark.parametrize("tool", ["image_zoom_in_tool", "image_crop_tool"])
@pytest.mark.parametrize(
    "box",
    [
        None,
        "nope",
        [],
        [1, 2, 3],
        [1, 2, 3, 4, 5],
        [1, 2, 3, None],
        [1, 2, 3, "x"],
        "the box is 1 2 3 4",
        [1, 2, 3, float("nan")],
        [1, 2, 3, float("inf")],
        {"x1": 1},
        7,
        [10**400, 0, 0, 0],
    ],
)
def test_a_region_that_cannot_be_read_is_refused(tool, box):
    with pytest.raises(DataError, match=f"`bbox_2d` of the demonstrated {tool}"):
        Demonstration(tool, {"bbox_2d": box})
    with pytest.raises(DataError, match="`bbox_2d`"):
        Demonstration(tool, {})


@pytest.mark.parametrize("point", [None, "500,500", [1], [1, 2, 3], [1, None], [1, float("nan")]])
def test_a_point_that_cannot_be_read_is_refused(point):
    with pytest.raises(DataError, match="`point_2d` of the demonstrated color_at_tool"):
        Demonstration("color_at_tool", {"point_2d": point})


@pytest.mark.parametrize(
    ("name", "arguments", "family"),
    [
        ("image_crop_tool", {"bbox_2d": [167, 1000, 1000, 1000]}, "bbox"),
        ("image_zoom_in_tool", {"bbox_2d": "1 2 3 4"}, "bbox"),
        ("image_flip_tool", {}, "scalar"),
        ("count_objects_tool", {}, "color"),
        ("image_diff_tool", {"img_idx_a": 0, "img_idx_b": 1}, "pair"),
        ("image_side_by_side_tool", {"img_indices": [0, 1]}, "multi"),
        ("custom_tool", {"x": 1}, "unknown"),
        ("__answer__", {}, "answer"),
    ],
)
def test_what_can_be_compared_is_taken(name, arguments, family):
    demonstration = Demonstration.from_row(
        {"expected_action": {"name": name, "arguments": arguments}}
    )
    assert demonstration.family == family
    assert demonstration.is_answer == (family == "answer")


def test_a_demonstration_without_arguments_has_none():
    assert Demonstration.from_row({"expected_action": {"name": "image_flip_tool"}}).arguments == {}
