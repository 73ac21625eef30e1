"""The weather call: the golden scores, the public faults, and every form of a reply."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_imagetools.errors import DataError
from gym_imagetools.parsing import parse_turn
from gym_imagetools.scoring.weather import read_expected_call, score_weather

DATA = Path(__file__).parents[1]
ROWS = [
    json.loads(line) for line in (DATA / "golden/weather.public.jsonl").read_text().splitlines()
]
CASES = {
    case["id"]: case
    for case in map(json.loads, (DATA / "cases/weather.jsonl").read_text().splitlines())
}
TOOLS = {
    tool["name"]: tool
    for tool in json.loads((DATA / "golden/weather_tools.json").read_text())["tools"]
}

# Where the stricter reading is right, and what it gives.
STRICTER = {
    "weather-wrong_name-000": {"schema_valid": 0.0},
    "weather-wrong_name-003": {"schema_valid": 0.0},
    "weather-missing_argument-003": {"correctness": 0.0},
    "weather-bad_json-011": {"correctness": 0.0},
    "weather-bad_json-012": {"schema_valid": 0.0},
    "weather-expected-005": {"correctness": 0.0},
}

EXPECTED = {"name": "get_weather", "arguments": {"city": "Rome"}}


def item(arguments: object, name: str = "get_weather") -> dict:
    return {"type": "function_call", "call_id": "c1", "name": name, "arguments": arguments}


def message(*texts: str) -> dict:
    content = [{"type": "output_text", "text": text, "annotations": []} for text in texts]
    return {"type": "message", "role": "assistant", "content": content, "status": "completed"}


def components(action: object, expected: dict = EXPECTED, tools: object = None) -> tuple:
    declared = list(TOOLS.values()) if tools is None else tools
    return tuple(score_weather(action, expected, declared).components.values())


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_golden_replies_score_as_in_the_reference(row):
    expect = row["expect"]
    scored = score_weather(
        row["output"], row["expected_call"], [TOOLS[name] for name in row["tools"]]
    )
    assert scored.components == {
        **expect["reward_components"],
        **STRICTER.get(row["id"], {}),
    }
    assert scored.reward == sum(scored.components.values())
    if row["id"] != "weather-bad_json-012":
        calls = [
            {"name": call.name, "arguments": call.arguments or {}}
            for call in scored.predicted_calls
        ]
        assert calls == expect["predicted_calls"]


def test_every_public_fault_has_its_test():
    assert set(CASES) == {"GW01", "GW02", "GW03", "GW05", "GW06"}


NOT_JSON = [
    '{"city": NaN}',
    '{"city": Infinity}',
    '{"city": [-Infinity]}',
    '{"city": ' + "[" * 20_000 + "]" * 20_000 + "}",
    '{"city": ' + '{"a":' * 200 + "1" + "}" * 200 + "}",
    '{"city": ' + "9" * 5_000 + "}",
    "",
    " ",
    "null",
    '"{\\"city\\": \\"Rome\\"}"',
    "{'city': 'Rome'}",
    '{"city": "Rome",}',
    '\ufeff{"city": "Rome"}',
    {"city": float("nan")},
    {"city": {1, 2}},
    None,
    5,
]


@pytest.mark.parametrize("arguments", NOT_JSON, ids=range(len(NOT_JSON)))
def test_gw01_arguments_that_are_no_json_object_score_nothing_and_raise_nothing(arguments):
    assert components([item(arguments)]) == (0.0, 0.0, 1.0)
    assert components([item(arguments)], {"name": "get_weather"}) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize("name", ["weather_lookup", "get_wether", "Get_Weather", " get_weather"])
@pytest.mark.parametrize("arguments", ["{}", '{"city": "Rome"}'])
def test_gw02_the_schema_of_an_undeclared_tool_is_never_met(name, arguments):
    assert components([item(arguments, name)]) == (0.0, 0.0, 1.0)
    assert components([item(arguments, name)], tools=[]) == (0.0, 0.0, 1.0)


def test_gw02_a_null_counts_as_present():
    assert components([item('{"city": null}')]) == (0.0, 1.0, 1.0)


def test_the_tool_a_row_expects_is_known_without_a_declaration():
    assert components([item('{"city": "Rome"}')], tools=[]) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("expected", "said", "is_equal"),
    [
        (1, "1.0", True),
        (1.5, "1.50", True),
        (1, "true", False),
        (True, "1", False),
        (True, "true", True),
        (0, "false", False),
        (None, "null", True),
        (None, "false", False),
        (1, '"1"', False),
        ([1, {"a": True}], '[1.0, {"a": true}]', True),
        ([1, {"a": True}], '[1, {"a": 1}]', False),
        ([1], "[1, 2]", False),
        ({"a": 1}, '{"a": 1, "b": 2}', False),
        ({"a": 1}, '{"a": 1.0}', True),
    ],
)
def test_gw03_numbers_are_equal_across_forms_and_booleans_are_no_numbers(expected, said, is_equal):
    call = {"name": "get_weather", "arguments": {"city": expected}}
    assert components([item(f'{{"city": {said}}}')], call)[0] == float(is_equal)


@pytest.mark.parametrize(
    "silent",
    [
        {**message(), "content": []},
        {**message(), "content": None},
        {**message(), "content": ""},
        message(""),
        message("\n\n"),
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "think"}]},
    ],
)
def test_gw05_a_message_without_text_is_no_prose(silent):
    assert components([silent, item('{"city": "Rome"}')]) == (1.0, 1.0, 1.0)
    assert components([silent]) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    "spoken",
    [
        message("Done"),
        message("", "Done"),
        {**message(), "content": "Done"},
        {**message(), "content": [{"type": "refusal", "refusal": "I cannot"}]},
    ],
)
def test_text_of_the_assistant_costs_the_format_alone(spoken):
    for output in ([spoken, item('{"city": "Rome"}')], [item('{"city": "Rome"}'), spoken]):
        assert components(output) == (1.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("composed", "decomposed"),
    [
        ("S\u00e3o Paulo", "Sa\u0303o Paulo"),
        ("\u00c5rhus", "A\u030arhus"),
        ("\uac00", "\u1100\u1161"),
    ],
)
def test_gw06_text_is_compared_composed(composed, decomposed):
    for expected, said in ((composed, decomposed), (decomposed, composed)):
        call = {"name": "get_weather", "arguments": {"city": [expected]}}
        assert components([item(json.dumps({"city": [said]}))], call)[0] == 1.0


def test_case_and_blanks_of_text_count():
    for city in ("rome", "Rome ", "ROME"):
        assert components([item(json.dumps({"city": city}))]) == (0.0, 1.0, 1.0)


def test_a_missing_argument_is_not_a_null():
    expected = {"name": "ping", "arguments": {"note": None}}
    assert components([item("{}", "ping")], expected) == (0.0, 1.0, 1.0)
    assert components([item('{"note": null}', "ping")], expected) == (1.0, 1.0, 1.0)


def test_the_first_call_decides_the_schema_and_any_call_the_correctness():
    good, bad = item('{"city": "Rome"}'), item("{bad")
    assert components([bad, good]) == (1.0, 0.0, 0.0)
    assert components([good, bad]) == (1.0, 1.0, 0.0)


XML = (
    "<tool_call>\n<function=get_weather>\n<parameter=city>\nRome\n</parameter>\n</function>\n"
    "</tool_call>"
)
JSON = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>'
FUNCTION = {"name": "get_weather", "arguments": '{"city": "Rome"}'}
CHAT_CALL = {"id": "c1", "type": "function", "function": FUNCTION}
CHAT = {"role": "assistant", "content": None, "tool_calls": [CHAT_CALL]}

FORMS = {
    "xml text": XML,
    "json text": JSON,
    "reasoning before the call": f"<think>Rome?</think>\n{JSON}",
    "plain call": {"name": "get_weather", "arguments": {"city": "Rome"}},
    "function call item": item('{"city": "Rome"}'),
    "output items": [item('{"city": "Rome"}')],
    "call in the text of a message": [message(JSON)],
    "chat message": CHAT,
    "chat tool calls": [CHAT_CALL],
    "completion": {"choices": [{"index": 0, "finish_reason": "tool_calls", "message": CHAT}]},
    "response": {"object": "response", "status": "completed", "output": [item('{"city": "Rome"}')]},
    "turn": parse_turn(JSON),
}


@pytest.mark.parametrize("action", FORMS.values(), ids=FORMS)
def test_a_call_scores_alike_in_every_form(action):
    assert components(action) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("action", [f"Let me see. {JSON}", {**CHAT, "content": "Let me see."}])
def test_prose_is_seen_in_every_form(action):
    assert components(action) == (1.0, 1.0, 0.0)


@pytest.mark.parametrize(
    "action",
    [
        {**CHAT, "tool_calls": [{**CHAT_CALL, "function": {**FUNCTION, "arguments": "{bad"}}]},
        {"name": "get_weather", "arguments": "{bad"},
        item("{bad"),
    ],
)
def test_broken_arguments_are_seen_in_every_native_form(action):
    assert components(action) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    "text",
    ["", "It is sunny in Rome.", "<tool_call>{bad</tool_call>", JSON.removesuffix(">"), "{}"],
)
def test_text_without_a_readable_call_scores_nothing(text):
    assert components(text) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    "action",
    [
        {"object": "response", "status": "incomplete", "output": [item('{"city": "Rome"}')]},
        {"choices": [{"finish_reason": "length", "message": CHAT}]},
    ],
)
def test_a_cut_reply_scores_nothing(action):
    assert components(action) == (0.0, 0.0, 0.0)


def test_parameters_of_calls_in_text_are_typed_by_the_declared_tools():
    tool = {
        "type": "function",
        "function": {
            "name": "forecast",
            "parameters": {
                "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
                "required": ["city", "days"],
            },
        },
    }
    text = (
        "<tool_call><function=forecast><parameter=city>1e3</parameter>"
        "<parameter=days>2</parameter></function></tool_call>"
    )
    expected = {"name": "forecast", "arguments": {"city": "1e3", "days": 2}}
    assert components(text, expected, [tool]) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("parameters", [None, {}, {"required": None}, {"required": []}])
def test_a_tool_may_require_nothing(parameters):
    tools = [{"type": "function", "name": "get_weather", "parameters": parameters}]
    assert components([item("{}")], tools=tools)[1] == 1.0


odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["type", "role", "content", "text", "name", "arguments", "function", "tool_calls"]
            )
            | st.text(max_size=4),
            inner
            | st.sampled_from(["message", "function_call", "function", "reasoning", "output_text"]),
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(st.lists(odd, max_size=3) | st.text(max_size=20))
def test_whatever_a_model_or_server_writes_scores_0_or_1(action):
    assert set(components(action)) <= {0.0, 1.0}


@pytest.mark.parametrize("call", [None, {}, [], "get_weather", {**EXPECTED, "arguments": "{}"}])
def test_an_expected_call_that_cannot_be_compared_is_refused(call):
    with pytest.raises(DataError, match="expected_call"):
        read_expected_call({"expected_call": call})
    with pytest.raises(DataError, match="expected_call"):
        read_expected_call({})


def test_an_expected_call_is_read_from_its_row():
    assert read_expected_call({"expected_call": EXPECTED}) == EXPECTED
    assert read_expected_call({"expected_call": {"name": "ping"}}) == {"name": "ping"}


def nested(times):
    inner = [{"type": "function_call", **EXPECTED}]
    for _ in range(times):
        inner = [inner]
    return inner


def cyclic():
    action = []
    action.append(action)
    return action


@pytest.mark.parametrize("action", [nested(3000), cyclic(), {"output": nested(3000)}])
def test_an_action_nested_beyond_reason_earns_nothing_and_does_not_raise(action):
    assert score_weather(action, EXPECTED, list(TOOLS.values())).correctness == 0.0


def test_reasoning_beside_the_call_is_no_text():
    part = {"type": "thinking", "text": "let me see"}
    message = {"role": "assistant", "content": [part], "tool_calls": [
        {"id": "x", "function": {"name": EXPECTED["name"], "arguments": EXPECTED["arguments"]}}
    ]}  # fmt: skip
    assert score_weather(message, EXPECTED, list(TOOLS.values())).reward == 3.0
