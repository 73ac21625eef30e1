"""Prompts, turns and answers of an environment, as tests of the conversation need them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from gym_imagetools.images.data_url import encode_data_url
from gym_imagetools.images.encode import encode


def picture(value: int, width: int = 6, height: int = 4) -> np.ndarray:
    """A picture of one grey."""
    return np.full((height, width, 3), value, np.uint8)


def data_url(value: int) -> str:
    """The PNG of a grey picture as a data URL."""
    return encode_data_url(encode(picture(value), "png"), "image/png")


PROMPT = [
    {"role": "system", "content": "You may call tools."},
    {
        "role": "user",
        "content": [
            {"type": "input_text", "text": "Which gate? <image> is no picture here."},
            {"type": "input_image", "image_url": data_url(1), "detail": "high"},
            {"type": "input_image", "image_url": data_url(2)},
        ],
    },
]


def function_call(call_id: str, arguments: str = '{"axis": "vertical"}', **fields: Any) -> dict:
    """An output item of the Responses dialect."""
    name = "image_flip_tool"
    item = {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments}
    return {**item, **fields}


def tool_call(call_id: str, arguments: str = '{"axis": "vertical"}') -> dict:
    """A call of a chat message."""
    function = {"name": "image_flip_tool", "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function}


def result(call_id: str, *, ok: bool = True, images: tuple[int, ...] = (), **fields: Any) -> dict:
    """An entry of ``info["tool_results"]``."""
    reply = {"ok": ok, "new_img_indices": list(images), **fields}
    return {
        "call_id": call_id,
        "name": "image_flip_tool",
        "arguments": {},
        "ok": ok,
        "duplicate": "",
        "output": json.dumps(reply),
    }


def reply(
    *results: dict, text: str = "", notice: str = "", greys: tuple[int, ...] = ()
) -> tuple[dict, dict]:
    """An observation and an info."""
    observation = {"text": text, "images": tuple(picture(grey) for grey in greys)}
    info = {"tool_results": list(results), "notice": notice, "turn": 1}
    return observation, info


def outputs(messages: list[dict]) -> dict[str, Any]:
    """What each native call was answered, by its id."""
    answered = {}
    for message in messages:
        if str(message.get("type")).endswith("_output"):
            answered[message["call_id"]] = message["output"]
        elif message.get("role") == "tool":
            answered[message["tool_call_id"]] = message["content"]
    return answered


def called_ids(messages: list[dict]) -> list[str]:
    """The ids of the native calls, each once, in their order."""
    ids = []
    for message in messages:
        if message.get("type") in ("function_call", "custom_tool_call"):
            ids.append(message["call_id"])
        ids += [call["id"] for call in message.get("tool_calls", ())]
    return list(dict.fromkeys(ids))


def kinds(messages: list[dict]) -> list[str]:
    """The role or type of each message."""
    return [message.get("role") or message["type"] for message in messages]
