"""Where answers stand in a reply."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_imagetools.graders.extraction import (
    final_answer,
    find_boxes,
    last_box,
    last_closed_box,
    last_line,
    strip_reasoning,
    unwrap_styles,
    unwrap_text,
)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("no tags", "no tags"),
        ("<think>a</think>b", "b"),
        ("<THINK>a</Think>b", "b"),
        ("<thinking>a</thinking>b", "b"),
        ("a</think>b", "b"),
        ("a</think>b</think>c", "c"),
        ("a<think>b</think>c<think>d</think>e", "ace"),
        ("<think>a <think> b</think>c", "c"),
        ("<think>a", ""),
        ("answer<think>a", ""),
        ("<think>a</think>b<think>c", ""),
        ("<thinker>a", "<thinker>a"),
    ],
)
def test_reasoning_is_stripped(text, kept):
    assert strip_reasoning(text) == kept


@pytest.mark.parametrize(
    ("text", "content"),
    [
        (r"\boxed{7}", "7"),
        (r"\fbox{7}", "7"),
        (r"\boxed {7}", "7"),
        (r"\boxed 7", "7"),
        (r"$\boxed 42$", "42"),
        (r"\boxed{\frac{3}{7}}", r"\frac{3}{7}"),
        (r"\boxed{a}\boxed{b}", "b"),
        (r"\boxed{a \boxed{b}}", "b"),
        (r"{\boxed{a}}}", "a"),
        (r"\boxed{}", ""),
        (r"\boxed{\{a\}}", r"\{a\}"),
        (r"boxed{a}", None),
        (r"\boxedx{a}", None),
        (r"\boxed", None),
        (r"\boxed{a", None),
        (r"\boxed{a} \boxed{b", None),
        ("", None),
    ],
)
def test_the_last_box_is_read_with_its_braces_balanced(text, content):
    assert last_box(text) == content


def test_a_box_that_was_cut_is_passed_over_only_where_asked():
    assert last_closed_box(r"\boxed{a} \boxed{b") == "a"


@given(st.recursive(st.text("ab ", max_size=3), lambda inner: inner.map("{{{}}}".format)))
def test_any_balanced_content_comes_back(content):
    assert last_box(f"so \\boxed{{{content}}} then") == content


@given(st.text(r"\boxed{}f ", max_size=60))
def test_finding_boxes_never_raises(text):
    assert len(find_boxes(text)) <= text.count("\\boxed")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Answer: red", "red"),
        ("Final answer: red.", "red"),
        ("the FINAL   ANSWER : red", "red"),
        ("Answer\uff1a red", "red"),
        ("**Final answer:** red", "red"),
        ("**Final answer**: red", "red"),
        ("Final answer: **red**.", "red"),
        ("**Answer: red**", "red"),
        ("Answer: a\nAnswer: b", "b"),
        ("Answer: a, the answer: b", "a, the answer: b"),
        ("answer:  \nnext line", "next line"),
        ("7answer: red", "red"),
        ("Answer: ...", ""),
        ("Unanswer: red", None),
        ("the answer is red", None),
        ("", None),
    ],
)
def test_the_last_answer_marker_counts(text, answer):
    assert final_answer(text) == answer


def test_the_last_line_that_is_not_blank_counts():
    assert last_line("a\n b \n\n \t") == "b"
    assert last_line(" \n") is None


def test_wrappers_around_the_whole_are_removed_and_others_stay():
    assert unwrap_text(r"\text{ \text{red} }") == "red"
    assert unwrap_text(r"\textbf{red}") == r"\textbf{red}"
    assert unwrap_styles(r"\textbf{\mathrm{red}}") == "red"
    assert unwrap_styles(r"\text{a}\text{b}") == r"\text{a}\text{b}"
