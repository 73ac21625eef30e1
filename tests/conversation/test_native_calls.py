from __future__ import annotations

import json

import pytest

from gym_imagetools.conversation import Conversation
from gym_imagetools.parsing import parse_turn
from tests.conversation.episodes import (
    PROMPT,
    data_url,
    function_call,
    kinds,
    outputs,
    reply,
    result,
)
from tests.conversation.openai_types import assert_accepted
from tests.conversation.turns import CALL, DIALECTS, MARKUP, NATIVE_TURNS, new_messages


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("action", [CALL, MARKUP, parse_turn(MARKUP)])
def test_a_call_without_an_id_is_written_natively_when_asked(dialect, action):
    conversation = Conversation(PROMPT, dialect=dialect, tool_calls="native")
    conversation.add_turn(action)
    conversation.add_reply(*reply(result("call_1_0", note="mine")))
    messages = new_messages(conversation)
    assert json.loads(outputs(messages)["call_1_0"])["note"] == "mine"
    assert "<tool_call>" not in json.dumps(messages)
    assert_accepted(dialect, conversation.messages)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_call_without_an_id_takes_the_result_whatever_its_id(dialect):
    conversation = Conversation(PROMPT, dialect=dialect, tool_calls="native")
    conversation.add_turn([CALL, CALL])
    conversation.add_reply(*reply(result("x", note=0), result("y", note=1)))
    notes = [json.loads(text)["note"] for text in outputs(new_messages(conversation)).values()]
    assert notes == [0, 1]


@pytest.mark.parametrize("tool_calls", ["text", "native"])
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("form", NATIVE_TURNS)
def test_every_call_id_is_answered_in_call_order_also_when_it_was_not_run(
    form, dialect, tool_calls
):
    conversation = Conversation(PROMPT, dialect=dialect, tool_calls=tool_calls)
    conversation.add_turn(NATIVE_TURNS[form])
    conversation.add_reply(*reply(result("call_a", images=(2,)), notice="One only.", greys=(9,)))
    messages = new_messages(conversation)
    assert list(outputs(messages)) == ["call_a", "call_b"]
    assert "not executed" in outputs(messages)["call_b"].lower()
    assert kinds(messages)[-1] == "user"
    assert_accepted(dialect, conversation.messages)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_all_outputs_come_first_then_one_message_with_notice_and_labelled_pictures(dialect):
    conversation = Conversation(PROMPT, dialect=dialect)
    conversation.add_turn([function_call(call_id) for call_id in "abc"])
    conversation.add_reply(
        *reply(
            result("c", images=(4,)),
            result("a", images=(2, 3)),
            result("b", ok=False),
            notice="Go on.",
            greys=(50, 60, 70),
        )
    )
    messages = new_messages(conversation)
    assert list(outputs(messages)) == ["a", "b", "c"]
    assert kinds(messages)[-1] == "user"
    parts = messages[-1]["content"]
    assert [part.get("text", "picture") for part in parts] == [
        "Go on.",
        "img_idx 2",
        "picture",
        "img_idx 3",
        "picture",
        "img_idx 4",
        "picture",
    ]
    shown = [part for part in map(json.dumps, parts) if "data:" in part]
    for part, grey in zip(shown, (60, 70, 50), strict=True):
        assert data_url(grey) in part


def test_no_user_message_follows_outputs_that_say_everything():
    conversation = Conversation(PROMPT)
    conversation.add_turn([function_call("a")])
    conversation.add_reply(*reply(result("a", ok=False)))
    assert kinds(new_messages(conversation)) == ["function_call", "function_call_output"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_pictures_go_into_the_outputs_for_the_tool_role(dialect):
    conversation = Conversation(PROMPT, dialect=dialect, image_role="tool")
    conversation.add_turn([function_call("a"), function_call("b")])
    conversation.add_reply(
        *reply(result("a", images=(2,)), result("b", images=(3,)), greys=(50, 60))
    )
    messages = new_messages(conversation)
    assert kinds(messages)[-1] in ("function_call_output", "tool")
    for call_id, grey in (("a", 50), ("b", 60)):
        text, label, shown = outputs(messages)[call_id]
        assert json.loads(text["text"])["ok"] is True
        assert label["text"].startswith("img_idx")
        assert data_url(grey) in json.dumps(shown)
    if dialect == "responses":  # the chat types know no picture in a tool message
        assert_accepted(dialect, conversation.messages)


@pytest.mark.parametrize("image_role", ["user", "tool"])
def test_pictures_that_no_result_claims_are_shown_by_the_user(image_role):
    conversation = Conversation(PROMPT, image_role=image_role)
    conversation.add_turn([function_call("a"), function_call("b")])
    conversation.add_reply(*reply(result("a", images=(2,)), result("b"), greys=(50, 60)))
    assert kinds(new_messages(conversation))[-1] == "user"
    assert conversation.num_images == 4


def test_a_result_for_no_call_of_the_turn_is_told_by_the_user():
    conversation = Conversation(PROMPT)
    conversation.add_turn([function_call("a")])
    conversation.add_reply(*reply(result("call_1_0", ok=False, error="Odd."), notice="Stop."))
    messages = new_messages(conversation)
    assert "Not executed" in outputs(messages)["a"]
    assert '"Odd."' in messages[-1]["content"]
    assert messages[-1]["content"].endswith("Stop.")


def test_calls_with_the_same_id_are_answered_one_each():
    conversation = Conversation(PROMPT)
    conversation.add_turn([function_call("a"), function_call("a")])
    conversation.add_reply(*reply(result("a", note=0), result("a", note=1)))
    answered = new_messages(conversation)[2:]
    assert [json.loads(item["output"])["note"] for item in answered] == [0, 1]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_custom_tool_calls_are_answered_too(dialect):
    custom = {"type": "custom_tool_call", "call_id": "a", "name": "code", "input": "1 + 1"}
    conversation = Conversation(PROMPT, dialect=dialect)
    conversation.add_turn([custom])
    conversation.add_reply(*reply())
    assert list(outputs(new_messages(conversation))) == ["a"]
    assert_accepted(dialect, conversation.messages)
    chat_call = {"id": "b", "type": "custom", "custom": {"name": "code", "input": "2"}}
    conversation.add_turn([chat_call])
    conversation.add_reply(*reply())
    assert_accepted(dialect, conversation.messages)
