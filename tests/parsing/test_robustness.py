"""Whatever a model writes: nothing escapes, and time grows with the length, not its square."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gym_imagetools.parsing import is_action, parse_turn
from gym_imagetools.types import Turn

FRAGMENTS = [
    "<tool_call>", "</tool_call>", "<function=image_crop_tool>", "<function=", "</function>",
    "<parameter=bbox_2d>", "<parameter=label>", "<parameter=", "</parameter>", "<think>",
    "</think>", '{"name": "f", "arguments": ', '{"name"', "{", "}", "[", "]", '"', "'", "\\", "```",
    "&lt;tool_call", "1", "9" * 400, "NaN", "None", "(1, 2)", " ", "\n", "\xa0", "\u200b", "\ud800",
    "</function></tool_call>", '{"name": "f"}</tool_call>', "text",
]  # fmt: skip
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
KEYS = st.sampled_from(
    ["type", "role", "content", "text", "tool_calls", "function", "name", "arguments", "output",
     "choices", "message", "call_id", "id", "status", "finish_reason", "refusal"]
)  # fmt: skip
WORDS = st.sampled_from(
    [
        "message",
        "function_call",
        "function",
        "assistant",
        "reasoning",
        "incomplete",
        "{}",
        "<think>",
    ]
)
REPLIES = st.recursive(
    LEAVES | WORDS,
    lambda part: st.lists(part, max_size=3) | st.dictionaries(KEYS, part, max_size=4),
    max_leaves=8,
)


def check(action):
    assert is_action(action)
    turn = parse_turn(action)
    assert isinstance(turn, Turn)
    assert not (turn.error and turn.incomplete)
    assert all(isinstance(call.name, str) for call in turn.calls)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join))
def test_any_mixture_of_markup_gives_a_turn(text):
    check(text)
    assert parse_turn(text).text == text


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(codec=None), max_size=200))
def test_any_text_gives_a_turn(text):
    check(text)


@settings(max_examples=100, deadline=None)
@given(st.lists(REPLIES, max_size=3) | st.dictionaries(KEYS, REPLIES, max_size=5))
def test_any_reply_gives_a_turn(reply):
    check(reply)


def repeat(part, length):
    return part * (length // len(part))


def in_call(body):
    return f"<tool_call><function=f>{body}</function></tool_call>"


def in_parameter(value, name="f", parameter="p"):
    return (
        f"<tool_call><function={name}><parameter={parameter}>{value}</parameter>"
        "</function></tool_call>"
    )


DEGENERATE = {
    "blanks after a function": lambda n: "<tool_call><function=x>" + " " * n,
    "functions": lambda n: repeat("<tool_call><function=a>", n),
    "functions without an end of the name": lambda n: repeat("<tool_call><function=a", n),
    "a name without an end": lambda n: "<tool_call><function=" + "a" * n,
    "openings": lambda n: repeat("<tool_call>", n),
    "openings with blanks": lambda n: repeat("<tool_call>    ", n),
    "closings": lambda n: repeat("</tool_call>", n),
    "ends of functions": lambda n: "<tool_call><function=x>" + repeat("</function>   ", n),
    "an unclosed parameter": lambda n: "<tool_call><function=x><parameter=p>" + "a" * n,
    "parameters without a name": lambda n: in_call(repeat("<parameter=", n)),
    "parameters without an end": lambda n: in_call(repeat("<parameter=p>", n)),
    "parameters": lambda n: in_call(repeat("<parameter=p>1</parameter>", n)),
    "beginnings of reasoning": lambda n: repeat("<think>", n),
    "ends of reasoning": lambda n: repeat("</think>", n),
    "reasonings": lambda n: repeat("<think></think>", n),
    "brackets": lambda n: in_parameter("[" * n),
    "pairs of brackets": lambda n: in_parameter(repeat("[],", n)),
    "braces": lambda n: "<tool_call>" + "{" * n,
    "objects without an end": lambda n: repeat("<tool_call>{", n),
    "broken objects": lambda n: repeat("<tool_call>{bad", n) + "}</tool_call>",
    "broken objects and ends of reasoning": lambda n: repeat("<tool_call>{bad</think>", n) + "}",
    "braces and blanks": lambda n: "<tool_call>{" + repeat("}   ", n),
    "quotes": lambda n: '<tool_call>{"' + '"' * n,
    "strings in blocks": lambda n: repeat('<tool_call>{"', n),
    "blocks in strings": lambda n: "<tool_call>" + repeat('{"<tool_call>{":":1,", ', n),
    "escapes": lambda n: '<tool_call>{"a": "' + "\\" * n,
    "fences": lambda n: repeat("<tool_call>```\n", n),
    "digits": lambda n: in_parameter("9" * n),
    "digits in JSON": lambda n: '<tool_call>{"name":"f","arguments":{"p":' + "9" * n + "}}",
    "python strings": lambda n: in_parameter("'" * n, "image_crop_tool", "bbox_2d"),
    "python tuples": lambda n: in_parameter("(" * n, "image_crop_tool", "bbox_2d"),
    "entities": lambda n: "&" + repeat("amp;", n) + "tool_call",
    "ampersands": lambda n: repeat("&", n) + "tool_call",
    "less-than signs": lambda n: "<" * n,
    "less-than signs in a call": lambda n: in_call("<" * n),
    "beginnings of tags": lambda n: repeat("<t", n),
    "beginnings of closing tags": lambda n: repeat("</", n),
    "tags without their last character": lambda n: repeat("<tool_call", n),
    "escaped less-than signs": lambda n: repeat("&lt;", n),
    "words after semicolons": lambda n: "&" + repeat(";tool_call", n),
    "closings of broken objects": lambda n: "<tool_call>{x" + repeat("</tool_call>", n),
    "ends of objects": lambda n: "<tool_call>{x" + repeat("}", n),
    "commas in a string": lambda n: '<tool_call>{"name": "f", "x": "' + "," * n + '"}</tool_call>',
    "a name of no-break spaces": lambda n: "<tool_call><function=" + repeat("a\xa0", n) + ">",
    "calls": lambda n: repeat('<tool_call>{"name":"f","arguments":{}}</tool_call>', n),
}


def seconds(text):
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        check(text)
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize("pattern", DEGENERATE.values(), ids=DEGENERATE.keys())
def test_time_grows_with_the_length_of_a_degenerate_text(pattern):
    # Twenty times the text: 20 x the time where it is linear, 400 x where it is quadratic.
    short, long = (seconds(pattern(length)) for length in (10_000, 200_000))
    assert long < 100 * max(short, 0.0005)


@pytest.mark.parametrize("pattern", DEGENERATE.values(), ids=DEGENERATE.keys())
def test_a_megabyte_of_a_degenerate_text_gives_a_turn(pattern):
    check(pattern(1_000_000))


@pytest.mark.parametrize("num_calls", [1_001, 5_000])
def test_a_flood_of_tags_is_malformed(num_calls):
    assert parse_turn('<tool_call>{"name": "f"}</tool_call>' * num_calls).error
