"""Pictures beside a JSONL file: named by their bytes, so that equal ones are kept once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gym_imagetools.images.data_url import decode_data_url
from gym_imagetools.images.header import read_header
from gym_imagetools.rollout.lines import write_whole
from gym_imagetools.types import Message

FOLDER = "images"
_EXTENSIONS = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp", "image/gif": "gif"}


class PictureFolder:
    """The folder ``images/`` of a run or an export.

    Args:
        root: The folder that holds the JSONL file; references are relative to it.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._references: dict[str, str] = {}

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

    def _write(self, data: bytes) -> str:
        extension = _EXTENSIONS[read_header(data).media_type]
        reference = f"{FOLDER}/{hashlib.sha256(data).hexdigest()[:16]}.{extension}"
        path = self._root / reference
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            write_whole(path, data)
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
