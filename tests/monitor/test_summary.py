import numpy as np
import pytest

from gym_imagetools.metrics import pass_at_k
from gym_imagetools.monitor import summarise
from gym_imagetools.monitor.episode import ToolFigures
from tests.monitor.episodes import calling, episode


def summary(*episodes):
    return summarise(episodes, np.random.default_rng(0))


def group(name, *rights, **figures):
    return [episode(name, right=right, **figures) for right in rights]


def test_means_are_over_episodes():
    found = summary(*group("a", 1, 1, 0, 0), *group("b", 1, 0, 0, 0))
    assert found.reward.mean == pytest.approx(3 / 8)
    assert found.accuracy.mean == pytest.approx(3 / 8)
    assert found.components["answer"].mean == pytest.approx(3 / 8)
    assert (found.num_episodes, found.num_tasks, found.group_size) == (8, 2, 4)


def test_pass_at_k_is_the_unbiased_estimate_for_powers_of_two():
    found = summary(*group("a", 1, 0, 0, 0), *group("b", 0, 0, 1, 1))
    table = [[1, 0, 0, 0], [0, 0, 1, 1]]
    assert [at.k for at in found.at_k] == [1, 2, 4]
    for at in found.at_k:
        assert at.passes.value == pytest.approx(pass_at_k(table, at.k))


@pytest.mark.parametrize(("size", "ks"), [(1, [1]), (3, [1, 2, 3]), (6, [1, 2, 4, 6])])
def test_k_goes_up_to_the_group_size(size, ks):
    assert [at.k for at in summary(*group("a", *[0] * size)).at_k] == ks


def test_groups_with_failures_count_as_far_as_they_go():
    found = summary(*group("a", 1, 1, 1, 1), *group("b", 0, 0))
    assert [at.passes.count for at in found.at_k] == [2, 2, 1]
    assert [at.passes.value for at in found.at_k] == [0.5, 0.5, 1.0]


def test_majority_takes_the_most_frequent_answer_and_no_answer_has_no_vote():
    found = summary(
        episode(right=True, answer="A"),
        episode(answer=""),
        episode(answer=""),
        episode(answer="B"),
    )
    assert [at.majority.value for at in found.at_k] == [1.0, 1.0, 0.5]


def test_families_are_split_by_level_and_summed_up():
    found = summary(
        *group("a", 1, family="Maze", difficulty="1"),
        *group("b", 0, family="Maze", difficulty="2"),
        *group("c", 1, family="Gauge", difficulty=""),
    )
    assert [(one.family, one.difficulty) for one in found.levels] == [
        ("Gauge", ""),
        ("Maze", "1"),
        ("Maze", "2"),
    ]
    assert [(one.family, one.accuracy.mean) for one in found.families] == [
        ("Gauge", 1.0),
        ("Maze", 0.5),
    ]


def test_rates_of_calls():
    tools = summary(
        calling(4, duplicates=1, refused=1, right=True),
        calling(0, refused=1, num_malformed=1),
        episode(right=True),
    ).tools
    assert tools.calls.mean == pytest.approx(4 / 3)
    assert (tools.invalid.count, tools.invalid.total) == (1, 6)
    assert (tools.malformed.count, tools.malformed.total) == (1, 6)
    assert (tools.duplicate.count, tools.duplicate.total) == (1, 4)
    assert (tools.without_calls.count, tools.without_calls.total) == (1, 3)
    assert tools.accuracy_with_calls.value == 0.5
    assert tools.accuracy_without_calls.value == 1.0


def test_a_refused_call_is_an_attempt_and_no_collapse():
    assert summary(calling(0, refused=1)).tools.without_calls.value == 0.0


def test_groups_of_equal_rewards_are_those_of_two_or_more():
    tools = summary(*group("a", 1, 1), *group("b", 1, 0), *group("c", 1)).tools
    assert (tools.equal_rewards.count, tools.equal_rewards.total) == (1, 2)


def test_tools_come_by_their_use():
    often, once = ToolFigures(5, 2, 1), ToolFigures(1)
    tools = summary(
        episode(tools={"b": once, "a": once}),
        episode(tools={"often": often}),
        episode(tools={"often": once}),
    ).tools.tools
    assert [tool.name for tool in tools] == ["often", "a", "b"]
    assert (tools[0].calls, tools[0].refused.count, tools[0].duplicates.count) == (6, 2, 1)
    assert tools[0].episodes.value == pytest.approx(2 / 3)


def test_endings_and_usage():
    found = summary(
        episode(usage={"input_tokens": 10.0}),
        episode(ending="incomplete", usage={"input_tokens": 30.0, "output_tokens": 4.0}),
        episode(),
    )
    assert found.endings == {"answered": 2, "incomplete": 1}
    assert (found.usage["input_tokens"].total, found.usage["input_tokens"].mean) == (40.0, 20.0)
    assert found.usage["output_tokens"].count == 1


def test_components_that_only_some_episodes_have_are_averaged_over_those():
    found = summary(
        episode("a", components={"answer": 1.0}),
        episode("b", components={"answer": 0.0, "style": 0.5}),
    )
    assert found.components["answer"].mean == 0.5
    assert (found.components["style"].mean, found.components["style"].count) == (0.5, 1)


def test_nothing_cannot_be_summed_up():
    with pytest.raises(ValueError, match="at least one"):
        summary()
