"""The record of a rollout: one line of ``rollouts.jsonl``, in the shape of NeMo Gym's records.

Nothing in a record depends on when or where it was made: the same run writes the same bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

import gym_imagetools
from gym_imagetools.contract import Ending
from gym_imagetools.errors import DataError
from gym_imagetools.rollout.pictures import PictureFolder
from gym_imagetools.rollout.rollout import Rollout, Step
from gym_imagetools.rows.faults import first_fault
from gym_imagetools.rows.reader import parse_object
from gym_imagetools.types import Message


class RequestParams(BaseModel):
    """The request that opened the episode."""

    model_config = ConfigDict(extra="allow", frozen=True)

    input: list[Message]
    """The messages of the prompt; pictures are references such as ``images/0f….png``."""

    tools: list[Message]
    """The function tools of the environment."""


class Response(BaseModel):
    """What was said since, as a response of the Responses API."""

    model_config = ConfigDict(extra="allow", frozen=True)

    id: str
    object: str = "response"
    created_at: int = 0
    model: str
    status: str
    incomplete_details: dict[str, str] | None = None
    """``{"reason": …}`` of a reply that was cut."""

    usage: dict[str, int] | None = None
    """The tokens of all turns together, as far as the server counted them."""

    output: list[Message]
    """Items of the assistant, and the environment's answers as messages of the user."""

    parallel_tool_calls: bool = False
    tool_choice: str = "auto"
    tools: list[Message] = []


class TurnFacts(BaseModel):
    """What the endpoint told about one assistant turn, beside the turn itself."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    usage: dict[str, int]
    incomplete: str
    """Why the reply was cut, such as ``max_output_tokens``; "" for a whole one."""

    is_refusal: bool
    reasoning: str
    """What the model thought, as far as the server showed it."""


class RolloutRecord(BaseModel):
    """One rollout. Each reward component is a field of its own besides, for aggregation."""

    model_config = ConfigDict(extra="allow", frozen=True, populate_by_name=True)

    task_index: int = Field(alias="_ng_task_index")
    """Number of the task in the run: NeMo Gym's name of ``group``."""

    rollout_index: int = Field(alias="_ng_rollout_index")
    """Number of the rollout within its group."""

    task_id: str
    """The task; ``reset(options={"task": task_id})`` plays it again."""

    family: str
    env_id: str
    env_kwargs: dict[str, Any]
    seed: int
    """Seed of ``reset``."""

    group: str
    """Names the group: equal for its members alone, also where two groups play one task."""

    version: str
    responses_create_params: RequestParams
    response: Response
    reward: float
    reward_components: dict[str, float]
    reward_scores: dict[str, float]
    base_reward: float
    image_tools_aux_reward: float
    image_tools_call_count: int = Field(ge=0)
    image_tools_error_count: int = Field(ge=0)
    image_tools_output_paths: list[str]
    """The pictures that tools made, in their order."""

    image_tools_generation_image_paths: list[list[str]]
    """For each assistant turn the pictures that were new to it, those of the prompt aside."""

    step_rewards: list[float]
    turn_facts: list[TurnFacts] = []
    """One for each turn of a model; none where a policy played."""

    usage: dict[str, int] | None = None
    incomplete_details: dict[str, str] | None = None
    is_refusal: bool = False
    """Whether the model refused to answer."""

    ending: Ending
    extracted_answer: str
    expected_answer: str

    @model_validator(mode="after")
    def _repeats_its_components(self) -> Self:
        if self.model_extra != self.reward_components:
            raise ValueError(
                f"Expected the reward components {self.reward_components} as fields besides, and "
                f"no other field, got {self.model_extra}."
            )
        return self

    def line(self) -> str:
        """Return the record as one line of JSON."""
        return self.model_dump_json(by_alias=True) + "\n"


def make_record(rollout: Rollout, pictures: PictureFolder) -> RolloutRecord:
    """Return the record of a rollout, its pictures written to their folder.

    Args:
        rollout: A finished episode.
        pictures: Where its pictures go.
    """
    where, final = rollout.assignment, rollout.final
    new_pictures = [[pictures.put(url) for url in step.image_urls] for step in rollout.steps]
    components = dict(final["reward_components"])
    prompt = pictures.with_references(rollout.prompt)
    return RolloutRecord(
        task_index=where.group,
        rollout_index=where.member,
        task_id=rollout.task_id,
        family=rollout.family,
        env_id=rollout.env_id,
        env_kwargs=dict(rollout.env_kwargs),
        seed=where.seed,
        group=f"{rollout.task_id}@{where.group}",
        version=gym_imagetools.__version__,
        responses_create_params=RequestParams(input=prompt, tools=list(rollout.tools)),
        response=_response(rollout, pictures),
        reward=rollout.reward,
        reward_components=components,
        reward_scores=dict(final["reward_scores"]),
        base_reward=final["base_reward"],
        image_tools_aux_reward=final["image_tools_aux_reward"],
        image_tools_call_count=final["tool_call_count"],
        image_tools_error_count=final["tool_error_count"],
        image_tools_output_paths=[path for paths in new_pictures for path in paths],
        # What the last step made, no turn has seen.
        image_tools_generation_image_paths=[[], *new_pictures[:-1]],
        step_rewards=[step.reward for step in rollout.steps],
        turn_facts=_turn_facts(rollout),
        usage=_usage(rollout),
        incomplete_details=_incomplete_details(rollout),
        is_refusal=_is_refusal(rollout),
        ending=final["ending"],
        extracted_answer=final["extracted_answer"],
        expected_answer=final["expected_answer"],
        **components,
    )


def read_records(path: Path) -> Iterator[RolloutRecord]:
    """Read the records of a file, one after the other.

    Args:
        path: A ``rollouts.jsonl``.

    Raises:
        DataError: A line is no record; the message names it.
        OSError: The file cannot be read.
    """
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            yield read_record(line, f"line {number} of {path}")


def read_record(line: bytes, where: str) -> RolloutRecord:
    """Read one record.

    Args:
        line: The line.
        where: Names the line in errors.

    Raises:
        DataError: It is no record.
    """
    try:
        return RolloutRecord.model_validate(parse_object(line))
    except ValidationError as error:
        raise DataError(f"{where}: {first_fault(error)}") from error
    except DataError as error:
        raise DataError(f"{where}: {error}") from error


def _response(rollout: Rollout, pictures: PictureFolder) -> Response:
    where = rollout.assignment
    is_cut = rollout.final["ending"] == "incomplete"
    output = [_output_item(item, index) for index, item in enumerate(rollout.output)]
    return Response(
        id=f"resp_{where.group}_{where.member}",
        model=rollout.policy,
        status="incomplete" if is_cut else "completed",
        incomplete_details=_incomplete_details(rollout),
        usage=_usage(rollout),
        output=pictures.with_references(_with_tokens(output, rollout.steps)),
    )


def _turn_facts(rollout: Rollout) -> list[TurnFacts]:
    replies = [step.reply for step in rollout.steps if step.reply is not None]
    return [
        TurnFacts(
            usage=dict(reply.usage),
            incomplete=reply.incomplete,
            is_refusal=reply.is_refusal,
            reasoning=reply.reasoning,
        )
        for reply in replies
    ]


def _usage(rollout: Rollout) -> dict[str, int] | None:
    counts: Counter[str] = Counter()
    for step in rollout.steps:
        counts.update({} if step.reply is None else step.reply.usage)
    return dict(counts) or None


def _incomplete_details(rollout: Rollout) -> dict[str, str] | None:
    if rollout.final["ending"] != "incomplete":
        return None
    reply = rollout.steps[-1].reply
    return {"reason": (reply and reply.incomplete) or "max_output_tokens"}


def _is_refusal(rollout: Rollout) -> bool:
    reply = rollout.steps[-1].reply
    return reply is not None and reply.is_refusal


def _with_tokens(output: list[Message], steps: Sequence[Step]) -> list[Message]:
    """Give the last item of each turn the tokens it was made of, under NeMo Gym's names."""
    ends = [index for index in range(len(output)) if _ends_a_turn(output, index)]
    filled = list(output)
    for index, step in zip(ends, steps, strict=False):
        if step.reply is not None:
            filled[index] = {**output[index], **step.reply.tokens}
    return filled


def _ends_a_turn(output: list[Message], index: int) -> bool:
    following = output[index + 1] if index + 1 < len(output) else None
    return _is_own(output[index]) and (following is None or not _is_own(following))


def _is_own(item: Mapping[str, Any]) -> bool:
    """Return whether an item is the assistant's."""
    if "role" in item:
        return bool(item["role"] == "assistant")
    return not str(item["type"]).endswith("call_output")


def _output_item(item: Mapping[str, Any], index: int) -> Message:
    """Return an item with its text as content parts, as a reply of the API has it."""
    if "role" not in item:
        return dict(item)
    is_own = _is_own(item)
    filled: Message = {"type": "message", **item}
    if isinstance(item["content"], str):
        part = {"type": "output_text" if is_own else "input_text", "text": item["content"]}
        filled["content"] = [{**part, "annotations": []} if is_own else part]
    return {"id": f"msg_{index}", "status": "completed", **filled} if is_own else filled
