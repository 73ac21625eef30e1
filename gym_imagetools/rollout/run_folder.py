"""The folder of a run: ``run.json``, ``rollouts.jsonl`` and ``images/``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

import gym_imagetools
from gym_imagetools.errors import DataError
from gym_imagetools.rollout.pictures import PictureFolder
from gym_imagetools.rollout.records import RolloutRecord, make_record
from gym_imagetools.rollout.rollout import Rollout

SETTINGS_FILE = "run.json"
ROLLOUTS_FILE = "rollouts.jsonl"


class RunSettings(BaseModel):
    """Every setting of a run."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    env_id: str
    env_kwargs: dict[str, Any] = Field(default_factory=dict)
    policy: str
    num_tasks: int = Field(ge=1)
    group_size: int = Field(ge=1)
    seed: int = Field(ge=0)
    version: str = gym_imagetools.__version__


class RunFolder:
    """Writes a run, rollout by rollout.

    Args:
        path: The folder; it is made where it is missing.

    Raises:
        DataError: There is something in the folder already.
        OSError: The folder cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self.path = empty_folder(path)
        self._pictures = PictureFolder(path)
        self._num_rollouts = 0

    @property
    def rollouts_path(self) -> Path:
        """The file of the records."""
        return self.path / ROLLOUTS_FILE

    def write_settings(self, *parts: RunSettings) -> None:
        """Write ``run.json``: the settings of the run, or of its parts, in their order."""
        lines = ",\n".join(part.model_dump_json(indent=2) for part in parts)
        text = lines if len(parts) == 1 else f"[\n{lines}\n]"
        (self.path / SETTINGS_FILE).write_text(text + "\n", encoding="utf-8")

    def write(self, rollout: Rollout) -> RolloutRecord:
        """Write the record and the pictures of a rollout."""
        record = make_record(rollout, self._pictures)
        # A line a call: what is written stays, whatever happens to the rest of the run.
        with self.rollouts_path.open("a", encoding="utf-8") as file:
            file.write(record.line())
        return record


def empty_folder(path: Path) -> Path:
    """Return a folder that holds nothing, made where it is missing.

    Raises:
        DataError: There is something in it, or it is a file.
        OSError: It cannot be made.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise DataError(
            f"Expected {path} to be a new or an empty folder, got one with something in it; "
            "choose another folder or remove it."
        )
    path.mkdir(parents=True, exist_ok=True)
    return path
