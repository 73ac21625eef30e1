"""What each kind of server accepts beside the common part of the two APIs.

Tried or read for OpenAI's API, vLLM 0.3x, SGLang, and ``transformers serve`` 5.24: OpenAI refuses
unknown keys with 400 and ``transformers serve`` with 422; the latter also fails on ``stop`` with
a vision model. Pictures in the output of a call are taken by OpenAI's Responses and by
``transformers serve``; the others want them in a message of the user.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Api = Literal["responses", "chat"]
ServerName = Literal["openai", "vllm", "sglang", "transformers", "auto"]


@dataclass(frozen=True)
class ServerProfile:
    """What a server takes.

    Attributes:
        name: Its name on the command line.
        chat_stop: Whether Chat Completions takes ``stop``.
        responses_stop: Whether Responses takes ``stop``, as an extra key.
        keep_stop: Extra keys that keep the matched stop string in the text.
        chat_max_tokens: The key of the token limit in Chat Completions.
        chat_seed: Whether Chat Completions takes ``seed``.
        responses_seed: Whether Responses takes ``seed``, as an extra key.
        keeps_state: Whether the server stores replies unless it is told not to.
        capture: Extra keys of Chat Completions that ask for token ids and log-probabilities.
        pictures_in_outputs: The APIs in which the output of a call may hold pictures.
    """

    name: str
    chat_stop: bool = True
    responses_stop: bool = False
    keep_stop: Mapping[str, Any] = field(default_factory=dict)
    chat_max_tokens: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    chat_seed: bool = True
    responses_seed: bool = False
    keeps_state: bool = False
    capture: Mapping[str, Any] = field(default_factory=dict)
    pictures_in_outputs: frozenset[Api] = frozenset()


PROFILES: dict[str, ServerProfile] = {
    "openai": ServerProfile(
        "openai",
        chat_max_tokens="max_completion_tokens",
        keeps_state=True,
        capture={"logprobs": True},
        pictures_in_outputs=frozenset({"responses"}),
    ),
    "vllm": ServerProfile(
        "vllm",
        responses_stop=True,
        keep_stop={"include_stop_str_in_output": True},
        responses_seed=True,
        capture={"logprobs": True, "return_token_ids": True},
    ),
    "sglang": ServerProfile(
        "sglang",
        responses_stop=True,
        keep_stop={"no_stop_trim": True},
        responses_seed=True,
        capture={"logprobs": True},
    ),
    "transformers": ServerProfile(
        "transformers",
        chat_stop=False,
        chat_seed=False,
        pictures_in_outputs=frozenset({"chat", "responses"}),
    ),
}
"""The servers that are known, by name."""

UNKNOWN = ServerProfile("unknown", keeps_state=True)
"""A server that tells nothing of itself: standard keys, and pictures from the user alone."""


def recognised(models: Sequence[Mapping[str, Any]], host: str) -> ServerProfile:
    """Return the profile of a server that was not named.

    vLLM and SGLang call themselves the owners of their models. ``transformers serve`` lists what
    is in its cache, which may be nothing, with the time of the last change as no integer.

    Args:
        models: The models that the server lists.
        host: The host of the endpoint's address.
    """
    if host == "api.openai.com":
        return PROFILES["openai"]
    if not models or not isinstance(models[0].get("created"), int):
        return PROFILES["transformers"]
    return PROFILES.get(str(models[0].get("owned_by")).lower(), UNKNOWN)
