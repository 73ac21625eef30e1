"""Pictures in a tool's reply: listed in its JSON under one key, and split from it for the model."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, field_validator

from gym_imagetools.images.data_url import decode_data_url, encode_data_url
from gym_imagetools.images.header import read_header

TOOL_OUTPUT_IMAGES_KEY = "tool_output_images"
"""The key of a JSON reply that lists its pictures."""


class ToolOutputImage(BaseModel):
    """One picture of a tool's reply.

    Attributes:
        image_url: A base64 ``data:`` URL of a PNG, JPEG, GIF or WebP picture. The bytes decide:
            what :func:`~gym_imagetools.images.data_url.decode_data_url` forgives is written
            anew, with the media type of the content.
        label: A text that the model reads before the picture.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    image_url: str
    label: str | None = None

    @field_validator("image_url")
    @classmethod
    def _holds_a_picture(cls, url: str) -> str:
        data = decode_data_url(url)
        return encode_data_url(data, read_header(data).media_type)

    @property
    def data(self) -> str:
        """The base64 of the picture, without the prefix."""
        return self.image_url.partition(",")[2]

    @property
    def media_type(self) -> str:
        """The media type of the picture, such as ``image/png``."""
        return self.image_url.partition(";")[0].removeprefix("data:")


_IMAGES: TypeAdapter[list[ToolOutputImage]] = TypeAdapter(
    list[ToolOutputImage], config=ConfigDict(hide_input_in_errors=True)
)


def split_tool_output_images(payload: Any) -> tuple[Any, list[ToolOutputImage]]:
    """Split a tool's reply into what is text and what are pictures.

    Args:
        payload: The reply, as a JSON text or already read. It is not changed.

    Returns:
        The reply without :data:`TOOL_OUTPUT_IMAGES_KEY`, in the form it came in, and the
        pictures it listed. What is no JSON object or lacks the key comes back as it is with no
        pictures; a null under the key means none.

    Raises:
        pydantic.ValidationError: The list is malformed, which is the tool's fault and not the
            model's. The message never holds the input.
    """
    reply = _read_json(payload) if isinstance(payload, str) else payload
    if not isinstance(reply, dict) or TOOL_OUTPUT_IMAGES_KEY not in reply:
        return payload, []
    rest = {key: value for key, value in reply.items() if key != TOOL_OUTPUT_IMAGES_KEY}
    listed = reply[TOOL_OUTPUT_IMAGES_KEY]
    images = [] if listed is None else _IMAGES.validate_python(listed)
    return (json.dumps(rest, ensure_ascii=False) if isinstance(payload, str) else rest), images


def _read_json(text: str) -> Any:
    # Deep nesting and numbers of thousands of digits are no JSON that anything else would read.
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
