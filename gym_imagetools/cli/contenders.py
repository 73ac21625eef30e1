"""Who plays a run, out of what a user wrote on the command line."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, get_args

from gym_imagetools.endpoints import Api, Endpoint, Sampling, ServerName
from gym_imagetools.policies import POLICIES
from gym_imagetools.rollout import Contestant, EndpointSettings, Model, Scripted

MODEL = "model"
DEFAULT_POLICY = "oracle"
DEFAULT_KEY_ENV = "OPENAI_API_KEY"
_NO_KEY = "none"
"""Servers of one's own ask for no key, but the client sends one."""


def endpoint_settings(
    policy: str | None,
    *,
    model: str | None,
    base_url: str | None,
    api: str,
    server: str,
    sampling: Mapping[str, Any],
    timeout_s: float,
    max_retries: int,
    capture: str | None,
) -> EndpointSettings | None:
    """Return how a model is asked; None where a scripted policy plays.

    Args:
        policy: The value of ``--policy``, if any.
        model: The value of ``--model``, if any.
        base_url: The value of ``--base-url``, if any.
        api: ``chat`` or ``responses``.
        server: What kind of server it is.
        sampling: The fields of ``Sampling``, ``extra_body`` as JSON text.
        timeout_s: Seconds a request may take.
        max_retries: Further attempts of a request.
        capture: ``tokens`` or None.

    Raises:
        ValueError: A value is none of its choices or out of its range, or they do not fit
            together.
    """
    is_model = policy == MODEL or (policy is None and (model or base_url))
    if not is_model:
        if model or base_url:
            raise ValueError(f"Expected --policy model with --model or --base-url, got {policy!r}.")
        return None
    if not model:
        raise ValueError("Expected --model, the name of the model to play, got none.")
    _expect_one_of("--api", api, get_args(Api))
    _expect_one_of("--server", server, get_args(ServerName))
    if capture is not None:
        _expect_one_of("--capture", capture, ("tokens",))
    return EndpointSettings(
        model=model,
        base_url=base_url,
        api=api,
        server=server,
        sampling=Sampling(**{**sampling, "extra_body": _object(sampling["extra_body"])}),
        timeout_s=timeout_s,
        max_retries=max_retries,
        capture_tokens=capture is not None,
    )


def contestant_of(
    policy: str | None,
    settings: EndpointSettings | None,
    key_env: str | None,
    concurrency: int,
) -> Contestant:
    """Return who plays.

    Args:
        policy: The value of ``--policy``, if any.
        settings: How a model is asked; None where a scripted policy plays.
        key_env: The value of ``--api-key-env``, if any.
        concurrency: Episodes in flight, >= 1.

    Raises:
        ValueError: There is no such policy, or the variable of the key is not set.
        EndpointRefusal: There is no key where one is needed.
    """
    if settings is None:
        name = policy or DEFAULT_POLICY
        _expect_one_of("--policy", name, (*POLICIES, MODEL))
        return Scripted(POLICIES[name]())
    endpoint = Endpoint(
        settings.base_url,
        settings.model,
        api=settings.api,
        server=settings.server,
        sampling=settings.sampling,
        api_key=_key(key_env, settings.base_url),
        timeout_s=settings.timeout_s,
        max_retries=settings.max_retries,
        capture_tokens=settings.capture_tokens,
        concurrency=concurrency,
    )
    return Model(endpoint)


def _key(key_env: str | None, base_url: str | None) -> str | None:
    key = os.environ.get(key_env or DEFAULT_KEY_ENV)
    if key_env and not key:
        raise ValueError(f"Expected a key in the variable {key_env} of --api-key-env, got none.")
    return key or (_NO_KEY if base_url else None)


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise ValueError(f"Expected --extra-body to be JSON, got {text!r} ({error}).") from None
    if not isinstance(value, dict):
        raise ValueError(f"Expected --extra-body to be a JSON object, got {text!r}.")
    return value


def _expect_one_of(option: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"Expected {option} to be one of {', '.join(choices)}, got {value!r}.")
