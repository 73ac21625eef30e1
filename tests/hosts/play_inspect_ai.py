"""A recorded episode, played by Inspect AI with its mock model."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from typing import Any

from inspect_ai import Task, eval
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from gym_imagetools.adapters.inspect_ai import make_task
from tests.hosts.rollouts import Outcome, Recording

MODEL = "mockllm/model"


def output_of(turn: Any) -> ModelOutput:
    """Return a turn as the mock model says it: an output as it is, a call, or text."""
    if isinstance(turn, ModelOutput):
        output = turn
    elif isinstance(turn, str):
        output = ModelOutput.from_content(MODEL, turn)
    else:
        output = ModelOutput.for_tool_call(MODEL, turn["name"], turn["arguments"], content="")
    # Without a usage the mock model counts tokens, with a table from the network.
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


def evaluate(task: Task, turns: Iterable[Any], **settings: Any) -> EvalLog:
    """Return the log of an evaluation in which the model says the turns."""
    model = get_model(MODEL, custom_outputs=[output_of(turn) for turn in turns])
    with tempfile.TemporaryDirectory() as folder:
        (log,) = eval(task, model=model, display="none", log_dir=folder, **settings)
        return read_eval_log(log.location)


def play(recording: Recording) -> Outcome:
    """Return what the episode paid."""
    task = make_task(recording.env_id, num_tasks=1, first_task=recording.task, **recording.keywords)
    log = evaluate(task, recording.turns)
    assert log.status == "success", log.error
    score = log.samples[0].scores["reward_components"]
    info = {**score.metadata, "reward_components": score.value}
    return Outcome(score.metadata["reward"], info)
