"""The settings of a run: what ``run.json`` holds."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, Self
from urllib.parse import urlsplit, urlunsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

import gym_imagetools
from gym_imagetools.endpoints import Api, Sampling, ServerName

_MAY_CHANGE = frozenset({"num_tasks", "concurrency", "base_url", "timeout_s", "max_retries"})
"""Settings that decide how far and how fast a run goes, and nothing of an episode."""


class EndpointSettings(BaseModel):
    """How a model was asked. The key is no part of it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    base_url: str | None = None
    model: str
    api: Api = "chat"
    server: ServerName = "auto"
    sampling: Sampling = Field(default_factory=Sampling)
    timeout_s: float = 600.0
    max_retries: int = 4
    capture_tokens: bool = False

    def without_credentials(self) -> Self:
        """Return the settings without a user and password in the address."""
        if self.base_url is None:
            return self
        parts = urlsplit(self.base_url)
        bare = parts._replace(netloc=parts.netloc.rpartition("@")[2])
        return self.model_copy(update={"base_url": urlunsplit(bare)})


class RunSettings(BaseModel):
    """Every setting of a run."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    env_id: str
    env_kwargs: dict[str, Any] = Field(default_factory=dict)
    policy: str
    num_tasks: int = Field(ge=1)
    group_size: int = Field(ge=1)
    seed: int = Field(ge=0)
    concurrency: int = Field(default=1, ge=1)
    endpoint: EndpointSettings | None = None
    """The model; None for a policy that needs none."""

    version: str = gym_imagetools.__version__

    @field_validator("env_kwargs")
    @classmethod
    def _locate(cls, keywords: dict[str, Any]) -> dict[str, Any]:
        return located(keywords)

    def differences(self, other: RunSettings) -> list[str]:
        """Return in words where another run would play other episodes than this one.

        Args:
            other: The settings of the other run.
        """
        mine, its = dict(_flat(self)), dict(_flat(other))
        keys = sorted(key for key in {*mine, *its} if key.rpartition(".")[2] not in _MAY_CHANGE)
        return [
            f"{key} {its.get(key)!r} in place of {mine.get(key)!r}"
            for key in keys
            if mine.get(key) != its.get(key)
        ]


def located(env_kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return keywords that name their files in full, so that they hold in any working folder.

    Args:
        env_kwargs: Keywords of an environment; ``data`` and ``data_root`` name files.
    """
    return {
        key: _in_full(value) if key in ("data", "data_root") else value
        for key, value in env_kwargs.items()
    }


def _in_full(place: Any) -> Any:
    if isinstance(place, str | os.PathLike):
        return os.path.abspath(place)
    if isinstance(place, Mapping) and "path" in place:
        return {**place, "path": _in_full(place["path"])}
    return place


def _flat(settings: RunSettings) -> Iterator[tuple[str, Any]]:
    fields = settings.model_dump(mode="json")
    for key, value in (fields.pop("endpoint") or {}).items():
        yield f"endpoint.{key}", value
    yield from fields.items()
