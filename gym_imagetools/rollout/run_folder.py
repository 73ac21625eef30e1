"""The folder of a run: ``run.json``, ``rollouts.jsonl``, ``failures.jsonl`` and ``images/``."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from gym_imagetools.errors import DataError
from gym_imagetools.rollout.assignment import Assignment
from gym_imagetools.rollout.failures import FailureRecord
from gym_imagetools.rollout.folder_lock import LOCK_FILE, FolderLock
from gym_imagetools.rollout.lines import Place, PlacedLines, write_whole
from gym_imagetools.rollout.pictures import FOLDER, PictureFolder, references_in
from gym_imagetools.rollout.records import RolloutRecord, make_record, read_record
from gym_imagetools.rollout.rollout import Rollout
from gym_imagetools.rollout.run_settings import RunSettings
from gym_imagetools.rows.faults import first_fault

SETTINGS_FILE = "run.json"
ROLLOUTS_FILE = "rollouts.jsonl"
FAILURES_FILE = "failures.jsonl"
_OF_NO_RECORD = frozenset({SETTINGS_FILE, FAILURES_FILE, FOLDER, LOCK_FILE})
"""What a run leaves behind of which no episode has come to its end."""

SYNC_EVERY_S = 1.0
"""Seconds of a run that a power cut may cost, besides the episodes in flight."""


@dataclass(frozen=True)
class Progress:
    """How far a run has come that is to be continued.

    Attributes:
        done: The places of its complete episodes.
        tasks: The tasks of their groups.
        repairs: What was mended in its files, in words.
    """

    done: set[Place] = field(default_factory=set)
    tasks: dict[int, str] = field(default_factory=dict)
    repairs: list[str] = field(default_factory=list)

    def rest_of(self, assignments: list[Assignment]) -> list[Assignment]:
        """Return the episodes of a plan that are not complete."""
        return [one for one in assignments if (one.group, one.member) not in self.done]


class RunFolder:
    """Writes a run, rollout by rollout.

    A line is appended with one write, after its pictures are in place. So whenever the process
    dies, all that is written is whole but for the last line, which :meth:`resume` cuts off; a
    power cut loses at most the last second as well. Until the object is closed, or gone,
    no other can write into the folder.

    Args:
        path: The folder; it is made where it is missing. What a run without any complete episode
            has left there gives way.

    Raises:
        DataError: There is something else in the folder, or another process writes into it.
        OSError: The folder cannot be made.
    """

    _pictures: PictureFolder
    _rollouts: PlacedLines
    _failures: PlacedLines

    def __init__(self, path: Path) -> None:
        with self._open(path):
            _begin_anew(path)

    @classmethod
    def resume(
        cls, path: Path, settings: RunSettings, seen: Callable[[RolloutRecord], None]
    ) -> tuple[RunFolder, Progress]:
        """Open the folder of a run that is to be continued, or of one that has not begun.

        Failures are forgotten: their episodes are played again.

        Args:
            path: The folder.
            settings: The settings to go on with.
            seen: Is shown each complete record.

        Raises:
            DataError: The folder is that of another run, or a line before the last is no record,
                or another process writes into it.
            OSError: The folder cannot be read or written.
        """
        if not (path / SETTINGS_FILE).exists():
            return cls(path), Progress()
        folder = cls.__new__(cls)
        with folder._open(path):
            _expect_same_run(path, settings)
            return folder, folder._take_stock(seen)

    @property
    def rollouts_path(self) -> Path:
        """The file of the records."""
        return self._rollouts.path

    @property
    def num_rollouts(self) -> int:
        """The number of complete episodes."""
        return len(self._rollouts)

    @property
    def failures_path(self) -> Path:
        """The file of the failures; it is missing as long as nothing has failed."""
        return self._failures.path

    def write_settings(self, *parts: RunSettings) -> None:
        """Write ``run.json``: the settings of the run, or of its parts, in their order."""
        lines = ",\n".join(part.model_dump_json(indent=2) for part in parts)
        text = lines if len(parts) == 1 else f"[\n{lines}\n]"
        write_whole(self.path / SETTINGS_FILE, (text + "\n").encode())

    def write(self, rollout: Rollout) -> RolloutRecord:
        """Write the record and the pictures of a rollout.

        Raises:
            OSError: They cannot be written; what was written before is whole.
        """
        record = make_record(rollout, self._pictures)
        self._rollouts.append(_place(record), record.line().encode())
        if time.monotonic() - self._synced_s >= SYNC_EVERY_S:
            self.sync()
        return record

    def sync(self) -> None:
        """Wait until all that is written is on the disk; a run does so every second by itself.

        Raises:
            OSError: The disk does not take it.
        """
        self._pictures.sync()
        self._rollouts.sync()
        self._failures.sync()
        self._synced_s = time.monotonic()

    def write_failure(self, failure: FailureRecord) -> None:
        """Write what kept an episode from being played.

        Raises:
            OSError: As for :meth:`write`.
        """
        self._failures.append(_place(failure), failure.line().encode())

    def close(self) -> None:
        """Bring everything onto the disk, and let others write into the folder.

        Raises:
            OSError: The disk does not take it.
        """
        try:
            self.sync()
        finally:
            self._lock.release()

    def put_in_order(self) -> None:
        """Bring the lines into the order of the plan, now that nothing follows.

        Episodes end in any order; the same run shall still leave the same bytes.
        """
        self._rollouts.sort()
        self._failures.sort()
        self.sync()

    def _open(self, path: Path) -> FolderLock:
        """Hold the folder; the lock is let go of where what follows in its block fails."""
        self.path = made_folder(path)
        self._lock = FolderLock(path)
        self._synced_s = time.monotonic()
        self._pictures = PictureFolder(path)
        self._rollouts = PlacedLines(path / ROLLOUTS_FILE)
        self._failures = PlacedLines(path / FAILURES_FILE)
        return self._lock

    def _take_stock(self, seen: Callable[[RolloutRecord], None]) -> Progress:
        progress = Progress()

        def place_of(number: int, line: bytes) -> Place | None:
            record = read_record(line, f"line {number} of {self.rollouts_path}")
            named = _pictures_of(record)
            if lost := next((one for one in named if not self._pictures.holds(one)), None):
                progress.repairs.append(f"line {number} is dropped: its picture {lost} is lost")
                return None
            seen(record)
            progress.done.add(_place(record))
            progress.tasks[record.task_index] = record.task_id
            return _place(record)

        self.failures_path.unlink(missing_ok=True)
        for unfinished in self.path.rglob(".*.part"):
            unfinished.unlink()
        if torn := self._rollouts.take_over(place_of):
            progress.repairs.append(f"a torn last line of {torn} bytes is cut off")
        return progress


def empty_folder(path: Path) -> Path:
    """Return a folder that holds nothing, made where it is missing.

    Raises:
        DataError: There is something in it, or it is a file.
        OSError: It cannot be made.
    """
    if any(made_folder(path).iterdir()):
        raise _not_empty(path)
    return path


def made_folder(path: Path) -> Path:
    """Return a folder, made where it is missing.

    Raises:
        DataError: It is a file.
        OSError: It cannot be made.
    """
    if path.exists() and not path.is_dir():
        raise _not_empty(path)
    path.mkdir(parents=True, exist_ok=True)
    return path


def _begin_anew(path: Path) -> None:
    """Clear away what a run of no complete episode has left behind; anything else stays."""
    names = {entry.name for entry in path.iterdir()} - {LOCK_FILE}
    if not names:
        return
    if SETTINGS_FILE not in names or names - _OF_NO_RECORD or not _settings_in(path):
        raise _not_empty(path)
    (path / FAILURES_FILE).unlink(missing_ok=True)
    if (path / FOLDER).exists():
        shutil.rmtree(path / FOLDER)


def _not_empty(path: Path) -> DataError:
    return DataError(
        f"Expected {path} to be a new or an empty folder, got one with something in it; "
        "choose another folder or remove it."
    )


def _pictures_of(record: RolloutRecord) -> Iterator[str]:
    items = (*record.responses_create_params.input, *record.response.output)
    yield from references_in(items)
    yield from record.image_tools_output_paths


def _place(line: RolloutRecord | FailureRecord) -> Place:
    return line.task_index, line.rollout_index


def _settings_in(path: Path) -> list[RunSettings]:
    """Return the settings of a run's parts; none where its file is of another make."""
    try:
        read = json.loads((path / SETTINGS_FILE).read_bytes())
        return [RunSettings.model_validate(part) for part in _listed(read)]
    except (ValueError, RecursionError):
        return []


def _listed(read: Any) -> list[Any]:
    return read if isinstance(read, list) else [read]


def _expect_same_run(path: Path, settings: RunSettings) -> None:
    file = path / SETTINGS_FILE
    try:
        before = RunSettings.model_validate_json(file.read_bytes())
    except ValidationError as error:
        raise DataError(
            f"Expected {file} to hold the settings of a run, got {first_fault(error)}; choose "
            "another folder."
        ) from None
    differences = before.differences(settings)
    if differences and _has_a_line(path / ROLLOUTS_FILE):
        raise DataError(
            f"Expected the settings of the run in {file}, got {', '.join(differences)}; resume "
            "with the same settings or choose another folder."
        )


def _has_a_line(path: Path) -> bool:
    """Return whether a file holds a whole line: settings that led to none bind nobody."""
    if not path.exists():
        return False
    with path.open("rb") as file:
        return file.readline().endswith(b"\n")
