"""Decoding: bytes, Pillow images and arrays to one kind of pixels.

One rule for what the model sees and what the tools measure: upright, opaque on white, 8-bit RGB,
the first frame.
"""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any, cast

import cv2
import numpy as np
import simplejpeg
from numpy.typing import NDArray
from PIL import Image, ImageFile
from PIL.GifImagePlugin import GifImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.WebPImagePlugin import WebPImageFile

from gym_imagetools.errors import DataError
from gym_imagetools.images.header import MAX_PIXELS, Header, read_header, sniff
from gym_imagetools.images.pillow import rgb_pixels
from gym_imagetools.types import Pixels

__all__ = ["MAX_PIXELS", "decode", "image_size", "sniff", "to_pixels"]

_ORIENTATION_TAG = 0x0112

# Pillow's own classes, and not Image.open: no other format is ever tried.
_PLUGINS: dict[str, type[ImageFile.ImageFile]] = {
    "image/png": PngImageFile,
    "image/jpeg": JpegImageFile,
    "image/gif": GifImageFile,
    "image/webp": WebPImageFile,
}

# What Pillow raises on damaged bytes; its readers leave the checks to struct, zlib and indexing.
_DAMAGE = (
    EOFError,
    IndexError,
    KeyError,
    OSError,
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
    Image.DecompressionBombError,
)

# cv2.flip codes that complete an EXIF orientation; 5 to 8 are transposed first.
_FLIPS = {2: 1, 3: -1, 4: 0, 6: 1, 7: -1, 8: 0}


def image_size(data: bytes) -> tuple[int, int]:
    """Return the width and height of a picture from its header.

    Args:
        data: The bytes of a PNG, JPEG, GIF or WebP file.

    Returns:
        Width and height in pixels, after the orientation is applied.

    Raises:
        DataError: As for :func:`decode`, but what follows the header is not read.
    """
    return read_header(data).size


def decode(data: bytes) -> Pixels:
    """Decode a picture safely.

    The kind is told by content and the header is checked before a pixel is decoded. The EXIF
    orientation is applied, transparency is composited on white, 16-bit grey keeps its upper byte,
    and of an animation the first frame is taken.

    Args:
        data: The bytes of a PNG, JPEG, GIF or WebP file.

    Returns:
        Pixels of shape (height, width, 3), C-contiguous and read-only.

    Raises:
        DataError: The bytes are of another kind, the picture is cut, damaged, empty or larger
            than :data:`MAX_PIXELS`.
    """
    header = read_header(data)
    pixels = _decode_jpeg(data, header)
    if pixels is None:
        pixels = _decode_with_pillow(data, header)
    return _read_only(_upright(pixels, header.orientation))


def to_pixels(image: Image.Image | NDArray[Any]) -> Pixels:
    """Bring a picture in memory to the form in which :func:`decode` gives pixels.

    Args:
        image: A Pillow image of any mode (EXIF orientation, transparency and 16 bits as in
            :func:`decode`; modes ``I`` and ``I;16`` hold 16 bits), or a ``uint8`` array of shape
            (height, width, 3), (height, width) grey, or (height, width, 4) RGBA.

    Returns:
        Pixels of shape (height, width, 3), C-contiguous and read-only; the memory of the given
        array where that has this form already.

    Raises:
        ValueError: The array has another shape or type, or a side is empty.
    """
    shape = image.size if isinstance(image, Image.Image) else image.shape
    if 0 in shape:
        raise ValueError(f"Expected a picture of at least 1x1 pixels, got {shape}.")
    if isinstance(image, Image.Image):
        return _read_only(_upright(_flatten(image), _exif_orientation(image)))
    return _read_only(_from_array(image))


def _decode_jpeg(data: bytes, header: Header) -> Pixels | None:
    """Decode a sound colour or grey JPEG straight to an array; None for anything else.

    Same pixels as Pillow's, as both run libjpeg-turbo with the accurate settings.
    """
    if header.media_type != "image/jpeg":
        return None
    try:
        height, width, color_space, _ = simplejpeg.decode_jpeg_header(data)
        if color_space not in ("YCbCr", "RGB", "Gray") or (width, height) != header.stored_size:
            return None
        return cast(Pixels, simplejpeg.decode_jpeg(data, fastdct=False, fastupsample=False))
    except ValueError:
        return None


def _decode_with_pillow(data: bytes, header: Header) -> Pixels:
    try:
        with _PLUGINS[header.media_type](io.BytesIO(data)) as image:
            if image.size != header.stored_size:
                raise ValueError("the frame exceeds the size in the header")
            image.load()
            _scale_transparency(image, header.bit_depth)
            return _flatten(image)
    except _DAMAGE as error:
        raise DataError(
            f"Expected a whole {header.media_type} picture, got one that is cut or damaged; "
            "make it anew."
        ) from error


def _scale_transparency(image: Image.Image, bit_depth: int) -> None:
    # Pillow scales the pixels to 8 bits, but leaves a PNG's transparent colour as it was stored.
    color = image.info.get("transparency")
    if image.mode == "L" and bit_depth in (2, 4) and isinstance(color, int):
        image.info["transparency"] = color * 255 // (2**bit_depth - 1)
    elif image.mode == "RGB" and bit_depth == 16 and isinstance(color, tuple):
        image.info["transparency"] = tuple(channel >> 8 for channel in color)


def _flatten(image: Image.Image) -> Pixels:
    """Return an image's pixels as opaque 8-bit RGB, not yet upright."""
    if image.mode.startswith("I"):
        return _flatten_16bit(image)
    if image.has_transparency_data:
        canvas = Image.new("RGBA", image.size, "white")
        canvas.alpha_composite(image.convert("RGBA"))
        image = canvas
    # Pillow's convert copies even where there is nothing to convert.
    return rgb_pixels(image if image.mode == "RGB" else image.convert("RGB"))


def _flatten_16bit(image: Image.Image) -> Pixels:
    values = np.asarray(image)
    grey = (np.clip(values, 0, 0xFFFF) >> 8).astype(np.uint8)
    transparent = image.info.get("transparency")
    if isinstance(transparent, int):
        grey[values == transparent] = 255
    return _grey_to_rgb(grey)


def _from_array(array: NDArray[Any]) -> Pixels:
    if array.dtype != np.uint8:
        raise ValueError(f"Expected an array of uint8, got {array.dtype}; scale it to 0..255.")
    match array.shape:
        case (_, _, 3):
            return np.ascontiguousarray(array)
        case (_, _):
            return _grey_to_rgb(array)
        case (_, _, 4):
            return _flatten(Image.fromarray(array))
    raise ValueError(
        f"Expected an array of shape (height, width), (height, width, 3) or (height, width, 4), "
        f"got {array.shape}."
    )


def _grey_to_rgb(grey: Pixels) -> Pixels:
    return cast(Pixels, cv2.cvtColor(np.ascontiguousarray(grey), cv2.COLOR_GRAY2RGB))


def _exif_orientation(image: Image.Image) -> int:
    try:
        return int(image.getexif().get(_ORIENTATION_TAG, 1))
    except (SyntaxError, TypeError, ValueError, struct.error):
        return 1  # as for decode, a damaged block spoils no picture


def _upright(pixels: Pixels, orientation: int) -> Pixels:
    if orientation not in range(2, 9):
        return pixels
    turned = cv2.transpose(pixels) if orientation >= 5 else pixels
    if orientation in _FLIPS:
        turned = cv2.flip(turned, _FLIPS[orientation])
    return cast(Pixels, turned)


def _read_only(pixels: Pixels) -> Pixels:
    if pixels.flags.writeable:
        pixels = pixels.view()
        pixels.flags.writeable = False
    return pixels
