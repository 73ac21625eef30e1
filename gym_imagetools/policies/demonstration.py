r"""Plays what the data demonstrates: the turns of a row, a pivot's call, the weather's call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gym_imagetools.errors import DataError
from gym_imagetools.policies.policy import Env, Player
from gym_imagetools.prompts.calls import xml_call
from gym_imagetools.rows.pivot import PivotTask
from gym_imagetools.rows.weather import WeatherTask
from gym_imagetools.types import Task

_ANSWER_FORMS = (r"\boxed{{{}}}", "{}", "Answer: {}")


class DemonstrationPolicy:
    """Plays the demonstration of each task, turn by turn."""

    name = "demonstration"

    def start(self, env: Env, *, seed: int) -> Player:
        """Return the player of a task's demonstration.

        Raises:
            DataError: The task has none; the message names the row.
        """
        task = env.get_wrapper_attr("task")
        return Demonstrated(task.task_id, demonstrated_turns(task))


class Demonstrated:
    """Plays turns in their order.

    Args:
        task_id: Names the task in errors.
        turns: The turns.
    """

    def __init__(self, task_id: str, turns: tuple[Any, ...]) -> None:
        self._task_id = task_id
        self._num_turns = len(turns)
        self._turns: Iterator[Any] = iter(turns)

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Any:
        """Return the next turn.

        Raises:
            DataError: The demonstration is over and the episode is not.
        """
        for turn in self._turns:
            return turn
        raise DataError(
            f"Expected the demonstration of {self._task_id} to end its episode, got "
            f"{self._num_turns} turns after which it still runs; add the answer."
        )


def demonstrated_turns(task: Task | PivotTask | WeatherTask) -> tuple[Any, ...]:
    """Return the turns that a task demonstrates.

    Args:
        task: The task of any environment of the package.

    Raises:
        DataError: There are none.
    """
    if isinstance(task, WeatherTask):
        call = task.expected_call
        return ({"name": call["name"], "arguments": dict(call.get("arguments") or {})},)
    if isinstance(task, PivotTask):
        return (_decision(task),)
    if not task.demonstration:
        raise DataError(
            f"Expected {task.task_id} to have a demonstration, got none; add `demonstration` to "
            "the row, or choose another policy."
        )
    return task.demonstration


def _decision(task: PivotTask) -> str:
    """Return the demonstrated call, or the right answer in the first form its grader takes."""
    if task.grader is None:
        return xml_call(task.demonstration.name.strip(), task.demonstration.arguments)
    for form in _ANSWER_FORMS:
        answer = form.format(task.expected_answer)
        if task.grader.grade(answer).value == 1.0:
            return answer
    raise DataError(
        f"Expected the grader of {task.task_id} to take its own answer "
        f"{task.expected_answer!r} in a box, plain, or after 'Answer:', got none of them taken; "
        "correct the row."
    )
