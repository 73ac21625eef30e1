"""Pictures beside a JSONL file: named by their bytes, so that equal ones are kept once."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gym_imagetools.images.data_url import decode_data_url
from gym_imagetools.images.header import read_header
from gym_imagetools.rollout.lines import sync_file, write_whole
from gym_imagetools.types import Message

FOLDER = "images"
REFERENCE = re.compile(rf"{FOLDER}/[0-9a-f]{{16}}\.(?:png|jpg|webp|gif)")
"""The name of a picture of a run. Whatever else a record refers to is not opened."""

_EXTENSIONS = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp", "image/gif": "gif"}


class PictureFolder:
    """The folder ``images/`` of a run or an export.

    Args:
        root: The folder that holds the JSONL file; references are relative to it.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._references: dict[str, str] = {}
        self._unsynced: list[Path] = []
        self._held: dict[str, bool] = {}

    def put(self, url: str) -> str:
        """Write a picture, once, and return its reference ``images/<sha256-16>.<ext>``.

        Args:
            url: The picture as a ``data:`` URL.
        """
        key = hashlib.sha256(url.encode()).hexdigest()
        if key not in self._references:
            self._references[key] = self._write(decode_data_url(url))
        return self._references[key]

    def with_references(self, items: Iterable[Mapping[str, Any]]) -> list[Message]:
        """Return input or output items with their pictures written and referred to.

        Args:
            items: Items of the Responses dialect, pictures as ``data:`` URLs.
        """
        return [self._item(item) for item in items]

    def holds(self, reference: str) -> bool:
        """Return whether a picture is there, with the bytes that its name tells.

        One that a power cut has spoilt is removed, so that it is written anew.

        Args:
            reference: What :meth:`put` has returned, now or in another process.
        """
        if reference not in self._held:
            self._held[reference] = self._is_intact(reference)
        return self._held[reference]

    def sync(self) -> None:
        """Wait until the pictures are on the disk, where a power cut leaves them.

        Raises:
            OSError: The disk does not take them.
        """
        if self._unsynced:
            for path in self._unsynced:
                sync_file(path)
            sync_file(self._root / FOLDER)
            self._unsynced.clear()

    def _item(self, item: Mapping[str, Any]) -> Message:
        referring = dict(item)
        for key in ("content", "output"):
            if isinstance(item.get(key), list):
                referring[key] = [self._part(part) for part in item[key]]
        return referring

    def _part(self, part: Mapping[str, Any]) -> Message:
        if part.get("type") != "input_image":
            return dict(part)
        return {**part, "image_url": self.put(part["image_url"])}

    def _is_intact(self, reference: str) -> bool:
        path = self._root / reference
        if not REFERENCE.fullmatch(reference) or not path.is_file():
            return False
        is_intact = path.stem == _digest(path.read_bytes())
        if not is_intact:
            path.unlink()
        return is_intact

    def _write(self, data: bytes) -> str:
        extension = _EXTENSIONS[read_header(data).media_type]
        reference = f"{FOLDER}/{_digest(data)}.{extension}"
        path = self._root / reference
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            write_whole(path, data, is_synced=False)
            self._unsynced.append(path)
        return reference


def references_in(items: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the references of the pictures in recorded items.

    Args:
        items: What :meth:`PictureFolder.with_references` returned.
    """
    for item in items:
        for content in (item.get("content"), item.get("output")):
            parts = content if isinstance(content, list) else ()
            yield from (part["image_url"] for part in parts if part.get("type") == "input_image")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
