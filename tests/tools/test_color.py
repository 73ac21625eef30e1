"""Counting, finding and reading colours, against independent counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from scipy import ndimage

from gym_imagetools.affine import IDENTITY, apply
from gym_imagetools.tools import run_tool
from gym_imagetools.tools.components import find_components

masks = st.builds(
    lambda height, width, density, seed: (
        np.random.default_rng(seed).random((height, width)) < density
    ),
    st.integers(1, 40),
    st.integers(1, 60),
    st.floats(0, 1),
    st.integers(0, 9999),
)


def as_picture(mask):
    return np.where(mask[..., None], np.uint8(20), np.uint8(220)).repeat(3, axis=2)


@given(masks, st.integers(1, 6))
def test_components_are_those_of_an_independent_labelling(mask, min_size):
    labels, _ = ndimage.label(mask)
    expected = []
    for index, place in enumerate(ndimage.find_objects(labels), start=1):
        rows, columns = np.nonzero(labels == index)
        if len(rows) >= min_size:
            region = (place[1].start, place[0].start, place[1].stop, place[0].stop)
            expected.append((region, columns.mean() + 0.5, rows.mean() + 0.5, len(rows)))
    found = find_components(mask.astype(np.uint8) * 255, min_size)
    assert found.count == len(expected)
    assert len(found.blobs) == min(len(expected), 40)
    for blob, (region, x, y, pixels) in zip(found.blobs, expected, strict=False):
        assert blob.region == region
        assert blob.center_px == pytest.approx((x, y))
        assert blob.pixels == pixels


def test_components_touch_by_edges_not_by_corners():
    assert find_components(np.eye(5, dtype=np.uint8), 1).count == 5
    assert find_components(np.ones((5, 5), np.uint8), 1).count == 1


def test_no_object_is_as_large_as_min_size_asks():
    assert find_components(np.ones((5, 5), np.uint8), 10**30).count == 0


@given(masks)
def test_counting_a_colour_equals_an_independent_count(mask):
    arguments = {"color": [20, 20, 20], "tolerance": 0, "min_size": 1}
    result = run_tool("count_objects_tool", arguments, [as_picture(mask)]).result
    assert result["count"] == ndimage.label(mask)[1]
    assert ("truncated" in result) == (result["count"] > 40)


@pytest.mark.parametrize(
    ("tolerance", "count"), [(0, 1), (9, 1), (10, 2), (20, 3), ("20", 3), (255, 1)]
)
def test_tolerance_is_per_channel_and_inclusive(tolerance, count):
    picture = np.zeros((20, 60, 3), np.uint8)
    picture[5:15, 5:15] = (200, 100, 100)
    picture[5:15, 25:35] = (210, 90, 100)
    picture[5:15, 45:55] = (220, 120, 80)
    arguments = {"color": [200, 100, 100], "tolerance": tolerance}
    assert run_tool("count_objects_tool", arguments, [picture]).result["count"] == count


def test_without_a_colour_everything_unlike_the_border_counts():
    picture = np.full((40, 40, 3), (10, 200, 90), np.uint8)
    picture[5:15, 5:15] = (51, 200, 90)
    picture[20:30, 20:30] = (10, 200, 130)  # within the tolerance
    result = run_tool("count_objects_tool", {}, [picture]).result
    assert result["count"] == 1
    assert result["blobs"][0]["bbox"] == [125, 125, 375, 375]
    assert run_tool("count_objects_tool", {"tolerance": 39}, [picture]).result["count"] == 2


@pytest.mark.parametrize(("min_size", "count"), [(1, 3), (16, 2), (17, 1), (31, 0)])
@pytest.mark.parametrize("tool", ["count_objects_tool", "find_color_tool"])
def test_min_size_is_the_smallest_area_that_counts(tool, min_size, count):
    picture = np.zeros((20, 60, 3), np.uint8)
    picture[2:6, 2:6] = picture[2:7, 20:26] = picture[10, 40] = 255
    arguments = {"color": [255, 255, 255], "min_size": min_size}
    assert run_tool(tool, arguments, [picture]).result["count"] == count


def test_defaults_of_min_size_differ_by_tool():
    picture = np.zeros((30, 60, 3), np.uint8)
    picture[2:7, 2:6] = picture[2:7, 20:26] = 255  # 20 and 30 pixels
    arguments = {"color": [255, 255, 255]}
    assert run_tool("count_objects_tool", arguments, [picture]).result["count"] == 1
    assert run_tool("find_color_tool", arguments, [picture]).result["count"] == 2


def test_a_blob_s_centre_is_the_centre_of_its_pixels():
    picture = np.zeros((10, 10, 3), np.uint8)
    picture[4:6, 4:6] = 255
    arguments = {"color": [255, 255, 255], "min_size": 1}
    blob = run_tool("count_objects_tool", arguments, [picture]).result["blobs"][0]
    assert blob == {"bbox": [400, 400, 600, 600], "center": [500] * 2, "centroid": [500] * 2} | {
        "pixels": 4
    }


@given(masks)
def test_numbers_and_boxes_are_drawn_and_the_rest_is_left_alone(mask):
    picture = as_picture(mask)
    arguments = {"color": [20, 20, 20], "min_size": 4}
    reply = run_tool("count_objects_tool", arguments, [picture])
    height, width = mask.shape
    touched = np.zeros_like(mask)
    for blob in find_components(mask.astype(np.uint8), 4).blobs:
        left, top, right, bottom = blob.region
        touched[top:bottom, left:right] = True
        touched[top : top + 20, left : left + 24] = True  # its number
        assert (reply.pixels[top, left] == (255, 0, 0)).all()
        assert (reply.pixels[bottom - 1, right - 1] == (255, 0, 0)).all()
    assert np.array_equal(reply.pixels[~touched], picture[~touched])
    assert (reply.affine, reply.result["size"]) == (IDENTITY, [width, height])


@given(masks)
def test_every_match_turns_magenta_and_nothing_else_changes(mask):
    picture = as_picture(mask)
    reply = run_tool("find_color_tool", {"color": [20, 20, 20], "tolerance": 5}, [picture])
    assert (reply.pixels[mask] == (255, 0, 255)).all()
    assert np.array_equal(reply.pixels[~mask], picture[~mask])
    assert reply.result["match_fraction"] == round(float(mask.mean()), 4)
    assert reply.affine == IDENTITY


@given(st.integers(1, 60), st.integers(1, 60), st.data())
def test_a_point_reads_the_pixel_that_contains_it(height, width, data):
    rng = np.random.default_rng(height * 61 + width)
    picture = rng.integers(0, 256, (height, width, 3), dtype=np.uint8)
    row, column = data.draw(st.integers(0, height - 1)), data.draw(st.integers(0, width - 1))
    point = [(column + 0.5) / width * 1000, (row + 0.5) / height * 1000]
    reply = run_tool("color_at_tool", {"point_2d": point}, [picture])
    assert reply.result["rgb"] == picture[row, column].tolist()
    assert reply.result["point_2d"] == [round(value) for value in point]
    assert reply.result["size"] == [150, 150]
    patch = picture[max(0, row - 12) : row + 13, max(0, column - 12) : column + 13]
    shown = Image.fromarray(patch).resize((150, 150), Image.Resampling.NEAREST)
    assert np.array_equal(reply.pixels, np.asarray(shown))
    x, y = apply(reply.affine, (0.5, 0.5))
    assert (int(x), int(y)) == (max(0, column - 12), max(0, row - 12))
