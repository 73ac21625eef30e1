"""Intersection over union, against counting whole pixels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_imagetools.scoring.overlap import iou

whole_boxes = st.tuples(*[st.integers(0, 12)] * 4)


def mask_of(box: tuple[int, ...]) -> np.ndarray:
    x1, y1, x2, y2 = box
    mask = np.zeros((12, 12), dtype=bool)
    mask[min(y1, y2) : max(y1, y2), min(x1, x2) : max(x1, x2)] = True
    return mask


@given(whole_boxes, whole_boxes)
def test_iou_is_the_share_of_common_pixels(first, second):
    one, other = mask_of(first), mask_of(second)
    union = (one | other).sum()
    assert iou(first, second) == pytest.approx((one & other).sum() / union if union else 0.0)


@given(st.tuples(*[st.floats()] * 4), st.tuples(*[st.floats()] * 4))
def test_iou_of_any_numbers_lies_between_0_and_1(first, second):
    assert 0.0 <= iou(first, second) <= 1.0
