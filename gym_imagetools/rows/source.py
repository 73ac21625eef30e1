"""Rows as tasks: checked when the source is made, drawn in order or in a shuffle per epoch."""

from __future__ import annotations

import logging
import operator
import os
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar, get_args, runtime_checkable

import numpy as np

from gym_imagetools.errors import DataError
from gym_imagetools.rows.reader import Data, Rows, open_rows
from gym_imagetools.types import Picture

T = TypeVar("T")

ReadRow = Callable[[Mapping[str, Any], str, Path | None], T]
"""Makes a task of a row, its id and the folder of its pictures; raises DataError."""

Order = Literal["shuffle", "sequential"]
OnDataError = Literal["raise", "skip"]

SKIPPED = "Passed over %s"

logger = logging.getLogger(__name__)


@runtime_checkable
class HasPictures(Protocol):
    """A task with pictures, such as :class:`~gym_imagetools.types.Task`."""

    @property
    def pictures(self) -> Sequence[Picture]:
        """The pictures; all of them are decoded before the task is played."""


@dataclass(frozen=True, slots=True)
class RowProblem:
    """Why a row cannot be played.

    Attributes:
        row: The row's number, from 0.
        message: Where the row stands, what was expected, what came, and what to do.
    """

    row: int
    message: str


def check_rows(
    data: Data, data_root: str | os.PathLike[str] | None, read: ReadRow[T]
) -> list[RowProblem]:
    """Return every problem of the rows, one a row at most.

    Args:
        data: The rows, as :class:`RowSource` takes them.
        data_root: The folder of the pictures; None for the folder of the row file.
        read: Makes a task of a row.

    Raises:
        DataError: There are no rows to check: the file or the entry cannot be used.
    """
    rows = open_rows(data, data_root)
    problems = []
    for number in range(len(rows)):
        try:
            _read_numbered(rows, number, read)
        except DataError as error:
            problems.append(RowProblem(number, str(error)))
    return problems


class RowSource(Generic[T]):
    """Tasks from data rows, in the shape of a task source.

    Every row is read once when the source is made, with the headers of its pictures, so that a
    fault is told before an episode starts. A picture that cannot be decoded is told when it is
    played. A file's rows are then read again as they are played: the source keeps only where each
    of them starts, and pickles to a few bytes a row.

    Args:
        data: A path of a JSONL file, a list of rows, a dataset entry, or None for the sample that
            ships with the package.
        data_root: The folder no picture may lie outside of; None for the folder of the row file.
        order: ``shuffle`` draws a permutation an epoch, ``sequential`` starts anew when seeded.
        on_data_error: ``raise``, or ``skip`` to pass bad rows over and log each of them.
        read: Makes a task of a row.

    Attributes:
        num_tasks: The number of usable rows, repeats included.
        num_skipped: The number of rows passed over when the source was made.

    Raises:
        TypeError: ``data`` is of no known form.
        ValueError: A keyword is outside of its values.
        DataError: A row, a file or an entry cannot be used; with ``skip``, no row can.
    """

    def __init__(
        self,
        data: Data,
        data_root: str | os.PathLike[str] | None,
        order: Order,
        on_data_error: OnDataError,
        read: ReadRow[T],
    ) -> None:
        _require_choice("order", order, get_args(Order))
        _require_choice("on_data_error", on_data_error, get_args(OnDataError))
        self._rows = open_rows(data, data_root)
        self._read = read
        self._order = order
        self._skips = on_data_error == "skip"
        self._usable = self._check()
        self.num_skipped = len(self._rows) - len(self._usable)
        self.num_tasks: int = len(self._usable) * self._rows.num_repeats
        self._played = 0
        self._permutation = array("q")

    def reset(self, rng: np.random.Generator) -> None:
        """Start a new epoch; called when the environment is seeded."""
        self._played = 0
        self._permutation = array("q")

    def next(self, rng: np.random.Generator) -> T:
        """Return the next task of the epoch, or the first of a new one.

        Raises:
            DataError: The row has gone bad since it was checked; with ``skip``, all have.
        """
        return self._first_good(self._advance(rng) for _ in range(self.num_tasks))

    def task(self, index: int | str) -> T:
        """Return the task of a usable row, by its number in the order of the data or its id.

        Raises:
            ValueError: The index is outside of ``0..num_tasks - 1``, or no usable row has the id.
            DataError: The row has gone bad since it was checked; with ``skip``, all have.
        """
        first = self._index_of(index) if isinstance(index, str) else operator.index(index)
        if not 0 <= first < self.num_tasks:
            raise ValueError(f"Expected a task index in 0..{self.num_tasks - 1}, got {index!r}.")
        return self._first_good((first + i) % self.num_tasks for i in range(self.num_tasks))

    def observe(self, task: T, score: float) -> None:
        """Do nothing: the order of rows does not depend on scores."""

    def _index_of(self, task_id: str) -> int:
        name, _, number = task_id.rpartition("#")
        if name != self._rows.name or not number.isdecimal() or int(number) not in self._usable:
            raise ValueError(
                f"Expected the id of a usable row, such as {self._rows.name}#{self._usable[0]}, "
                f"got {task_id!r}."
            )
        return self._usable.index(int(number)) * self._rows.num_repeats

    def _check(self) -> Sequence[int]:
        """Return the numbers of the usable rows."""
        bad = set()
        for number in range(len(self._rows)):
            try:
                _read_numbered(self._rows, number, self._read)
            except DataError as error:
                if not self._skips:
                    raise
                logger.warning(SKIPPED, error)
                bad.add(number)
        if len(bad) == len(self._rows):
            raise DataError(f"Expected a usable row in {self._rows.name}, got none; see the log.")
        numbers = range(len(self._rows))
        return array("q", (i for i in numbers if i not in bad)) if bad else numbers

    def _advance(self, rng: np.random.Generator) -> int:
        """Return the index of the next task, beginning an epoch where one is due."""
        position = self._played % self.num_tasks
        if self._order == "shuffle" and position == 0:
            self._permutation = array("q", rng.permutation(self.num_tasks).tolist())
        self._played += 1
        return self._permutation[position] if self._order == "shuffle" else position

    def _first_good(self, indices: Iterable[int]) -> T:
        for index in indices:
            number = self._usable[index // self._rows.num_repeats]
            try:
                return _read_numbered(self._rows, number, self._read_and_load)
            except DataError as error:
                if not self._skips:
                    raise
                logger.warning(SKIPPED, error)
        raise DataError(
            f"Expected a usable row in {self._rows.name}, got none: all have gone bad since they "
            "were checked; see the log."
        )

    def _read_and_load(self, row: Mapping[str, Any], name: str, root: Path | None) -> T:
        """Read a row and decode its pictures, which no more than their headers were checked of."""
        task = self._read(row, name, root)
        if isinstance(task, HasPictures):
            for picture in task.pictures:
                picture.load()
        return task


def _read_numbered(rows: Rows, number: int, read: ReadRow[T]) -> T:
    try:
        return read(rows.row(number), f"{rows.name}#{number}", rows.root)
    except DataError as error:
        raise DataError(f"{rows.where(number)}: {error}") from error


def _require_choice(keyword: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"Expected `{keyword}` to be one of {', '.join(choices)}, got {value!r}.")
