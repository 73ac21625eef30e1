"""Zoom, crop, rotate and flip: sizes, pixels, and the way back to the source."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from gym_imagetools.affine import apply, invert, map_box
from gym_imagetools.errors import ToolError
from gym_imagetools.tools import run_tool
from gym_imagetools.tools.resize import grid_size, resize_exact, resize_fast

rng = np.random.default_rng(5)
NOISE = rng.integers(0, 256, (60, 90, 3), dtype=np.uint8)


def photo(height, width, seed=1):
    """Smooth shading with edges and a little sensor noise, as in a photograph."""
    source = np.random.default_rng(seed)
    coarse = source.integers(0, 256, (height // 24 + 2, width // 24 + 2, 3), dtype=np.uint8)
    smooth = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC).astype(float)
    smooth[height // 3 : height // 2, width // 4 : width // 2] *= 0.7
    noise = cv2.GaussianBlur(source.normal(0, 3, (height, width, 3)), (0, 0), 0.8)
    return np.clip(smooth + noise, 0, 255).astype(np.uint8)


def psnr(first, second):
    error = np.mean((first.astype(float) - second.astype(float)) ** 2)
    return 10 * math.log10(255**2 / error)


def zoom(image, box, factor=3.0, **settings):
    return run_tool("image_zoom_in_tool", {"bbox_2d": box, "factor": factor}, [image], **settings)


pictures = st.builds(
    lambda height, width, seed: np.random.default_rng(seed).integers(
        0, 256, (height, width, 3), dtype=np.uint8
    ),
    st.integers(1, 40),
    st.integers(1, 40),
    st.integers(0, 99),
)


@given(
    st.floats(1, 1e5),
    st.floats(1, 1e5),
    st.integers(1, 2**20),
    st.integers(0, 2**20),
    st.sampled_from([512, 4096]),
)
def test_a_zoomed_size_is_on_the_grid_within_the_cap_and_thick_enough(
    width, height, least, more, max_side
):
    most = least + more
    sides = grid_size(width, height, least, most, max_side)
    assert all(side >= 32 and side % 32 == 0 for side in sides)
    assert math.prod(sides) <= max(most, 32 * 32)
    assert min(sides) * min(1, max_side / max(sides)) >= 32


@pytest.mark.parametrize(
    ("wanted", "bounds", "size"),
    [
        ((192, 144), (262144, 1048576), (608, 448)),  # grown to the least area
        ((2000, 1500), (262144, 1048576), (1152, 864)),  # shrunk to the largest
        ((600, 500), (1024, 1048576), (608, 512)),  # rounded to the grid
        ((16, 48), (1, 1048576), (32, 64)),  # half a cell rounds to the even one
        ((5, 5), (1, 1), (32, 32)),  # nothing is smaller than one cell
        ((1, 1), (1025, 1025), (32, 32)),  # where no size on the grid fits, the cap wins
    ],
)
def test_zoomed_sizes_by_hand(wanted, bounds, size):
    assert grid_size(*wanted, *bounds, 4096) == size


@pytest.mark.parametrize("factor", [1e-300, 0.001, 1, 7.5, 1e9, 1e300])
def test_any_factor_gives_a_picture_within_the_bounds(factor):
    width, height = zoom(NOISE, [100, 100, 900, 900], factor).result["size"]
    assert 262144 <= width * height <= 1048576


def test_the_bounds_on_area_are_settings():
    small = zoom(NOISE, [0, 0, 1000, 1000], crop_min_pixels=1024, crop_max_pixels=4096)
    assert 1024 <= math.prod(small.result["size"]) <= 4096


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"crop_min_pixels": 0}, "crop_min_pixels"),
        ({"crop_max_pixels": 1}, "crop_max_pixels"),
        ({"resample": "nearest"}, "resample"),
    ],
)
def test_a_setting_out_of_range_is_the_programmer_s_error(settings, match):
    with pytest.raises(ValueError, match=match):
        zoom(NOISE, [0, 0, 1000, 1000], **settings)


def test_a_region_below_32_px_is_widened_about_its_centre():
    picture = np.zeros((100, 100, 3), np.uint8)
    picture[48:52, 48:52] = 255
    reply = zoom(picture, [480, 480, 520, 520], crop_min_pixels=1024)
    box = map_box(reply.affine, (0, 0, *reply.result["size"]))
    assert box == (34, 34, 66, 66)


def test_zoom_magnifies_what_the_box_names():
    picture = np.zeros((400, 400, 3), np.uint8)
    picture[100:200, 100:200] = (255, 0, 0)
    reply = zoom(picture, [250, 250, 500, 500])
    assert (reply.pixels == (255, 0, 0)).all()


@pytest.mark.parametrize("size", [(512, 384), (700, 500), (96, 80)])
@pytest.mark.parametrize("seed", range(3))
def test_fast_zoom_is_within_44_db_of_the_exact_one_on_photographs(size, seed):
    picture = photo(size[1], size[0], seed)
    exact = zoom(picture, [200, 200, 800, 800], 3)
    fast = zoom(picture, [200, 200, 800, 800], 3, resample="fast")
    assert fast.result == exact.result
    assert psnr(fast.pixels, exact.pixels) >= 44


def test_fast_zoom_leaves_shrinking_to_the_exact_filter():
    picture = photo(900, 1200)
    assert np.array_equal(resize_fast(picture, 500, 400), resize_exact(picture, 500, 400))
    assert not np.array_equal(resize_fast(picture, 1300, 1000), resize_exact(picture, 1300, 1000))


@given(pictures)
def test_cropping_everything_changes_nothing(picture):
    reply = run_tool("image_crop_tool", {"bbox_2d": [0, 0, 1000, 1000]}, [picture])
    assert np.array_equal(reply.pixels, picture)


def test_a_crop_holds_no_memory_of_its_source():
    reply = run_tool("image_crop_tool", {"bbox_2d": [0, 0, 1000, 500]}, [NOISE])
    assert not np.shares_memory(reply.pixels, NOISE)


def test_a_box_in_pixels_is_echoed_as_written_and_says_so():
    picture = np.zeros((1080, 1920, 3), np.uint8)
    picture[200:300, 1100:1200] = 255
    reply = run_tool("image_crop_tool", {"bbox_2d": [1100, 200, 1200, 300]}, [picture])
    assert reply.result["box"] == [1100, 200, 1200, 300]
    assert reply.result["box_unit"] == "pixels"
    assert reply.result["size"] == [100, 100]
    assert (reply.pixels == 255).all()


@pytest.mark.parametrize("tool", ["image_zoom_in_tool", "image_crop_tool"])
@pytest.mark.parametrize(
    "box", [[500, 500, 500, 500], [0, 1000, 1000, 1000], [5000, 0, 6000, 10], [-9, -9, -1, -1]]
)
def test_a_region_without_an_area_is_refused(tool, box):
    with pytest.raises(ToolError, match="region with an area"):
        run_tool(tool, {"bbox_2d": box}, [NOISE])


@given(pictures, st.sampled_from(["horizontal", "vertical"]))
def test_flipping_twice_changes_nothing(picture, axis):
    once = run_tool("image_flip_tool", {"axis": axis}, [picture])
    twice = run_tool("image_flip_tool", {"axis": axis, "img_idx": 1}, [picture, once.pixels])
    assert np.array_equal(twice.pixels, picture)


def test_horizontal_swaps_left_and_right():
    reply = run_tool("image_flip_tool", {"axis": "horizontal"}, [NOISE])
    assert np.array_equal(reply.pixels, NOISE[:, ::-1])


@given(pictures, st.integers(-8, 8))
def test_quarter_turns_move_pixels_only(picture, quarters):
    reply = run_tool("image_rotate_tool", {"degrees": 90 * quarters}, [picture])
    assert np.array_equal(reply.pixels, np.rot90(picture, quarters))


def test_a_rotated_picture_has_white_corners_and_all_of_its_content():
    picture = np.zeros((100, 100, 3), np.uint8)
    reply = run_tool("image_rotate_tool", {"degrees": 45}, [picture])
    assert min(reply.result["size"]) >= 141
    assert (reply.pixels[[0, 0, -1, -1], [0, -1, 0, -1]] == 255).all()
    assert abs((reply.pixels == 0).all(axis=2).sum() - 100 * 100) < 150


@pytest.mark.parametrize("degrees", [0, 90, 180, 270, 15, -33.3, 128.5, 1e6, -1e-20])
def test_a_rotation_s_map_leads_to_the_same_pixels_of_the_source(degrees):
    picture = photo(60, 80)
    reply = run_tool("image_rotate_tool", {"degrees": degrees}, [picture])
    inverse = invert(reply.affine)
    for x, y in ((20.5, 10.5), (40.5, 30.5), (70.5, 50.5)):
        column, row = (math.floor(value) for value in apply(inverse, (x, y)))
        source = picture[int(y) - 1 : int(y) + 2, int(x) - 1 : int(x) + 2].reshape(-1, 3)
        assert (reply.pixels[row, column] == source).all(axis=1).any()


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("image_zoom_in_tool", {"bbox_2d": [100, 200, 700, 900]}),
        ("image_crop_tool", {"bbox_2d": [100, 200, 700, 900]}),
        ("image_flip_tool", {"axis": "horizontal"}),
        ("image_flip_tool", {"axis": "vertical"}),
        ("image_rotate_tool", {"degrees": 90}),
        ("image_rotate_tool", {"degrees": 180}),
    ],
)
def test_a_map_takes_the_new_picture_s_frame_into_the_source(tool, arguments):
    reply = run_tool(tool, arguments | {"img_idx": 1}, [NOISE[:9], NOISE])
    assert reply.source_index == 1
    box = map_box(reply.affine, (0, 0, *reply.result["size"]))
    left, top, right, bottom = (round(value) for value in box)
    assert np.allclose(box, (left, top, right, bottom))
    source = NOISE[top:bottom, left:right]
    assert source.size > 0
    for x, y in ((left + 0.5, top + 0.5), (right - 0.5, top + 0.5), (right - 0.5, bottom - 0.5)):
        u, v = apply(invert(reply.affine), (x, y))
        if tool != "image_zoom_in_tool":
            assert np.array_equal(reply.pixels[int(v), int(u)], NOISE[int(y), int(x)])


def test_no_picture_is_longer_than_4096_px_and_its_map_knows():
    picture = np.zeros((40, 8192, 3), np.uint8)
    picture[:, 4096:] = 255
    for tool, arguments in (
        ("image_crop_tool", {"bbox_2d": [0, 0, 1000, 1000]}),
        ("image_flip_tool", {"axis": "vertical"}),
    ):
        reply = run_tool(tool, arguments, [picture])
        assert reply.result["size"] == [4096, 20]
        assert map_box(reply.affine, (0, 0, 4096, 20)) == (0, 0, 8192, 40)


def test_what_is_too_long_is_shrunk_by_lanczos():
    picture = rng.integers(0, 256, (30, 5000, 3), dtype=np.uint8)
    reply = run_tool("image_flip_tool", {"axis": "vertical"}, [picture])
    expected = Image.fromarray(picture[::-1]).resize(reply.image.size, Image.Resampling.LANCZOS)
    assert np.array_equal(reply.pixels, np.asarray(expected))


@settings(max_examples=20)
@given(pictures, st.floats(-1e6, 1e6))
def test_pillow_rotates_to_the_same_pixels(picture, degrees):
    reply = run_tool("image_rotate_tool", {"degrees": degrees}, [picture])
    expected = Image.fromarray(picture).rotate(degrees, expand=True, fillcolor=(255, 255, 255))
    assert np.array_equal(reply.pixels, np.asarray(expected))


@pytest.mark.parametrize(("width", "height"), [(16_000, 32), (9_000, 2_000)])
def test_a_strip_is_turned_without_a_canvas_out_of_bounds(width, height):
    strip = np.full((height, width, 3), 255, np.uint8)
    strip[:, : width // 2] = (200, 0, 0)
    result = run_tool("image_rotate_tool", {"degrees": 45}, [strip])
    assert max(result.pixels.shape) <= 4096
    red = (result.pixels[:, :, 0] > 150) & (result.pixels[:, :, 1] < 90)
    rows, columns = np.nonzero(red)
    x, y = apply(result.affine, (float(columns.mean()), float(rows.mean())))
    assert x == pytest.approx(width / 4, rel=0.05)
    assert y == pytest.approx(height / 2, abs=max(0.1 * height, 16))
