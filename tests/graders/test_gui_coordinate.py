"""Clicks: how far a point is from the expected one."""

# ruff: noqa: RUF001 - look-alike characters are what is tested

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_imagetools.errors import DataError
from gym_imagetools.graders import grade, make_grader


def score(text, gold="0.5,0.5", **fields):
    return grade("gui_coordinate", text, {"expected_answer": gold, **fields})


@pytest.mark.parametrize(
    ("text", "extracted"),
    [
        ("<point>(500, 500)</point>", "0.5,0.5"),
        ("<point>[(500,500)]</point>", "0.5,0.5"),
        ("<point>(500,500)]</point>", "0.5,0.5"),
        ("<point> ( 500 ,\n500 ) </point>", "0.5,0.5"),
        ("<point>(512.5, 300)</point>", "0.5125,0.3"),
        ("<point>(٥٠٠,500)</point>", "0.5,0.5"),
        ("<point>(500,500)</point><point>(1,1)</point>", "0.5,0.5"),
        ("<think><point>(1,1)</point></think><point>(500,500)</point>", "0.5,0.5"),
        ("<point>(0,1000)</point>", "0.0,1.0"),
        ("<point>(-3, 880)</point>", "-0.003,0.88"),
        ("<point>[500,500]</point>", ""),
        ("<POINT>(500,500)</POINT>", ""),
        ("<point>500,500</point>", ""),
        ("<point>(500)</point>", ""),
        ("<point>(500,500,500)</point>", ""),
        ("<point>(5e2,500)</point>", ""),
        ("<point>(nan,500)</point>", ""),
        ("(500,500)", ""),
        ("", ""),
    ],
)
def test_the_first_point_is_read(text, extracted):
    assert score(text).extracted == extracted


@pytest.mark.parametrize("digits", [10, 400, 5000])
def test_run_away_digits_are_no_point(digits):
    assert score(f"<point>({'9' * digits},1)</point>").value == 0.0


@pytest.mark.parametrize("point", ["-3,500", "500,-0.5", "1001,500", "9999,500", "500,1000.1"])
def test_a_point_outside_of_the_picture_scores_0_even_beside_the_gold(point):
    for gold in ("0,0.5", "0.5,0", "1,0.5", "0.5,1"):
        assert score(f"<point>({point})</point>", gold).value == 0.0


def test_the_reward_falls_to_0_at_max_dist():
    assert score("<point>(575,500)</point>").value == pytest.approx(0.25)
    assert score("<point>(650,500)</point>").value == 0.0
    assert score("<point>(575,500)</point>", max_dist=1.0).value == pytest.approx(0.855625)
    assert score("<point>(575,500)</point>", max_dist=0.05).value == 0.0


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"expected_answer": "0.5"}, "expected_answer"),
        ({"expected_answer": "0.5,0.5,0.5"}, "expected_answer"),
        ({"expected_answer": "(0.5,0.5)"}, "expected_answer"),
        ({"expected_answer": "nan,0.5"}, "expected_answer"),
        ({"expected_answer": "500,500"}, "expected_answer"),
        ({"expected_answer": ""}, "expected_answer"),
        ({"max_dist": 0}, "max_dist"),
        ({"max_dist": float("inf")}, "max_dist"),
        ({"max_dist": "near"}, "max_dist"),
    ],
)
def test_a_bad_field_is_refused_by_name(fields, name):
    with pytest.raises(DataError, match=f"Expected `{name}`"):
        make_grader("gui_coordinate", {"expected_answer": "0.5,0.5", **fields})


@given(st.integers(0, 1000), st.integers(0, 1000))
def test_the_gold_itself_scores_1(x, y):
    gold = f"{x / 1000},{y / 1000}"
    assert score(f"<point>({x},{y})</point>", gold).value == 1.0


@given(st.text(st.sampled_from("<point>(){}[]/,.-0159 "), max_size=60))
def test_no_text_raises(text):
    assert 0.0 <= score(text).value <= 1.0
