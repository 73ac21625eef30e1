"""Environments, policies and keywords out of what a user wrote on the command line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import gymnasium as gym

from gym_imagetools.cli.faults import told_to_the_user, warnings_on_stderr
from gym_imagetools.registration import ENTRIES, Entry


def read_keywords(as_json: str, pairs: Sequence[str]) -> dict[str, Any]:
    """Return the keywords of ``--env-kwargs`` and of every ``-k key=value``; the latter win.

    A value that is JSON is read as such, and any other as text: ``difficulty=3`` is a number,
    ``order=sequential`` a text.

    Raises:
        ValueError: The JSON is no object, or a pair has no ``=``.
    """
    try:
        keywords = json.loads(as_json)
    except ValueError as error:
        raise ValueError(f"Expected --env-kwargs to be JSON, got {as_json!r} ({error}).") from None
    if not isinstance(keywords, dict):
        raise ValueError(f"Expected --env-kwargs to be a JSON object, got {as_json!r}.")
    return keywords | dict(map(_read_pair, pairs))


def _read_pair(pair: str) -> tuple[str, Any]:
    key, separator, text = pair.partition("=")
    if not (key and separator):
        raise ValueError(f"Expected -k key=value, got {pair!r}.")
    try:
        return key, json.loads(text)
    except ValueError:
        return key, text


def entry_of(env_id: str) -> Entry:
    """Return what stands behind an id of this package.

    Raises:
        ValueError: It is no id of this package.
    """
    if env_id not in ENTRIES:
        close = get_close_matches(env_id, ENTRIES, n=1)
        hint = f"did you mean {close[0]!r}?" if close else "`gym-imagetools envs` lists them."
        raise ValueError(f"Expected an id of this package, got {env_id!r}; {hint}")
    return ENTRIES[env_id]


def make_env(env_id: str, keywords: Mapping[str, Any]) -> gym.Env[Any, Any]:
    """Make an environment; what the user got wrong ends the command.

    Args:
        env_id: An id of this package.
        keywords: Its keywords.
    """
    with told_to_the_user(ValueError), warnings_on_stderr():
        entry_of(env_id)
        try:
            return gym.make(env_id, **keywords)
        except TypeError as error:
            # A keyword that the id does not take. Gymnasium adds the place in the code to it.
            raise ValueError(str(error.__context__ or error)) from None
