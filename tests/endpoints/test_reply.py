import pytest

from gym_imagetools.endpoints.reply import read_reply, with_stop
from gym_imagetools.parsing import parse_turn

OPEN = "<tool_call>\n<function=f>\n</function>\n"


@pytest.mark.parametrize("text", [OPEN, "see <tool_call> </tool_call> " + OPEN])
def test_a_trimmed_stop_string_is_put_back(text):
    assert with_stop(text) == text + "</tool_call>"


@pytest.mark.parametrize("text", ["", "B", OPEN + "</tool_call>", "a </tool_call> b"])
def test_a_text_without_an_open_call_is_left_alone(text):
    assert with_stop(text) == text


def chat(message, reason="stop", **more):
    choice = {"message": {"role": "assistant", **message}, "finish_reason": reason}
    return read_reply({"choices": [choice], **more}, "chat")


def test_a_text_that_the_token_limit_cut_gets_no_stop_string():
    reply = chat({"content": OPEN}, "length")
    assert reply.action["message"]["content"] == OPEN
    assert reply.incomplete == "max_output_tokens"


def test_a_filtered_reply_is_cut_with_its_reason():
    assert chat({"content": "a"}, "content_filter").incomplete == "content_filter"


@pytest.mark.parametrize("content", ["\\boxed{7}", "", None])
def test_a_message_that_ends_with_a_refusal_is_one_whatever_it_says(content):
    reply = chat({"content": content}, "refusal")
    turn = parse_turn(reply.action)
    assert (reply.is_refusal, turn.refused, turn.is_answer) == (True, True, True)
    assert turn.text == (content or "refused")


def test_a_filtered_reply_counts_as_a_refusal():
    details = {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}
    assert chat({"content": "a"}, "content_filter").is_refusal
    assert read_reply({**details, "output": []}, "responses").is_refusal
    assert not chat({"content": "a"}, "length").is_refusal


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_the_reasoning_of_a_chat_reply_is_kept(field):
    assert chat({"content": "B", field: "hm"}).reasoning == "hm"


def test_the_reasoning_of_a_response_is_kept():
    items = [
        {"type": "reasoning", "id": "r1", "summary": [{"type": "summary_text", "text": "short"}]},
        {
            "type": "reasoning",
            "id": "r2",
            "summary": [],
            "content": [{"type": "reasoning_text", "text": "long"}],
        },
    ]
    reply = read_reply({"status": "completed", "output": items}, "responses")
    assert reply.reasoning == "short\nlong"
    assert reply.action["output"] == items


def test_what_the_reply_came_in_is_not_changed():
    part = {"type": "output_text", "text": OPEN}
    dump = {"status": "completed", "output": [{"type": "message", "content": [part]}]}
    reply = read_reply(dump, "responses")
    assert reply.action["output"][0]["content"][0]["text"] == OPEN + "</tool_call>"
    assert part["text"] == OPEN


@pytest.mark.parametrize(
    "dump",
    [None, "text", [], {}, {"choices": []}, {"choices": [{}]}, {"choices": [{"message": None}]}],
)
def test_what_is_no_chat_completion_is_told(dump):
    with pytest.raises(ValueError, match="Expected"):
        read_reply(dump, "chat")


@pytest.mark.parametrize(
    "dump",
    [None, "text", {}, {"output": None}, {"output": ["a"]}, {"output": [], "status": "failed"}],
)
def test_what_is_no_response_is_told(dump):
    with pytest.raises(ValueError, match="Expected"):
        read_reply(dump, "responses")
