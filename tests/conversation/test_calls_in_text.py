from __future__ import annotations

import json

import pytest

from gym_imagetools.conversation import Conversation
from gym_imagetools.parsing import parse_turn
from gym_imagetools.prompts import replies
from gym_imagetools.types import ToolCall, Turn
from tests.conversation.episodes import PROMPT, data_url, kinds, reply, result
from tests.conversation.openai_types import assert_accepted
from tests.conversation.turns import CALL, DIALECTS, MARKUP, new_messages


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
