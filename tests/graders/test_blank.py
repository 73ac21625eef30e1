"""What shows nothing: an expected answer is refused for it, an answer is empty."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_imagetools.graders import GRADERS, GoldError, make_grader
from gym_imagetools.graders.blank import is_blank

BLANKS = [
    "", " ", "\u200b", "\ufeff", "\u00ad", "\u2060\u200d", "\u3164", "\u2800", "\ufe0f", "\u00a0",
    r"\!", "\\ ", r"\,", r"\;", r"\:", r"\quad", r"\qquad", r"\\", "~", "{}", "{ }", "{{}~}", "$",
    "$$", "$ $", r"\(\)", r"\[ \]",
    r"\text{}", r"\mathrm{ \! }", r"\boxed{\text{\ }}", r"\phantom{x}",
    r"\hspace{1cm}", r"\left\right", r"\displaystyle{}", "\u200b\\!{}~$ $\ufeff",
]  # fmt: skip

VISIBLE = [
    "0",
    ".",
    "-",
    r"\{\}",
    r"\emptyset",
    "()",
    "[]",
    r"\%",
    "\u0660",
    "e\u0301",
    "\U0001f600",
]


@pytest.mark.parametrize("text", BLANKS)
def test_text_that_shows_nothing_is_blank(text):
    assert is_blank(text)


@pytest.mark.parametrize("text", VISIBLE)
def test_text_that_shows_something_is_not(text):
    assert not is_blank(text)
    assert not any(is_blank(blank + text + blank) for blank in ("\u200b", " ", "{}", "~"))


@pytest.mark.parametrize("grader", GRADERS)
@pytest.mark.parametrize("gold", BLANKS)
def test_no_grader_takes_a_blank_gold(grader, gold):
    fields = {"expected_answer": gold, "options": [{"A": "cat"}]}
    with pytest.raises(GoldError, match="Expected `expected_answer`"):
        make_grader(grader, fields)


@given(st.lists(st.sampled_from([text for text in BLANKS if "\\" not in text])))
def test_blanks_side_by_side_are_blank(texts):
    assert is_blank("".join(texts))


@given(st.text())
def test_no_text_raises(text):
    assert is_blank(text + "x") is False
