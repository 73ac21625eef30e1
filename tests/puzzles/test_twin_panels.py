"""Why TwinPanels needs a diff: a print with inverted patches is as fair a print as any."""

from __future__ import annotations

import numpy as np

from gym_imagetools.puzzles.drawing.grainy_print import make_print
from gym_imagetools.puzzles.puzzle import Streams

SIDE, PATCH, PLACES = 160, 40, ([20, 30], [90, 100])


def prints(seeds):
    for seed in seeds:
        yield make_print(Streams.of("TwinPanels", 1, seed), SIDE, amplitude=8)


def test_prints_differ_in_the_patches_everywhere_and_nowhere_else():
    inverted = np.zeros((SIDE, SIDE), bool)
    for left, top in PLACES:
        inverted[top : top + PATCH, left : left + PATCH] = True
    for made in prints(range(3)):
        differs = made.develop((), PATCH) != made.develop(PLACES, PATCH)
        assert np.array_equal(differs.all(axis=2), inverted)
        assert np.array_equal(differs.any(axis=2), inverted)


def test_inverted_grain_is_as_often_light_as_other_grain():
    left, top = PLACES[0]
    patch = np.s_[top : top + PATCH, left : left + PATCH]
    shares = [(p.develop(PLACES, PATCH) == p.light)[patch].mean() for p in prints(range(40))]
    assert abs(np.mean(shares) - 0.5) < 0.01


def test_grain_never_leaves_the_range_of_a_byte():
    for seed in range(10):
        made = make_print(Streams.of("TwinPanels", 1, seed), SIDE, amplitude=24)
        assert (made.light.astype(int) - made.dark == 48).all()
