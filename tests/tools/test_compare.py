"""Difference, overlay and side by side against plain numpy and Pillow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from gym_imagetools.affine import IDENTITY
from gym_imagetools.tools import run_tool

pairs = st.builds(
    lambda height, width, seed: tuple(
        np.random.default_rng(seed).integers(0, 256, (2, height, width, 3), dtype=np.uint8)
    ),
    st.integers(1, 30),
    st.integers(1, 30),
    st.integers(0, 999),
)
PAIR = {"img_idx_a": 0, "img_idx_b": 1}


def blend(first, second, share):
    return np.asarray(Image.blend(Image.fromarray(first), Image.fromarray(second), share))


@given(pairs)
def test_a_difference_is_measured_in_every_channel(pair):
    first, second = pair
    difference = np.abs(first.astype(int) - second.astype(int))
    largest = difference.max(axis=2)
    reply = run_tool("image_diff_tool", PAIR, pair)
    assert reply.result["mean_abs_diff"] == round(float(difference.mean()), 2)
    assert reply.result["changed_pixel_fraction"] == round(float((largest > 30).mean()), 4)
    heat = np.zeros_like(first)
    heat[..., 0] = np.minimum(largest * 3, 255)
    assert np.array_equal(reply.pixels, blend(first, heat, 0.6))


@pytest.mark.parametrize(("change", "fraction"), [(30, 0.0), (31, 0.01)])
def test_a_pixel_has_changed_above_30(change, fraction):
    first = np.zeros((10, 10, 3), np.uint8)
    second = first.copy()
    second[4, 6, 1] = change
    result = run_tool("image_diff_tool", PAIR, [first, second]).result
    assert result["changed_pixel_fraction"] == fraction
    assert result.get("changed_bbox") == ([600, 400, 700, 500] if fraction else None)


def test_a_picture_does_not_differ_from_itself():
    picture = np.full((5, 5, 3), 77, np.uint8)
    result = run_tool("image_diff_tool", {"img_idx_a": 0, "img_idx_b": 0}, [picture]).result
    assert (result["mean_abs_diff"], result["changed_pixel_fraction"]) == (0.0, 0.0)
    assert "changed_bbox" not in result


@given(pairs, st.floats(0, 1))
def test_an_overlay_is_a_blend_at_any_alpha(pair, alpha):
    reply = run_tool("image_overlay_tool", PAIR | {"alpha": alpha}, pair)
    assert np.array_equal(reply.pixels, blend(*pair, alpha))


@pytest.mark.parametrize("alpha", [0, 1])
def test_an_overlay_of_alpha_0_or_1_is_one_of_the_pictures(alpha):
    pair = [np.full((4, 4, 3), 10, np.uint8), np.full((4, 4, 3), 200, np.uint8)]
    reply = run_tool("image_overlay_tool", PAIR | {"alpha": alpha}, pair)
    assert np.array_equal(reply.pixels, pair[alpha])


@pytest.mark.parametrize("tool", ["image_diff_tool", "image_overlay_tool"])
def test_the_second_picture_is_resized_to_the_first(tool):
    small, large = np.zeros((6, 8, 3), np.uint8), np.full((50, 70, 3), 90, np.uint8)
    reply = run_tool(tool, {"img_idx_a": 1, "img_idx_b": 0}, [small, large])
    assert reply.result["size"] == [70, 50]
    assert (reply.source_index, reply.affine) == (1, IDENTITY)


def test_pictures_stand_left_to_right_at_the_tallest_height_with_white_between():
    short, tall = np.full((10, 20, 3), 50, np.uint8), np.full((20, 30, 3), 90, np.uint8)
    reply = run_tool("image_side_by_side_tool", {"img_indices": [0, 1, 0]}, [short, tall])
    assert reply.result["size"] == [40 + 8 + 30 + 8 + 40, 20]
    row = reply.pixels[10, :, 0]
    assert (row[:40] == 50).all()
    assert (row[40:48] == 255).all()
    assert (row[48:78] == 90).all()
    assert (row[78:86] == 255).all()
    assert (row[86:] == 50).all()
    assert (reply.source_index, reply.affine) == (None, None)


def test_each_caption_stays_on_its_picture():
    pictures = [np.full((40, 30, 3), 255, np.uint8)] * 3
    arguments = {"img_indices": [0, 1, 2], "labels": ["left " * 20, "x\ny"]}
    reply = run_tool("image_side_by_side_tool", arguments, pictures)
    plain = run_tool("image_side_by_side_tool", {"img_indices": [0, 1, 2]}, pictures)
    written = (reply.pixels != plain.pixels).any(axis=2)
    assert written[:, :30].any()
    assert written[:, 38:68].any()
    assert not written[:, 30:38].any()
    assert not written[:, 68:].any()
    assert not written[:4].any()


def test_captions_may_be_fewer_or_more_than_pictures_and_of_any_kind():
    picture = np.full((9, 9, 3), 255, np.uint8)
    for labels in (["A"], ["A", "B", "C"], [None, {"a": 1}], ["", "\ud800\x00\t" * 40]):
        arguments = {"img_indices": [0, 0], "labels": labels}
        assert run_tool("image_side_by_side_tool", arguments, [picture]).result["size"] == [26, 9]


def test_a_canvas_somewhat_too_long_is_made_and_shrunk_by_lanczos():
    picture = np.random.default_rng(0).integers(0, 256, (50, 2100, 3), dtype=np.uint8)
    reply = run_tool("image_side_by_side_tool", {"img_indices": [0, 0]}, [picture])
    canvas = np.full((50, 4208, 3), 255, np.uint8)
    canvas[:, :2100] = canvas[:, 2108:] = picture
    expected = Image.fromarray(canvas).resize(reply.image.size, Image.Resampling.LANCZOS)
    assert reply.result["size"] == [4096, 49]
    assert np.array_equal(reply.pixels, np.asarray(expected))
