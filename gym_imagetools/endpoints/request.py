"""Requests: messages, tools and sampling as the body that one of the two APIs takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gym_imagetools.endpoints.profile import Api, ServerProfile
from gym_imagetools.types import Message

STOP = "</tool_call>"
"""Ends the text of a turn that calls a tool."""


@dataclass(frozen=True)
class Sampling:
    """How a model samples.

    Attributes:
        temperature: >= 0; None leaves it to the server.
        top_p: 0..1; None leaves it to the server.
        max_output_tokens: The longest reply in tokens; None leaves it to the server.
        seed: Seeds the sampling where the server takes a seed; None for none.
        extra_body: Further keys of every request, as they are.
    """

    temperature: float | None = None
    top_p: float | None = None
    max_output_tokens: int | None = None
    seed: int | None = None
    extra_body: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.temperature is not None and self.temperature < 0:
            raise ValueError(f"Expected temperature >= 0, got {self.temperature!r}.")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise ValueError(f"Expected top_p above 0 and up to 1, got {self.top_p!r}.")
        if self.max_output_tokens is not None and self.max_output_tokens < 1:
            raise ValueError(f"Expected max_output_tokens >= 1, got {self.max_output_tokens!r}.")


def build_request(
    messages: Sequence[Message],
    tools: Sequence[Mapping[str, Any]],
    *,
    model: str,
    api: Api,
    profile: ServerProfile,
    sampling: Sampling,
    capture_tokens: bool = False,
) -> dict[str, Any]:
    """Return the JSON body of a request.

    Args:
        messages: Input items of Responses or messages of Chat Completions.
        tools: Function tools in the form of Responses, for native calls; without any, calls are
            text and the reply stops behind one.
        model: The name of the model.
        api: Which of the two APIs.
        profile: What the server takes.
        sampling: How the model samples.
        capture_tokens: Whether token ids and log-probabilities are asked for, where there are.
    """
    build = _chat if api == "chat" else _responses
    body = {
        "model": model,
        # The default of one server is to stream.
        "stream": False,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        **build(messages, tools, profile, sampling, capture_tokens),
    }
    return {**_given(body), **sampling.extra_body}


def _chat(
    messages: Sequence[Message],
    tools: Sequence[Mapping[str, Any]],
    profile: ServerProfile,
    sampling: Sampling,
    capture: bool,
) -> dict[str, Any]:
    stops = profile.chat_stop and not tools
    return {
        "messages": list(messages),
        "tools": [_chat_tool(tool) for tool in tools] or None,
        profile.chat_max_tokens: sampling.max_output_tokens,
        "seed": sampling.seed if profile.chat_seed else None,
        **({"stop": [STOP], **profile.keep_stop} if stops else {}),
        **(profile.capture if capture else {}),
    }


def _responses(
    messages: Sequence[Message],
    tools: Sequence[Mapping[str, Any]],
    profile: ServerProfile,
    sampling: Sampling,
    capture: bool,
) -> dict[str, Any]:
    stops = profile.responses_stop and not tools
    stateless = {"store": False, "include": ["reasoning.encrypted_content"]}
    return {
        "input": list(messages),
        "tools": [dict(tool) for tool in tools] or None,
        "max_output_tokens": sampling.max_output_tokens,
        "seed": sampling.seed if profile.responses_seed else None,
        **({"stop": [STOP], **profile.keep_stop} if stops else {}),
        **(stateless if profile.keeps_state else {}),
    }


def _chat_tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    function = {key: value for key, value in tool.items() if key != "type"}
    return {"type": "function", "function": function}


def _given(body: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in body.items() if value is not None}
