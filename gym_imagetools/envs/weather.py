"""One tool call, scored on three objectives: is it right, is it valid, is it alone."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import gymnasium as gym

from gym_imagetools.contract import CallResult, call_id_of, opening_info, plain_arguments
from gym_imagetools.envs.choosing import Source, choose_task, reset_needed
from gym_imagetools.envs.single_step import closing_info, refused_turn
from gym_imagetools.excerpt import excerpt
from gym_imagetools.parsing import parse_turn
from gym_imagetools.prompts import replies
from gym_imagetools.rows.weather import WeatherTask
from gym_imagetools.scoring.weather import WeatherScore, declared_schemas, score_weather
from gym_imagetools.spaces import TurnSpace, observation_space
from gym_imagetools.types import Message, ToolCall, Turn

Observation = dict[str, Any]
OBJECTIVES = ("correctness", "schema_valid", "format")
_GET_WEATHER = {
    "get_weather": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    }
}


class WeatherEnv(gym.Env[Observation, Any]):
    """A question about the weather, to be answered with exactly one ``get_weather`` call.

    Args:
        source: Where the questions come from.
        render_mode: ``ansi`` or None.
    """

    # Gymnasium declares it as an instance variable.
    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(self, source: Source[WeatherTask], *, render_mode: str | None = None) -> None:
        self.observation_space = observation_space()
        self.action_space = TurnSpace(_GET_WEATHER)
        self.render_mode = render_mode
        self._source = source
        self._task: WeatherTask | None = None
        self._score: WeatherScore | None = None
        self._said = ""

    @property
    def reward_weights(self) -> dict[str, float]:
        """The weight of each objective, for GDPO."""
        return dict.fromkeys(OBJECTIVES, 1.0)

    @property
    def source(self) -> Source[WeatherTask]:
        """Where the tasks come from; environments of one run may share it."""
        return self._source

    @property
    def num_tasks(self) -> int | None:
        """The number of rows; None for generated questions."""
        return self._source.num_tasks

    @property
    def task(self) -> WeatherTask:
        """The question that is played, expected call included."""
        if self._task is None:
            raise reset_needed()
        return self._task

    @property
    def prompt(self) -> list[Message]:
        """The messages that open the episode, as Responses input items."""
        return deepcopy([*self.task.messages])

    @property
    def function_tools(self) -> list[dict[str, Any]]:
        """The declared tools, as the Responses API takes them."""
        return [deepcopy(dict(tool)) for tool in self.task.tools]

    @property
    def image_urls(self) -> list[str]:
        """No pictures come with the weather."""
        return []

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode.

        Args:
            seed: Seeds the choice of questions.
            options: ``{"task": i}`` plays row ``i``, or the question of seed ``i``.

        Raises:
            DataError: The row has gone bad.
        """
        super().reset(seed=seed)
        if seed is not None or self._task is None:
            self._source.reset(self.np_random)
        task = choose_task(self._source, self.np_random, options)
        self._task, self._score, self._said = task, None, ""
        info = dict(opening_info(task.task_id, OBJECTIVES))
        return {"text": task.question, "images": ()}, info

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Score the turn and reply as the tool does; the episode ends with it.

        Args:
            action: A member of the action space. Raw output items tell most.

        Raises:
            gymnasium.error.ResetNeeded: The episode has ended, or none was started.
            TypeError: The action has none of the forms of a turn.
        """
        if self._score is not None:
            raise reset_needed()
        task = self.task
        turn = parse_turn(action, schemas=declared_schemas(task.tools))
        score = self._score = score_weather(action, task.expected_call, task.tools)
        self._said = excerpt(turn.text)
        results = refused_turn(turn) or [
            _reply(call, index, task) for index, call in enumerate(turn.calls)
        ]
        info: dict[str, Any] = dict(closing_info(task.task_id, turn, score.components, results))
        info["extracted_answer"] = _as_json(turn)
        info["expected_answer"] = json.dumps(task.expected_call, ensure_ascii=False)
        text = "\n".join(result["output"] for result in results)
        return {"text": text, "images": ()}, float(score.reward), True, False, info

    def render(self) -> str | None:
        """Return question, turn and scores as text, with ``render_mode="ansi"``."""
        if self.render_mode != "ansi":
            return None
        lines = [self.task.task_id, f"Q: {self.task.question}"]
        if self._score is not None:
            scores = ", ".join(
                f"{name} {value:g}" for name, value in self._score.components.items()
            )
            lines += [f"turn: {self._said}", f"reward {self._score.reward:g}: {scores}"]
        return "\n".join(lines)


def _reply(call: ToolCall, index: int, task: WeatherTask) -> CallResult:
    """Return what the tool says; only declared tools say something."""
    is_declared = call.name in declared_schemas(task.tools)
    if is_declared:
        city = str(call.arguments.get("city", ""))
        facts = {"city": city[:80], "weather_description": replies.weather_report(city)}
        output = replies.result_json(facts)
    else:
        output = replies.error_json(replies.not_declared(call.name))
    return CallResult(
        call_id=call_id_of(call, 1, index),
        name=call.name,
        arguments=plain_arguments(call.arguments),
        ok=is_declared,
        duplicate="",
        output=output,
    )


def _as_json(turn: Turn) -> str:
    calls = [{"name": call.name, "arguments": call.arguments} for call in turn.calls]
    return json.dumps(calls, ensure_ascii=False, default=str) if calls else ""
