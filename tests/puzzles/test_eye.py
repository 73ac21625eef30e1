from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_imagetools.puzzles.eye import BLOCK_PX, BlurryEye, Reply


def noise(height: int, width: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


@given(st.integers(1, 60), st.integers(1, 60), st.integers(0, 9))
def test_blocks_are_means_of_eight_by_eight_pixels_in_five_bits(height, width, seed):
    pixels = noise(height, width, seed)
    seen = BlurryEye().see(pixels)
    assert seen.size == (width, height)
    assert seen.blocks.shape == (-(-height // BLOCK_PX), -(-width // BLOCK_PX), 3)
    for row, column in np.ndindex(seen.blocks.shape[:2]):
        part = pixels[row * 8 : row * 8 + 8, column * 8 : column * 8 + 8]
        means = np.rint(part.mean(axis=(0, 1))).astype(int)
        assert seen.blocks[row, column].tolist() == (means // 8 * 8 + 4).tolist()


@pytest.mark.parametrize("max_side", [64, 200, 512])
def test_a_large_picture_is_seen_at_its_delivered_size(max_side):
    seen = BlurryEye(max_side).see(noise(600, 1200))
    assert seen.size == (max_side, max_side // 2)


def test_a_one_pixel_checkerboard_is_grey():
    pixels = np.zeros((64, 64, 3), np.uint8)
    pixels[::2, ::2] = pixels[1::2, 1::2] = 255
    assert np.ptp(BlurryEye().see(pixels).blocks) == 0


def test_a_color_is_read_at_thousandths_edges_included():
    pixels = np.zeros((32, 64, 3), np.uint8)
    pixels[16:, 32:] = (255, 128, 8)
    seen = BlurryEye().see(pixels)
    assert seen.color_at(0, 0) == (4, 4, 4)
    assert seen.color_at(499, 1000) == (4, 4, 4)
    assert seen.color_at(500, 500) == seen.color_at(1000, 1000) == (252, 132, 12)


@pytest.mark.parametrize(
    ("results", "ok"),
    [((), False), (({"ok": True},), True), (({},), False), (({"ok": True}, {"ok": False}), False)],
)
def test_a_reply_is_ok_when_every_call_was(results, ok):
    assert Reply(results).ok is ok
