"""What four servers accept, list and do: the facts that the scripted server goes by.

As read in vLLM and SGLang, tried with ``transformers serve`` 5.24, and as OpenAI documents it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_CHAT = {
    "model", "messages", "stream", "temperature", "top_p", "stop", "tools", "tool_choice", "seed",
    "max_completion_tokens", "logprobs", "top_logprobs", "n", "parallel_tool_calls", "store",
    "reasoning_effort",
}  # fmt: skip
_RESPONSES = {
    "model", "input", "stream", "temperature", "top_p", "tools", "tool_choice", "store", "include",
    "max_output_tokens", "parallel_tool_calls", "reasoning", "metadata", "instructions",
}  # fmt: skip


class Refusal(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: int, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code


@dataclass(frozen=True)
class Manners:
    """The manners of one server."""

    owner: str = ""
    known: Mapping[str, set[str]] = field(default_factory=dict)
    """The keys of each API; empty where unknown ones are passed over."""

    unknown_status: int = 400
    keep_key: str = ""
    stop_key: str = ""
    tool_pictures: tuple[str, ...] = ()
    streams_by_default: tuple[str, ...] = ()
    fails_on_stop: bool = False

    def models(self, model: str) -> list[dict[str, Any]]:
        if not self.owner:
            return []
        return [{"id": model, "object": "model", "created": 1, "owned_by": self.owner}]

    def keeps(self, body: Mapping[str, Any]) -> bool:
        return bool(self.keep_key and body.get(self.keep_key))

    def matched(self, stop: str) -> dict[str, Any]:
        return {self.stop_key: stop} if self.stop_key else {}

    def streams(self, body: Mapping[str, Any], api: str) -> bool:
        return bool(body.get("stream", api in self.streams_by_default))

    def check(self, body: Mapping[str, Any], api: str) -> None:
        """Refuse what the server refuses.

        Raises:
            Refusal: As the server would.
        """
        known = self.known.get(api)
        if known and (unknown := sorted(set(body) - known)):
            raise Refusal(self.unknown_status, f"Unknown parameter: {unknown}")
        if self.fails_on_stop and "stop" in body:
            raise Refusal(500, "processor has no attribute get_vocab")
        messages = body["messages" if api == "chat" else "input"]
        (_check_chat if api == "chat" else _check_items)(messages, api in self.tool_pictures)


def _check_chat(messages: list[Mapping[str, Any]], takes_pictures: bool) -> None:
    waiting: list[str] = []
    for message in messages:
        role = message["role"]
        if waiting and role != "tool":
            raise Refusal(400, f"tool_calls must be followed by tool messages: {waiting}")
        if role == "tool":
            if message["tool_call_id"] not in waiting:
                raise Refusal(400, f"tool message answers no call: {message['tool_call_id']}")
            waiting.remove(message["tool_call_id"])
            if not takes_pictures and _has(message["content"], "image_url"):
                raise Refusal(400, "tool message content only supports text")
        if role == "assistant":
            if message.get("content") is None and not (
                message.get("tool_calls") or message.get("refusal")
            ):
                raise Refusal(400, "assistant message without content")
            waiting = [call["id"] for call in message.get("tool_calls") or ()]
    if waiting:
        raise Refusal(400, f"tool_calls without an output: {waiting}")


def _check_items(items: list[Mapping[str, Any]], takes_pictures: bool) -> None:
    waiting: list[str] = []
    for item in items:
        kind = item.get("type") or "message"
        if kind == "function_call":
            waiting.append(item["call_id"])
        elif kind == "function_call_output":
            if item["call_id"] not in waiting:
                raise Refusal(400, f"No tool call found for output {item['call_id']}")
            waiting.remove(item["call_id"])
            if not takes_pictures and _has(item["output"], "input_image"):
                raise Refusal(400, "function_call_output only supports text")
        elif kind == "message" and item["role"] == "user" and waiting:
            raise Refusal(400, f"No tool output found for function calls {waiting}")
        for part in _parts(item.get("content")):
            if part["type"] == "input_image" and part.get("detail") not in ("auto", "low", "high"):
                raise Refusal(400, f"detail {part.get('detail')!r}")
    if waiting:
        raise Refusal(400, f"No tool output found for function calls {waiting}")


def _has(content: Any, kind: str) -> bool:
    return any(part["type"] == kind for part in _parts(content))


def _parts(content: Any) -> list[Mapping[str, Any]]:
    return content if isinstance(content, list) else []


MANNERS = {
    "openai": Manners(
        owner="system",
        known={"chat": _CHAT, "responses": _RESPONSES},
        tool_pictures=("responses",),
    ),
    "vllm": Manners(
        owner="vllm", keep_key="include_stop_str_in_output", stop_key="stop_reason"
    ),
    "sglang": Manners(owner="sglang", keep_key="no_stop_trim", stop_key="matched_stop"),
    "transformers": Manners(
        known={
            "chat": {
                "model", "messages", "stream", "temperature", "top_p", "max_tokens", "tools",
                "stop", "generation_config", "frequency_penalty",
            },
            "responses": {
                "model", "input", "stream", "temperature", "top_p", "max_output_tokens", "tools",
                "instructions", "generation_config",
            },
        },
        unknown_status=422,
        tool_pictures=("chat", "responses"),
        streams_by_default=("responses",),
        fails_on_stop=True,
    ),
}  # fmt: skip
