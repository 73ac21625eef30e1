"""Types of XML parameters follow the tool's schema."""

import math

import pytest

from gym_imagetools.parsing import parse_turn
from tests.parsing.markup import xml_call

SCHEMAS = {
    "f": {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "maybe_text": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "count": {"type": "integer"},
            "size": {"type": ["number", "null"]},
            "flag": {"type": "boolean"},
            "items": {"type": "array"},
            "either": {"oneOf": [{"type": "array"}, {"type": "integer"}]},
        },
    }
}


def read(parameter, text):
    turn = parse_turn(xml_call("f", **{parameter: text}), schemas=SCHEMAS)
    assert turn.error == ""
    return turn.calls[0].arguments[parameter]


@pytest.mark.parametrize("parameter", ["text", "maybe_text"])
@pytest.mark.parametrize(
    "text", ["null", "1e3", "007", "true", "None", "[1, 2]", '{"a": 1}', "1", "'a'", '"', '"a" "b"']
)
def test_text_stays_text(parameter, text):
    assert read(parameter, text) == text


def test_text_in_json_quotes_loses_them():
    assert read("text", '"vertical"') == "vertical"
    assert read("text", r'"a\nb"') == "a\nb"


@pytest.mark.parametrize(
    ("parameter", "text", "value"),
    [
        ("count", "7", 7),
        ("count", "+7", 7),
        ("count", "7.0", 7.0),
        ("size", ".5", 0.5),
        ("size", "5.", 5.0),
        ("size", "1e3", 1000.0),
        ("size", "null", None),
        ("size", "None", None),
        ("flag", "true", True),
        ("flag", "True", True),
        ("flag", "False", False),
        ("items", "(1, 2)", [1, 2]),
        ("items", "1, 2", [1, 2]),
        ("items", "[[0, 1], ('a', None)]", [[0, 1], ["a", None]]),
        ("either", "(1,)", [1]),
        ("either", "+3", 3),
    ],
)
def test_json_and_python_literals_of_the_type_are_read(parameter, text, value):
    got = read(parameter, text)
    assert (got, type(got)) == (value, type(value))


@pytest.mark.parametrize(
    ("parameter", "text"),
    [
        ("count", "007"),
        ("count", "1_000"),
        ("count", "0x10"),
        ("count", "1 + 1"),
        ("count", "True"),
        ("count", "'5'"),
        ("count", "\uff19\uff10"),
        ("count", "\u221290"),
        ("flag", "yes"),
        ("items", "left, right"),
        ("items", "[1, 2"),
        ("items", "[x]"),
        ("items", "__import__('os')"),
        ("items", "True(1)"),
        ("items", "[1][0]"),
        ("items", r"['\d']"),
        ("items", "{'a': 1}"),
        ("items", "['a\n b']"),
        ("items", "1" + ",1" * 2000),
        ("items", "['\ud800']"),
        ("items", "['\0']"),
    ],
)
def test_anything_else_stays_the_text_it_is(parameter, text):
    assert read(parameter, text) == text


@pytest.mark.parametrize("text", ["True", "None", "(1, 2)", "'a'", ".5", "[1,]"])
def test_unknown_parameters_are_json_or_text(text):
    assert read("unknown", text) == text
    assert read("unknown", "[1, 2]") == [1, 2]
    assert parse_turn(xml_call("g", p="True"), schemas=SCHEMAS).calls[0].arguments == {"p": "True"}


def test_the_image_tools_are_the_schemas_unless_others_are_given():
    text = xml_call("image_rotate_tool", degrees="90", label="90")
    assert parse_turn(text).calls[0].arguments == {"degrees": 90, "label": "90"}
    assert parse_turn(text, schemas={}).calls[0].arguments == {"degrees": 90, "label": 90}


def test_non_finite_numbers_pass_on_to_the_tool():
    assert math.isnan(read("size", "NaN"))
    assert read("size", "1e400") == math.inf
    assert read("items", "[-Infinity]") == [-math.inf]
