"""Files that survive a kill: lines are appended whole, other files are replaced whole."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

Place = tuple[int, int]
"""Where an episode stands in the plan: its group, and its number therein."""


def write_whole(path: Path, data: bytes, *, is_synced: bool = True) -> None:
    """Write a file so that it is there as a whole, or not at all, or as it was.

    Args:
        path: The file.
        data: What it holds.
        is_synced: Whether that holds for a power cut, too, and not for a kill alone; otherwise
            :func:`sync_file` is for the caller to do.

    Raises:
        OSError: It cannot be written.
    """
    _replace(path, (data,), is_synced=is_synced)


class PlacedLines:
    """A file of lines that each have a place in a plan, and are appended as they come.

    Args:
        path: The file; the first line makes it.

    Attributes:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._spans: list[tuple[Place, int, int]] = []
        self._end = 0
        self._is_synced = True

    def __len__(self) -> int:
        return len(self._spans)

    def append(self, place: Place, line: bytes) -> None:
        """Append a line with one write; :meth:`sync` brings it onto the disk.

        Args:
            place: Its place.
            line: The line, its line break included.

        Raises:
            OSError: It cannot be written whole, as on a full disk; nothing of it is left then.
        """
        with self.path.open("ab", buffering=0) as file:
            try:
                if file.write(line) != len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
            except OSError:
                file.truncate(self._end)
                raise
        self._note(place, len(line))
        self._is_synced = False

    def sync(self) -> None:
        """Wait until all lines are on the disk, where a power cut leaves them.

        Raises:
            OSError: The disk does not take them.
        """
        if not self._is_synced:
            sync_file(self.path)
            sync_file(self.path.parent)
            self._is_synced = True

    def take_over(self, place_of: Callable[[int, bytes], Place | None]) -> int:
        """Go on after the lines that are there, a torn last one cut off.

        Args:
            place_of: Gives the place of a line from its number, from 1, and its bytes; None
                drops it.

        Returns:
            The length in bytes of the torn line, 0 where there was none.
        """
        if not self.path.exists():
            return 0
        dropped = False
        torn: bytes = b""
        with self.path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    torn = line
                    break
                place = place_of(number, line)
                if place is None:
                    dropped = True
                    self._end += len(line)
                else:
                    self._note(place, len(line))
        if torn:
            os.truncate(self.path, self._end)
        if dropped:
            self._rewrite()
        return len(torn)

    def sort(self) -> None:
        """Bring the lines into the order of their places.

        Raises:
            OSError: The file cannot be written; it is as it was then.
        """
        if self._spans != sorted(self._spans):
            self._spans.sort()
            self._rewrite()

    def _note(self, place: Place, length: int) -> None:
        self._spans.append((place, self._end, length))
        self._end += length

    def _rewrite(self) -> None:
        """Write the file anew with the lines that are noted, in their order."""
        with self.path.open("rb") as file:

            def lines() -> Iterator[bytes]:
                for _, offset, length in spans:
                    file.seek(offset)
                    yield file.read(length)

            spans = self._spans
            _replace(self.path, lines())
        self._spans, self._end = [], 0
        for place, _, length in spans:
            self._note(place, length)


def sync_file(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk.

    Raises:
        OSError: The disk does not take them.
    """
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _replace(path: Path, chunks: Iterable[bytes], *, is_synced: bool = True) -> None:
    unfinished = path.with_name(f".{path.name}.part")
    try:
        with unfinished.open("wb") as file:
            file.writelines(chunks)
            file.flush()
            if is_synced:
                os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
