"""Solids of cubes and nets: counts that are known, and lines of sight against another way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_imagetools.puzzles.solids.blocks import Boxes, cast, project
from gym_imagetools.puzzles.solids.cube_nets import Sticker, all_nets, opposite, views
from gym_imagetools.puzzles.solids.polycubes import (
    canonical,
    grow,
    is_joined,
    mirrored,
    most_shared,
    size_of,
    turned,
    with_one_moved,
)
from gym_imagetools.puzzles.solids.sight_rays import outlook_on, rays_through

SHAPES = st.builds(
    lambda seed, cubes: grow(np.random.default_rng(seed), cubes, 3),
    st.integers(0, 10**6),
    st.integers(2, 8),
)


@pytest.mark.parametrize(("cubes", "kinds"), [(2, 1), (3, 2), (4, 8)])
def test_growing_finds_every_solid_of_so_many_cubes(cubes, kinds):
    rng = np.random.default_rng(0)
    assert len({canonical(grow(rng, cubes, cubes)) for _ in range(60 * kinds)}) == kinds


@given(SHAPES)
def test_turns_change_neither_the_kind_nor_the_extent(shape):
    for position in turned(shape):
        assert canonical(position) == canonical(shape)
        assert sorted(size_of(position)) == sorted(size_of(shape))
        assert most_shared(position, shape) == len(shape)


@given(SHAPES)
def test_a_mirror_image_of_a_mirror_image_is_the_solid_itself(shape):
    assert mirrored(mirrored(shape)) == shape


@given(SHAPES, st.integers(0, 10**6))
def test_a_solid_with_a_cube_moved_hangs_together_and_shares_all_the_others(shape, seed):
    moved = with_one_moved(np.random.default_rng(seed), shape, 3)
    assert is_joined(moved)
    assert len(moved) == len(shape)
    assert max(size_of(moved)) <= 3
    assert most_shared(moved, shape) >= len(shape) - 1


@given(st.integers(0, 10**6), st.tuples(*[st.integers(1, 4)] * 3))
def test_lines_of_sight_meet_the_faces_that_casting_finds(seed, size):
    filled = np.random.default_rng(seed).random(size) < 0.5
    filled[0, 0, 0] = True
    rays = rays_through(size, 4)
    seen = rays.faces_seen(filled)
    box, face = cast(project(rays.points), Boxes.of_cells(np.argwhere(filled)))
    cast_axes = np.where(box < 0, -1, face)
    assert np.array_equal(seen[seen != -2], cast_axes[seen != -2])
    assert (seen != -2).any()


@given(st.integers(0, 10**6), st.tuples(*[st.integers(1, 4)] * 3))
def test_a_cell_is_open_as_far_as_lines_of_sight_reach_it(seed, size):
    filled = np.random.default_rng(seed).random(size) < 0.4
    rays, outlook = rays_through(size, 4), outlook_on(size, 4)
    ends = np.append(filled.ravel(), True)[rays.cells].argmax(axis=1)
    is_reached = np.arange(rays.cells.shape[1]) <= ends[:, None]
    as_set = outlook.set_of(map(tuple, np.argwhere(filled).tolist()))
    for index, cell in enumerate(np.ndindex(size)):
        share = is_reached[rays.cells == index].mean()
        assert outlook.is_open(cell, as_set, share - 1e-9)
        assert not outlook.is_open(cell, as_set, share + 1e-9)


@given(st.integers(0, 10**6), st.tuples(*[st.integers(1, 4)] * 3))
def test_a_contrast_is_the_share_of_lines_that_a_further_cube_changes(seed, size):
    filled = np.random.default_rng(seed).random(size) < 0.6
    rays = rays_through(size, 4)
    contrasts = rays.contrasts(filled)
    every_face = replace(rays, is_inner=np.ones_like(rays.is_inner))
    before = every_face.faces_seen(filled)
    for cell in np.argwhere(~filled).tolist():
        more = filled.copy()
        more[tuple(cell)] = True
        after = every_face.faces_seen(more)
        index = np.ravel_multi_index(cell, size)
        ends = np.append(more.ravel(), True)[rays.cells].argmax(axis=1)
        is_met = rays.cells[np.arange(len(ends)), ends] == index
        expected = (before != after)[is_met].mean() if is_met.any() else 1
        assert contrasts[tuple(cell)] == pytest.approx(expected)


def test_nothing_hides_the_cells_of_an_empty_grid_and_the_first_ones_hide_the_last():
    outlook = outlook_on((2, 3, 4), 4)
    full = outlook.set_of(outlook.bits)
    assert full == 2**24 - 1
    assert all(outlook.is_open(cell, 0, 1 - 1e-9) for cell in outlook.bits)
    assert outlook.is_open((1, 2, 3), full, 1 - 1e-9)
    assert not outlook.is_open((0, 0, 0), full, 1e-9)


def test_a_cube_has_eleven_nets():
    kinds = set()
    for net in all_nets():
        cells = np.array(net)
        placed = [
            (c * s)[:, o]
            for o in ([0, 1], [1, 0])
            for c in [cells]
            for s in ([1, 1], [1, -1], [-1, 1], [-1, -1])
        ]
        kinds.add(min(tuple(sorted(map(tuple, (p - p.min(axis=0)).tolist()))) for p in placed))
    assert len(kinds) == 11


@pytest.mark.parametrize("net", all_nets())
def test_a_net_folds_to_three_pairs_of_opposite_faces_and_shows_24_views(net):
    assert all(
        opposite(net, opposite(net, index)) == index != opposite(net, index) for index in range(6)
    )
    assert len(set(views(net, [Sticker(glyph) for glyph in "AEFGJK"]))) == 24
