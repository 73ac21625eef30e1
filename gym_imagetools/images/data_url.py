"""Data URLs: pictures inside of text, read forgivingly and written strictly."""

from __future__ import annotations

from urllib.parse import unquote

import pybase64

from gym_imagetools.errors import DataError
from gym_imagetools.images.header import sniff

# How the base64 of a PNG, JPEG, GIF and WebP file begins.
_BASE64_STARTS = ("iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR")
_SCHEME = "data:"
_MAX_PREFIX = 200
_STANDARD_ALPHABET = str.maketrans("-_", "+/")


def is_inline(source: str) -> bool:
    """Return whether a reference holds a picture itself: a data URL or bare base64 of a picture.

    Args:
        source: A data URL, base64, a path or a URL; only its beginning is looked at.
    """
    start = source[:64].lstrip()
    if start[: len(_SCHEME)].lower() == _SCHEME:
        return True
    return unquote(start).translate(_STANDARD_ALPHABET).startswith(_BASE64_STARTS)


def decode_data_url(url: str) -> bytes:
    """Return the bytes of the picture in a data URL.

    Forgives what happens to such URLs on their way: padding cut off, percent-encoding, the
    URL-safe alphabet, spaces in place of plus signs, broken lines, a prefix written twice or left
    out, and a media type that is not the picture's: the bytes decide.

    Args:
        url: A base64 ``data:`` URL, or the base64 alone.

    Returns:
        The bytes of a PNG, JPEG, GIF or WebP file, by its first bytes.

    Raises:
        DataError: It is a path or another URL, not base64, or no picture of these kinds. The
            message never holds the text itself.
    """
    if not is_inline(url):
        raise DataError(
            "Expected a base64 data: URL of a PNG, JPEG, GIF or WebP picture, got something "
            "else; nothing is fetched and no file is opened here, so send the bytes themselves."
        )
    data = _decode_base64(_payload(url))
    if sniff(data) is None:
        raise DataError(
            "Expected base64 of a PNG, JPEG, GIF or WebP picture, got bytes of another kind; "
            "convert the picture."
        )
    return data


def encode_data_url(data: bytes, media_type: str) -> str:
    """Return bytes as a base64 data URL.

    Args:
        data: The bytes of a file.
        media_type: Its media type, such as ``image/png``.
    """
    return f"data:{media_type};base64,{pybase64.b64encode_as_string(data)}"


def _payload(url: str) -> str:
    """Return what follows the prefix, or the prefixes where it was put on twice."""
    text = url.strip()
    position = 0
    while text[position : position + len(_SCHEME)].lower() == _SCHEME:
        comma = text.find(",", position, position + _MAX_PREFIX)
        if comma < 0 or not text[position:comma].lower().endswith(";base64"):
            raise DataError(
                "Expected a data: URL with ';base64,' before the picture, got one without; "
                "encode the picture as base64."
            )
        position = comma + 1
    return text[position:]


def _decode_base64(payload: str) -> bytes:
    try:
        return pybase64.b64decode(payload, validate=True)
    except ValueError:
        payload = _repair(payload)
    try:
        return pybase64.b64decode(payload, validate=True)
    except ValueError:
        raise DataError(
            f"Expected base64 of a picture, got {len(payload)} characters that are not; "
            "encode the picture again."
        ) from None


def _repair(payload: str) -> str:
    """Undo percent-encoding, line breaks, form decoding, the other alphabet and lost padding."""
    lines = unquote(payload).splitlines()
    text = "".join(line.strip() for line in lines).replace(" ", "+")
    text = text.translate(_STANDARD_ALPHABET).rstrip("=")
    return text + "=" * (-len(text) % 4)
