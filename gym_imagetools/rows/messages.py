"""The messages of a row: text stays, each picture is read once and leaves a numbered place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gym_imagetools.errors import DataError
from gym_imagetools.images.picture import read_picture
from gym_imagetools.rows.faults import shown
from gym_imagetools.types import Message, Picture

MESSAGE_KEYS = ("type", "role", "id", "status", "name", "phase")
ROLES = ("system", "developer", "user", "assistant")
TEXT_PART_KEYS = ("type", "text")
TEXT_PARTS = ("input_text", "output_text", "text")
PICTURE_PARTS = ("input_image", "image_url", "image")


@dataclass(frozen=True)
class Prompt:
    """What opens an episode.

    Attributes:
        messages: Responses input items. Where a picture stood, they hold the part
            ``{"type": "input_image", "picture": <index>}``, so that no picture is kept twice.
        pictures: The pictures, in the order of the messages.
        question: The text of the last user message; "" when it shows pictures only.
    """

    messages: tuple[Message, ...]
    pictures: tuple[Picture, ...]
    question: str


def read_prompt(row: Mapping[str, Any], root: Path | None) -> Prompt:
    """Read the messages and pictures of a row.

    ``responses_create_params.input`` is a text or a list of Responses input items. Parts in the
    notation of chat messages (``text``, ``image_url``) are brought to that of Responses;
    ``instructions`` become the system message they stand for.

    Args:
        row: The row, as JSON values.
        root: The folder of the pictures that are files; None when there are none.

    Raises:
        DataError: A part is unknown or a picture unusable; the message names its place.
    """
    params = row.get("responses_create_params")
    if not isinstance(params, Mapping) or "input" not in params:
        raise DataError(
            "Expected the messages of the row in `responses_create_params.input`, got none; "
            "add them."
        )
    shelf = _Shelf(root)
    messages = (*_instructions(params), *_items(params["input"], shelf))
    return Prompt(messages, tuple(shelf.pictures), _question(messages))


@dataclass
class _Shelf:
    """Where the pictures of a row are put while its messages are read."""

    root: Path | None
    pictures: list[Picture] = field(default_factory=list)

    def put(self, part: Mapping[str, Any], where: str) -> Message:
        """Read the picture of a part, keep it, and return the part that stands for it."""
        source = part.get("image_url") or part.get("image")
        if isinstance(source, Mapping):
            source = source.get("url")
        if not isinstance(source, str):
            raise DataError(
                f"Expected `{where}.image_url` to be a data URL or the path of a file, "
                f"got {shown(source)}; write it so."
            )
        try:
            self.pictures.append(read_picture(source, root=self.root))
        except DataError as error:
            raise DataError(f"`{where}.image_url` ({shown(source)}): {error}") from error
        return {"type": "input_image", "picture": len(self.pictures) - 1}


def _instructions(params: Mapping[str, Any]) -> tuple[Message, ...]:
    instructions = params.get("instructions")
    return ({"role": "system", "content": instructions},) if instructions else ()


def _items(source: object, shelf: _Shelf) -> tuple[Message, ...]:
    where = "responses_create_params.input"
    if isinstance(source, str):
        source = [{"role": "user", "content": source}]
    if not isinstance(source, list) or not source:
        raise DataError(
            f"Expected `{where}` to be a text or a list of messages, got {shown(source)}; "
            "write it so."
        )
    return tuple(_item(item, f"{where}[{i}]", shelf) for i, item in enumerate(source))


def _item(item: object, where: str, shelf: _Shelf) -> Message:
    """Read a message, or another input item such as a call of a tool and its output."""
    if not isinstance(item, Mapping):
        raise DataError(f"Expected `{where}` to be a message, got {shown(item)}; correct it.")
    if "role" not in item and item.get("type", "message") != "message":
        if isinstance(item.get("output"), list):
            return {**item, "output": _content(item["output"], f"{where}.output", "user", shelf)}
        return dict(item)
    role = item.get("role")
    if role not in ROLES:
        raise DataError(
            f"Expected `{where}.role` to be one of {', '.join(ROLES)}, got {shown(role)}; "
            "correct it."
        )
    # What else a row notes beside a message is not for the model.
    message = {key: item[key] for key in MESSAGE_KEYS if key in item}
    return {**message, "content": _content(item.get("content"), f"{where}.content", role, shelf)}


def _content(content: object, where: str, role: str, shelf: _Shelf) -> str | list[Message]:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise DataError(
            f"Expected `{where}` to be a text or a list of parts, got {shown(content)}; "
            "write it so."
        )
    return [_part(part, f"{where}[{i}]", role, shelf) for i, part in enumerate(content)]


def _part(part: object, where: str, role: str, shelf: _Shelf) -> Message:
    kind = part.get("type") if isinstance(part, Mapping) else None
    if isinstance(part, Mapping) and kind in PICTURE_PARTS:
        return shelf.put(part, where)
    if isinstance(part, Mapping) and kind in TEXT_PARTS and isinstance(part.get("text"), str):
        own_kind = "output_text" if role == "assistant" else "input_text"
        # Tables give every part every key; an endpoint would refuse the empty ones.
        given = {key: part[key] for key in TEXT_PART_KEYS if part.get(key) is not None}
        return {**given, "type": own_kind if kind == "text" else kind}
    raise DataError(
        f"Expected `{where}` to be a part with `text` (input_text) or with a picture "
        f"(input_image), got {shown(part)}; write it so."
    )


def _question(messages: tuple[Message, ...]) -> str:
    asked = [message for message in messages if message.get("role") == "user"]
    content = asked[-1]["content"] if asked else ""
    if not content:
        raise DataError(
            "Expected a user message with a question in `responses_create_params.input`, got none; "
            "add one."
        )
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if "text" in part)
