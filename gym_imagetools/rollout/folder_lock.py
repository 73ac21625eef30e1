"""One process at a time writes into the folder of a run."""

from __future__ import annotations

import os
import sys
import weakref
from pathlib import Path
from types import TracebackType
from typing import Self

from gym_imagetools.errors import DataError

LOCK_FILE = ".lock"


class FolderLock:
    """Holds a folder until it is let go of, or its process ends in whatever way.

    The system takes the lock from a process that has died, so that what is left of its file
    stands in nobody's way. Windows has no such lock, and goes without. In a ``with`` statement
    the folder is let go of where the block fails, and held where it ends well.

    Args:
        folder: The folder, which exists.

    Raises:
        DataError: Another run holds it.
        OSError: The file of the lock cannot be made.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / LOCK_FILE
        file = _locked(path, folder)
        self.release = weakref.finalize(self, _release, file, path)
        """Lets go of the folder; to call it again does nothing."""

    def __enter__(self) -> Self:
        """Return the lock."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Let go of the folder if the block has failed."""
        if kind is not None:
            self.release()


def _locked(path: Path, folder: Path) -> int:
    """Return the open file of the lock, which is held."""
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _lock(file)
        except BlockingIOError:
            holder = os.read(file, 20).decode(errors="replace") or "unknown"
            os.close(file)
            raise DataError(
                f"Expected {folder} to be free, got one that process {holder} is writing into; "
                "wait for it, stop it, or choose another folder."
            ) from None
        except OSError:
            os.close(file)
            raise
        if _is_still_there(file, path):
            os.truncate(file, 0)
            os.write(file, str(os.getpid()).encode())
            return file
        # The last holder has removed it meanwhile.
        os.close(file)


def _lock(file: int) -> None:
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_still_there(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False


def _release(file: int, path: Path) -> None:
    # While the lock is held, the file is nobody else's.
    path.unlink(missing_ok=True)
    os.close(file)
