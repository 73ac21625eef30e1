"""Affine maps: identity, composition, inversion, boxes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gym_imagetools.affine import IDENTITY, apply, compose, invert, map_box, scale_and_shift

entry = st.floats(-100, 100)
rows = st.tuples(entry, entry, entry)
maps = st.tuples(rows, rows)
points = st.tuples(entry, entry)


def determinant(affine):
    return affine[0][0] * affine[1][1] - affine[0][1] * affine[1][0]


def close(first, second):
    return np.allclose(first, second, rtol=1e-6, atol=1e-6)


@given(maps, points)
def test_the_identity_changes_nothing(affine, point):
    assert apply(IDENTITY, point) == point
    assert close(compose(IDENTITY, affine), affine)
    assert close(compose(affine, IDENTITY), affine)


@given(maps, maps, points)
def test_a_composed_map_applies_the_inner_one_first(outer, inner, point):
    assert close(apply(compose(outer, inner), point), apply(outer, apply(inner, point)))


@given(maps, points)
def test_the_inverse_leads_back(affine, point):
    assume(abs(determinant(affine)) > 1e-2)
    assert close(apply(invert(affine), apply(affine, point)), point)
    assert close(compose(invert(affine), affine), IDENTITY)


@pytest.mark.parametrize("flat", [scale_and_shift(0, 1, 5, 5), ((1, 2, 0), (2, 4, 0))])
def test_a_map_that_flattens_has_no_inverse(flat):
    with pytest.raises(ValueError, match="Expected a map with an inverse"):
        invert(flat)


def test_a_map_reads_as_a_two_by_three_array():
    affine = scale_and_shift(2.0, 3.0, 5.0, 7.0)
    assert np.asarray(affine).shape == (2, 3)
    assert np.allclose(np.asarray(affine) @ [10, 10, 1], apply(affine, (10, 10)))


@given(st.floats(0.1, 10), st.floats(0.1, 10), entry, entry, st.tuples(entry, entry, entry, entry))
def test_boxes_survive_scaling_and_shifting(scale_x, scale_y, shift_x, shift_y, box):
    affine = scale_and_shift(scale_x, scale_y, shift_x, shift_y)
    mapped = map_box(affine, box)
    assert mapped[0] <= mapped[2]
    assert mapped[1] <= mapped[3]
    back = map_box(invert(affine), mapped)
    assert close(back, (*np.minimum(box[:2], box[2:]), *np.maximum(box[:2], box[2:])))


def test_a_mirrored_box_keeps_its_order():
    assert map_box(scale_and_shift(-1, 1, 100, 0), (10, 20, 30, 40)) == (70, 20, 90, 40)


def test_a_turned_box_is_the_upright_box_around_it():
    turn = math.sqrt(0.5)
    mapped = map_box(((turn, -turn, 0), (turn, turn, 0)), (0, 0, 1, 1))
    assert close(mapped, (-turn, 0, turn, 2 * turn))
