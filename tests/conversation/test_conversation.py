from __future__ import annotations

import copy
import json
import subprocess
import sys

import pytest

from gym_imagetools.conversation import Conversation
from tests.conversation.episodes import PROMPT, data_url, function_call, picture, reply, result
from tests.conversation.openai_types import assert_accepted
from tests.conversation.turns import (
    BROKEN,
    CALL,
    DIALECTS,
    MARKUP,
    REASONING,
    listed_reply,
    new_messages,
    response,
)


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
