"""Requests: messages, tools and sampling as the keyword arguments of the client's methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from gym_imagetools.endpoints.profile import ServerProfile
from gym_imagetools.types import Message

Api = Literal["responses", "chat"]

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
    """Return the keyword arguments of ``responses.create`` or ``chat.completions.create``.

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
    request = build(profile, sampling, bool(tools), capture_tokens)
    extra_body = {**request.pop("extra_body"), **sampling.extra_body}
    if tools:
        request["tools"] = [_chat_tool(tool) if api == "chat" else dict(tool) for tool in tools]
    request |= {"model": model, "messages" if api == "chat" else "input": list(messages)}
    return {**_given(request), **({"extra_body": extra_body} if extra_body else {})}


def _chat(
    profile: ServerProfile, sampling: Sampling, is_native: bool, capture: bool
) -> dict[str, Any]:
    stops = profile.chat_stop and not is_native
    return {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        profile.chat_max_tokens: sampling.max_output_tokens,
        "seed": sampling.seed if profile.chat_seed else None,
        "stop": [STOP] if stops else None,
        "extra_body": {
            **(profile.keep_stop if stops else {}),
            **(profile.capture if capture else {}),
        },
    }


def _responses(
    profile: ServerProfile, sampling: Sampling, is_native: bool, capture: bool
) -> dict[str, Any]:
    extra = dict(profile.responses_extra)
    if profile.responses_stop and not is_native:
        extra |= {"stop": [STOP], **profile.keep_stop}
    if profile.responses_seed and sampling.seed is not None:
        extra["seed"] = sampling.seed
    stateless = {"store": False, "include": ["reasoning.encrypted_content"]}
    return {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "max_output_tokens": sampling.max_output_tokens,
        **(stateless if profile.keeps_state else {}),
        "extra_body": extra,
    }


def _chat_tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    function = {key: value for key, value in tool.items() if key != "type"}
    return {"type": "function", "function": function}


def _given(request: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in request.items() if value is not None}
