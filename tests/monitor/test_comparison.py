import numpy as np
import pytest

from gym_imagetools.errors import DataError
from gym_imagetools.monitor import compare
from tests.monitor.episodes import calling, episode


def compared(first, second):
    return compare(first, second, np.random.default_rng(0))


def figures_of(comparison):
    return {figure.name: figure for figure in comparison.figures}


def test_tasks_are_paired_and_others_left_out():
    first = [episode("a"), episode("b"), episode("x")]
    second = [episode("b", right=True), episode("a"), episode("y"), episode("z")]
    found = compared(first, second)
    assert (found.num_tasks, found.num_only_first, found.num_only_second) == (2, 1, 2)
    accuracy = figures_of(found)["accuracy"]
    assert (accuracy.first, accuracy.second, accuracy.difference) == (0.0, 0.5, 0.5)
    assert (accuracy.num_higher, accuracy.num_lower, accuracy.num_tasks) == (1, 0, 2)


def test_rollouts_of_a_task_are_averaged_first():
    first = [episode("a"), episode("b", right=True)]
    second = [*[episode("a", right=True)] * 8, episode("b", right=True), episode("b")]
    accuracy = figures_of(compared(first, second))["accuracy"]
    assert accuracy.second == pytest.approx(0.75)


def test_pairing_sees_a_small_gain_that_differs_little_between_tasks():
    tasks = range(40)
    first = [episode(f"{task}", reward=task / 40) for task in tasks]
    second = [episode(f"{task}", reward=task / 40 + 0.01 + task % 2 * 0.01) for task in tasks]
    reward = figures_of(compared(first, second))["reward"]
    assert reward.is_clear
    assert reward.low < 0.015 < reward.high
    assert not figures_of(compared(first, first))["reward"].is_clear


def test_swapping_the_runs_turns_every_difference_round():
    first = [calling(3, group="a"), episode("b", right=True)]
    second = [calling(1, refused=1, group="a", right=True), episode("b")]
    there, back = figures_of(compared(first, second)), figures_of(compared(second, first))
    for name, figure in there.items():
        assert back[name].difference == pytest.approx(-figure.difference)
    assert there["tool calls"].difference == pytest.approx(-1.0)
    assert there["tool errors"].difference == pytest.approx(0.5)


def test_one_task_has_no_interval():
    reward = figures_of(compared([episode()], [episode(right=True)]))["reward"]
    assert (reward.low, reward.high, reward.is_clear) == (None, None, False)


def test_families_are_compared_apart():
    first = [episode("a", family="Maze"), episode("b", family="Gauge")]
    second = [episode("a", family="Maze", right=True), episode("b", family="Gauge")]
    found = {one.name: one.difference for one in compared(first, second).families}
    assert found == {"Gauge": 0.0, "Maze": 1.0}


def test_runs_without_a_shared_task_are_refused():
    with pytest.raises(DataError, match="share tasks"):
        compared([episode("a")], [episode("b")])
