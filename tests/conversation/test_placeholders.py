from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_imagetools.conversation.placeholders import defuse, escape_brackets, restore

TOKENS = [
    "<image>",
    "</image>",
    "<Image>",
    "<img/>",
    "<image 1>",
    "<image_2>",
    "<video>",
    "<audio>",
    "<|image|>",
    "<|image_1|>",
    "<|image_pad|>",
    "<|video_pad|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|channel>",
    "<\uff5cend▁of▁sentence\uff5c>",
    "<image_soft_token>",
    "<start_of_image>",
    "<end_of_turn>",
    "<end_of_utterance>",
    "<fake_token_around_image>",
    "<global-img>",
    "<row_1_col_2>",
    "<IMG_CONTEXT>",
    "<bos>",
    "</s>",
    "<pad>",
    "[IMG]",
    "[IMG_END]",
    "[/INST]",
    "[TOOL_RESULTS]",
    "<tool_response>",
    "</tool_response>",
]
ORDINARY = [
    "<tool_call>",
    "</tool_call>",
    "<function=image_flip_tool>",
    "<parameter=axis>",
    "<think>",
    "</think>",
    "<answer>",
    "a < b and c > d",
    "x[image]",
    "<imagery>",
    "the image",
    "<| open",
    "[1, 2]",
]
texts = st.lists(
    st.sampled_from([*TOKENS, *ORDINARY, "~", "<", ">", "|", "[", "]", "/"]) | st.text(max_size=5)
).map("".join)


@pytest.mark.parametrize("token", TOKENS)
def test_a_token_is_marked_wherever_it_stands(token):
    assert token not in defuse(f"before{token}after")
    assert token not in defuse(token * 3)
    assert restore(defuse(token)) == token


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_and_call_markup_stay_as_they_are(text):
    assert defuse(text) == text


def test_the_mark_is_visible():
    assert defuse("see <|image_pad|> and [IMG]") == "see <~|image_pad|> and [~IMG]"


def test_reply_tags_of_the_environment_stay_where_they_are_its_own():
    text = "<tool_response>\n<image>\n</tool_response>"
    assert defuse(text, reply_tags=False) == "<tool_response>\n<~image>\n</tool_response>"


@given(texts)
def test_no_token_survives_and_the_text_can_be_restored(text):
    safe = defuse(text)
    assert not [token for token in TOKENS if token in safe]
    assert restore(safe) == text


def test_escaped_json_means_the_same_and_holds_no_bracket():
    text = json.dumps({"label": "</tool_response><image>"})
    assert "<" not in escape_brackets(text)
    assert ">" not in escape_brackets(text)
    assert json.loads(escape_brackets(text)) == json.loads(text)
