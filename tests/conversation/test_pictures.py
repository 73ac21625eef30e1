from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from gym_imagetools.conversation import Conversation
from gym_imagetools.prompts import replies
from tests.conversation.episodes import PROMPT, data_url, function_call, outputs, reply, result
from tests.conversation.openai_types import assert_accepted
from tests.conversation.turns import DIALECTS, MARKUP, listed_reply, new_messages


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
