"""A run as it lies in its folder, for what reads runs and writes nothing into their records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gym_imagetools.errors import DataError
from gym_imagetools.rollout.records import RolloutRecord, read_records
from gym_imagetools.rollout.run_folder import FAILURES_FILE, ROLLOUTS_FILE, SETTINGS_FILE


@dataclass(frozen=True)
class FinishedRun:
    """The files of a run.

    Attributes:
        rollouts_path: The file of its records; pictures are referred to from its folder.
    """

    rollouts_path: Path

    @classmethod
    def find(cls, path: Path) -> FinishedRun:
        """Return the run of a folder, or of a file of records such as regraded ones.

        Raises:
            DataError: There is no such file.
        """
        file = path / ROLLOUTS_FILE if path.is_dir() else path
        if not file.is_file():
            raise DataError(
                f"Expected the folder of a run, with {ROLLOUTS_FILE}, or a file of records, "
                f"got {path}; `gym-imagetools rollout --out {path}` makes one."
            )
        return cls(file)

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return self.rollouts_path.parent

    def records(self) -> Iterator[RolloutRecord]:
        """Yield the records.

        Raises:
            DataError: A line is no record, or there is none.
        """
        is_empty = True
        for record in read_records(self.rollouts_path):
            is_empty = False
            yield record
        if is_empty:
            raise DataError(f"Expected at least one record in {self.rollouts_path}, got none.")

    def settings(self) -> list[dict[str, Any]]:
        """Return the settings of the run, part by part; none where they are missing.

        Raises:
            DataError: They are no JSON.
        """
        path = self.folder / SETTINGS_FILE
        if not path.is_file():
            return []
        try:
            settings = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise DataError(f"Expected {path} to be JSON, got {error}.") from None
        parts = settings if isinstance(settings, list) else [settings]
        return [part for part in parts if isinstance(part, dict)]

    def num_failures(self) -> int:
        """Return how many episodes failed and have no record."""
        path = self.folder / FAILURES_FILE
        if not path.is_file():
            return 0
        with path.open("rb") as lines:
            return sum(bool(line.strip()) for line in lines)
