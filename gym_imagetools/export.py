r"""Puzzles as data rows of NeMo Gym: questions with their answers, or single decisions.

A question names two graders. ``grader`` is this package's, and exact. For NeMo Gym (the reference)
``image_tools_base_agent_ref`` and its fields say how the same answer is graded there, and
``metadata["reference_grading"]`` how well:

- ``same``: the reference's grader of the same kind, with the same fields.
- ``as_written``: the reference compares the text in the box character by character; an answer
  in another form of the same value (``1,024``) counts here and not there. Its comparison of
  numbers is not used: it takes 59 for 60.
- ``none``: the reference has no grader that would give only right answers the reward; the row
  names no agent.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gym_imagetools.parsing import parse_turn
from gym_imagetools.policies import OraclePolicy
from gym_imagetools.policies.policy import Env
from gym_imagetools.rollout.assignment import plan
from gym_imagetools.rollout.loop import play
from gym_imagetools.rollout.rollout import Rollout
from gym_imagetools.rows.row import AGENT_GRADERS
from gym_imagetools.scoring.families import ANSWER
from gym_imagetools.types import Message, Task

FULL_SIZE = {"preview_max_side": None, "crop_format": "png"}
"""Keywords of an environment whose messages hold the pictures as they are."""

_STOP = {"stop": ["</tool_call>"], "include_stop_str_in_output": True}
_BOXED_TEXT = {"extraction_mode": "boxed", "case_sensitive": True}


@dataclass(frozen=True)
class ReferenceGrading:
    """How the reference grades the answers of one of our graders.

    Attributes:
        grader: The grader there; "" for none.
        agreement: ``same``, ``as_written`` or ``none``; see the module's text.
        fields: Fields of the row for the reference alone.
    """

    grader: str
    agreement: str
    fields: Mapping[str, Any] = field(default_factory=dict)


_NO_REFERENCE = ReferenceGrading("", "none")
REFERENCE_GRADING: dict[str, ReferenceGrading] = {
    **{name: ReferenceGrading(name, "same") for name in AGENT_GRADERS.values()},
    "integer": ReferenceGrading("string_match", "as_written", _BOXED_TEXT),
    "compare": ReferenceGrading("string_match", "as_written", _BOXED_TEXT),
}
"""By the name of our grader; the graders that are not listed have none."""


@dataclass(frozen=True)
class SolvedPuzzle:
    """A puzzle and the rollout of its oracle.

    Attributes:
        task: The puzzle.
        rollout: How the oracle solved it; its messages hold the pictures at full size.
    """

    task: Task
    rollout: Rollout


def solve(env: Env, *, num_tasks: int, seed: int) -> Iterator[SolvedPuzzle]:
    """Let the oracle solve puzzles.

    Args:
        env: An environment of a puzzle family or of a mixture, made with :data:`FULL_SIZE`.
        num_tasks: Puzzles to solve, >= 1.
        seed: Fixes the puzzles.

    Raises:
        RuntimeError: The oracle did not solve one; such a row would demonstrate a wrong answer.
    """
    for rollout in play(env, OraclePolicy(), plan(seed, num_tasks=num_tasks)):
        if rollout.reward < 1.0:
            raise RuntimeError(
                f"Expected the oracle to earn 1.0 in {rollout.task_id}, got {rollout.reward:g}."
            )
        yield SolvedPuzzle(env.get_wrapper_attr("task"), rollout)


def question_row(puzzle: SolvedPuzzle) -> dict[str, Any]:
    """Return a puzzle as a row of ``ImageTools/Dataset-v0``, its oracle as the demonstration.

    Args:
        puzzle: The puzzle and its solution.
    """
    task = puzzle.task
    reference = REFERENCE_GRADING.get(task.grader, _NO_REFERENCE)
    agents = {grader: agent for agent, grader in AGENT_GRADERS.items()}
    agent = {"type": "responses_api_agents", "name": agents.get(reference.grader, "")}
    return {
        "responses_create_params": _request(puzzle.rollout.prompt),
        **({"image_tools_base_agent_ref": agent} if reference.grader else {}),
        "grader": task.grader,
        **reference.fields,
        **task.grading,
        "category": task.family,
        "demonstration": [text for text in map(_text_of, puzzle.rollout.output) if text],
        "metadata": {**_facts(task), "reference_grading": reference.agreement},
    }


def pivot_rows(puzzle: SolvedPuzzle) -> Iterator[dict[str, Any]]:
    """Yield each turn of the oracle as a row of ``ImageTools/Pivot-v0``.

    The last one demonstrates ``__answer__``, with the grader of the puzzle and its fields.

    Args:
        puzzle: The puzzle and its solution.
    """
    output = puzzle.rollout.output
    for place, item in enumerate(output):
        if not (said := _text_of(item)):
            continue
        transcript = [*puzzle.rollout.prompt, *output[:place]]
        action = _action(said, puzzle.task)
        yield {
            "responses_create_params": _request(transcript),
            "expected_action": action,
            "category": puzzle.task.family,
            "metadata": {
                **_facts(puzzle.task),
                "turn_index": place // 2,
                "tool_name": action["name"],
                "num_images_in_prefix": sum(map(_count_pictures, transcript)),
            },
        }


def _request(messages: Sequence[Message]) -> dict[str, Any]:
    """Return a request as the reference's agent plays it: a turn ends with its first call."""
    return {
        "input": [{"type": "message", **message} for message in messages],
        "metadata": {"extra_body": json.dumps(_STOP)},
    }


def _action(said: str, task: Task) -> dict[str, Any]:
    calls = parse_turn(said).calls
    if calls:
        return {"name": calls[0].name, "arguments": calls[0].arguments}
    answer = {"answer": task.expected_answer, "grader": task.grader, **task.grading}
    return {"name": ANSWER, "arguments": answer}


def _facts(task: Task) -> dict[str, Any]:
    return {"task_id": task.task_id, "spec_hash": task.metadata["spec_hash"]}


def _text_of(item: Message) -> str:
    """Return what the assistant said in an item of text; "" for the items of others."""
    return str(item["content"]) if item.get("role") == "assistant" else ""


def _count_pictures(message: Message) -> int:
    content = message["content"]
    if isinstance(content, str):
        return 0
    return sum(part["type"] == "input_image" for part in content)
