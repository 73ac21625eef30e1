"""Calls, messages, items and whole replies of the OpenAI dialects."""

import numpy as np
import pytest
from openai.types.chat import ChatCompletion
from openai.types.responses import Response

from gym_imagetools.parsing import is_action, parse_turn
from gym_imagetools.types import ToolCall, Turn
from tests.parsing.markup import json_call

FLIP = ToolCall("image_flip_tool", {"axis": "vertical"})
FLIP_C1 = ToolCall("image_flip_tool", {"axis": "vertical"}, "c1")
ITEM = {
    "type": "function_call",
    "id": "f1",
    "call_id": "c1",
    "name": "image_flip_tool",
    "arguments": '{"axis": "vertical"}',
    "status": "completed",
}
TOOL_CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "image_flip_tool", "arguments": '{"axis": "vertical"}'},
}
REASONING = {"type": "reasoning", "id": "r", "summary": []}


def message(*texts, **fields):
    content = [{"type": "output_text", "text": text, "annotations": []} for text in texts]
    return {
        "type": "message",
        "id": "m",
        "role": "assistant",
        "status": "completed",
        "content": content,
        **fields,
    }


def response(*items, **fields):
    return Response.model_validate(
        {
            "id": "resp",
            "created_at": 1,
            "model": "m",
            "object": "response",
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "status": "completed",
            "output": items,
            **fields,
        }
    )


def completion(finish_reason="stop", **message_fields):
    return ChatCompletion.model_validate(
        {
            "id": "c",
            "created": 1,
            "model": "m",
            "object": "chat.completion",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": finish_reason,
                    "message": {"role": "assistant", "content": None, **message_fields},
                }
            ],
        }
    )


@pytest.mark.parametrize(
    ("action", "call"),
    [
        ({"name": "image_flip_tool", "arguments": {"axis": "vertical"}}, FLIP),
        ({"name": "image_flip_tool", "arguments": '{"axis": "vertical"}'}, FLIP),
        ({"name": "f"}, ToolCall("f", {})),
        ({"name": "f", "arguments": None}, ToolCall("f", {})),
        ({"name": "f", "arguments": " "}, ToolCall("f", {})),
        ({"name": "f", "arguments": {"x": np.arange(2)}}, ToolCall("f", {"x": [0, 1]})),
        ({"name": "f", "arguments": {"x": (np.int64(1),)}}, ToolCall("f", {"x": [1]})),
        (ITEM, FLIP_C1),
        (TOOL_CALL, FLIP_C1),
        ([ITEM], FLIP_C1),
        ((TOOL_CALL,), FLIP_C1),
        ([REASONING, ITEM, {"type": "web_search_call", "id": "w"}], FLIP_C1),
        ({"role": "assistant", "content": None, "tool_calls": [TOOL_CALL]}, FLIP_C1),
        ({"tool_calls": [TOOL_CALL]}, FLIP_C1),
        (response(ITEM), FLIP_C1),
        (completion(tool_calls=[TOOL_CALL]), FLIP_C1),
    ],
)
def test_one_call_in_every_form(action, call):
    assert parse_turn(action) == Turn(text="", prose="", calls=(call,))


def test_a_clients_object_its_parts_and_its_dump_say_the_same():
    reply = response(REASONING, message("Look: "), ITEM)
    turn = Turn(text="Look: ", prose="Look:", calls=(FLIP_C1,))
    for form in (reply, reply.model_dump(), reply.model_dump(mode="json"), reply.output):
        assert parse_turn(form) == turn
    chat = completion("tool_calls", content="Look: ", tool_calls=[TOOL_CALL])
    choice = chat.choices[0]
    for form in (chat, chat.model_dump(), choice, choice.message, choice.message.model_dump()):
        assert parse_turn(form) == turn
    assert parse_turn(choice.message.tool_calls).calls == (FLIP_C1,)


def test_objects_filled_with_foreign_values_are_read_without_a_warning():
    reply = Response.construct(output=[{**ITEM, "arguments": 7}], status="completed")
    turn = parse_turn(reply)
    assert turn.error
    assert turn.calls == (ToolCall("image_flip_tool", {}, "c1"),)


@pytest.mark.parametrize(
    "action",
    [[], (), "", {"content": ""}, {"role": "assistant", "content": None}, {"content": []},
     [REASONING], response(), completion(), message()],
)  # fmt: skip
def test_nothing_said_is_an_empty_answer(action):
    turn = parse_turn(action)
    assert turn == Turn(text="", prose="")
    assert turn.is_answer


def test_texts_of_a_message_are_joined_and_markup_in_them_is_read_in_order():
    turn = parse_turn([message("I flip. <tool_", json_call(label="A")[6:]), ITEM, message("Done.")])
    assert [call.source for call in turn.calls] == ["json", "native"]
    assert turn.prose == "I flip.\nDone."
    assert turn.text.endswith("</tool_call>\nDone.")
    assert turn.error == ""


def test_text_of_a_chat_message_comes_before_its_calls():
    turn = parse_turn({"content": json_call(label="A"), "tool_calls": [TOOL_CALL]})
    assert [call.call_id for call in turn.calls] == ["", "c1"]


@pytest.mark.parametrize(
    "action",
    [
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "I cannot."}]},
        {"role": "assistant", "content": None, "refusal": "I cannot."},
        [message(content=[{"type": "refusal", "refusal": "I cannot."}])],
    ],
)
def test_a_refusal_is_an_answer_that_is_marked(action):
    turn = parse_turn(action)
    assert turn == Turn(text="I cannot.", prose="I cannot.", refused=True)
    assert turn.is_answer


@pytest.mark.parametrize(
    "action",
    [
        "I cannot.",
        {"role": "assistant", "content": "I cannot.", "refusal": None},
        {"role": "assistant", "content": "I cannot.", "refusal": ""},
        [message(content=[{"type": "output_text", "text": "I cannot.", "refusal": None}])],
    ],
)
def test_words_alone_are_no_refusal(action):
    assert not parse_turn(action).refused


@pytest.mark.parametrize(
    "action",
    [
        response(
            message("so"), status="incomplete", incomplete_details={"reason": "max_output_tokens"}
        ),
        response(message("so"), {**ITEM, "status": "incomplete", "arguments": '{"axis": "ver'}),
        [message("so", status="incomplete"), ITEM],
        completion("length", content="so", tool_calls=[TOOL_CALL]),
        completion("length", content="so").model_dump(),
        completion("length", content="so").choices[0],
    ],
)
def test_a_reply_cut_by_the_token_limit_runs_nothing(action):
    assert parse_turn(action) == Turn(text="so", prose="so", incomplete=True)


@pytest.mark.parametrize("arguments", ['{"axis": "ver', "[]", "7", '"x"', "null", 7, [1], ["a"]])
def test_unreadable_arguments_are_refused_and_the_call_keeps_its_id(arguments):
    turn = parse_turn([ITEM, {**ITEM, "call_id": "c2", "arguments": arguments}])
    assert turn.error
    assert [(call.call_id, call.arguments) for call in turn.calls] == [
        ("c1", {"axis": "vertical"}),
        ("c2", {}),
    ]


@pytest.mark.parametrize(
    "item",
    [
        {"type": "custom_tool_call", "call_id": "c9", "name": "n", "input": "x"},
        {"type": "custom", "id": "c9", "custom": {"name": "n", "input": "x"}},
        {"type": "computer_call", "call_id": "c9", "action": {}},
        {"type": "function", "id": "c9"},
        {"type": "function_call", "call_id": "c9", "name": None, "arguments": "{}"},
    ],
)
def test_calls_of_other_kinds_are_refused_and_keep_their_id(item):
    turn = parse_turn([item])
    assert turn.error
    assert [call.call_id for call in turn.calls] == ["c9"]


def _cycle():
    holder = {}
    holder["a"] = holder
    return holder


def _cyclic_list():
    holder = []
    holder.append(holder)
    return holder


def _unfolding(levels):
    part = [1]
    for _ in range(levels):
        part = [part] * 10
    return part


@pytest.mark.parametrize(
    "action",
    [
        {},
        {1: 2},
        {"type": "web_search_call"},
        {"type": 5},
        {"type": np.arange(2), "role": np.arange(2)},
        {"output": "x"},
        {"choices": []},
        {"choices": [{"message": {"content": "a"}}] * 2},
        {"choices": [None]},
        {"message": 3},
        {"content": 5},
        {"content": [{"type": "text"}]},
        {"content": [["a"]]},
        {"content": _cycle()},
        {"tool_calls": 5},
        {"tool_calls": [None]},
        {"role": "user", "content": "x"},
        {"name": None, "arguments": {}},
        {"name": "f", "arguments": _cycle()},
        {"name": "f", "arguments": {"x": _unfolding(30)}},
        {"name": "f", "arguments": {"x": object()}},
        {"name": "f", "arguments": {1: 1}},
        {"name": "f", "arguments": {"x": {1, 2}}},
        _cycle(),
        _cyclic_list(),
        [None],
        ["text"],
        [[ITEM]],
        [{}] * 30_000,
        [7],
    ],
)
def test_absurd_content_is_malformed_and_never_raises(action):
    assert is_action(action)
    turn = parse_turn(action)
    assert turn.error.startswith("Expected ")
    assert not turn.is_answer


def test_arguments_are_copies():
    box = [1, 2]
    turn = parse_turn({"name": "f", "arguments": {"box": box}})
    box.append(3)
    assert turn.calls[0].arguments == {"box": [1, 2]}


@pytest.mark.parametrize("action", [None, 5, 1.5, b"x", object(), {1}, Response, np.zeros(3)])
def test_what_has_no_form_of_a_turn_is_the_programmers_fault(action):
    assert not is_action(action)
    with pytest.raises(TypeError, match="Expected a turn as text"):
        parse_turn(action)


REASONING = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [],
    "content": [{"type": "reasoning_text", "text": r"maybe \boxed{B} <tool_call> and so on"}],
}


def test_what_a_reasoning_item_says_is_neither_an_answer_nor_a_call():
    turn = parse_turn([REASONING])
    assert (turn.text, turn.prose, turn.calls, turn.error) == ("", "", (), "")
    call = {"type": "function_call", "call_id": "c", "name": "image_flip_tool", "arguments": "{}"}
    turn = parse_turn([REASONING, call])
    assert (len(turn.calls), turn.error) == (1, "")


@pytest.mark.parametrize("kind", ["reasoning", "reasoning_text", "thinking", "redacted_thinking"])
def test_reasoning_parts_of_a_message_are_no_answer(kind):
    parts = [{"type": kind, "text": r"\boxed{B}"}, {"type": "text", "text": r"\boxed{A}"}]
    turn = parse_turn({"role": "assistant", "content": parts})
    assert (turn.text, turn.error) == (r"\boxed{A}", "")


@pytest.mark.parametrize("id_", [{}, {"id": "x"}])
def test_a_chat_tool_call_may_lack_its_type(id_):
    call = {**id_, "function": {"name": "image_flip_tool", "arguments": '{"axis": "vertical"}'}}
    for action in ({"role": "assistant", "content": None, "tool_calls": [call]}, [call]):
        (read,) = parse_turn(action).calls
        assert (read.name, read.arguments) == ("image_flip_tool", {"axis": "vertical"})


def test_the_old_form_of_a_chat_call_is_a_call():
    old = {"name": "image_flip_tool", "arguments": '{"axis": "vertical"}'}
    turn = parse_turn({"role": "assistant", "content": None, "function_call": old})
    assert [call.arguments for call in turn.calls] == [{"axis": "vertical"}]


@pytest.mark.parametrize(
    "reply",
    [
        {"output": [], "status": "failed"},
        {"output": [], "status": "cancelled"},
        {"message": {"role": "assistant", "content": "A"}, "finish_reason": "content_filter"},
    ],
)
def test_a_reply_that_broke_off_is_incomplete_and_no_answer(reply):
    assert parse_turn(reply).incomplete


def test_messages_among_tool_calls_are_malformed_however_deep():
    nested = {"role": "assistant", "content": None}
    nested["tool_calls"] = [nested]
    assert parse_turn(nested).error
    deep = {"role": "assistant", "content": "x"}
    for _ in range(5000):
        deep = {"role": "assistant", "content": None, "tool_calls": [deep]}
    assert parse_turn(deep).error
