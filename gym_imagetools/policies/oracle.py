"""Solves puzzles with tools, seeing no more than a model does; elsewhere it demonstrates."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from gym_imagetools.policies.demonstration import Demonstrated, demonstrated_turns
from gym_imagetools.policies.policy import Env, Player
from gym_imagetools.puzzles.eye import BlurryEye, Oracle, Reply
from gym_imagetools.puzzles.families import FAMILIES
from gym_imagetools.puzzles.puzzle import Family
from gym_imagetools.puzzles.registry import family
from gym_imagetools.types import Task


class OraclePolicy:
    """Plays the oracle of a puzzle's family, and the demonstration of any other task."""

    name = "oracle"

    def start(self, env: Env, *, seed: int) -> Player:
        """Return the player of a task.

        Raises:
            DataError: The task is no puzzle and demonstrates nothing; the message names it.
        """
        task = env.get_wrapper_attr("task")
        if isinstance(task, Task) and not task.messages and task.family in FAMILIES:
            return OraclePlayer(family(task.family))
        return Demonstrated(task.task_id, demonstrated_turns(task))


class OraclePlayer:
    """Plays one puzzle: delivered pictures reach it through the blurry eye, replies as JSON.

    Args:
        puzzle_family: The kind of puzzle.
    """

    def __init__(self, puzzle_family: Family) -> None:
        self._family = puzzle_family
        self._eye = BlurryEye()
        self._oracle: Oracle | None = None

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Any:
        """Return the next call, or the answer as text."""
        images = tuple(map(self._eye.see, observation["images"]))
        try:
            if self._oracle is None:
                self._oracle = self._family.oracle(observation["text"], images)
                return next(self._oracle)
            results = tuple(json.loads(result["output"]) for result in info["tool_results"])
            call = self._oracle.send(Reply(results, images))
            # Once the answer is due, no call helps: the oracle must say what it thinks.
            while info["final_turn"]:
                call = self._oracle.send(Reply(()))
            return call
        except StopIteration as answer:
            return answer.value
