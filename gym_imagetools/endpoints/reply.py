"""Replies: what a model said, as an action and as facts for the record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gym_imagetools.endpoints.profile import Api
from gym_imagetools.endpoints.request import STOP

REFUSAL = "refusal"
"""Type of a part that refuses, and the reason with which some gateways end such a message."""

FILTERED = "content_filter"
"""Why a server cut a reply that it would not let the model give."""

_OPEN = "<tool_call>"


@dataclass(frozen=True)
class ModelReply:
    """One reply of a model.

    Attributes:
        action: The reply as a member of the action space, a trimmed ``</tool_call>`` put back.
        usage: ``input_tokens``, ``output_tokens``, ``total_tokens``, as far as they are known.
        incomplete: Why the reply was cut, such as ``max_output_tokens``; "" for a whole one.
        is_refusal: Whether the model refused to answer.
        reasoning: What the model thought, as far as the server shows it.
        tokens: ``prompt_token_ids``, ``generation_token_ids`` and ``generation_log_probs``,
            where they were asked for and given.
    """

    action: dict[str, Any]
    usage: Mapping[str, int] = field(default_factory=dict)
    incomplete: str = ""
    is_refusal: bool = False
    reasoning: str = ""
    tokens: Mapping[str, Any] = field(default_factory=dict)


def read_reply(dump: object, api: Api) -> ModelReply:
    """Read a reply.

    Args:
        dump: The decoded JSON of a ``Response`` or a ``ChatCompletion``.
        api: Which of the two it is.

    Raises:
        ValueError: The reply has no choice or no output: the server does not speak the API.
    """
    if not isinstance(dump, Mapping):
        raise ValueError(f"Expected a JSON object, got {dump!r:.200}")
    return _read_chat(dump) if api == "chat" else _read_response(dump)


def _read_chat(dump: Mapping[str, Any]) -> ModelReply:
    match dump.get("choices"):
        case [{"message": Mapping()} as choice, *_]:
            pass
        case _:
            raise ValueError(f"Expected a choice with a message, got {dump!r:.200}")
    message, reason = dict(choice["message"]), choice.get("finish_reason")
    if reason == REFUSAL and not message.get("refusal"):
        message = _as_refusal(message)
    cut = {"length": "max_output_tokens", FILTERED: FILTERED}.get(reason, "")
    if not cut and isinstance(message.get("content"), str):
        message["content"] = with_stop(message["content"])
    usage = dump.get("usage") or {}
    return ModelReply(
        action={"message": message, "finish_reason": "length" if cut else "stop"},
        usage=_counts(usage, input="prompt_tokens", output="completion_tokens"),
        incomplete=cut,
        is_refusal=bool(message.get("refusal")) or cut == FILTERED,
        reasoning=str(message.get("reasoning_content") or message.get("reasoning") or ""),
        tokens=_tokens(dump, choice),
    )


def _as_refusal(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message that only its reason marks as a refusal in the form that all read."""
    content = message.get("content")
    text = content if isinstance(content, str) and content else "refused"
    return {**message, "content": None, "refusal": text}


def _read_response(dump: Mapping[str, Any]) -> ModelReply:
    output = dump.get("output")
    if not isinstance(output, list) or not all(isinstance(item, Mapping) for item in output):
        raise ValueError(f"Expected a list of output items, got {dump!r:.200}")
    if dump.get("status") in ("failed", "cancelled"):
        reason = (dump.get("error") or {}).get("message") or "no reason given"
        raise ValueError(f"Expected a completed response, got a {dump['status']} one: {reason}")
    cut = ""
    if dump.get("status") == "incomplete":
        cut = (dump.get("incomplete_details") or {}).get("reason") or "unknown"
    items = [dict(item) for item in output]
    parts = list(_parts(items))
    if not cut and parts and isinstance(parts[-1].get("text"), str):
        parts[-1]["text"] = with_stop(parts[-1]["text"])
    return ModelReply(
        action={"output": items, "status": "incomplete" if cut else "completed"},
        usage=_counts(dump.get("usage") or {}, input="input_tokens", output="output_tokens"),
        incomplete=cut,
        is_refusal=any(part.get("type") == REFUSAL for part in parts) or cut == FILTERED,
        reasoning=_reasoning(items),
    )


def _parts(items: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the content parts of the messages, each a copy that stands in its item."""
    for item in items:
        if item.get("type") == "message" and isinstance(item.get("content"), list):
            item["content"] = [dict(part) for part in item["content"]]
            yield from item["content"]


def _reasoning(items: list[dict[str, Any]]) -> str:
    """Return what reasoning items show: their content, or else its summary."""
    thoughts = [item for item in items if item.get("type") == "reasoning"]
    shown = [part for item in thoughts for part in item.get("content") or item.get("summary") or ()]
    return "\n".join(part["text"] for part in shown if isinstance(part.get("text"), str))


def with_stop(text: str) -> str:
    """Put a stop string back that the server has trimmed off an open call.

    Args:
        text: The text of a reply that was not cut by the token limit.
    """
    return text + STOP if text.rfind(_OPEN) > text.rfind(STOP) else text


def _counts(usage: Mapping[str, Any], **names: str) -> dict[str, int]:
    given = {kind: usage.get(name) for kind, name in names.items()}
    counts = {f"{kind}_tokens": int(n) for kind, n in given.items() if isinstance(n, int)}
    return {**counts, "total_tokens": sum(counts.values())} if counts else {}


def _tokens(dump: Mapping[str, Any], choice: Mapping[str, Any]) -> dict[str, Any]:
    logprobs = (choice.get("logprobs") or {}).get("content") or []
    captured = {
        "prompt_token_ids": dump.get("prompt_token_ids"),
        "generation_token_ids": choice.get("token_ids"),
        "generation_log_probs": [entry.get("logprob") for entry in logprobs] or None,
    }
    return {key: value for key, value in captured.items() if value is not None}
