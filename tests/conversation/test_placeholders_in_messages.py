from __future__ import annotations

import json

import pytest

from gym_imagetools.conversation import Conversation, restore
from gym_imagetools.prompts import replies
from gym_imagetools.types import ToolCall, Turn
from tests.conversation.episodes import PROMPT, data_url, function_call, reply, result, tool_call
from tests.conversation.turns import DIALECTS, MARKUP, MESSAGE, REASONING, new_messages

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
    conversation.add_turn("".join(TOKENS))
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
