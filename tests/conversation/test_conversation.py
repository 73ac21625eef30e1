from __future__ import annotations

import copy
import json
import subprocess
import sys
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openai.types.chat import ChatCompletion, ChatCompletionMessage
from openai.types.responses import Response
from pydantic import ValidationError

from gym_imagetools.conversation import Conversation, restore
from gym_imagetools.conversation.dialects import count_images
from gym_imagetools.parsing import parse_turn
from gym_imagetools.prompts import replies
from gym_imagetools.types import ToolCall, Turn
from tests.conversation.episodes import (
    PROMPT,
    called_ids,
    data_url,
    function_call,
    kinds,
    outputs,
    picture,
    reply,
    result,
    tool_call,
)
from tests.conversation.openai_types import assert_accepted

DIALECTS = ["responses", "chat"]
MARKUP = (
    'I flip it.\n<tool_call>\n{"name": "image_flip_tool", "arguments": {"axis": "vertical"}}\n'
    "</tool_call>"
)
CALL = {"name": "image_flip_tool", "arguments": {"axis": "vertical"}}
MESSAGE = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "I look.", "annotations": []}],
}
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "Zm9v"}


def new_messages(conversation: Conversation) -> list[dict]:
    opening = 1 + sum(1 for _ in PROMPT[1:])
    return conversation.messages[opening:]


def response(*items: dict, status: str = "completed") -> dict:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 0,
        "model": "m",
        "output": list(items),
        "status": status,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def completion(message: dict, finish_reason: str = "stop") -> dict:
    choice = {"index": 0, "finish_reason": finish_reason, "message": message}
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [choice],
    }


# The prompt


def test_the_prompt_opens_the_responses_dialect_as_it_is_with_the_required_detail():
    messages = Conversation(PROMPT, image_detail="low").messages
    expected = copy.deepcopy(PROMPT)
    expected[1]["content"][2]["detail"] = "low"
    assert messages == expected
    assert_accepted("responses", messages)


def test_the_prompt_opens_the_chat_dialect_in_its_parts():
    messages = Conversation(PROMPT, dialect="chat").messages
    assert messages[0] == PROMPT[0]
    assert messages[1]["content"] == [
        {"type": "text", "text": "Which gate? <image> is no picture here."},
        {"type": "image_url", "image_url": {"url": data_url(1), "detail": "high"}},
        {"type": "image_url", "image_url": {"url": data_url(2), "detail": "auto"}},
    ]
    assert_accepted("chat", messages)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_transcript_in_the_prompt_is_kept(dialect):
    prompt = [
        *PROMPT,
        REASONING,
        MESSAGE,
        function_call("call_a"),
        {"type": "function_call_output", "call_id": "call_a", "output": '{"ok": true}'},
        {"role": "assistant", "content": "So?"},
    ]
    messages = Conversation(prompt, dialect=dialect).messages
    assert_accepted(dialect, messages)
    assert outputs(messages) == {"call_a": '{"ok": true}'}
    if dialect == "chat":
        assert messages[2:] == [
            {"role": "assistant", "content": "I look.", "tool_calls": [tool_call("call_a")]},
            {"role": "tool", "tool_call_id": "call_a", "content": '{"ok": true}'},
            {"role": "assistant", "content": "So?"},
        ]


def test_a_content_part_without_a_form_in_chat_is_refused():
    prompt = [{"role": "user", "content": [{"type": "input_file", "file_id": "f"}]}]
    with pytest.raises(ValueError, match="input_file"):
        Conversation(prompt, dialect="chat")


# Calls in text


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_turn_in_text_is_echoed_and_answered_by_one_user_message(dialect):
    conversation = Conversation(PROMPT, dialect=dialect)
    conversation.add_turn(MARKUP)
    text = replies.tool_response('{"ok": true, "new_img_indices": [2]}') + "\nLast turn."
    conversation.add_reply(
        *reply(result("call_1_0", images=(2,)), text=text, notice="Last turn.", greys=(9,))
    )
    said, answer = new_messages(conversation)
    assert said == {"role": "assistant", "content": MARKUP}
    assert answer["role"] == "user"
    assert answer["content"][0]["text"] == text
    assert len(answer["content"]) == 2
    assert data_url(9) in json.dumps(answer["content"][1])
    assert conversation.num_images == 3
    assert_accepted(dialect, conversation.messages)


def test_an_answer_without_pictures_is_plain_text():
    conversation = Conversation(PROMPT)
    conversation.add_turn("<tool_call>broken")
    conversation.add_reply(*reply(result("call_1_0", ok=False), text="Malformed."))
    assert new_messages(conversation)[1] == {"role": "user", "content": "Malformed."}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_nothing_is_added_where_the_environment_says_nothing(dialect):
    conversation = Conversation(PROMPT, dialect=dialect)
    conversation.add_turn(r"\boxed{B}")
    conversation.add_reply(*reply())
    assert kinds(new_messages(conversation)) == ["assistant"]


@pytest.mark.parametrize("action", [CALL, Turn("", "", (ToolCall(**CALL),))])
def test_a_call_without_an_id_is_written_as_text_that_reads_back(action):
    conversation = Conversation(PROMPT)
    conversation.add_turn(action)
    (said,) = new_messages(conversation)
    (call,) = parse_turn(said["content"]).calls
    assert (call.name, call.arguments) == (CALL["name"], CALL["arguments"])


def test_no_argument_ends_the_block_of_a_call_written_as_text():
    label = "</tool_call><image>&amp;"
    conversation = Conversation(PROMPT)
    conversation.add_turn({"name": "image_flip_tool", "arguments": {"label": label}})
    (said,) = new_messages(conversation)
    (call,) = parse_turn(said["content"]).calls
    assert call.arguments == {"label": label}


def test_a_turn_read_from_text_is_echoed_as_that_text():
    conversation = Conversation(PROMPT)
    conversation.add_turn(parse_turn(MARKUP))
    assert new_messages(conversation) == [{"role": "assistant", "content": MARKUP}]


# Native calls


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


NATIVE_TURNS = {
    "items": [function_call("call_a"), function_call("call_b")],
    "tool calls": [tool_call("call_a"), tool_call("call_b")],
    "response": Response.model_validate(response(function_call("call_a"), function_call("call_b"))),
    "response dump": Response.model_validate(
        response(function_call("call_a"), function_call("call_b"))
    ).model_dump(),
    "chat message": ChatCompletionMessage.model_validate(
        {"role": "assistant", "tool_calls": [tool_call("call_a"), tool_call("call_b")]}
    ),
    "chat dump": ChatCompletionMessage.model_validate(
        {"role": "assistant", "tool_calls": [tool_call("call_a"), tool_call("call_b")]}
    ).model_dump(),
    "completion": ChatCompletion.model_validate(
        completion({"role": "assistant", "tool_calls": [tool_call("call_a"), tool_call("call_b")]})
    ),
    "turn": Turn("", "", (ToolCall(**CALL, call_id="call_a"), ToolCall(**CALL, call_id="call_b"))),
}


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


# The echo


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


# Cut and broken calls

BROKEN = '{"bbox_2d":[10,20'
CUT_TURNS = {
    "incomplete item": [function_call("a", BROKEN, status="incomplete")],
    "incomplete response": response(function_call("a", BROKEN), status="incomplete"),
    "completion at its length": completion(
        {"role": "assistant", "content": None, "tool_calls": [tool_call("a", BROKEN)]}, "length"
    ),
}


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


# Placeholders

TOKENS = ["<image>", "<|image_pad|>", "<|vision_start|>", "</tool_response>", "<|im_end|>"]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize(
    "turn_of",
    [
        lambda token: f"See {token}",
        lambda token: [{**MESSAGE, "content": [{"type": "output_text", "text": token}]}],
        lambda token: [function_call("a", json.dumps({"label": token}))],
        lambda token: {"role": "assistant", "content": token, "reasoning_content": token},
        lambda token: {"role": "assistant", "content": [{"type": "text", "text": token}]},
        lambda token: {"role": "assistant", "tool_calls": [tool_call("a", f'{{"{token}": 1}}')]},
        lambda token: Turn(token, token, (ToolCall(token, {"x": token}, call_id="a"),)),
        lambda token: [
            {
                **REASONING,
                "content": [{"type": "reasoning_text", "text": token}],
            }
        ],
    ],
)
def test_no_placeholder_that_the_model_wrote_is_sent_live(turn_of, token, dialect):
    conversation = Conversation(PROMPT, dialect=dialect)
    conversation.add_turn(turn_of(token))
    assert token not in json.dumps(new_messages(conversation))


def test_defused_text_can_be_restored():
    conversation = Conversation(PROMPT)
    conversation.add_turn("See <|image_pad|>.")
    assert restore(new_messages(conversation)[0]["content"]) == "See <|image_pad|>."


def test_placeholders_are_sent_as_they_are_when_asked():
    conversation = Conversation(PROMPT, defuse_placeholders=False)
    conversation.add_turn(["".join(TOKENS)][0])
    conversation.add_reply(*reply(text="".join(TOKENS)))
    assert [message["content"] for message in new_messages(conversation)] == ["".join(TOKENS)] * 2


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("token", TOKENS)
def test_no_placeholder_that_a_tool_wrote_is_sent_live(dialect, token):
    conversation = Conversation(PROMPT, dialect=dialect)
    conversation.add_turn([function_call("a")])
    listed = [{"image_url": data_url(7), "label": token}]
    conversation.add_reply(*reply(result("a", label=token, tool_output_images=listed)))
    assert token not in json.dumps(new_messages(conversation))


def test_the_environment_keeps_its_own_tags_and_only_those():
    conversation = Conversation(PROMPT)
    conversation.add_turn(MARKUP)
    conversation.add_reply(*reply(text=replies.tool_response("a <image>")))
    answer = new_messages(conversation)[1]["content"]
    assert answer == "<tool_response>\na <~image>\n</tool_response>"


# Pictures that a tool lists


def listed_reply(**fields):
    listed = [{"image_url": data_url(7), "label": "Left <b>"}, {"image_url": data_url(8)}]
    return result("call_1_0", tool_output_images=listed, **fields)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("action", [MARKUP, [function_call("call_1_0")]])
def test_listed_pictures_leave_the_text_and_are_shown_with_their_labels(dialect, action):
    entry = listed_reply(note="</tool_response>")
    conversation = Conversation(PROMPT, dialect=dialect)
    conversation.add_turn(action)
    conversation.add_reply(*reply(entry, text=replies.tool_response(entry["output"]), notice="N"))
    messages = new_messages(conversation)
    parts = messages[-1]["content"]
    texts = [part.get("text") for part in parts]
    assert texts[-3:] == ["Left <b>", None, None]
    assert data_url(7) in json.dumps(parts[-2])
    assert data_url(8) in json.dumps(parts[-1])
    assert conversation.num_images == 4
    everything = json.dumps(messages)
    assert "tool_output_images" not in everything
    assert everything.count("</tool_response>") == (action == MARKUP)
    assert everything.count("base64") == 2
    assert_accepted(dialect, conversation.messages)


@pytest.mark.parametrize("action", [MARKUP, [function_call("call_1_0")]])
def test_a_reply_with_listed_pictures_passes_as_text_when_asked(action):
    entry = listed_reply()
    conversation = Conversation(PROMPT, tool_output_images="text")
    conversation.add_turn(action)
    conversation.add_reply(*reply(entry, text=replies.tool_response(entry["output"])))
    answer = new_messages(conversation)[1]
    assert entry["output"] in answer.get("output", answer.get("content"))
    assert conversation.num_images == 2


def test_listed_pictures_go_into_the_output_for_the_tool_role():
    conversation = Conversation(PROMPT, image_role="tool")
    conversation.add_turn([function_call("call_1_0")])
    conversation.add_reply(*reply(listed_reply()))
    parts = outputs(new_messages(conversation))["call_1_0"]
    assert [part["type"] for part in parts] == [
        "input_text",
        "input_text",
        "input_image",
        "input_image",
    ]
    assert_accepted("responses", conversation.messages)


def test_a_malformed_list_of_pictures_is_an_error_of_the_tool_and_changes_nothing():
    conversation = Conversation(PROMPT)
    conversation.add_turn([function_call("a")])
    before = conversation.messages
    with pytest.raises(ValidationError):
        conversation.add_reply(*reply(result("a", tool_output_images=[{"image_url": "x"}])))
    assert conversation.messages == before


# Bounds, encodings, order, purity


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_long_text_is_cut_with_a_visible_mark(dialect):
    conversation = Conversation(PROMPT, dialect=dialect, max_echo_chars=10)
    conversation.add_turn("a" * 1000 + "z")
    (said,) = new_messages(conversation)
    assert said["content"] == "aaaaa\n[... 991 characters cut ...]\naaaaz"


@pytest.mark.parametrize(
    ("image_format", "media_type"),
    [("png", "image/png"), ("jpeg", "image/jpeg"), ("webp", "image/webp")],
)
def test_arrays_are_encoded_in_the_chosen_format(image_format, media_type):
    conversation = Conversation(PROMPT, image_format=image_format)
    conversation.add_turn(MARKUP)
    conversation.add_reply(*reply(text="t", greys=(9,)))
    url = new_messages(conversation)[1]["content"][1]["image_url"]
    assert url.startswith(f"data:{media_type};base64,")


def test_urls_that_are_encoded_already_are_used_and_must_be_one_a_picture():
    conversation = Conversation(PROMPT)
    conversation.add_turn(MARKUP)
    with pytest.raises(ValueError, match="one URL for each of 1 pictures, got 2"):
        conversation.add_reply(*reply(text="t", greys=(9,)), image_urls=["a", "b"])
    conversation.add_reply(*reply(text="t", greys=(9,)), image_urls=["data:image/png;base64,A"])
    assert new_messages(conversation)[1]["content"][1]["image_url"] == "data:image/png;base64,A"


@pytest.mark.parametrize("detail", ["auto", "low", "high", "original"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_pictures_are_sent_with_the_chosen_detail(dialect, detail):
    conversation = Conversation(PROMPT, dialect=dialect, image_detail=detail)
    conversation.add_turn(MARKUP)
    conversation.add_reply(*reply(text="t", greys=(9,)))
    assert f'"detail": "{detail}"' in json.dumps(new_messages(conversation))
    assert_accepted(dialect, conversation.messages)


@pytest.mark.parametrize(
    "keyword",
    ["dialect", "tool_calls", "image_role", "tool_output_images", "image_detail", "image_format"],
)
def test_an_unknown_value_is_refused_by_name(keyword):
    with pytest.raises(ValueError, match=f"Expected {keyword} .*'odd'"):
        Conversation(PROMPT, **{keyword: "odd"})


def test_a_bound_below_one_is_refused():
    with pytest.raises(ValueError, match="max_echo_chars >= 1, got 0"):
        Conversation(PROMPT, max_echo_chars=0)


def test_turns_and_replies_alternate():
    conversation = Conversation(PROMPT)
    with pytest.raises(ValueError, match=r"add_turn\(\) before"):
        conversation.add_reply(*reply())
    conversation.add_turn([function_call("a")])
    with pytest.raises(ValueError, match=r"add_reply\(\) for the calls"):
        conversation.add_turn("again")


@pytest.mark.parametrize("action", [None, 7, b"text", [1], ["text"], object()])
def test_what_is_no_turn_is_a_type_error(action):
    with pytest.raises(TypeError, match="Expected"):
        Conversation(PROMPT).add_turn(action)


@pytest.mark.parametrize("role", ["user", "system", "tool", "developer"])
def test_only_the_assistant_can_speak_in_a_turn(role):
    with pytest.raises(ValueError, match=role):
        Conversation(PROMPT).add_turn({"role": role, "content": "Hello."})


def test_a_turn_cannot_bring_pictures():
    shown = {"type": "input_image", "image_url": data_url(3), "detail": "auto"}
    with pytest.raises(ValueError, match="without pictures"):
        Conversation(PROMPT).add_turn({"role": "assistant", "content": [shown]})


@pytest.mark.parametrize("dialect", DIALECTS)
def test_inputs_are_not_changed_and_messages_are_fresh(dialect):
    prompt = copy.deepcopy(PROMPT)
    turn = response(REASONING, {"type": "function_call", **CALL, "arguments": BROKEN})
    observation, info = reply(listed_reply(), notice="N", text="t", greys=(9,))
    before = copy.deepcopy((prompt, turn, info))
    conversation = Conversation(prompt, dialect=dialect)
    conversation.add_turn(turn)
    conversation.add_reply(observation, info)
    assert (prompt, turn, info) == before
    assert (observation["images"][0] == picture(9)).all()
    for message in conversation.messages:
        message.clear()
    assert all(conversation.messages)


def test_messages_are_only_ever_appended():
    conversation = Conversation(PROMPT, dialect="chat")
    seen = conversation.messages
    for turn in (MARKUP, [function_call("a")], r"\boxed{B}"):
        conversation.add_turn(turn)
        conversation.add_reply(*reply(result("a", images=(2,)), text="t", notice="n", greys=(9,)))
        assert conversation.messages[: len(seen)] == seen
        seen = conversation.messages


def test_no_client_is_imported():
    code = "import sys, gym_imagetools.conversation; sys.exit('openai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


OPTIONS = list(
    product(DIALECTS, ["text", "native"], ["user", "tool"], ["pictures", "text"], [True, False])
)
turns = st.sampled_from(
    [
        MARKUP,
        CALL,
        *NATIVE_TURNS.values(),
        *CUT_TURNS.values(),
        [REASONING, MESSAGE],
        "B",
        "<image>",
    ]
) | st.text(max_size=20)


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(map(str, options)))
@settings(max_examples=15)
@given(data=st.data())
def test_in_every_setting_messages_are_accepted_and_pictures_are_counted(options, data):
    dialect, tool_calls, image_role, listed, defuses = options
    conversation = Conversation(
        PROMPT,
        dialect=dialect,
        tool_calls=tool_calls,
        image_role=image_role,
        tool_output_images=listed,
        defuse_placeholders=defuses,
    )
    num_shown = 2
    for action in data.draw(st.lists(turns, max_size=3)):
        conversation.add_turn(action)
        greys = data.draw(st.sampled_from([(), (9,), (8, 9)]))
        entries = data.draw(
            st.sampled_from(
                [(), (result("call_a", images=(2,)),), (result("call_b"), listed_reply())]
            )
        )
        conversation.add_reply(*reply(*entries, text="t", notice="n", greys=greys))
        num_shown += len(greys) + 2 * (listed == "pictures" and len(entries) == 2)
    assert conversation.num_images == count_images(conversation.messages) == num_shown
    if (dialect, image_role) != ("chat", "tool"):
        assert_accepted(dialect, conversation.messages)


junk = st.recursive(
    st.none() | st.integers(0, 9) | st.sampled_from(["", "a", BROKEN, "assistant", "incomplete"]),
    lambda parts: (
        st.lists(parts, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                "role content tool_calls function custom name arguments call_id id status text "
                "refusal output choices message input summary".split()
            ),
            parts,
            max_size=5,
        )
        | st.builds(
            lambda kind, item: {"type": kind, **item},
            st.sampled_from(["message", "function_call", "custom_tool_call", "reasoning", "text"]),
            st.dictionaries(st.sampled_from(["role", "content", "name", "call_id"]), parts),
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("tool_calls", ["text", "native"])
@pytest.mark.parametrize("dialect", DIALECTS)
@given(action=junk)
def test_a_junk_reply_of_a_server_is_refused_clearly_or_answered(dialect, tool_calls, action):
    conversation = Conversation(PROMPT, dialect=dialect, tool_calls=tool_calls)
    try:
        conversation.add_turn(action)
    except (TypeError, ValueError) as error:
        assert str(error).startswith("Expected")
        return
    conversation.add_reply(*reply(result("call_1_0"), text="t", notice="n"))
    messages = conversation.messages
    json.dumps(messages, allow_nan=False).encode()
    assert called_ids(messages) == list(outputs(messages))
