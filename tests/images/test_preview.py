from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gym_imagetools.images.preview import preview, preview_size
from tests.images.samples import noise

SIDES = st.integers(1, 50000)


@given(SIDES, SIDES, st.integers(1, 5000))
def test_previews_fit_and_keep_the_shape(width, height, max_side):
    small = preview_size((width, height), max_side)
    if max(width, height) <= max_side:
        assert small == (width, height)
        return
    assert max(small) == max_side
    assert min(small) >= 1
    scale = max_side / max(width, height)
    for side, shrunk in zip((width, height), small, strict=True):
        assert shrunk == 1 or abs(shrunk - side * scale) <= 0.5


def test_no_limit_means_full_size():
    assert preview_size((9000, 2), None) == (9000, 2)


@pytest.mark.parametrize("max_side", [None, 60, 61])
def test_a_picture_that_fits_is_the_same_object(max_side):
    pixels = np.asarray(noise(60, 40))
    assert preview(pixels, max_side) is pixels


@settings(deadline=None)
@given(st.integers(1, 5), st.integers(1, 9), st.integers(1, 9))
def test_each_pixel_is_the_average_of_those_it_covers(factor, width, height):
    pixels = np.asarray(noise(width * factor, height * factor))
    blocks = pixels.reshape(height, factor, width, factor, 3).mean(axis=(1, 3))
    small = preview(pixels, max(width, height))
    assert small.shape == (height, width, 3)
    assert np.abs(small - blocks).max() <= 0.51


def test_previews_are_read_only():
    pixels = preview(np.asarray(noise(60, 40)), 32)
    assert not pixels.flags.writeable
