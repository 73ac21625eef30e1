"""Access to rows by number: from a JSONL file, of which only offsets are kept, or from a list."""

from __future__ import annotations

import copy
import json
import os
import warnings
from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, Protocol

from gym_imagetools.errors import DataError
from gym_imagetools.rows.entry import read_entry

Data = (
    str
    | os.PathLike[str]
    | list[dict[str, Any]]
    | tuple[dict[str, Any], ...]
    | Mapping[str, Any]
    | None
)
"""A path, a list of rows, a dataset entry, or None for the sample that ships with the package."""

SAMPLE = Path(__file__).with_name("sample") / "rows.jsonl"
"""Twelve small questions about pictures, with a scripted demonstration of each."""

PIVOT_SAMPLE = SAMPLE.with_name("pivots.jsonl")
"""Eight decisions about the same pictures, with the call that is right there."""

MAX_LIST_CHARS = 1_000_000
"""A list of rows travels with every copy of an environment; above this size a file is better."""


class Rows(Protocol):
    """Numbered rows. Small to pickle unless it is a list, and the same rows for ever."""

    @property
    def name(self) -> str:
        """What task ids begin with."""

    @property
    def root(self) -> Path | None:
        """The folder of the pictures that are files."""

    @property
    def num_repeats(self) -> int:
        """How often each row is played in an epoch."""

    def __len__(self) -> int:
        """Return the number of rows, usable or not."""

    def row(self, number: int) -> dict[str, Any]:
        """Return one row as fresh JSON values; raises DataError when that cannot be done."""

    def where(self, number: int) -> str:
        """Return where one row stands, for people."""


class FileRows:
    """The rows of a JSONL file: one JSON object a line, UTF-8, blank lines ignored.

    Args:
        path: The file.
        root: The folder that holds the pictures; None for the folder of the file.
        name: Names the rows in task ids; None for the file's name.
        num_repeats: How often each row is played in an epoch, >= 1.

    Raises:
        DataError: The file cannot be read, or holds no rows.
    """

    def __init__(
        self,
        path: Path,
        root: Path | None = None,
        name: str | None = None,
        num_repeats: int = 1,
    ) -> None:
        # Absolute, since a worker process may stand in another folder.
        self.path = path.absolute()
        self.root = root or self.path.parent
        self.name = name or path.name
        self.num_repeats = num_repeats
        self._offsets = array("q")
        self._blank_lines = array("q")
        self._size_bytes = 0
        self._index()

    def __len__(self) -> int:
        return len(self._offsets)

    def row(self, number: int) -> dict[str, Any]:
        """Read one row from the file."""
        try:
            with self.path.open("rb") as file:
                size_bytes = os.fstat(file.fileno()).st_size
                file.seek(self._offsets[number])
                line = file.readline()
        except OSError as error:
            raise DataError(_unreadable(self.path, error)) from error
        if size_bytes != self._size_bytes:
            raise DataError(
                f"Expected the {self._size_bytes} bytes the file had when it was opened, got "
                f"{size_bytes}; make the environment anew after changing its rows."
            )
        return parse_object(line)

    def where(self, number: int) -> str:
        """Return task name, line (counted from 1) and file of a row."""
        line = number + 1 + bisect_right(self._blank_lines, number)
        return f"{self.name}#{number} (line {line} of {self.path})"

    def _index(self) -> None:
        """Note where each row starts, and before which row each blank line stands."""
        try:
            with self.path.open("rb") as lines:
                for line in lines:
                    if line.isspace():
                        self._blank_lines.append(len(self._offsets))
                    else:
                        self._offsets.append(self._size_bytes)
                    self._size_bytes += len(line)
        except OSError as error:
            raise DataError(_unreadable(self.path, error)) from error
        if not self._offsets:
            raise DataError(f"Expected rows in {self.path}, got an empty file; write one a line.")


class ListRows:
    """Rows held in memory: for small sets, since every copy of the source carries them.

    The rows are copied, so changing them later changes no episode.

    Args:
        rows: The rows, as JSON values.
        root: The folder that holds the pictures; None when all of them are data URLs.

    Raises:
        DataError: The list is empty.
    """

    name = "rows"
    num_repeats = 1

    def __init__(self, rows: Sequence[Mapping[str, Any]], root: Path | None = None) -> None:
        if not rows:
            raise DataError("Expected rows in the list `data`, got none; add some.")
        self.root = root
        self._rows = copy.deepcopy(tuple(rows))

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, number: int) -> dict[str, Any]:
        """Return one row, brought to what a file would hold."""
        try:
            line = json.dumps(self._rows[number])
        except (TypeError, ValueError, RecursionError) as error:
            raise DataError(
                f"Expected values that JSON can hold, got others ({error}); "
                "write pictures as data URLs and arrays as lists."
            ) from error
        return parse_object(line.encode())

    def where(self, number: int) -> str:
        """Return the number of a row in the list."""
        return f"{self.name}#{number} (in the list `data`)"


def open_rows(data: Data, data_root: str | os.PathLike[str] | None) -> Rows:
    """Open rows in any of their forms, without checking them.

    Args:
        data: A path of a JSONL file, a list of rows, a dataset entry, or None for the sample.
        data_root: The folder no picture may lie outside of; None for the folder of the row file.

    Raises:
        TypeError: ``data`` is nothing of this kind.
        DataError: The file, the folder or the entry cannot be used, or there are no rows.
    """
    root = None if data_root is None else _folder(Path(data_root))
    if data is None:
        return FileRows(SAMPLE, root)
    if isinstance(data, (str, os.PathLike)):
        return FileRows(Path(data), root)
    if isinstance(data, Mapping):
        entry = read_entry(data)
        return FileRows(entry.path, root, entry.name, entry.num_repeats)
    if isinstance(data, (list, tuple)):
        _warn_of_size(data)
        return ListRows(data, root)
    raise TypeError(
        "Expected `data` to be a path of a JSONL file, a list of rows or a dataset entry, "
        f"got {type(data).__name__}."
    )


def parse_object(line: bytes) -> dict[str, Any]:
    """Parse one line of strict JSON that holds an object.

    Raises:
        DataError: The line is not UTF-8, not JSON (NaN and Infinity are not), or no object.
    """
    try:
        value = json.loads(line.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"Expected a JSON object on one line, got what is no JSON ({error}); correct the line."
        ) from error
    if not isinstance(value, dict):
        raise DataError(
            f"Expected a JSON object on one line, got a {type(value).__name__}; "
            "write JSONL, one row a line."
        )
    return value


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON number")


def _folder(root: Path) -> Path:
    if not root.is_dir():
        raise DataError(f"Expected `data_root` to be a folder, got {str(root)!r}; correct it.")
    return root.absolute()


def _unreadable(path: Path, error: OSError) -> str:
    return f"Expected a readable row file, got {path} ({error.strerror}); correct `data`."


def _warn_of_size(rows: Sequence[Mapping[str, Any]]) -> None:
    size_chars = 0
    for row in rows:
        size_chars += len(repr(row))
        if size_chars > MAX_LIST_CHARS:
            warnings.warn(
                "The list `data` holds more than 1 MB, and every copy of the environment carries "
                "it; write the rows to a JSONL file and pass its path.",
                UserWarning,
                stacklevel=4,
            )
            return
