"""Advantages: the published worked example, invariances, and what must be refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_imagetools.advantages import dr_grpo, gate, gdpo, grpo

# Two groups of two rollouts with two objectives: (0,0),(0,1) and (0,0),(1,1).
EXAMPLE = {"first": [0.0, 0.0, 0.0, 1.0], "second": [0.0, 1.0, 0.0, 1.0]}
EXAMPLE_GROUPS = [0, 0, 1, 1]

finite = st.floats(-10, 10).map(lambda value: round(value, 3))
batches = st.integers(1, 24).flatmap(
    lambda n: st.tuples(
        st.lists(finite, min_size=n, max_size=n),
        st.lists(finite, min_size=n, max_size=n),
        st.lists(st.integers(0, 4), min_size=n, max_size=n),
    )
)


def test_grpo_cannot_tell_the_groups_of_the_worked_example_apart():
    assert grpo(EXAMPLE, EXAMPLE_GROUPS) == pytest.approx([-0.71, 0.71, -0.71, 0.71], abs=0.01)


def test_gdpo_tells_the_groups_of_the_worked_example_apart():
    assert gdpo(EXAMPLE, EXAMPLE_GROUPS) == pytest.approx([-0.55, 0.55, -1.10, 1.10], abs=0.01)


def test_dr_grpo_does_not_divide_by_the_spread():
    assert dr_grpo(EXAMPLE, EXAMPLE_GROUPS).tolist() == [-0.5, 0.5, -1.0, 1.0]


def test_the_standard_deviation_is_unbiased():
    assert grpo([0.0, 1.0, 5.0], [7, 7, 7]) == pytest.approx(
        (np.array([0.0, 1.0, 5.0]) - 2) / (np.std([0, 1, 5], ddof=1) + 1e-4)
    )


def test_epsilon_is_added_to_the_standard_deviation():
    assert grpo([0.0, 2.0], [0, 0], epsilon=np.sqrt(2)) == pytest.approx(
        [-1 / np.sqrt(8), 1 / np.sqrt(8)]
    )
    in_group = 1 / (np.sqrt(2) + 1)
    assert gdpo({"a": [0.0, 2.0]}, [0, 0], epsilon=1.0)[1] == pytest.approx(
        in_group / (in_group * np.sqrt(2) + 1)
    )


@pytest.mark.parametrize("function", [grpo, dr_grpo, gdpo])
@pytest.mark.parametrize(
    ("rewards", "groups"),
    [
        ([3.0], ["only"]),
        ([1.0, 2.0, 3.0], [0, 1, 2]),
        ([0.1] * 3, [0, 0, 0]),
        ([0.7] * 7, [0] * 7),
        ([], []),
    ],
)
def test_groups_of_one_and_of_equal_rewards_get_exactly_zero(function, rewards, groups):
    assert function(rewards, groups).tolist() == [0.0] * len(rewards)


def test_a_group_without_spread_stays_zero_beside_one_with_spread():
    assert grpo([0.1, 0.1, 0.1, 0.0, 1.0], [0, 0, 0, 1, 1])[:3].tolist() == [0.0] * 3


@given(batches)
def test_advantages_of_a_group_sum_to_zero(batch):
    rewards, _, groups = batch
    advantages = grpo(rewards, groups)
    for label in set(groups):
        assert advantages[np.array(groups) == label].sum() == pytest.approx(0, abs=1e-6)


@given(batches, st.randoms())
def test_the_order_of_the_rollouts_does_not_matter(batch, random):
    first, second, groups = (np.array(part) for part in batch)
    order = list(range(len(groups)))
    random.shuffle(order)
    scores = {"first": first, "second": second}
    shuffled = {name: column[order] for name, column in scores.items()}
    assert gdpo(shuffled, groups[order]) == pytest.approx(gdpo(scores, groups)[order], abs=1e-6)


@given(batches)
def test_groups_may_be_named_by_text(batch):
    rewards, _, groups = batch
    assert grpo(rewards, [f"Maze/2/{label}" for label in groups]).tolist() == (
        grpo(rewards, groups).tolist()
    )


@given(batches)
def test_a_dict_of_rewards_is_summed_by_grpo(batch):
    first, second, groups = batch
    total = np.array(first) + np.array(second)
    assert grpo({"a": first, "b": second}, groups).tolist() == grpo(total, groups).tolist()
    assert dr_grpo({"a": first, "b": second}, groups).tolist() == dr_grpo(total, groups).tolist()


def test_a_weight_acts_after_the_normalisation_of_the_group():
    scores = {"answer": [0.0, 1.0, 0.0, 1.0], "tool_use": [1.0, 0.0, 0.0, 1.0]}
    groups = [0, 0, 1, 1]
    even = gdpo(scores, groups, {"answer": 1.0, "tool_use": 1.0})
    assert even[:2].tolist() == [0.0, 0.0]
    assert even.tolist() == gdpo(scores, groups).tolist()
    light = gdpo(scores, groups, {"answer": 1.0, "tool_use": 0.05})
    assert light[0] < 0 < light[1]
    # The size of a raw score does not matter, its weight does.
    large = {**scores, "tool_use": np.multiply(scores["tool_use"], 100)}
    assert gdpo(large, groups, {"answer": 1.0, "tool_use": 0.05}) == pytest.approx(light, abs=1e-3)


def test_an_objective_of_weight_zero_does_not_count():
    scores = {"answer": [0.0, 1.0, 0.0, 1.0], "tool_use": [1.0, 0.0, 0.0, 1.0]}
    assert gdpo(scores, [0, 0, 1, 1], {"answer": 1, "tool_use": 0}).tolist() == (
        gdpo({"answer": scores["answer"]}, [0, 0, 1, 1]).tolist()
    )


@pytest.mark.parametrize("function", [grpo, dr_grpo, gdpo])
@pytest.mark.parametrize(
    "rewards", [[np.nan, 1.0], [np.inf, 1.0], [-np.inf, 1.0], {"a": [0.0, 1.0], "b": [0.0, np.nan]}]
)
def test_rewards_that_are_not_finite_are_refused(function, rewards):
    with pytest.raises(ValueError, match="Expected finite values"):
        function(rewards, [0, 0])


@pytest.mark.parametrize("function", [grpo, dr_grpo, gdpo])
@pytest.mark.parametrize(
    ("rewards", "groups"),
    [
        ([1.0, 2.0], [0]),
        ([[1.0, 2.0]], [0, 0]),
        ({"a": [1.0, 2.0], "b": [1.0]}, [0, 0]),
        ([1.0, 2.0], [[0, 0]]),
        ({}, []),
        (1.0, [0]),
    ],
)
def test_shapes_must_agree(function, rewards, groups):
    with pytest.raises(ValueError, match="Expected"):
        function(rewards, groups)


@pytest.mark.parametrize(
    "weights",
    [{}, {"first": 1.0}, {"first": 1.0, "second": 1.0, "third": 1.0}, {"first": 1.0, "secnd": 1.0}],
)
def test_weights_name_exactly_the_objectives(weights):
    with pytest.raises(ValueError, match=r"Expected weights for \['first', 'second'\]"):
        gdpo(EXAMPLE, EXAMPLE_GROUPS, weights)


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
def test_a_weight_out_of_range_is_refused(weight):
    with pytest.raises(ValueError, match="Expected the weight of 'second' to be >= 0"):
        gdpo(EXAMPLE, EXAMPLE_GROUPS, {"first": 1.0, "second": weight})


@pytest.mark.parametrize("epsilon", [0.0, -1e-4, np.nan])
def test_an_epsilon_out_of_range_is_refused(epsilon):
    for function in (grpo, gdpo):
        with pytest.raises(ValueError, match="Expected epsilon > 0"):
            function([0.0, 1.0], [0, 0], epsilon=epsilon)


def test_inputs_are_left_alone():
    first = np.array([0.0, 1.0])
    gdpo({"a": first}, [0, 0])
    assert gate({"a": first, "b": first}, by="a", threshold=2)["b"] is not first
    assert first.tolist() == [0.0, 1.0]


def test_gate_drops_easy_scores_where_the_hard_one_is_too_low():
    scores = {"answer": [0.0, 0.5, 1.0], "format": [1.0, 1.0, 0.5], "tool_use": [0.05, -0.1, 0.0]}
    gated = gate(scores, by="answer", threshold=0.5)
    assert {name: column.tolist() for name, column in gated.items()} == {
        "answer": [0.0, 0.5, 1.0],
        "format": [0.0, 1.0, 0.5],
        "tool_use": [0.0, -0.1, 0.0],
    }


@pytest.mark.parametrize(
    ("by", "threshold", "message"),
    [("anwser", 0.5, "Expected by to be one of"), ("answer", np.nan, "Expected threshold")],
)
def test_gate_refuses_unknown_names_and_thresholds(by, threshold, message):
    with pytest.raises(ValueError, match=message):
        gate({"answer": [1.0], "format": [1.0]}, by=by, threshold=threshold)
