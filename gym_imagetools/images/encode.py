"""Encoding: pixels to files in memory, once for each picture and setting."""

from __future__ import annotations

from typing import Literal

import cv2
import numpy as np
import simplejpeg

from gym_imagetools.images.cache import ENCODED
from gym_imagetools.images.header import read_header
from gym_imagetools.images.picture import EncodedPicture
from gym_imagetools.images.preview import preview, preview_size
from gym_imagetools.types import Picture, Pixels

PictureFormat = Literal["jpeg", "jpg", "png", "webp"]
"""Formats of pictures in messages and records."""

MEDIA_TYPES: dict[str, str] = {
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "png": "image/png",
    "webp": "image/webp",
}
"""The media type of each format."""

# The formats' own limits on a side: libjpeg's JPEG_MAX_DIMENSION, and WebP's 14 bits.
_MAX_SIDES = {"image/jpeg": 65500, "image/webp": 16383}


def encode(pixels: Pixels, fmt: PictureFormat, quality: int = 95) -> bytes:
    """Encode pixels as the bytes of a file.

    Args:
        pixels: Pixels of shape (height, width, 3).
        fmt: ``jpeg`` (chroma at half resolution, as Pillow's default), ``png`` (lossless, made
            for speed) or ``webp`` (lossy); ``jpg`` is ``jpeg``.
        quality: Of JPEG and WebP, 1 to 100.

    Returns:
        The bytes of the file.

    Raises:
        ValueError: The format is unknown, the quality out of range, or a side above the format's
            own limit.
    """
    media_type = _media_type(fmt)
    if not 1 <= quality <= 100:
        raise ValueError(f"Expected quality from 1 to 100, got {quality}.")
    max_side = _MAX_SIDES.get(media_type)
    if max_side is not None and max(pixels.shape) > max_side:
        raise ValueError(
            f"Expected a picture of at most {max_side} px a side for {fmt}, "
            f"got {pixels.shape[1]}x{pixels.shape[0]}; use png."
        )
    pixels = np.ascontiguousarray(pixels)
    if media_type == "image/jpeg":
        return bytes(simplejpeg.encode_jpeg(pixels, quality, colorsubsampling="420"))
    settings = [cv2.IMWRITE_WEBP_QUALITY, quality] if media_type == "image/webp" else []
    _, data = cv2.imencode(f".{fmt}", cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR), settings)
    return data.tobytes()


def encoded(
    picture: Picture, fmt: PictureFormat, quality: int = 95, max_side: int | None = None
) -> bytes:
    """Return a picture as the bytes of a file, from the shared cache or encoded anew.

    The bytes of a source picture are delivered as they are where they show just what its pixels
    are and no other format or size is asked for.

    Args:
        picture: The picture.
        fmt: The format, as for :func:`encode`.
        quality: Of JPEG and WebP, 1 to 100; for pictures that have to be encoded.
        max_side: The longest side allowed; None for full size.

    Returns:
        The bytes of the file.

    Raises:
        DataError: The picture cannot be decoded.
        ValueError: As for :func:`encode`.
    """
    media_type = _media_type(fmt)
    size = preview_size(picture.size, max_side)
    if size == picture.size and isinstance(picture, EncodedPicture):
        header = read_header(picture.data)
        if header.is_plain and header.media_type == media_type:
            return picture.data
    lossy_quality = None if media_type == "image/png" else quality
    key = (picture.key, media_type, lossy_quality, size)
    return ENCODED.get(key, lambda: encode(preview(picture.load(), max_side), fmt, quality))


def _media_type(fmt: str) -> str:
    if fmt not in MEDIA_TYPES:
        raise ValueError(f"Expected a format out of {', '.join(MEDIA_TYPES)}, got {fmt!r}.")
    return MEDIA_TYPES[fmt]
