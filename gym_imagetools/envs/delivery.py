"""How pictures leave an environment: as arrays in observations, as data URLs in messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gym_imagetools.images.data_url import encode_data_url
from gym_imagetools.images.encode import MEDIA_TYPES, PictureFormat, encoded
from gym_imagetools.images.preview import preview
from gym_imagetools.types import Message, Picture, Pixels


@dataclass(frozen=True)
class Delivery:
    """The form in which an agent gets pictures; the tools always work on the full size.

    Attributes:
        preview_max_side: The longest side of a delivered picture in pixels; None for full size.
        crop_format: ``jpeg``, ``png`` or ``webp``, in messages and records.
        crop_jpeg_quality: Quality of JPEG and WebP, 1..100.
    """

    preview_max_side: int | None = None
    crop_format: PictureFormat = "jpeg"
    crop_jpeg_quality: int = 95

    def arrays(self, pictures: Iterable[Picture]) -> tuple[Pixels, ...]:
        """Return fresh arrays that belong to the caller."""
        # Shared pixels stay shared: an observation never aliases the cache.
        return tuple(np.array(preview(p.load(), self.preview_max_side)) for p in pictures)

    def data_url(self, picture: Picture) -> str:
        """Return the picture as a ``data:`` URL; it is encoded once a process."""
        data = encoded(picture, self.crop_format, self.crop_jpeg_quality, self.preview_max_side)
        return encode_data_url(data, MEDIA_TYPES[self.crop_format])

    def image_part(self, picture: Picture) -> Message:
        """Return the picture as a content part of the Responses dialect."""
        return {"type": "input_image", "image_url": self.data_url(picture), "detail": "auto"}

    def with_pictures(self, item: Mapping[str, Any], pictures: Sequence[Picture]) -> Message:
        """Return a row's input item with its picture placeholders replaced by data URLs.

        Args:
            item: A message, or the output of a call, whose parts may be
                ``{"type": "input_image", "picture": i}``.
            pictures: The pictures of the row.
        """
        filled = dict(item)
        for key in ("content", "output"):
            if isinstance(item.get(key), list):
                filled[key] = [self._filled(part, pictures) for part in item[key]]
        return filled

    def _filled(self, part: Mapping[str, Any], pictures: Sequence[Picture]) -> Message:
        return self.image_part(pictures[part["picture"]]) if "picture" in part else dict(part)
