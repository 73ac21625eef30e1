"""Tags are found where a pattern finds them, however the text makes the finder look."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gym_imagetools.parsing import faults, parse_turn, tags
from gym_imagetools.parsing.limits import MAX_MARKS
from gym_imagetools.parsing.tags import TAGS, TagFinder, has_escaped_tag, has_tag

TAG = re.compile("|".join(TAGS))
ESCAPED = re.compile(r"&(?:amp;)*(?:lt|LT|#60|#x3[cC]);/?(?:tool_call|function=)")
PIECES = st.sampled_from(
    [*TAGS, "<", "</", "<tool_call", "tool_call>", "think>", "a", "\n", "é", "<function"]
)
ESCAPES = st.sampled_from(
    ["&", "amp;", "lt;", "LT;", "#60;", "#x3c;", "#x3C;", "/", "tool_call", "function=", "a", ";"]
)


def found_by_finder(text):
    finder, at, found = TagFinder(text), 0, []
    while (mark := finder.find(at)) is not None:
        found.append(mark)
        at = mark[0] + len(mark[1])
    return found


@pytest.mark.parametrize("max_tries", [0, 1, 3, 1_000])
def test_tags_are_found_in_their_order_by_either_way_of_looking(monkeypatch, max_tries):
    monkeypatch.setattr(tags, "_MAX_TRIES", max_tries)

    @given(st.lists(PIECES, max_size=30).map("".join))
    def check(text):
        expected = [(match.start(), match[0]) for match in TAG.finditer(text)]
        assert found_by_finder(text) == expected
        assert has_tag(text, 0, len(text)) == bool(expected)

    check()


@given(st.lists(ESCAPES, max_size=12).map("".join))
@example("&amp;amp;lt;/tool_call")
@example("amp;lt;tool_call &lt;function=")
def test_escaped_tags_are_told_from_words_that_only_end_like_them(text):
    assert has_escaped_tag(text) == bool(ESCAPED.search(text))


def test_an_escaped_tag_is_found_after_many_words_that_are_none():
    text = ";tool_call " * (MAX_MARKS - 1) + "&lt;tool_call>"
    assert parse_turn(text).error == faults.ESCAPED_TAG


def test_a_tag_is_found_behind_many_signs_that_begin_none():
    text = "<" * 10_000 + '<tool_call>{"name": "f"}</tool_call>'
    assert [call.name for call in parse_turn(text).calls] == ["f"]


@pytest.mark.parametrize("blank", ["\x85", "\u1680", "\u2003", "\u2028", "\u3000", "\x1c", "\n"])
def test_blanks_end_a_name_and_no_break_spaces_do_not(blank):
    call = "<tool_call><function=f{}g></function></tool_call>"
    assert parse_turn(call.format(blank)).error == faults.NOT_A_CALL
    assert [found.name for found in parse_turn(call.format("\xa0")).calls] == ["f\xa0g"]
