"""The system prompt: how to look at pictures with tools, and how to call them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from gym_imagetools.types import Message

PromptFormat = Literal["xml", "json", "native"]
"""How tools are described and called: markup with XML or JSON inside, or an API's own calls."""

_INTRODUCTION = (
    "You answer a question about one or more pictures.\n\n"
    "You may look closer with image tools first. Pictures are counted from 0: the pictures of "
    "the question come first, then every picture that a tool makes. Coordinates are thousandths "
    "of the picture, from 0 to 1000, from its top left corner: x to the right, y down. A picture "
    "may be shown to you smaller than it is; the tools work on it at full size.\n\n"
    "Call a tool only when it shows you something you need and have not seen. After each call "
    "read the result before you go on. When you know the answer, give it without a tool call, "
    "the final answer alone in \\boxed{}."
)

_XML_FORMAT = """To call a tool, end your turn with one block of this form,
each parameter in a tag of its own:

<tool_call>
<function=image_zoom_in_tool>
<parameter=bbox_2d>
[250, 250, 750, 750]
</parameter>
<parameter=img_idx>
0
</parameter>
</function>
</tool_call>"""

_JSON_FORMAT = """To call a tool, end your turn with one block of this form:

<tool_call>
{"name": "image_zoom_in_tool", "arguments": {"bbox_2d": [250, 250, 750, 750], "img_idx": 0}}
</tool_call>"""

_FORMATS = {"xml": _XML_FORMAT, "json": _JSON_FORMAT}


def system_prompt(tools: Sequence[Mapping[str, Any]], prompt_format: PromptFormat) -> str:
    """Return the system prompt.

    Args:
        tools: The function tools, as OpenAI's Responses dialect lists them.
        prompt_format: ``xml`` and ``json`` describe the tools in the prompt; with ``native``
            the caller passes them to the API.
    """
    if prompt_format == "native":
        return _INTRODUCTION
    described = "\n".join(json.dumps(_description(tool)) for tool in tools)
    return (
        f"{_INTRODUCTION}\n\nThe tools, with the JSON schema of their parameters:\n\n"
        f"<tools>\n{described}\n</tools>\n\n{_FORMATS[prompt_format]}"
    )


def _description(tool: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tool[key] for key in ("name", "description", "parameters")}


def opening_messages(
    messages: Sequence[Message],
    tools: Sequence[Mapping[str, Any]],
    prompt_format: PromptFormat,
) -> list[Message]:
    """Return the messages that open an episode, with a system prompt before them.

    A data row that brings its own system or developer message keeps it as it is.

    Args:
        messages: The messages of the task.
        tools: The function tools.
        prompt_format: How the tools are described.
    """
    if any(message.get("role") in ("system", "developer") for message in messages):
        return list(messages)
    system = {"role": "system", "content": system_prompt(tools, prompt_format)}
    return [system, *messages]
