"""Recorded episodes that every host plays, and what plain Gymnasium pays for them.

Nothing is written down here but the turns: rewards are what Gymnasium gives when a test asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import gymnasium as gym

import gym_imagetools
from gym_imagetools.parsing import parse_turn
from gym_imagetools.policies import OraclePolicy

gym.register_envs(gym_imagetools)


@dataclass(frozen=True)
class Recording:
    """The turns of one episode: calls ``{"name", "arguments"}``, and the answer as the last."""

    env_id: str
    task: int | str
    turns: tuple[Any, ...]
    keywords: Mapping[str, Any] = field(default_factory=dict)

    @property
    def calls(self) -> tuple[dict[str, Any], ...]:
        """The turns that are tool calls."""
        return tuple(turn for turn in self.turns if not isinstance(turn, str))

    @property
    def answer(self) -> str:
        """The final answer; "" where the episode ends without one."""
        return self.turns[-1] if isinstance(self.turns[-1], str) else ""


@dataclass(frozen=True)
class Outcome:
    """What an episode paid, and its last info."""

    reward: float
    info: Mapping[str, Any]

    @property
    def components(self) -> dict[str, float]:
        """The contribution of each objective; they sum to the reward."""
        return dict(self.info["reward_components"])

    @property
    def scores(self) -> dict[str, float]:
        """The score of each objective before the cap."""
        return dict(self.info["reward_scores"])


RECORDINGS = ("oracle", "one_wrong_call", "strict_policy", "invalid_call_ends")
"""The names of the recorded episodes."""


@cache
def recording(name: str) -> Recording:
    """Return a recorded episode."""
    return _RECORDERS[name]()


@cache
def expected(name: str) -> Outcome:
    """Return what plain Gymnasium pays for a recorded episode."""
    played = recording(name)
    with gym.make(played.env_id, **played.keywords) as env:
        env.reset(options={"task": played.task})
        total = 0.0
        for turn in played.turns:
            _, reward, terminated, truncated, info = env.step(turn)
            total += float(reward)
        assert terminated or truncated
    return Outcome(total, info)


def _oracle() -> Recording:
    env_id, task = "ImageTools/TwinPanels-v0", 7
    with gym.make(env_id) as env:
        observation, info = env.reset(options={"task": task})
        player = OraclePolicy().start(env, seed=0)
        turns = []
        while not info["ending"]:
            turns.append(_plain(player.act(observation, info)))
            observation, _, _, _, info = env.step(turns[-1])
    return Recording(env_id, task, tuple(turns))


def _one_wrong_call() -> Recording:
    turns = (
        _zoom([680, 70, 930, 380], img_idx=5),
        _zoom([680, 70, 930, 380]),
        r"The holes lie near the edges. \boxed{D}",
    )
    return Recording("ImageTools/Dataset-v0", 0, turns, {"terminate_on_invalid_tool_call": False})


def _strict_policy() -> Recording:
    turns = (
        _zoom([680, 70, 930, 380]),
        {"name": "image_crop_tool", "arguments": {"bbox_2d": [680, 70, 930, 380]}},
        r"\boxed{D}",
    )
    return Recording("ImageTools/Dataset-v0", 0, turns, {"reward_policy": "strict"})


def _invalid_call_ends() -> Recording:
    turns = (
        _zoom([100, 100, 500, 500]),
        {"name": "image_rotate_tool", "arguments": {"degrees": 90}},
        _zoom([100, 100, 500, 500], img_idx=99),
    )
    return Recording("ImageTools/Maze-v0", 3, turns, {"difficulty": 2})


_RECORDERS = {
    "oracle": _oracle,
    "one_wrong_call": _one_wrong_call,
    "strict_policy": _strict_policy,
    "invalid_call_ends": _invalid_call_ends,
}


def _zoom(bbox_2d: list[int], **arguments: Any) -> dict[str, Any]:
    return {"name": "image_zoom_in_tool", "arguments": {"bbox_2d": bbox_2d, **arguments}}


def _plain(action: Any) -> Any:
    """Return a turn of the oracle as a bare call, or as text."""
    calls = parse_turn(action).calls
    if not calls:
        return action
    (call,) = calls
    return {"name": call.name, "arguments": dict(call.arguments)}
