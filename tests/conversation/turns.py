"""Assistant turns in their forms, and a reply that lists pictures."""

from __future__ import annotations

from openai.types.chat import ChatCompletion, ChatCompletionMessage
from openai.types.responses import Response

from gym_imagetools.conversation import Conversation
from gym_imagetools.types import ToolCall, Turn
from tests.conversation.episodes import PROMPT, data_url, function_call, result, tool_call

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
    return conversation.messages[len(PROMPT) :]


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


BROKEN = '{"bbox_2d":[10,20'
CUT_TURNS = {
    "incomplete item": [function_call("a", BROKEN, status="incomplete")],
    "incomplete response": response(function_call("a", BROKEN), status="incomplete"),
    "completion at its length": completion(
        {"role": "assistant", "content": None, "tool_calls": [tool_call("a", BROKEN)]}, "length"
    ),
}


def listed_reply(**fields):
    listed = [{"image_url": data_url(7), "label": "Left <b>"}, {"image_url": data_url(8)}]
    return result("call_1_0", tool_output_images=listed, **fields)
