"""What a model may write: lenient in notation, strict in meaning, and never an escape."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_imagetools.errors import ToolError
from gym_imagetools.tools import TOOLS, run_tool
from gym_imagetools.tools.arguments import (
    ARGUMENTS,
    ColorAtArgs,
    CropArgs,
    FlipArgs,
    SideBySideArgs,
    ZoomArgs,
    arguments_of,
    parse_arguments,
)
from gym_imagetools.tools.echo import as_text

GOOD = {
    "image_zoom_in_tool": {"bbox_2d": [100, 100, 900, 900]},
    "image_crop_tool": {"bbox_2d": [100, 100, 900, 900]},
    "image_rotate_tool": {"degrees": 30},
    "image_flip_tool": {"axis": "vertical"},
    "image_diff_tool": {"img_idx_a": 0, "img_idx_b": 1},
    "image_side_by_side_tool": {"img_indices": [0, 1]},
    "image_overlay_tool": {"img_idx_a": 0, "img_idx_b": 1},
    "count_objects_tool": {},
    "find_color_tool": {"color": [1, 2, 3]},
    "color_at_tool": {"point_2d": [500, 500]},
}
INTEGER_FIELDS = [
    ("image_flip_tool", "img_idx"),
    ("image_diff_tool", "img_idx_a"),
    ("image_diff_tool", "img_idx_b"),
    ("count_objects_tool", "tolerance"),
    ("count_objects_tool", "min_size"),
    ("find_color_tool", "tolerance"),
    ("find_color_tool", "min_size"),
]
NUMBER_FIELDS = [
    ("image_zoom_in_tool", "factor"),
    ("image_rotate_tool", "degrees"),
    ("image_overlay_tool", "alpha"),
]
NOT_NUMBERS = [True, False, None, "", " ", "big", "1 2", "1px", "nan", "inf", [1], {"a": 1}]
DEEP = json.loads("[" * 900 + "]" * 900)


def brief(value):
    """A test id, since pytest's own are as long as the value."""
    return as_text(value, 24).replace("\0", "0") or "empty"


def parse(tool, **changes):
    return parse_arguments(tool, GOOD[tool] | changes, num_images=3)


def refused(tool, **changes):
    with pytest.raises(ToolError) as caught:
        parse(tool, **changes)
    return str(caught.value)


def test_each_tool_has_arguments_and_a_good_call():
    assert set(GOOD) == set(TOOLS) == set(ARGUMENTS)
    for tool in TOOLS:
        assert parse(tool).label == ""


@pytest.mark.parametrize(("tool", "field"), INTEGER_FIELDS)
@pytest.mark.parametrize("value", [1, 1.0, "1", " 1 ", "+1", "01"])
def test_digit_strings_and_whole_floats_are_integers(tool, field, value):
    read = getattr(parse(tool, **{field: value}), field)
    assert read == 1
    assert type(read) is int


@pytest.mark.parametrize(("tool", "field"), INTEGER_FIELDS)
@pytest.mark.parametrize(
    "value", [*NOT_NUMBERS, 0.9, 1.5, "1.0", "0x1", "1_0", -1, 10**4000, 1e300], ids=brief
)
def test_booleans_fractions_and_texts_are_no_integers(tool, field, value):
    if field == "min_size" and value in (10**4000, 1e300):
        assert parse(tool, min_size=value).min_size == int(value)  # larger than any object
    else:
        assert "Expected" in refused(tool, **{field: value})


@pytest.mark.parametrize(("tool", "field"), NUMBER_FIELDS)
@pytest.mark.parametrize("value", [1, 1.0, "1", "1.0", "1e0", ".1e1", " 1. "])
def test_numeric_strings_are_numbers(tool, field, value):
    assert getattr(parse(tool, **{field: value}), field) == 1.0


@pytest.mark.parametrize(("tool", "field"), NUMBER_FIELDS)
@pytest.mark.parametrize(
    "value", [*NOT_NUMBERS, float("nan"), float("inf"), 10**400, "1e999"], ids=brief
)
def test_what_is_no_finite_number_is_refused(tool, field, value):
    assert refused(tool, **{field: value}).startswith(f"Expected {field}: ")


@pytest.mark.parametrize(
    ("tool", "field", "bad", "good"),
    [
        ("image_zoom_in_tool", "factor", [0, -1], [1e-300, 1e300]),
        ("image_overlay_tool", "alpha", [-0.01, 1.01], [0, 1]),
        ("count_objects_tool", "tolerance", [-1, 256], [0, 255]),
        ("find_color_tool", "tolerance", [-1, 256], [0, 255]),
        ("count_objects_tool", "min_size", [0, -5], [1]),
        ("find_color_tool", "color", [[0, 0, 256], [-1, 0, 0]], [[0, 0, 255]]),
        ("color_at_tool", "point_2d", [[1001, 0], [0, -1]], [[0, 1000], [0.5, 0.5]]),
        ("image_side_by_side_tool", "img_indices", [[0], [0] * 7, []], [[0, 0], [0] * 6]),
    ],
)
def test_ranges_end_where_they_say(tool, field, bad, good):
    for value in bad:
        assert field in refused(tool, **{field: value})
    for value in good:
        parse(tool, **{field: value})


@pytest.mark.parametrize(
    "written",
    [
        [100, 200, 300, 400],
        [300, 400, 100, 200],
        [300, 200, 100, 400],
        (100.0, 200.0, 300.0, 400.0),
        ["100", "200", 300, "4e2"],
        "[100, 200, 300, 400]",
        " [100,200,300,400] ",
        "(100, 200, 300, 400)",
        "100, 200, 300, 400",
        "100 200 300 400",
    ],
)
def test_a_box_is_four_numbers_with_corners_in_any_order(written):
    assert parse("image_crop_tool", bbox_2d=written).bbox_2d == (100.0, 200.0, 300.0, 400.0)


@pytest.mark.parametrize(
    "written",
    [
        "x1=100, y1=200, x2=300, y2=400",
        "from 100 200 to 300 400",
        "100,200,300,400 px",
        "<box>100,200 300,400</box>",
        "[100, 200, 300, 400",
        "[[100, 200, 300, 400]]",
        "[100,, 200, 300, 400]",
        "100-200-300-400",
        "9" * 10_000,
        "[" * 100_000,
        "",
        " ",
        "[]",
        [100, 200, 300],
        [100, 200, 300, 400, 500],
        [True, False, 500, 500],
        [100, None, 300, 400],
        [100, [200], 300, 400],
        [float("nan"), 0, 1, 2],
        {"x1": 100, "y1": 200, "x2": 300, "y2": 400},
        None,
        5,
        True,
    ],
    ids=brief,
)
def test_numbers_are_never_scraped_out_of_anything_else(written):
    assert refused("image_zoom_in_tool", bbox_2d=written).startswith("Expected bbox_2d: ")


@pytest.mark.parametrize("box", [[0.1, 0.1, 0.5, 0.5], "[0, 0, 0.5, 1]", [0.0, 0.25, 1.0, 1.0]])
@pytest.mark.parametrize("tool", ["image_zoom_in_tool", "image_crop_tool"])
def test_fractions_of_a_picture_are_refused_with_the_unit_named(tool, box):
    assert "thousandths" in refused(tool, bbox_2d=box)
    assert "fractions" in refused(tool, bbox_2d=box)


@pytest.mark.parametrize(
    ("tool", "field", "text"),
    [
        ("find_color_tool", "color", "[220,30,30]"),
        ("find_color_tool", "color", "#dc1e1e"),
        ("count_objects_tool", "color", "red"),
        ("color_at_tool", "point_2d", "[500, 500]"),
        ("image_side_by_side_tool", "img_indices", "[0, 1]"),
        ("image_side_by_side_tool", "labels", "AB"),
    ],
)
def test_only_a_box_may_come_as_text(tool, field, text):
    assert refused(tool, **{field: text}).startswith(f"Expected {field}: ")


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("left eye", "left eye"),
        (None, ""),
        (123, "123"),
        (True, "True"),
        ([1, "a"], "[1, 'a']"),
        ({"a": None}, "{'a': None}"),
        ("", ""),
        ("\ud800", "?"),
        (10**5000, ""),
    ],
    ids=brief,
)
@pytest.mark.parametrize("tool", GOOD)
def test_a_label_of_any_kind_is_text(tool, label, text):
    assert parse(tool, label=label).label == text


def test_a_label_is_bounded_in_length():
    assert len(parse("image_flip_tool", label="é" * 10**6).label) == 200
    assert len(parse("image_flip_tool", label=[0] * 10**5).label) == 200
    assert len(parse("image_flip_tool", label=DEEP).label) <= 200


@pytest.mark.parametrize("empty", [None, "", [], {}, 0, False])
def test_anything_empty_means_no_captions(empty):
    assert parse("image_side_by_side_tool", labels=empty).labels == ()


def test_captions_are_texts_of_bounded_length():
    labels = parse("image_side_by_side_tool", labels=["A", 5, None, "x" * 500]).labels
    assert labels[:3] == ("A", "5", "")
    assert len(labels[3]) == 80


def test_null_is_a_colour_only_where_none_is_needed():
    assert parse("count_objects_tool", color=None).color is None
    assert refused("find_color_tool", color=None).endswith("Got null.")


@pytest.mark.parametrize("axis", ["Horizontal", " vertical", "both", "", None, 0, ["vertical"], {}])
def test_an_axis_is_spelled_just_so(axis):
    assert refused("image_flip_tool", axis=axis).startswith("Expected axis: ")


@pytest.mark.parametrize("tool", GOOD)
def test_unknown_keys_are_ignored(tool):
    assert parse(tool, zoom=5, **{"": None}) == parse(tool)
    assert parse_arguments(tool, GOOD[tool] | {5: 6, None: 7, (1,): 8}, 3) == parse(tool)


@pytest.mark.parametrize("tool", [name for name in GOOD if GOOD[name]])
def test_a_missing_argument_is_named(tool):
    with pytest.raises(ToolError, match=r"Expected .* Got nothing\."):
        parse_arguments(tool, {}, 3)


@pytest.mark.parametrize("arguments", [None, "bbox_2d", [1], 5, True, DEEP, 10**5000], ids=brief)
def test_arguments_are_an_object(arguments):
    with pytest.raises(ToolError, match="Expected the arguments as a JSON object"):
        parse_arguments("image_crop_tool", arguments, 1)


@pytest.mark.parametrize(
    ("tool", "changes"),
    [
        ("image_flip_tool", {"img_idx": 3}),
        ("image_diff_tool", {"img_idx_b": 3}),
        ("image_overlay_tool", {"img_idx_a": 10**30}),
        ("image_side_by_side_tool", {"img_indices": [0, 1, 3]}),
    ],
)
def test_an_index_beyond_the_pictures_is_refused_with_the_range_named(tool, changes):
    assert "0 to 2" in refused(tool, **changes)


@pytest.mark.parametrize("tool", GOOD)
def test_without_pictures_no_tool_runs(tool):
    with pytest.raises(ToolError, match="without pictures"):
        parse_arguments(tool, GOOD[tool], 0)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("image_zoom_tool", "image_zoom_in_tool"),
        ("count_object", "count_objects_tool"),
        ("color_at", "color_at_tool"),
    ],
)
def test_an_unknown_tool_is_answered_with_the_likely_one(written, meant):
    with pytest.raises(ToolError, match=f"Did you mean {meant}"):
        parse_arguments(written, {}, 1)


@pytest.mark.parametrize(
    "name", ["", "x" * 10**6, None, 5, ["crop"], 10**5000, "\ud800"], ids=brief
)
def test_a_name_that_is_like_no_tool_is_answered_with_the_list(name):
    with pytest.raises(ToolError, match="The tools are image_zoom_in_tool, ") as caught:
        parse_arguments(name, {}, 1)
    assert len(str(caught.value)) < 400


def test_image_indices_are_the_pictures_a_call_reads():
    assert parse("image_flip_tool", img_idx=2).image_indices == (2,)
    assert parse("image_diff_tool", img_idx_a=2).image_indices == (2, 1)
    assert parse("image_side_by_side_tool", img_indices=[2, 0, 2]).image_indices == (2, 0, 2)


def test_arguments_are_frozen_typed_models_with_the_tool_s_name():
    zoom = parse("image_zoom_in_tool", factor=2)
    assert isinstance(zoom, ZoomArgs)
    assert (zoom.tool, zoom.factor, zoom.img_idx) == ("image_zoom_in_tool", 2.0, 0)
    assert isinstance(parse("image_crop_tool"), CropArgs)
    assert hash(zoom) == hash(parse("image_zoom_in_tool", factor=2.0))
    for tool, model in ARGUMENTS.items():
        assert model.tool == tool
    with pytest.raises(ValueError, match="frozen"):
        zoom.factor = 3.0


def test_a_tool_s_name_is_given_once():
    with pytest.raises(ValueError, match="image_flip_tool"):
        arguments_of("image_flip_tool")(FlipArgs)


@pytest.mark.parametrize(
    ("tool", "field"), [("image_crop_tool", "bbox_2d"), ("image_flip_tool", "axis")]
)
@pytest.mark.parametrize(
    "value",
    [
        "</tool_response><script>",
        "\ud800\udc00" * 500,
        "x" * 10**6,
        DEEP,
        {"a": object()},
        object(),
    ],
    ids=["markup", "surrogates", "long", "deep", "object inside", "object"],
)
def test_an_error_echoes_what_came_briefly_and_without_markup(tool, field, value):
    message = refused(tool, **{field: value})
    assert len(message) < 400
    assert not re.search("[<>]", message)
    assert "object at" not in message
    message.encode("utf-8")


def test_an_error_says_what_was_expected_and_what_came():
    assert refused("image_rotate_tool", degrees="ninety") == (
        'Expected degrees: counter-clockwise angle in degrees, a finite number. Got "ninety".'
    )


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["0", "1", "0.5", "[1,2,3,4]", "nan", "1e400", 10**400, "horizontal"]),
    lambda inner: (
        st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
fields = sorted({name for model in ARGUMENTS.values() for name in model.model_fields})
objects = st.dictionaries(st.sampled_from(fields), json_values, max_size=6)
PICTURES = [np.zeros((5, 7, 3), np.uint8), np.full((9, 2, 3), 200, np.uint8)]


@given(st.sampled_from(sorted(GOOD)) | st.text(), objects | json_values)
def test_junk_raises_nothing_but_tool_error(tool, arguments):
    try:
        reply = run_tool(tool, arguments, PICTURES)
    except ToolError as error:
        str(error).encode("utf-8")
    else:
        json.dumps(reply.result, allow_nan=False, ensure_ascii=False).encode("utf-8")


@given(st.sampled_from(sorted(GOOD)), objects)
def test_unknown_or_bad_keys_beside_good_ones_raise_nothing_but_tool_error(tool, junk):
    try:
        size = run_tool(tool, junk | GOOD[tool], PICTURES).result["size"]
    except ToolError:
        return
    assert max(size) <= 4096


def test_models_serve_programmers_too():
    assert ColorAtArgs(point_2d=[5, 5]).point_2d == (5.0, 5.0)
    assert SideBySideArgs(img_indices=[1, 0]).labels == ()
