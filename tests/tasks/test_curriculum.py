from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_imagetools.tasks.curriculum import AdaptiveDifficulty
from gym_imagetools.types import Task


def task(level: int, family: str = "Maze") -> Task:
    return Task(
        "",
        "",
        (),
        "integer",
        {"expected_answer": "0"},
        family=family,
        metadata={"difficulty": level},
    )


def play(controller: AdaptiveDifficulty, successes: str, family: str = "Maze") -> list[int]:
    levels = []
    for success in successes:
        controller.observe(task(controller.level(family), family), success == "1")
        levels.append(controller.level(family))
    return levels


def test_a_full_window_of_success_goes_up_and_of_failure_down():
    controller = AdaptiveDifficulty(window=3)
    assert play(controller, "111111000") == [1, 1, 2, 2, 2, 3, 3, 3, 2]


def test_levels_stop_at_one_and_five():
    controller = AdaptiveDifficulty(window=1)
    assert play(controller, "1111110000000") == [2, 3, 4, 5, 5, 5, 4, 3, 2, 1, 1, 1, 1]


def test_between_the_two_rates_the_level_stays():
    controller = AdaptiveDifficulty(window=4, raise_at=0.8, lower_at=0.4, start=3)
    assert set(play(controller, "10" * 8)) == {3}


def test_the_last_episodes_count_not_the_first():
    controller = AdaptiveDifficulty(window=4, raise_at=1.0, lower_at=0.0, start=3)
    assert play(controller, "01111")[-2:] == [3, 4]


@pytest.mark.parametrize(
    ("rates", "level"),
    [({"raise_at": 0.5, "lower_at": 0.1}, 4), ({"raise_at": 0.9, "lower_at": 0.5}, 2)],
)
def test_the_rates_themselves_move_the_level(rates, level):
    controller = AdaptiveDifficulty(window=2, start=3, **rates)
    play(controller, "10")
    assert controller.level("Maze") == level


def test_families_move_apart():
    controller = AdaptiveDifficulty(window=2, start=3)
    play(controller, "11", "Maze")
    play(controller, "00", "CrowdCensus")
    assert (controller.level("Maze"), controller.level("CrowdCensus"), controller.level("New")) == (
        4,
        2,
        3,
    )


def test_an_episode_of_another_level_says_nothing():
    controller = AdaptiveDifficulty(window=1, start=2)
    controller.observe(task(1), True)
    controller.observe(task(5), False)
    assert controller.level("Maze") == 2


@given(st.text("01", max_size=60), st.text("01", max_size=60))
def test_a_restored_state_goes_on_as_if_nothing_had_happened(before, after):
    first, second = AdaptiveDifficulty(window=4), AdaptiveDifficulty(window=4)
    play(first, before)
    second.restore(json.loads(json.dumps(first.state())))
    assert play(first, after) == play(second, after)


def test_a_saved_state_does_not_change_with_the_controller():
    controller = AdaptiveDifficulty(window=5)
    play(controller, "1")
    saved = controller.state()
    play(controller, "11")
    assert saved == {"levels": {}, "recent": {"Maze": [True]}}


@given(st.text("01", max_size=200), st.integers(1, 7))
def test_levels_stay_in_range_and_move_by_one(history, window):
    levels = [1, *play(AdaptiveDifficulty(window=window), history)]
    assert set(levels) <= set(range(1, 6))
    assert all(abs(b - a) <= 1 for a, b in pairwise(levels))


@pytest.mark.parametrize(
    "arguments",
    [
        {"window": 0},
        {"raise_at": 0.3},
        {"raise_at": 1.1},
        {"lower_at": -0.1},
        {"start": 6},
        {"start": "2"},
    ],
)
def test_arguments_out_of_range_are_refused(arguments):
    with pytest.raises(ValueError, match="Expected"):
        AdaptiveDifficulty(**arguments)


def test_a_state_with_an_impossible_level_is_refused():
    with pytest.raises(ValueError, match="1 to 5"):
        AdaptiveDifficulty().restore({"levels": {"Maze": 9}, "recent": {}})
