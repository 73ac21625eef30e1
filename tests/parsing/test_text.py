"""Raw assistant text: answers, prose, reasoning, and what makes a turn malformed."""

import pytest

from gym_imagetools.parsing import parse_turn
from gym_imagetools.types import Turn
from tests.parsing.markup import json_call, xml_call

CALL = json_call(axis="vertical")


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("", ""),
        ("The cat.", "The cat."),
        ("  \n5 \n", "5"),
        ("<think>hm</think>Answer: B", "Answer: B"),
        ("reason</think> Answer: 5", "Answer: 5"),
        ("Answer: 5 <think>never closed", "Answer: 5"),
        ("thought only, never closed", "thought only, never closed"),
        (f"<think>maybe {CALL}</think>Answer: B", "Answer: B"),
        (f"maybe {CALL}</think>Answer: B", "Answer: B"),
        ("<think>the <function= tag, </tool_call></think>B", "B"),
        ("<THINK>x</THINK>B", "<THINK>x</THINK>B"),
        ("a \ud800 b", "a \ud800 b"),
    ],
)
def test_text_without_a_call_is_the_answer(text, prose):
    assert parse_turn(text) == Turn(text=text, prose=prose)
    assert parse_turn(text).is_answer


def test_prose_is_what_stands_outside_of_calls_and_reasoning():
    turn = parse_turn(f"<think>hm</think>I look. {CALL} And {xml_call()} there.")
    assert turn.prose == "I look.  And  there."
    assert len(turn.calls) == 2
    assert turn.error == ""


@pytest.mark.parametrize(
    "text",
    [
        "<think>",
        "<think>I wonder",
        " <think>\\boxed{4}",
        f"<think>{CALL}</think>",
        f"{CALL}</think>",
        "<think><tool_call>bad</tool_call></think>\n",
        f"{CALL}<think>and now",
        f"</think>{CALL}",
        f"a</think>b</think>{CALL}",
        f"a</think>{CALL}</think>",
        f"{CALL}</tool_call>",
        f"{CALL}<tool_call>",
        f"a lone </function> {CALL}",
        "<tool_call></tool_call>",
        "<tool_call>null</tool_call>",
        '<tool_call>{"arguments": {}}</tool_call>',
        '<tool_call>{"name": "f"}',
        '<tool_call>{"name": "f"} and </tool_call>',
        "<tool_call><function=></function></tool_call>",
        "<tool_call><function=f></function></think></tool_call>",
        "<tool_call><function=f><think></function></tool_call>",
        "<tool_call><function=</tool_call></function></tool_call>",
    ],
)
def test_malformed_turns_say_what_was_expected(text):
    turn = parse_turn(text)
    assert turn.error.startswith("Expected ")
    assert turn.error.endswith(".")
    assert turn.text == text
    assert not turn.is_answer


@pytest.mark.parametrize("before", ["<think>", "a</think>b</think>", ""])
def test_calls_of_a_malformed_turn_stay(before):
    turn = parse_turn(f"{before}{CALL}</tool_call>")
    assert turn.error
    assert [call.arguments for call in turn.calls] == [{"axis": "vertical"}]


def test_a_call_only_in_closed_reasoning_is_kept_but_not_run():
    turn = parse_turn(f"<think>{CALL}</think>")
    assert turn.error
    assert [call.name for call in turn.calls] == ["image_flip_tool"]


def test_a_call_quoted_in_an_xml_value_is_not_a_second_call():
    turn = parse_turn(xml_call(label=CALL))
    assert turn.error
    assert len(turn.calls) == 1


def test_after_a_broken_json_block_quoted_blocks_are_not_run():
    turn = parse_turn(f"<tool_call>{{bad</tool_call>{CALL}{xml_call(axis='vertical')}")
    assert turn.error
    assert [call.source for call in turn.calls] == ["xml"]


def test_a_repeated_parameter_must_not_conflict():
    once = "<tool_call><function=f><parameter=p>1</parameter>"
    rest = "</parameter></function></tool_call>"
    assert parse_turn(f"{once}<parameter=p>2{rest}").error
    assert parse_turn(f"{once}<parameter=p>1{rest}").error == ""


def test_a_turn_comes_back_as_it_is():
    turn = Turn(text="x", prose="x", notice="n")
    assert parse_turn(turn) is turn


def test_parse_turn_of_a_bad_json_call_names_the_place():
    assert "character 9" in parse_turn('<tool_call>{"name": oops}</tool_call>').error
