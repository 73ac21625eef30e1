"""Thousandths and pixels: the unit rule, clamping, and which pixel a point names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_imagetools.coordinates import (
    Region,
    box_to_region,
    clamp_box,
    is_box_of_fractions,
    is_pixel_box,
    order_corners,
    point_to_pixel,
    point_to_thousandths,
    region_to_box,
)

coordinate = st.floats(-5000, 5000) | st.integers(-5000, 5000).map(float)
boxes = st.tuples(coordinate, coordinate, coordinate, coordinate)
sides = st.integers(1, 3000)


@given(boxes)
def test_corners_in_any_order_name_the_same_box(box):
    x1, y1, x2, y2 = box
    ordered = order_corners(box)
    for other in ((x2, y2, x1, y1), (x1, y2, x2, y1), (x2, y1, x1, y2)):
        assert order_corners(other) == ordered
    assert ordered[0] <= ordered[2]
    assert ordered[1] <= ordered[3]


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        ((0.1, 0.1, 0.5, 0.5), True),
        ((0.0, 0.0, 0.5, 1.0), True),
        ((0.0, 0.0, 1.0, 1.0), False),  # all whole: a thousandth of the picture
        ((0.0, 0.0, 0.0, 0.0), False),
        ((0.5, 0.5, 1.5, 1.0), False),
        ((-0.5, 0.0, 0.5, 1.0), False),
    ],
)
def test_fractions_are_boxes_within_0_to_1_that_are_not_all_whole(box, expected):
    assert is_box_of_fractions(box) is expected


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        ((0.0, 0.0, 1001.0, 10.0), True),
        ((100.0, 100.0, 1920.0, 1080.0), True),  # to the very edge
        ((0.0, 0.0, 1000.0, 1000.0), False),  # no coordinate above 1000
        ((0.0, 0.0, 1921.0, 10.0), False),  # outside to the right
        ((0.0, 0.0, 1001.0, 1081.0), False),  # outside below
        ((-1.0, 0.0, 1001.0, 10.0), False),  # outside to the left
        ((0.0, -1.0, 1001.0, 10.0), False),  # outside above
    ],
)
def test_pixels_are_read_only_above_1000_and_inside_of_the_picture(box, expected):
    assert is_pixel_box(box, 1920, 1080) is expected


@given(boxes)
def test_clamping_stays_within_the_scale_and_keeps_what_is_within(box):
    for before, after in zip(box, clamp_box(box), strict=True):
        assert 0 <= after <= 1000
        assert after == before or not 0 <= before <= 1000


@given(boxes, sides, sides)
def test_a_region_never_leaves_the_picture(box, width, height):
    region = box_to_region(order_corners(box), width, height)
    assert 0 <= region.left <= width
    assert 0 <= region.top <= height
    assert region.right <= width
    assert region.bottom <= height


@given(st.data(), st.integers(1001, 3000), st.integers(1, 3000))
def test_a_box_of_whole_pixels_is_that_region(data, width, height):
    right = data.draw(st.integers(1001, width))
    bottom = data.draw(st.integers(0, height))
    left, top = data.draw(st.integers(0, right)), data.draw(st.integers(0, bottom))
    box = (float(left), float(top), float(right), float(bottom))
    assert box_to_region(box, width, height) == Region(left, top, right, bottom)


@given(sides, sides)
def test_the_whole_scale_is_the_whole_picture(width, height):
    assert box_to_region((0.0, 0.0, 1000.0, 1000.0), width, height) == (0, 0, width, height)


def test_a_region_holds_every_pixel_the_box_touches():
    assert box_to_region((101.0, 99.0, 399.0, 301.0), 10, 10) == (1, 0, 4, 4)


def test_a_box_outside_of_the_picture_is_an_empty_region():
    region = box_to_region((2000.0, 2000.0, 3000.0, 3000.0), 320, 240)
    assert region.width <= 0
    assert region.height <= 0


@given(st.data(), sides, sides)
def test_a_point_names_the_pixel_that_contains_it(data, width, height):
    column, row = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    center = ((column + 0.5) / width * 1000, (row + 0.5) / height * 1000)
    assert point_to_pixel(center, width, height) == (column, row)


@pytest.mark.parametrize(
    ("x", "column"),
    [(0, 0), (289.9, 28), (290, 29), (299.9, 29), (999.9, 99), (1000, 99)],
)
def test_a_point_on_an_edge_belongs_to_the_pixel_after_it_but_at_the_end(x, column):
    assert point_to_pixel((x, x), 100, 100) == (column, column)


@given(st.data(), st.integers(1, 1000), st.integers(1, 1000))
def test_thousandths_name_every_pixel_of_pictures_up_to_1000_wide(data, width, height):
    column, row = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    point = point_to_thousandths((column + 0.5, row + 0.5), width, height)
    found = point_to_pixel((point[0], point[1]), width, height)
    assert abs(found[0] - column) <= 1
    assert abs(found[1] - row) <= 1
    if width <= 500:  # a pixel is wider than two roundings
        assert found[0] == column


@given(sides, sides, st.data())
def test_json_boxes_are_whole_and_on_the_scale(width, height, data):
    left, top = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    right = data.draw(st.integers(left + 1, width))
    bottom = data.draw(st.integers(top + 1, height))
    box = region_to_box(Region(left, top, right, bottom), width, height)
    assert all(type(value) is int and 0 <= value <= 1000 for value in box)
    assert abs(box[0] - left / width * 1000) <= 0.5
    assert abs(box[3] - bottom / height * 1000) <= 0.5
