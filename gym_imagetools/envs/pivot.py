"""One decision of a transcript, scored against the call that was demonstrated there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal

import gymnasium as gym

from gym_imagetools.contract import CallResult, call_id_of, opening_info, refused_call
from gym_imagetools.envs.choosing import Source, choose_task, reset_needed
from gym_imagetools.envs.delivery import Delivery
from gym_imagetools.envs.single_step import closing_info, refused_turn
from gym_imagetools.excerpt import excerpt
from gym_imagetools.parsing import parse_turn
from gym_imagetools.prompts import replies
from gym_imagetools.rows.pivot import PivotTask
from gym_imagetools.scoring.execution import run_demonstration, score_execution
from gym_imagetools.scoring.pivot import score_pivot
from gym_imagetools.scoring.pivot_score import PivotScore
from gym_imagetools.scoring.pivot_settings import PivotSettings
from gym_imagetools.spaces import TurnSpace, observation_space
from gym_imagetools.tools.schemas import PARAMETERS
from gym_imagetools.types import Message, Pixels, Turn

Observation = dict[str, Any]
Scoring = Literal["arguments", "execution"]
MATCH = "match"


class PivotEnv(gym.Env[Observation, Any]):
    """Which tool call comes next? One turn, scored against the demonstrated one.

    Args:
        source: Where the decisions come from.
        settings: How the call is compared.
        scoring: ``arguments`` compares what was written, as the reference does; ``execution``
            runs both calls and compares what they show.
        delivery: The form in which pictures are delivered.
        render_mode: ``ansi`` or None.
    """

    # Gymnasium declares it as an instance variable.
    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        source: Source[PivotTask],
        *,
        settings: PivotSettings,
        scoring: Scoring,
        delivery: Delivery,
        render_mode: str | None = None,
    ) -> None:
        self.observation_space = observation_space(delivery.preview_max_side)
        self.action_space = TurnSpace(PARAMETERS)
        self.render_mode = render_mode
        self._source = source
        self._settings = settings
        self._scoring = scoring
        self._delivery = delivery
        self._task: PivotTask | None = None
        self._score: PivotScore | None = None
        self._said = ""

    @property
    def reward_weights(self) -> dict[str, float]:
        """The weight of each objective, for GDPO."""
        return {MATCH: 1.0}

    @property
    def source(self) -> Source[PivotTask]:
        """Where the tasks come from; environments of one run may share it."""
        return self._source

    @property
    def num_tasks(self) -> int | None:
        """The number of rows."""
        return self._source.num_tasks

    @property
    def task(self) -> PivotTask:
        """The decision that is played, demonstration included."""
        if self._task is None:
            raise reset_needed()
        return self._task

    @property
    def prompt(self) -> list[Message]:
        """The transcript up to the decision, as Responses input items."""
        task = self.task
        return [self._delivery.with_pictures(message, task.pictures) for message in task.messages]

    @property
    def image_urls(self) -> list[str]:
        """The pictures of the transcript as ``data:`` URLs; none once the turn was scored."""
        if self._score is not None:
            return []
        return [self._delivery.data_url(picture) for picture in self.task.pictures]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode.

        Args:
            seed: Seeds the choice of rows.
            options: ``{"task": i}`` plays row ``i``.

        Raises:
            DataError: The row or a picture of it has gone bad, or with ``scoring="execution"`` the
                demonstrated call cannot be run.
        """
        super().reset(seed=seed)
        if seed is not None or self._task is None:
            self._source.reset(self.np_random)
        task = choose_task(self._source, self.np_random, options)
        if self._scoring == "execution" and not task.demonstration.is_answer:
            run_demonstration(task.demonstration, _pixels(task))
        self._task, self._score, self._said = task, None, ""
        observation = {
            "text": transcript(task.messages),
            "images": self._delivery.arrays(task.pictures),
        }
        info = {**opening_info(task.task_id, self.reward_weights), "failure": "none"}
        return observation, info

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Score the turn; the episode ends with it.

        Args:
            action: A member of the action space.

        Raises:
            gymnasium.error.ResetNeeded: The episode has ended, or none was started.
            TypeError: The action has none of the forms of a turn.
        """
        if self._score is not None:
            raise reset_needed()
        task, turn = self.task, parse_turn(action)
        score = self._score = self._scored(task, turn)
        self._said = excerpt(turn.text or _calls_as_json(turn))
        info = {
            **closing_info(
                task.task_id, turn, {MATCH: score.reward}, refused_turn(turn) or _not_run(turn)
            ),
            "failure": score.failure,
        }
        info["extracted_answer"] = _calls_as_json(turn)
        info["expected_answer"] = _demonstrated(task)
        return {"text": "", "images": ()}, float(score.reward), True, False, info

    def _scored(self, task: PivotTask, turn: Turn) -> PivotScore:
        grader = task.grader
        grade = None if grader is None else lambda text: grader.grade(text).value
        if self._scoring == "arguments":
            return score_pivot(turn, task.demonstration, self._settings, grade)
        return score_execution(turn, task.demonstration, self._settings, _pixels(task), grade)

    def render(self) -> str | None:
        """Return the decision, the turn and its score as text, with ``render_mode="ansi"``."""
        if self.render_mode != "ansi":
            return None
        lines = [self.task.task_id, transcript(self.task.messages)]
        if self._score is not None:
            lines += [f"turn: {self._said}", f"demonstrated: {_demonstrated(self.task)}"]
            lines.append(f"reward {self._score.reward:g}, failure: {self._score.failure}")
        return "\n".join(lines)


def _pixels(task: PivotTask) -> list[Pixels]:
    return [picture.load() for picture in task.pictures]


def transcript(messages: tuple[Message, ...]) -> str:
    """Return the messages as text: who said what, system prompts left out."""
    return "\n\n".join(
        f"{message['role']}: {' '.join(_texts(message))}"
        for message in messages
        if message.get("role") in ("user", "assistant")
    )


def _texts(message: Message) -> Iterator[str]:
    content = message["content"]
    if isinstance(content, str):
        yield content
        return
    for part in content:
        yield f"[picture {part['picture']}]" if "picture" in part else part["text"]


def _not_run(turn: Turn) -> list[CallResult]:
    reply = replies.error_json(replies.NOT_RUN_PIVOT)
    return [
        refused_call(call, call_id_of(call, 1, index), reply)
        for index, call in enumerate(turn.calls)
    ]


def _calls_as_json(turn: Turn) -> str:
    calls = [{"name": call.name, "arguments": call.arguments} for call in turn.calls]
    return json.dumps(calls[0] if len(calls) == 1 else calls, default=str) if calls else ""


def _demonstrated(task: PivotTask) -> str:
    if task.demonstration.is_answer:
        return task.expected_answer
    shown = {"name": task.demonstration.name, "arguments": dict(task.demonstration.arguments)}
    return json.dumps(shown, default=str)
