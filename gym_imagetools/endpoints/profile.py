"""What each kind of server accepts beside the common part of the two APIs.

Tried or read for OpenAI's API, vLLM 0.3x, SGLang, and ``transformers serve`` 5.24: OpenAI refuses
unknown keys with 400 and ``transformers serve`` with 422; the latter also fails on ``stop`` with
a vision model, and streams Responses unless told not to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

ServerName = Literal["openai", "vllm", "sglang", "transformers", "auto"]

_NOTHING: Mapping[str, Any] = MappingProxyType({})


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
        responses_extra: Extra keys of every Responses request.
        responses_seed: Whether Responses takes ``seed``, as an extra key.
        keeps_state: Whether the server stores replies unless it is told not to.
        capture: Extra keys of Chat Completions that ask for token ids and log-probabilities.
    """

    name: str
    chat_stop: bool = True
    responses_stop: bool = False
    keep_stop: Mapping[str, Any] = field(default=_NOTHING)
    chat_max_tokens: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    chat_seed: bool = True
    responses_extra: Mapping[str, Any] = field(default=_NOTHING)
    responses_seed: bool = False
    keeps_state: bool = False
    capture: Mapping[str, Any] = field(default=_NOTHING)


PROFILES: dict[str, ServerProfile] = {
    "openai": ServerProfile(
        "openai",
        chat_max_tokens="max_completion_tokens",
        keeps_state=True,
        capture={"logprobs": True},
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
        responses_extra={"stream": False},
    ),
}
"""The servers that are known, by name."""


def profile_of_owner(owner: str, host: str) -> ServerProfile:
    """Return the profile of a server that was not named.

    Args:
        owner: ``owned_by`` of the first model that the server lists; "" when it lists none.
        host: The host of the endpoint's address.

    Returns:
        The server's own profile where its answer tells, and the one of OpenAI's API, which sends
        nothing but standard keys, for every other.
    """
    if host == "api.openai.com":
        return PROFILES["openai"]
    return PROFILES.get(owner.lower(), PROFILES["openai"])
