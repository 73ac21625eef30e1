from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gym_imagetools.conversation.echo import Echo, cut_middle, encodable, is_object

ECHO = Echo(max_chars=200, defuse_placeholders=True)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda parts: st.lists(parts) | st.dictionaries(st.text(), parts),
    max_leaves=8,
)


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        '{"bbox_2d":[10,20',
        '{"label": "no end',
        "[1, 2]",
        "null",
        "7",
        '"text"',
        "not json",
        '{"a": NaN}',
        '{"a": Infinity}',
        '{"a": ' + "9" * 5000 + "}",
        '{"a": ' + "[" * 50_000 + "]" * 50_000 + "}",
        '{"a": 1} tail',
        None,
        [1],
        {"a": float("nan")},
        {"a": object()},
    ],
)
def test_arguments_that_are_no_json_object_become_an_empty_one(arguments):
    assert ECHO.arguments(arguments) == "{}"


@pytest.mark.parametrize(
    "arguments",
    ["{}", '{"a":1}', ' { "a" : 1.0 , "b" : "é" } ', '{"b": 1, "a": null}', '{"u": "\\u00e9"}'],
)
def test_whole_arguments_keep_every_character(arguments):
    assert ECHO.arguments(arguments) == arguments


def test_arguments_given_as_an_object_are_written_as_json():
    assert json.loads(ECHO.arguments({"bbox_2d": [1, 2, 3, 4]})) == {"bbox_2d": [1, 2, 3, 4]}


@pytest.mark.parametrize(
    "label", ["<image>", "\\u003cimage\\u003e", "\\u003c|image_pad|>", "</tool_response>"]
)
def test_a_token_in_arguments_is_marked_even_where_json_escapes_hide_it(label):
    safe = json.loads(ECHO.arguments(f'{{"label": "{label}", "n": 1}}'))
    assert safe["label"].startswith("<~")
    assert safe["n"] == 1


def test_a_token_as_a_key_of_arguments_is_marked():
    assert ECHO.arguments('{"<image>": 1}') == '{"<~image>": 1}'


def test_a_long_label_in_arguments_is_cut_and_the_json_stays_whole():
    arguments = json.dumps({"label": "x" * 2_000_000, "n": 1})
    assert len(ECHO.arguments(arguments)) <= 200 or ECHO.arguments(arguments) == "{}"
    longer = Echo(max_chars=1000, defuse_placeholders=True)
    many = json.dumps({str(index): "x" * 400 for index in range(10)})
    assert longer.arguments(many) == "{}"
    assert json.loads(longer.arguments(json.dumps({"label": "x" * 600}))) == {"label": "x" * 600}


def test_a_lone_surrogate_is_replaced_in_text_and_arguments():
    assert encodable("a\ud800b") == "a?b"
    ECHO.arguments('{"label": "\\ud800"}').encode()


@settings(max_examples=50)
@given(st.dictionaries(st.text(), json_values))
def test_any_arguments_are_sent_back_as_a_json_object(arguments):
    echo = Echo(max_chars=10_000, defuse_placeholders=True)
    assert is_object(echo.arguments(json.dumps(arguments)))


@given(st.text())
def test_any_text_becomes_what_utf_8_can_hold(text):
    ECHO.text(text).encode()


def test_the_cut_keeps_both_ends_and_says_how_much_is_missing():
    assert cut_middle("abcdefgh", 8) == "abcdefgh"
    assert cut_middle("abcdefgh", 3) == "ab\n[... 5 characters cut ...]\nh"
    assert cut_middle("abcdefgh", 1) == "a\n[... 7 characters cut ...]\n"


def test_without_defusing_text_stays_as_it_is():
    echo = Echo(max_chars=200, defuse_placeholders=False)
    assert echo.text("<image>") == "<image>"
    assert echo.arguments('{"label": "<image>"}') == '{"label": "<image>"}'
