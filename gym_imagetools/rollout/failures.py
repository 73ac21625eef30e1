"""Episodes that have no record, for a reason that no model is to blame for."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, Field

from gym_imagetools.endpoints import EndpointFailure
from gym_imagetools.rollout.assignment import Assignment


class FailureRecord(BaseModel):
    """One line of ``failures.jsonl``: an episode without a reward, to be played again."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    task_index: int = Field(alias="_ng_task_index")
    rollout_index: int = Field(alias="_ng_rollout_index")
    task_id: str
    seed: int
    turn: int
    """The assistant turn that was asked for, counted from 1."""

    kind: str
    """``timeout``, ``connection``, ``status`` or ``reply``."""

    status: int
    """The HTTP status of the last attempt; 0 where there was none."""

    message: str

    @classmethod
    def of(
        cls, failure: EndpointFailure, assignment: Assignment, *, task_id: str, turn: int
    ) -> Self:
        """Return the record of a failed request.

        Args:
            failure: What the endpoint raised.
            assignment: The episode.
            task_id: Its task.
            turn: The turn that was asked for, counted from 1.
        """
        return cls(
            task_index=assignment.group,
            rollout_index=assignment.member,
            task_id=task_id,
            seed=assignment.seed,
            turn=turn,
            kind=failure.kind,
            status=failure.status,
            message=str(failure),
        )

    def line(self) -> str:
        """Return the record as one line of JSON."""
        return self.model_dump_json(by_alias=True) + "\n"
