"""Why TwoTransparencies needs an overlay: neither a sheet nor a diff holds the characters."""

from __future__ import annotations

import numpy as np
import pytest

from gym_imagetools.puzzles.families.two_transparencies import LEVELS, _draw_sheets
from gym_imagetools.puzzles.puzzle import Streams
from gym_imagetools.puzzles.registry import generate
from gym_imagetools.tools import run_tool
from tests.puzzles.solvers.two_transparencies import lights_of, read

DIFFICULTY, SEEDS = 3, range(60)


def sheets(seed, shown):
    """Both sheets of a level without strays, the second as it lies before it is mirrored."""
    level = LEVELS[0]
    first, second = _draw_sheets(shown, level, 0, Streams.of("TwoTransparencies", 1, seed))
    return first, np.ascontiguousarray(second[:, ::-1])


@pytest.fixture(scope="module")
def shapes():
    shape = (54, 54)
    bar, square = np.zeros(shape, bool), np.zeros(shape, bool)
    bar[:, 20:25] = square[10:40, 10:40] = True
    return [np.zeros(shape, bool), bar, square]


@pytest.mark.parametrize("seed", range(3))
def test_the_first_sheet_is_the_same_whatever_is_hidden(shapes, seed):
    first, *others = (sheets(seed, shape)[0] for shape in shapes)
    assert all(np.array_equal(first, other) for other in others)


@pytest.mark.parametrize("seed", range(3))
def test_a_diff_is_the_same_whatever_is_hidden(shapes, seed):
    arguments = {"img_idx_a": 0, "img_idx_b": 1}
    first, *others = (run_tool("image_diff_tool", arguments, sheets(seed, s)) for s in shapes)
    for other in others:
        assert other.result == first.result
        assert np.array_equal(other.pixels, first.pixels)


def test_an_overlay_is_grey_just_where_the_characters_are(shapes):
    for shape in shapes:
        overlay = run_tool("image_overlay_tool", {"img_idx_a": 0, "img_idx_b": 1}, sheets(0, shape))
        grains = overlay.pixels[80:-80, 80:-80][8::16, 8::16]
        assert np.array_equal((grains == 128).all(axis=2), shape)


def test_the_second_sheet_alone_is_fair_noise_under_the_characters_and_beside_them():
    seen = []
    for seed in SEEDS:
        task = generate("TwoTransparencies", seed, 1)
        unlike = lights_of(task, 0) ^ lights_of(task, 1)[:, ::-1]
        second = lights_of(task, 1)[:, ::-1]
        seen.append([second[unlike].mean(), second[~unlike].mean()])
    assert np.allclose(np.mean(seen, axis=0), 0.5, atol=0.02)


def test_one_sheet_is_read_wrongly():
    tasks = [generate("TwoTransparencies", seed, DIFFICULTY) for seed in SEEDS]
    for index in (0, 1):
        hits = [
            read(lights_of(t, index), len(t.expected_answer)) == t.expected_answer for t in tasks
        ]
        assert sum(hits) <= 1
