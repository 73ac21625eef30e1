"""The schemas that models and APIs read."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from gym_imagetools.tools import TOOLS
from gym_imagetools.tools.arguments import ARGUMENTS
from gym_imagetools.tools.schemas import FUNCTION_TOOLS, PARAMETERS

REQUIRED = {
    "image_zoom_in_tool": ["bbox_2d"],
    "image_crop_tool": ["bbox_2d"],
    "image_rotate_tool": ["degrees"],
    "image_flip_tool": ["axis"],
    "image_diff_tool": ["img_idx_a", "img_idx_b"],
    "image_side_by_side_tool": ["img_indices"],
    "image_overlay_tool": ["img_idx_a", "img_idx_b"],
    "count_objects_tool": [],
    "find_color_tool": ["color"],
    "color_at_tool": ["point_2d"],
}
KEYWORDS = {
    *("type", "description", "default", "enum", "items", "minItems", "maxItems"),
    *("minimum", "maximum", "exclusiveMinimum"),
}


@pytest.mark.parametrize("tool", TOOLS)
def test_just_what_has_no_default_is_required(tool):
    assert PARAMETERS[tool]["required"] == REQUIRED[tool]
    assert list(PARAMETERS[tool]["properties"])[: len(REQUIRED[tool])] == REQUIRED[tool]


@pytest.mark.parametrize("tool", TOOLS)
def test_every_parameter_of_the_model_is_described(tool):
    properties = PARAMETERS[tool]["properties"]
    assert set(properties) == set(ARGUMENTS[tool].model_fields)
    for schema in properties.values():
        assert schema["description"].endswith(".")
        assert isinstance(schema["type"], str)


@pytest.mark.parametrize("tool", TOOLS)
def test_schemas_are_flat_json_schema_without_titles_or_references(tool):
    for schema in PARAMETERS[tool]["properties"].values():
        assert set(schema) <= KEYWORDS
        assert set(schema.get("items", {})) <= KEYWORDS
    text = json.dumps(PARAMETERS[tool], allow_nan=False)
    assert "$" not in text
    assert '"title"' not in text


def test_boxes_and_points_say_their_unit_origin_and_order():
    box = PARAMETERS["image_crop_tool"]["properties"]["bbox_2d"]
    point = PARAMETERS["color_at_tool"]["properties"]["point_2d"]
    for schema, length, order in ((box, 4, "[x1, y1, x2, y2]"), (point, 2, "[x, y]")):
        assert (schema["minItems"], schema["maxItems"]) == (length, length)
        assert schema["items"] == {"type": "number", "minimum": 0, "maximum": 1000}
        for words in (order, "thousandths", "0-1000", "top left"):
            assert words in schema["description"]
    assert "corners in any order" in box["description"]


def test_ranges_and_defaults_of_the_models_reach_the_schema():
    properties = PARAMETERS["count_objects_tool"]["properties"]
    assert properties["tolerance"] | {"description": ""} == {
        "type": "integer",
        "minimum": 0,
        "maximum": 255,
        "default": 40,
        "description": "",
    }
    assert properties["min_size"]["default"] == 30
    assert PARAMETERS["find_color_tool"]["properties"]["min_size"]["default"] == 20
    assert properties["color"]["items"] == {"type": "integer", "minimum": 0, "maximum": 255}
    assert PARAMETERS["image_flip_tool"]["properties"]["axis"]["enum"] == ["horizontal", "vertical"]
    assert PARAMETERS["image_zoom_in_tool"]["properties"]["factor"]["exclusiveMinimum"] == 0


def test_function_tools_are_what_the_responses_api_takes():
    assert [tool["name"] for tool in FUNCTION_TOOLS] == list(TOOLS)
    for tool in FUNCTION_TOOLS:
        assert tool["type"] == "function"
        assert tool["parameters"] == PARAMETERS[tool["name"]]
        assert tool["description"] == TOOLS[tool["name"]].description
        assert tool["strict"] is False


def test_reading_arguments_and_schemas_does_not_load_the_tools():
    code = (
        "import sys; import gym_imagetools.tools.arguments, gym_imagetools.tools.schemas; "
        "print([name for name in sys.modules if name in "
        "('PIL', 'gym_imagetools.tools.registry', 'gym_imagetools.tools.geometry')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
