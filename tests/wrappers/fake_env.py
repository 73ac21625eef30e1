"""An environment whose steps are scripted, so that a wrapper is tested alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym

from gym_imagetools.contract import call_id_of, opening_info
from gym_imagetools.parsing import parse_turn
from gym_imagetools.spaces import TurnSpace, observation_space
from gym_imagetools.types import Turn

CALL = {"name": "image_flip_tool", "arguments": {"axis": "vertical"}}


@dataclass(frozen=True)
class Outcome:
    """What the fake environment says of one turn."""

    answer: float = 0.0
    duplicates: tuple[str, ...] = ()
    fails: bool = False
    ends: bool = False


@dataclass
class FakeEnv(gym.Env):
    """Executes every call it is given; outcomes come from a script."""

    outcomes: list[Outcome] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.observation_space = observation_space()
        self.action_space = TurnSpace({})
        self.reward_weights = {"answer": 1.0}
        self.seen: list[Turn] = []

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        super().reset(seed=seed)
        self.seen = []
        self._num_calls = self._num_errors = 0
        return {"text": "", "images": ()}, dict(opening_info("fake", ("answer",)))

    def step(self, action: Any):
        turn = parse_turn(action)
        self.seen.append(turn)
        script = iter(self.outcomes)
        outcome = (
            [*script][len(self.seen) - 1] if len(self.seen) <= len(self.outcomes) else Outcome()
        )
        calls = () if turn.error else turn.calls
        self._num_calls += len(calls)
        self._num_errors += bool(turn.error) or outcome.fails
        info = dict(opening_info("fake", ("answer",)))
        info["turn"] = len(self.seen)
        info["notice"] = turn.notice
        info["tool_call_count"] = self._num_calls
        info["tool_error_count"] = self._num_errors
        info["tool_results"] = [
            {
                "call_id": call_id_of(call, len(self.seen), index),
                "name": call.name,
                "arguments": call.arguments,
                "ok": True,
                "duplicate": dict(enumerate(outcome.duplicates)).get(index, ""),
                "output": "{}",
            }
            for index, call in enumerate(calls)
        ]
        info["ending"] = "answered" if outcome.ends else ""
        info["reward_components"] = {"answer": outcome.answer}
        info["reward_scores"] = {"answer": outcome.answer}
        return {"text": turn.notice, "images": ()}, outcome.answer, outcome.ends, False, info
