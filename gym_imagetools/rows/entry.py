"""A dataset entry: a row file with its name, its role, its licence and its repeats."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from gym_imagetools.errors import DataError
from gym_imagetools.rows.faults import first_fault


class DataEntry(BaseModel):
    """One dataset of a configuration, in the terms of NeMo Gym.

    Rows to train or validate on must name their licence. Leaving it out is refused with a sentence
    that says so, for in a large configuration it is easily missed and hard to find later.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1)
    """Names the tasks: ``<name>#<row>``."""

    type: Literal["train", "validation", "example"]
    """What the rows are for."""

    path: Path
    """The row file, JSONL."""

    license: str | None = None
    """The licence of the rows, such as ``Apache-2.0``."""

    num_repeats: int = Field(default=1, ge=1)
    """How often each row is played in an epoch, its repeats one after the other."""

    @model_validator(mode="after")
    def _names_its_licence(self) -> Self:
        if self.type != "example" and not (self.license or "").strip():
            raise ValueError(
                f"Expected the {self.type} entry {self.name!r} to name its licence, got none; "
                'add "license", such as "license": "Apache-2.0".'
            )
        return self


def read_entry(entry: Mapping[str, Any]) -> DataEntry:
    """Read a dataset entry.

    Raises:
        DataError: A field is missing, unknown or out of its range, or the licence is not named.
    """
    if "responses_create_params" in entry:
        raise DataError("Expected `data` to be a list of rows, got one row; put it in a list.")
    try:
        return DataEntry.model_validate(entry)
    except ValidationError as error:
        raise DataError(f"`data` is no usable dataset entry. {first_fault(error)}") from error
