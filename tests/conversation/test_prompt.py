from __future__ import annotations

import copy

import pytest

from gym_imagetools.conversation import Conversation
from tests.conversation.episodes import PROMPT, data_url, function_call, outputs, tool_call
from tests.conversation.openai_types import assert_accepted
from tests.conversation.turns import DIALECTS, MESSAGE, REASONING


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
