"""Headers of pictures: what the first bytes promise, read without decoding a pixel.

Written out rather than left to a decoder, since a decoder warns of a huge picture or allocates it
before it can be asked about its size.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gym_imagetools.errors import DataError

MAX_PIXELS = 64_000_000
"""The largest picture that is decoded: 192 MB of RGB."""

MAX_SIDE_PX = 65_535
"""The longest side that is decoded, as in a JPEG; longer strips cost every tool gigabytes."""

_ORIENTATION_TAG = 0x0112
_UNSIGNED_SHORT = 3
_TIFF_BYTE_ORDERS = {b"II*\0": "<", b"MM\0*": ">"}

# A marker is 0xFF and a code; any number of fill bytes 0xFF may stand before it.
_JPEG_MARKER = re.compile(rb"\xff([^\x00\xff])")
_JPEG_WITHOUT_LENGTH = {0x01, *range(0xD0, 0xD9)}
_JPEG_FRAMES = set(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_APP1 = 0xE1
_JPEG_ENDS = {0xD9, 0xDA}

_PNG_ALPHA_COLOR_TYPES = {4, 6}
_WEBP_ALPHA_OR_ANIMATION = 0x10 | 0x02


@dataclass(frozen=True, slots=True)
class Header:
    """What the header of a picture says.

    Attributes:
        media_type: The media type by content.
        stored_size: Width and height as stored, before the orientation is applied.
        orientation: EXIF orientation, 1 (upright) to 8.
        is_plain: Whether the pixels are shown as they are stored: a still, upright, opaque
            RGB or grey picture of at most 8 bits a channel.
        bit_depth: Bits a channel.
    """

    media_type: str
    stored_size: tuple[int, int]
    orientation: int = 1
    is_plain: bool = True
    bit_depth: int = 8

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the upright picture."""
        width, height = self.stored_size
        return (height, width) if self.orientation >= 5 else (width, height)


def sniff(data: bytes) -> str | None:
    """Return the media type of a picture by its first bytes.

    Args:
        data: The bytes of a file.

    Returns:
        ``image/png``, ``image/jpeg``, ``image/gif`` or ``image/webp``; None for anything else.
    """
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    return None


def read_header(data: bytes) -> Header:
    """Read and check the header of a picture.

    Args:
        data: The bytes of a PNG, JPEG, GIF or WebP file.

    Returns:
        The header.

    Raises:
        DataError: The bytes are of another kind, the header is damaged, or the picture is empty
            or larger than :data:`MAX_PIXELS`.
    """
    media_type = sniff(data)
    if media_type is None:
        raise DataError(
            "Expected a PNG, JPEG, GIF or WebP picture, got bytes of another kind; convert it."
        )
    try:
        header = _READERS[media_type](data)
    except (IndexError, struct.error) as error:
        raise DataError(
            f"Expected a whole {media_type} picture, got one whose header is damaged; make it anew."
        ) from error
    width, height = header.stored_size
    if not 1 <= width * height <= MAX_PIXELS or max(width, height) > MAX_SIDE_PX:
        raise DataError(
            f"Expected a picture of 1 to {MAX_PIXELS:,} pixels, at most {MAX_SIDE_PX} a side, "
            f"got {width}x{height}; scale it."
        )
    return header


def _read_png(data: bytes) -> Header:
    length, kind, width, height, bit_depth, color_type = struct.unpack_from(">I4sIIBB", data, 8)
    if (length, kind) != (13, b"IHDR"):
        raise struct.error("no IHDR")
    extras: dict[bytes, bytes] = {}
    for name, payload in _png_chunks(data):
        if name in (b"eXIf", b"tRNS", b"acTL"):
            extras.setdefault(name, bytes(payload))
    orientation = _exif_orientation(extras.get(b"eXIf", b""))
    has_alpha = color_type in _PNG_ALPHA_COLOR_TYPES or b"tRNS" in extras
    is_plain = orientation == 1 and bit_depth <= 8 and not has_alpha and b"acTL" not in extras
    return Header("image/png", (width, height), orientation, is_plain, bit_depth)


def _png_chunks(data: bytes) -> Iterator[tuple[bytes, memoryview]]:
    # All of them, as eXIf may follow the pixels (PNG, third edition, 5.6).
    view = memoryview(data)
    position = 8
    while position + 8 <= len(data):
        length, name = struct.unpack_from(">I4s", data, position)
        yield name, view[position + 8 : position + 8 + length]
        position += 12 + length


def _read_jpeg(data: bytes) -> Header:
    frame: tuple[int, int, int] | None = None
    orientation = None
    for code, payload in _jpeg_segments(data):
        if code in _JPEG_FRAMES and frame is None:
            frame = struct.unpack_from(">xHHB", payload)
        elif code == _JPEG_APP1 and orientation is None and payload.startswith(b"Exif\0\0"):
            orientation = _exif_orientation(payload)
    if frame is None:
        raise struct.error("no frame header")
    height, width, num_channels = frame
    is_plain = orientation in (None, 1) and num_channels in (1, 3)
    return Header("image/jpeg", (width, height), orientation or 1, is_plain)


def _jpeg_segments(data: bytes) -> Iterator[tuple[int, bytes]]:
    position = 2
    while (marker := _JPEG_MARKER.search(data, position)) is not None:
        code, start = marker[1][0], marker.end()
        if code in _JPEG_ENDS:
            return
        if code in _JPEG_WITHOUT_LENGTH:
            position = start
            continue
        (length,) = struct.unpack_from(">H", data, start)
        yield code, data[start + 2 : start + length]
        position = start + max(length, 2)


def _read_gif(data: bytes) -> Header:
    # A GIF may be animated or transparent, and no message asks for one: never plain.
    return Header("image/gif", struct.unpack_from("<HH", data, 6), is_plain=False)


def _read_webp(data: bytes) -> Header:
    kind = data[12:16]
    if kind == b"VP8X":
        return _read_extended_webp(data)
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        size = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        return Header("image/webp", size, is_plain=not bits >> 28 & 1)
    if kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        return Header("image/webp", (width & 0x3FFF, height & 0x3FFF))
    raise struct.error("no frame")


def _read_extended_webp(data: bytes) -> Header:
    flags, width, width_high, height, height_high = struct.unpack_from("<B3xHBHB", data, 20)
    size = (width | width_high << 16) + 1, (height | height_high << 16) + 1
    orientation = 1
    position = 12
    while position + 8 <= len(data):
        name, length = struct.unpack_from("<4sI", data, position)
        if name == b"EXIF":
            orientation = _exif_orientation(data[position + 8 : position + 8 + length])
            break
        position += 8 + length + length % 2
    is_plain = orientation == 1 and not flags & _WEBP_ALPHA_OR_ANIMATION
    return Header("image/webp", size, orientation, is_plain)


def _exif_orientation(exif: bytes) -> int:
    # 1 where the block is absent or damaged: that spoils no picture.
    tiff = exif.removeprefix(b"Exif\0\0")
    order = _TIFF_BYTE_ORDERS.get(tiff[:4])
    if order is None:
        return 1
    try:
        (start,) = struct.unpack_from(order + "I", tiff, 4)
        (num_entries,) = struct.unpack_from(order + "H", tiff, start)
        for entry in range(num_entries):
            tag, kind, _, value = struct.unpack_from(order + "HHIH", tiff, start + 2 + 12 * entry)
            if tag == _ORIENTATION_TAG:
                return value if kind == _UNSIGNED_SHORT and 1 <= value <= 8 else 1
    except struct.error:
        return 1
    return 1


_READERS: dict[str, Callable[[bytes], Header]] = {
    "image/png": _read_png,
    "image/jpeg": _read_jpeg,
    "image/gif": _read_gif,
    "image/webp": _read_webp,
}
