"""Pictures and calls of agents that use the tools without an episode: a workbench a session."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gym_imagetools.affine import IDENTITY
from gym_imagetools.episode import Frame, Workbench
from gym_imagetools.errors import DataError, ToolError
from gym_imagetools.images.picture import EncodedPicture, read_picture
from gym_imagetools.prompts import replies
from gym_imagetools.settings import EpisodeSettings
from gym_imagetools.tools import ToolSettings
from gym_imagetools.types import Picture, ToolCall

MAX_PICTURE_BYTES = 20_000_000
"""The largest file that may be opened; a server is asked by strangers."""

MAX_SOURCES = 32
"""Pictures that a session may open; what tools make of them does not count."""

MAX_SESSIONS = 64
"""Sessions that are held at once; the one that was idle for longest goes first."""


@dataclass(frozen=True)
class OpenedOrMade:
    """What a call answers.

    Attributes:
        text: The reply as JSON.
        picture: The picture that was opened or made.
    """

    text: str
    picture: Picture


@dataclass
class PictureSession:
    """One agent's pictures; calls of one session wait for each other.

    Attributes:
        root: The folder that pictures may be read from; None where only data URLs are taken.
    """

    root: Path | None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _num_sources: int = 0
    _bench: Workbench = field(
        default_factory=lambda: Workbench(
            (),
            settings=ToolSettings(),
            reward_policy="reference",
            duplicate_iou_threshold=EpisodeSettings.duplicate_iou_threshold,
        )
    )

    def open(self, source: str, **facts: str) -> OpenedOrMade:
        """Add a picture.

        Args:
            source: A base64 ``data:`` URL, or the path of a file inside of the folder.
            facts: What the reply tells besides.

        Raises:
            ToolError: The picture cannot be opened; the message names no path.
        """
        with self._lock:
            if self._num_sources >= MAX_SOURCES:
                raise ToolError(f"Expected at most {MAX_SOURCES} opened pictures, got one more.")
            picture = self._read(source)
            store = self._bench.store
            index = len(store)
            store.add(picture, Frame(index, IDENTITY))
            self._num_sources += 1
        reply = {"ok": True, **facts, "size": list(picture.size), "new_img_indices": [index]}
        return OpenedOrMade(replies.result_json(reply), picture)

    def run(self, name: str, arguments: dict[str, Any]) -> OpenedOrMade:
        """Run one of the image tools on the pictures of the session.

        Args:
            name: The tool's name.
            arguments: Its arguments, as the agent wrote them.

        Raises:
            ToolError: The call cannot be run; the message is for the agent.
        """
        with self._lock:
            record, text = self._bench.run(ToolCall(name, arguments))
        return OpenedOrMade(text, record.picture)

    def _read(self, source: str) -> EncodedPicture:
        try:
            picture = read_picture(source, root=self.root)
            if len(picture.data) > MAX_PICTURE_BYTES:
                raise DataError(f"Expected at most {MAX_PICTURE_BYTES:,} bytes.")
            picture.load()
        except DataError:
            raise ToolError(self._expectation()) from None
        return picture

    def _expectation(self) -> str:
        """Say what can be opened: one text for every fault, so that nothing can be probed."""
        files = "" if self.root is None else " or the path of such a file in the server's folder"
        return (
            "Expected a whole PNG, JPEG, GIF or WebP picture of at most "
            f"{MAX_PICTURE_BYTES:,} bytes, as a base64 data: URL{files}, got something else."
        )


class PictureSessions:
    """The sessions of a server, by their names; threads may ask at the same time.

    Args:
        root: The folder that pictures may be read from; None where only data URLs are taken.
    """

    def __init__(self, root: Path | None) -> None:
        self._root = root
        self._sessions: OrderedDict[str, PictureSession] = OrderedDict()
        self._lock = threading.Lock()

    def begin(self, name: str) -> PictureSession:
        """Return the session of a name, new where there is none yet."""
        with self._lock:
            if name not in self._sessions:
                self._add(name, PictureSession(self._root))
            self._sessions.move_to_end(name)
            return self._sessions[name]

    def open_anew(self, source: str) -> OpenedOrMade:
        """Open a picture in a new session, whose name the reply tells as ``session``.

        Raises:
            ToolError: As for :meth:`PictureSession.open`; no session begins then.
        """
        # Whoever knows the name sees the pictures, so it cannot be guessed.
        name, session = secrets.token_urlsafe(16), PictureSession(self._root)
        opened = session.open(source, session=name)
        with self._lock:
            self._add(name, session)
        return opened

    def find(self, name: str) -> PictureSession:
        """Return the session of a name.

        Raises:
            ToolError: There is none, or none any more.
        """
        with self._lock:
            if name not in self._sessions:
                raise ToolError("Expected a session with a picture, got none: open one first.")
            self._sessions.move_to_end(name)
            return self._sessions[name]

    def _add(self, name: str, session: PictureSession) -> None:
        self._sessions[name] = session
        if len(self._sessions) > MAX_SESSIONS:
            self._sessions.popitem(last=False)
