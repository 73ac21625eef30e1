"""The base environment: it runs every turn it is given, grades the last one, and shapes nothing."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import gymnasium as gym
import numpy as np

from gym_imagetools.contract import Ending, EpisodeInfo, opening_info
from gym_imagetools.envs.choosing import choose_task, reset_needed
from gym_imagetools.envs.delivery import Delivery
from gym_imagetools.episode import Episode, Reply, Workbench
from gym_imagetools.graders import Grader, make_grader
from gym_imagetools.parsing import parse_turn
from gym_imagetools.prompts.system import PromptFormat, opening_messages
from gym_imagetools.render import render_ansi, render_rgb_array
from gym_imagetools.spaces import TurnSpace, observation_space
from gym_imagetools.tasks.sources import TaskSource
from gym_imagetools.tools.schemas import FUNCTION_TOOLS, PARAMETERS
from gym_imagetools.types import Message, Picture, Score, Task, Turn

Observation = dict[str, Any]
ANSWER = "answer"


def any_last_turn(turn: Turn) -> bool:
    """The reference grades the last assistant turn, whatever it is (rule 11), but for a refusal."""
    return not (turn.incomplete or turn.refused)


def answers_only(turn: Turn) -> bool:
    """The strict policy grades nothing but a final answer."""
    return turn.is_answer and not turn.refused


class ImageToolsEnv(gym.Env[Observation, Any]):
    """Questions about pictures, answered with image tools over several turns.

    Description:
        A task shows one or more pictures and asks a question. The agent calls image tools or
        answers; the answer is graded exactly. Limits and the pay for tool use are wrappers.

    Action space:
        ``TurnSpace``: one assistant turn in any form (text, call, items, client reply, Turn).

    Observation space:
        ``{"text": str, "images": tuple of (height, width, 3) uint8 arrays}``: the pictures are
        those that are new in this step.

    Rewards:
        The score of the last turn, 0..1, paid when the episode ends.

    Episode end:
        Terminates with an answer, with a cut reply, and with a refused turn when
        ``terminate_on_invalid_tool_call``; truncates after a turn marked ``is_last``.

    Args:
        source: Where the tasks come from.
        workbench: Makes the bench of an episode from the task's pictures.
        is_graded: Whether the last turn of an episode is graded at all.
        terminate_on_invalid_tool_call: Whether a refused turn ends the episode.
        delivery: The form in which pictures are delivered.
        prompt_format: How the tools are described to the model.
        render_mode: ``rgb_array``, ``ansi`` or None.
    """

    # Gymnasium declares it as an instance variable.
    metadata: dict[str, Any] = {"render_modes": ["rgb_array", "ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        source: TaskSource,
        *,
        workbench: Callable[[tuple[Picture, ...]], Workbench],
        is_graded: Callable[[Turn], bool],
        terminate_on_invalid_tool_call: bool,
        delivery: Delivery,
        prompt_format: PromptFormat,
        render_mode: str | None = None,
    ) -> None:
        self.observation_space = observation_space(delivery.preview_max_side)
        self.action_space = TurnSpace(PARAMETERS)
        self.render_mode = render_mode
        self._source = source
        self._workbench = workbench
        self._is_graded = is_graded
        self._terminate_on_invalid_tool_call = terminate_on_invalid_tool_call
        self._delivery = delivery
        self._prompt_format = prompt_format
        self._episode: Episode | None = None
        self._grader: Grader | None = None
        self._new_pictures: tuple[Picture, ...] = ()

    @property
    def reward_weights(self) -> dict[str, float]:
        """The weight of each objective, for GDPO."""
        return {ANSWER: 1.0}

    @property
    def source(self) -> TaskSource:
        """Where the tasks come from; environments of one run may share it."""
        return self._source

    @property
    def num_tasks(self) -> int | None:
        """The number of tasks; None for endless ones."""
        return self._source.num_tasks

    @property
    def function_tools(self) -> list[dict[str, Any]]:
        """The tools, as the Responses API takes them."""
        return deepcopy(FUNCTION_TOOLS)

    @property
    def task(self) -> Task:
        """The task that is played, answer included: for policies that may know it, and tests."""
        return self._running.task

    @property
    def exchanges(self) -> tuple[Any, ...]:
        """The turns of the episode with their replies."""
        return tuple(self._running.exchanges)

    @property
    def prompt(self) -> list[Message]:
        """The messages that open the episode, as Responses input items."""
        task = self._running.task
        messages = task.messages or ({"role": "user", "content": _question_parts(task)},)
        opening = opening_messages(messages, FUNCTION_TOOLS, self._prompt_format)
        return [self._delivery.with_pictures(message, task.pictures) for message in opening]

    @property
    def image_urls(self) -> list[str]:
        """The pictures that are new in this step as ``data:`` URLs, each encoded once."""
        return [self._delivery.data_url(picture) for picture in self._new_pictures]

    @property
    def _running(self) -> Episode:
        if self._episode is None:
            raise reset_needed()
        return self._episode

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode.

        Args:
            seed: Seeds the choice of tasks; the same seed plays the same episodes.
            options: ``{"task": i}`` plays row ``i`` of a data set or the puzzle of seed ``i``;
                ``{"task": task_id}`` plays a recorded task again.

        Raises:
            DataError: A picture of the task cannot be read any more.
        """
        super().reset(seed=seed)
        if seed is not None or self._episode is None:
            self._source.reset(self.np_random)
        task = choose_task(self._source, self.np_random, options)
        self._grader = make_grader(task.grader, task.grading)
        self._episode = Episode(task, self._workbench(task.pictures))
        self._new_pictures = task.pictures
        return self._observe(task.question), dict(opening_info(task.task_id, self.reward_weights))

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play one assistant turn.

        Args:
            action: A member of the action space.

        Raises:
            gymnasium.error.ResetNeeded: The episode has ended, or none was started.
            TypeError: The action has none of the forms of a turn.
        """
        episode = self._running
        if episode.ending:
            raise reset_needed()
        turn = parse_turn(action)
        reply = episode.play(turn)
        episode.ending = self._ending(turn, reply)
        self._new_pictures = reply.pictures
        score = self._grade(turn) if episode.ending else Score(0.0)
        episode.score = score.value
        truncated = episode.ending == "step_limit"
        terminated = bool(episode.ending) and not truncated
        info = self._info(reply, score)
        return self._observe(reply.text), score.value, terminated, truncated, info

    def _ending(self, turn: Turn, reply: Reply) -> Ending:
        if turn.incomplete:
            return "incomplete"
        if turn.is_answer:
            return "answered"
        if reply.is_invalid and self._terminate_on_invalid_tool_call:
            return "invalid_call"
        return "step_limit" if turn.is_last else ""

    def _grade(self, turn: Turn) -> Score:
        grader, task = self._grader, self._running.task
        if grader is None or not self._is_graded(turn):
            score = Score(0.0)
        else:
            score = grader.grade(turn.text)
        self._source.observe(task, score.value)
        return replace(score, value=float(score.value))

    def _observe(self, text: str) -> Observation:
        return {"text": text, "images": self._delivery.arrays(self._new_pictures)}

    def _info(self, reply: Reply, score: Score) -> dict[str, Any]:
        episode = self._running
        info: EpisodeInfo = opening_info(episode.task.task_id, self.reward_weights)
        info["turn"] = episode.turn
        info["ending"] = episode.ending
        info["notice"] = reply.notice
        info["tool_results"] = list(reply.results)
        info["tool_call_count"] = len(episode.bench.records)
        info["tool_error_count"] = episode.num_errors
        info["base_reward"] = score.value
        info["reward_components"] = {ANSWER: score.value}
        info["reward_scores"] = {ANSWER: score.value}
        if episode.ending:
            info["extracted_answer"] = score.extracted
            info["expected_answer"] = episode.task.expected_answer
        return dict(info)

    def render(self) -> np.ndarray | str | None:
        """Draw the episode so far, by ``render_mode``: a contact sheet or a transcript."""
        if self.render_mode == "rgb_array":
            return render_rgb_array(self._running)
        if self.render_mode == "ansi":
            return render_ansi(self._running)
        return None


def _question_parts(task: Task) -> list[Message]:
    pictures = [{"type": "input_image", "picture": i} for i in range(len(task.pictures))]
    return [*pictures, {"type": "input_text", "text": task.question}]
