"""The registry, and what holds for every tool."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

import gym_imagetools.tools
from gym_imagetools.tools import TOOLS, ToolResult, ToolSettings, run, run_tool
from gym_imagetools.tools.arguments import ARGUMENTS, parse_arguments

CALLS = [
    ("image_zoom_in_tool", {"bbox_2d": [100, 100, 900, 900]}),
    ("image_crop_tool", {"bbox_2d": [0, 0, 1000, 1000]}),
    ("image_rotate_tool", {"degrees": 30}),
    ("image_rotate_tool", {"degrees": 0}),
    ("image_rotate_tool", {"degrees": 90}),
    ("image_flip_tool", {"axis": "vertical"}),
    ("image_diff_tool", {"img_idx_a": 0, "img_idx_b": 1}),
    ("image_side_by_side_tool", {"img_indices": [0, 1], "labels": ["A", "B"]}),
    ("image_overlay_tool", {"img_idx_a": 0, "img_idx_b": 1, "alpha": 0}),
    ("count_objects_tool", {"min_size": 1}),
    ("find_color_tool", {"color": [1, 2, 3]}),
    ("color_at_tool", {"point_2d": [500, 500]}),
]


@pytest.fixture
def pictures():
    return list(np.random.default_rng(7).integers(0, 256, (2, 40, 64, 3), dtype=np.uint8))


def test_there_are_ten_tools_each_with_its_own_arguments():
    assert list(TOOLS) == list(ARGUMENTS)
    assert len(TOOLS) == 10
    assert {name for name, _ in CALLS} == set(TOOLS)
    for name, tool in TOOLS.items():
        assert (tool.name, tool.arguments.tool) == (name, name)
        assert tool.description.endswith(".")
        assert "\n" not in tool.description


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_a_reply_holds_the_call_back_as_json(name, arguments, pictures):
    reply = run_tool(name, arguments | {"label": "é"}, pictures)
    assert isinstance(reply, ToolResult)
    assert json.loads(json.dumps(reply.result, allow_nan=False)) == reply.result
    assert reply.result["label"] == "é"
    assert list(reply.result)[-1] == "size"
    for key in arguments.keys() & {"degrees", "axis", "alpha", "point_2d", "img_indices"}:
        assert reply.result[key] == arguments[key]
    indices = ("img_idx_a", "img_idx_b") if "img_idx_a" in arguments else ("img_idx",)
    if "img_indices" not in arguments:
        assert all(reply.result[key] == arguments.get(key, 0) for key in indices)


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_the_new_picture_is_rgb_contiguous_and_read_only(name, arguments, pictures):
    reply = run_tool(name, arguments, pictures)
    width, height = reply.result["size"]
    assert reply.pixels.shape == (height, width, 3)
    assert reply.pixels.dtype == np.uint8
    assert reply.pixels.flags.c_contiguous
    assert not reply.pixels.flags.writeable
    assert reply.image.size == (width, height)
    assert np.array_equal(np.asarray(reply.image), reply.pixels)


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_a_tool_leaves_its_pictures_alone_and_shares_no_memory(name, arguments, pictures):
    before = [picture.copy() for picture in pictures]
    reply = run_tool(name, arguments, pictures)
    for picture, copy in zip(pictures, before, strict=True):
        assert np.array_equal(picture, copy)
        assert picture.flags.writeable
        assert not np.shares_memory(reply.pixels, picture)


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_pil_images_and_arrays_give_the_same_reply(name, arguments, pictures):
    from_arrays = run_tool(name, arguments, pictures)
    from_images = run_tool(name, arguments, [Image.fromarray(picture) for picture in pictures])
    assert from_arrays.result == from_images.result
    assert from_arrays.affine == from_images.affine
    assert np.array_equal(from_arrays.pixels, from_images.pixels)


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_only_the_pictures_a_call_names_are_needed(name, arguments, pictures):
    args = parse_arguments(name, arguments, num_images=2)
    needed = {index: pictures[index] for index in args.image_indices}
    reply = run(args, needed, ToolSettings())
    assert np.array_equal(reply.pixels, run_tool(name, arguments, pictures).pixels)


@pytest.mark.parametrize(("name", "arguments"), CALLS)
@pytest.mark.parametrize("size", [(1, 1), (1, 77), (77, 1), (2, 3)])
def test_every_tool_works_on_the_smallest_pictures(name, arguments, size):
    pictures = [np.full((*size, 3), 200, np.uint8), np.zeros((3, 2, 3), np.uint8)]
    assert min(run_tool(name, arguments, pictures).result["size"]) >= 1


def test_the_package_names_what_it_exports():
    for name in gym_imagetools.tools.__all__:
        assert getattr(gym_imagetools.tools, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = gym_imagetools.tools.nothing
