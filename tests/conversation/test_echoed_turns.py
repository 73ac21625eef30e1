from __future__ import annotations

import json

import pytest
from openai.types.chat import ChatCompletionMessage
from openai.types.responses import Response

from gym_imagetools.conversation import Conversation
from gym_imagetools.types import Turn
from tests.conversation.episodes import (
    PROMPT,
    function_call,
    kinds,
    outputs,
    reply,
    result,
    tool_call,
)
from tests.conversation.openai_types import assert_accepted
from tests.conversation.turns import (
    BROKEN,
    CUT_TURNS,
    DIALECTS,
    MESSAGE,
    REASONING,
    completion,
    new_messages,
    response,
)


@pytest.mark.parametrize(
    "reasoning",
    [
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": None},
        {"type": "reasoning", "id": "rs_1", "summary": [], "content": []},
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": "I saw <image> </s>"}],
            "encrypted_content": "a" * 300_000,
            "status": "completed",
        },
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [],
            "content": [{"type": "reasoning_text", "text": "hm"}],
        },
    ],
)
@pytest.mark.parametrize("as_object", [True, False])
def test_reasoning_is_echoed_verbatim_and_in_order(reasoning, as_object):
    items = [reasoning, MESSAGE, {**reasoning, "id": "rs_2"}, function_call("a"), MESSAGE]
    action = Response.model_validate(response(*items)) if as_object else response(*items)
    conversation = Conversation(PROMPT)
    conversation.add_turn(action)
    assert new_messages(conversation) == items
    assert_accepted("responses", conversation.messages)


def test_a_dump_with_its_unset_fields_as_null_is_echoed_without_the_nulls_that_are_refused():
    dump = Response.model_validate(response(REASONING, MESSAGE, function_call("a"))).model_dump()
    assert dump["output"][0]["status"] is None
    conversation = Conversation(PROMPT)
    conversation.add_turn(dump)
    assert_accepted("responses", conversation.messages)
    assert new_messages(conversation) == [REASONING, MESSAGE, function_call("a")]


def test_fields_the_types_do_not_know_are_kept():
    message = {"role": "assistant", "content": "B", "reasoning_content": "hm", "refusal": None}
    conversation = Conversation(PROMPT, dialect="chat")
    conversation.add_turn(ChatCompletionMessage.model_validate(message))
    expected = {"role": "assistant", "content": "B", "reasoning_content": "hm"}
    assert new_messages(conversation) == [expected]


def test_helpers_of_the_client_library_are_not_sent():
    call = function_call("a", parsed_arguments={"axis": "vertical"})
    text = {"type": "output_text", "text": "B", "annotations": [], "parsed": {"a": 1}}
    conversation = Conversation(PROMPT)
    conversation.add_turn([{**MESSAGE, "content": [text]}, call])
    assert "parsed" not in json.dumps(new_messages(conversation))


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "refusal",
    [
        [{**MESSAGE, "content": [{"type": "refusal", "refusal": "I will not."}]}],
        {"role": "assistant", "content": None, "refusal": "I will not."},
    ],
)
def test_refusals_are_echoed(dialect, refusal):
    conversation = Conversation(PROMPT, dialect=dialect)
    conversation.add_turn(refusal)
    (said,) = new_messages(conversation)
    assert "I will not." in json.dumps(said)
    assert_accepted(dialect, conversation.messages)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("action", ["", {"role": "assistant", "content": None}, Turn("", "")])
def test_a_turn_that_says_nothing_is_still_a_valid_message(dialect, action):
    conversation = Conversation(PROMPT, dialect=dialect)
    conversation.add_turn(action)
    assert_accepted(dialect, conversation.messages)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_items_and_chat_messages_are_translated_between_the_dialects(dialect):
    said = [REASONING, MESSAGE, function_call("a"), function_call("b")]
    message = {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [tool_call("a"), tool_call("b")],
    }
    conversation = Conversation(PROMPT, dialect=dialect)
    conversation.add_turn(message if dialect == "responses" else said)
    expected = {
        "responses": [{"role": "assistant", "content": "I look."}, *said[2:]],
        "chat": [message],
    }
    assert new_messages(conversation) == expected[dialect]
    assert_accepted(dialect, conversation.messages)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("has_result", [True, False])
@pytest.mark.parametrize("form", CUT_TURNS)
def test_a_cut_call_is_replayed_as_valid_json_and_answered_as_cut_off(form, has_result, dialect):
    conversation = Conversation(PROMPT, dialect=dialect)
    conversation.add_turn(CUT_TURNS[form])
    results = [result("a", ok=False, error="Malformed.")] if has_result else []
    conversation.add_reply(*reply(*results))
    messages = new_messages(conversation)
    assert "cut off" in outputs(messages)["a"]
    assert BROKEN not in json.dumps(messages)
    assert '"arguments": "{}"' in json.dumps(messages)
    assert_accepted(dialect, conversation.messages)


def test_a_broken_call_that_was_not_cut_is_answered_by_the_environment():
    conversation = Conversation(PROMPT)
    conversation.add_turn([function_call("a", "{'axis': 1}", status="completed")])
    conversation.add_reply(*reply(result("a", ok=False, error="Malformed.")))
    assert "Malformed." in outputs(new_messages(conversation))["a"]


def test_a_broken_call_without_a_result_is_answered_as_cut_off():
    conversation = Conversation(PROMPT)
    conversation.add_turn([function_call("a", BROKEN), function_call("b")])
    conversation.add_reply(*reply())
    answered = outputs(new_messages(conversation))
    assert "cut off" in answered["a"]
    assert "Not executed" in answered["b"]


def test_a_call_that_ran_is_never_called_cut_off():
    conversation = Conversation(PROMPT)
    conversation.add_turn([function_call("a", status="in_progress")])
    conversation.add_reply(*reply(result("a", note="ran")))
    assert "ran" in outputs(new_messages(conversation))["a"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_nothing_of_a_cut_turn_was_run_and_the_user_does_not_say_so_again(dialect):
    conversation = Conversation(PROMPT, dialect=dialect)
    items = [function_call("a"), function_call("b", BROKEN, status="incomplete")]
    conversation.add_turn(response(*items, status="incomplete"))
    conversation.add_reply(*reply(result("call_1_0", ok=False, error="The reply was cut off.")))
    messages = new_messages(conversation)
    assert ["cut off" in text for text in outputs(messages).values()] == [True, True]
    assert "user" not in kinds(messages)


@pytest.mark.parametrize("arguments", ["", "  ", None])
def test_a_call_without_arguments_is_whole(arguments):
    conversation = Conversation(PROMPT)
    conversation.add_turn([function_call("a", arguments)])
    conversation.add_reply(*reply())
    messages = new_messages(conversation)
    assert messages[0]["arguments"] == "{}"
    assert "Not executed" in outputs(messages)["a"]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", ["", None])
def test_a_call_without_a_name_gets_one_that_no_tool_has(dialect, name):
    conversation = Conversation(PROMPT, dialect=dialect)
    conversation.add_turn([{**function_call("a"), "name": name}])
    assert '"name": "unnamed"' in json.dumps(new_messages(conversation))
    assert_accepted(dialect, conversation.messages)


def test_a_choice_is_read_as_its_message():
    choice = completion({"role": "assistant", "content": "B"})["choices"][0]
    conversation = Conversation(PROMPT, dialect="chat")
    conversation.add_turn(choice)
    assert new_messages(conversation) == [{"role": "assistant", "content": "B"}]


def test_items_beside_chat_messages_are_refused():
    mixed = [function_call("a"), tool_call("b")]
    with pytest.raises(TypeError, match="Expected a list of output items, or of tool calls"):
        Conversation(PROMPT).add_turn(mixed)
