"""Figures of evaluations: the golden tables, the estimators' meaning, and what is refused."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gym_imagetools import metrics
from gym_imagetools.metrics.spread import std_dev, t_interval, t_quantile

GOLDEN = json.loads((Path(__file__).parent / "golden/metrics.public.json").read_text())["cases"]


def golden(kind: str):
    cases = [case for case in GOLDEN if case["kind"] == kind]
    return pytest.mark.parametrize("case", cases, ids=[case["name"] for case in cases])


def rollouts(*rewards: list[float]) -> list[dict]:
    return [
        {metrics.TASK_INDEX: task, metrics.ROLLOUT_INDEX: rollout, "reward": reward}
        for task, row in enumerate(rewards)
        for rollout, reward in enumerate(row)
    ]


def approx(expected):
    """Compare nested figures with the vectors' tolerance."""
    if isinstance(expected, dict):
        return {key: approx(value) for key, value in expected.items()}
    if isinstance(expected, list):
        return [approx(value) for value in expected]
    return pytest.approx(expected, abs=1e-9)


@golden("pass_majority")
def test_pass_and_majority_figures_are_the_golden_ones(case):
    scores = None if case["scores"] == "accuracy" else case["scores"]
    arguments = (case["tasks"], scores, case["answer_key"])
    figures = metrics.pass_majority_metrics(*arguments) | metrics.sample_std_dev_metrics(*arguments)
    assert figures == approx(case["expect"]["metrics"])
    assert sorted(figures["per_sample_aggregate"]) == case["expect"]["score_names"]


@golden("subset")
def test_subset_figures_are_the_golden_ones(case):
    figures = metrics.subset_metrics(case["tasks"], case["subset_key"])
    assert figures == approx(case["expect"]["metrics"])


@golden("aggregate")
def test_aggregated_figures_are_the_golden_ones(case):
    rows, expect = case["rows"], case["expect"]
    if "raises" in expect:
        with pytest.raises(ValueError, match="Expected each"):
            metrics.aggregate(rows)
        return
    figures = metrics.aggregate(rows, answer_key=case["answer_key"])
    assert figures == approx(expect["agent_metrics"])
    assert metrics.key_metrics(figures) == approx(expect["key_metrics"])
    assert metrics.group_level_metrics(rows) == approx(expect["group_level_metrics"])
    assert metrics.repeat_level_metrics(rows) == approx(expect["repeat_level_metrics"])


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.data())
def test_pass_at_k_is_the_share_of_draws_with_a_right_sample(samples, data):
    k = data.draw(st.integers(1, len(samples)))
    draws = list(itertools.combinations(samples, k))
    assert metrics.pass_at_k([samples], k) == pytest.approx(sum(map(any, draws)) / len(draws))


def test_pass_at_k_averages_over_the_tasks():
    correct = np.array([[True, False], [False, False]])
    assert metrics.pass_at_k(correct, 1) == 0.25
    assert metrics.pass_at_k(correct, 2) == 0.5


def test_pass_at_k_is_exact_for_many_samples():
    correct = np.zeros((1, 2000))
    correct[0, 0] = 1
    assert metrics.pass_at_k(correct, 1000) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("correct", "k", "message"),
    [
        ([[1, 0]], 0, "k from 1 to 2"),
        ([[1, 0]], 3, "k from 1 to 2"),
        ([[1, 0.5]], 1, "0 and 1"),
        ([[1, math.nan]], 1, "0 and 1"),
        ([1, 0], 1, "shape"),
        ([], 1, "shape"),
        ([[]], 1, "shape"),
    ],
)
def test_tables_and_k_out_of_range_are_refused(correct, k, message):
    with pytest.raises(ValueError, match=message):
        metrics.pass_at_k(correct, k)
    with pytest.raises(ValueError, match=message):
        metrics.majority_at_k([["A", "B"]], correct, k)


@pytest.mark.parametrize(
    ("answers", "correct", "k", "expected"),
    [
        (["A", "B", "B"], [1, 0, 0], 3, 0.0),
        (["A", "B", "B"], [0, 1, 1], 3, 1.0),
        (["A", "B", "B"], [1, 0, 0], 2, 0.5),
        (["A", "B", "B"], [1, 0, 0], 1, 1.0),
        ([None, None, "B"], [0, 0, 1], 3, 1.0),
        ([None, None, "B"], [0, 0, 1], 2, 0.0),
        (["A", "B", "C"], [0, 0, 1], 3, 1 / 3),
    ],
)
def test_the_most_frequent_answer_of_the_first_k_is_scored(answers, correct, k, expected):
    assert metrics.majority_at_k([answers], [correct], k) == pytest.approx(expected)
    assert metrics.majority_at_k([answers] * 2, [correct, correct], k) == pytest.approx(expected)


@pytest.mark.parametrize("answers", [[], [["A"]], [["A", "B"], ["A", "B"]]])
def test_answers_have_the_shape_of_correct(answers):
    with pytest.raises(ValueError, match="shape of correct"):
        metrics.majority_at_k(answers, [[1, 0]], 1)


def test_records_that_lack_a_score_are_left_out_for_it_alone():
    tasks = [[{"a": 1.0, "b": 0.0}, {"b": 1.0}], [{"a": None, "b": "text"}]]
    figures = metrics.pass_majority_metrics(tasks, ["a", "b"])
    assert figures["pass@1/a"] == 100.0
    assert figures["pass@1/b"] == 50.0
    assert "pass@2/a" not in figures


def test_no_answer_is_a_score_of_its_own():
    tasks = [[{"reward": 1, "said": "4"}, {"reward": 0, "said": None}, {"reward": 0}]]
    figures = metrics.pass_majority_metrics(tasks, answer_key="said")
    assert figures["pass@1/no_answer"] == pytest.approx(200 / 3)
    assert figures["majority@3/accuracy"] == 100.0


def test_no_tasks_give_no_figures():
    assert metrics.pass_majority_metrics([]) == {}
    assert metrics.sample_std_dev_metrics([]) == {}
    assert metrics.subset_metrics([], "level") == {}
    assert metrics.aggregate([]) == {}
    assert metrics.group_level_metrics([]) == []
    assert metrics.repeat_level_metrics([]) == []


def test_plain_rows_are_one_task_each():
    figures = metrics.aggregate([{"reward": 1.0, "correctness": 1}, {"reward": 0.0}])
    assert figures["mean/reward"] == 0.5
    assert figures["std/reward"] == pytest.approx(math.sqrt(0.5))
    assert figures["mean/correctness"] == 1.0
    assert "std/correctness" not in figures
    assert figures["num_repeats"] == 1


def test_only_figures_are_averaged():
    row = {
        "reward": True,
        "_hidden": 1.0,
        "note": "text",
        "reward_components": {"answer": 1.0},
        "broken": math.nan,
        "mask_sample": False,
        "response": {"usage": {"input_tokens": 12, "details": {"cached": 3}}},
    }
    assert metrics.key_metrics(metrics.aggregate([row])) == {
        "mean/reward": 1.0,
        "mean/input_tokens": 12.0,
    }
    assert metrics.key_metrics(metrics.aggregate([{"reward": 1, "response": None}])) == {
        "mean/reward": 1.0
    }


def test_scores_of_an_aggregate_can_be_chosen():
    rows = [{"correctness": 1.0, "said": "A"}, {"correctness": 0.0, "said": None}]
    figures = metrics.aggregate(rows, scores=["correctness"], answer_key="said")
    assert figures["pass@1/correctness"] == 50.0
    assert figures["majority@1/no_answer"] == 0.0
    assert "pass@1/accuracy" not in figures


def test_masked_rollouts_count_in_the_coverage_alone():
    rows = rollouts([1.0, 0.0], [0.0, 0.0])
    rows[1]["mask_sample"] = rows[2]["mask_sample"] = rows[3]["mask_sample"] = True
    figures = metrics.aggregate(rows)
    assert figures["mean/reward"] == 1.0
    assert metrics.key_metrics(figures) == {
        "mean/reward": 1.0,
        "coverage/measured_rollouts": 1,
        "coverage/masked_rollouts": 3,
        "coverage/measured_tasks": 1,
        "coverage/fully_masked_tasks": 1,
    }
    assert [group[metrics.TASK_INDEX] for group in metrics.group_level_metrics(rows)] == [0]


def test_rows_name_their_task_all_or_none():
    with pytest.raises(ValueError, match="in every row or in none, got it in 1 of 2"):
        metrics.aggregate([{metrics.TASK_INDEX: 0, "reward": 1.0}, {"reward": 1.0}])


def test_a_repeat_says_which_tasks_it_misses():
    repeats = metrics.repeat_level_metrics(rollouts([1.0, 0.0], [1.0]))
    assert [repeat["missing_count"] for repeat in repeats] == [0, 1]
    assert "ci_low_95/reward" in repeats[0]
    assert "ci_low_95/reward" not in repeats[1]


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95, 0.999])
@pytest.mark.parametrize("degrees_of_freedom", [1, 2, 3, 4, 5, 10, 31, 100, 5001])
def test_t_quantiles_are_scipys(confidence, degrees_of_freedom):
    expected = stats.t.interval(confidence, df=degrees_of_freedom)[1]
    assert t_quantile(confidence, degrees_of_freedom) == pytest.approx(expected, rel=1e-10)


def test_t_interval_lies_about_the_mean():
    low, high = t_interval(3.0, 0.5, 10, confidence=0.9)
    assert (low, high) == pytest.approx(stats.t.interval(0.9, df=9, loc=3.0, scale=0.5))
    assert t_interval(3.0, 0.0, 2) == (3.0, 3.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.0, 1.0, 1), "count >= 2"),
        ((0.0, -1.0, 2), "standard_error >= 0"),
        ((0.0, math.nan, 2), "standard_error >= 0"),
        ((0.0, 1.0, 2, 1.0), "confidence between 0 and 1"),
        ((0.0, 1.0, 2, 0.0), "confidence between 0 and 1"),
    ],
)
def test_intervals_out_of_range_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        t_interval(*arguments)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2))
def test_standard_deviation_is_unbiased(values):
    assert std_dev(values) == pytest.approx(np.std(values, ddof=1), abs=1e-6)
