import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gym_imagetools.monitor.estimates import (
    Share,
    bootstrap_interval,
    exact_interval,
    interval_of_tasks,
    mean_of_groups,
)


def rng(seed=0):
    return np.random.default_rng(seed)


@given(st.integers(1, 400), st.data())
def test_the_exact_interval_is_that_of_clopper_and_pearson(trials, data):
    successes = data.draw(st.integers(0, trials))
    expected = stats.binomtest(successes, trials).proportion_ci(0.95, "exact")
    assert exact_interval(successes, trials) == pytest.approx((expected.low, expected.high))


def test_an_interval_of_none_or_all_is_not_a_point():
    assert interval_of_tasks([1.0] * 20, rng()).low < 0.9
    assert interval_of_tasks([0.0] * 20, rng()).high > 0.1


def test_the_exact_interval_stays_finite_for_many_trials():
    low, high = exact_interval(2_500, 5_000)
    assert 0.48 < low < 0.5 < high < 0.52


def test_zeros_and_ones_get_the_exact_interval_and_fractions_the_bootstrap():
    assert interval_of_tasks([0.0, 1.0, 1.0], rng()).low == exact_interval(2, 3)[0]
    values = [0.0, 0.5, 1.0, 0.25, 0.75] * 20
    found = interval_of_tasks(values, rng())
    half = 1.96 * np.std(values, ddof=1) / math.sqrt(len(values))
    assert (found.low, found.high) == pytest.approx((0.5 - half, 0.5 + half), abs=0.02)


def test_the_same_seed_draws_the_same_interval_and_another_does_not():
    values = rng().random(50).tolist()
    assert bootstrap_interval(values, rng(1)) == bootstrap_interval(values, rng(1))
    assert bootstrap_interval(values, rng(1)) != bootstrap_interval(values, rng(2))


def test_many_values_are_drawn_in_chunks_of_the_same_law():
    values = rng().random(30_000).tolist()
    low, high = bootstrap_interval(values, rng(3))
    half = 1.96 * np.std(values) / math.sqrt(len(values))
    assert (high - low) / 2 == pytest.approx(half, rel=0.1)


def test_a_single_fraction_tells_nothing_of_its_uncertainty():
    found = interval_of_tasks([0.5], rng())
    assert (found.value, found.low, found.high) == (0.5, None, None)


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=20))
def test_single_rollouts_have_the_usual_standard_error(values):
    found = mean_of_groups([[value] for value in values])
    assert found.mean == pytest.approx(np.mean(values), abs=1e-12)
    expected = np.std(values, ddof=1) / math.sqrt(len(values))
    assert found.standard_error == pytest.approx(expected, abs=1e-9)


def test_copies_of_a_rollout_tell_no_more_than_one():
    once = mean_of_groups([[0.0], [1.0], [1.0]])
    often = mean_of_groups([[0.0] * 8, [1.0] * 8, [1.0] * 8])
    assert often.standard_error == pytest.approx(once.standard_error)
    assert often.count == 24


def test_a_single_group_has_no_standard_error():
    assert mean_of_groups([[0.0, 1.0]]).standard_error is None


def test_a_share_of_nothing_is_none():
    assert Share(0, 0).value is None
    assert Share(1, 4).value == 0.25
