"""Pictures built by code, for the tests of loading."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
from PIL import Image

RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)
ORIENTATION = 0x0112


def save(image: Image.Image, fmt: str, **options) -> bytes:
    file = io.BytesIO()
    image.save(file, fmt, **options)
    return file.getvalue()


def exif(orientation: int) -> Image.Exif:
    block = Image.Exif()
    block[ORIENTATION] = orientation
    return block


def noise(width: int, height: int, seed: int = 0) -> Image.Image:
    rng = np.random.default_rng(seed)
    return Image.fromarray(rng.integers(0, 256, (height, width, 3), dtype=np.uint8))


def smooth(width: int, height: int, seed: int = 0) -> Image.Image:
    return noise(max(1, width // 6), max(1, height // 6), seed).resize(
        (width, height), Image.Resampling.BICUBIC
    )


def barred() -> Image.Image:
    """A blue 24x16 picture whose left four columns are red."""
    image = Image.new("RGB", (24, 16), BLUE)
    image.paste(RED, (0, 0, 4, 16))
    return image


def hidden_red() -> Image.Image:
    """A white RGBA picture with an invisible red box."""
    image = Image.new("RGBA", (100, 100), (*WHITE, 255))
    image.paste((255, 0, 0, 0), (20, 20, 60, 60))
    return image


def red_palette() -> Image.Image:
    """A 40x30 palette picture, all of entry 0, which is red."""
    image = Image.new("P", (40, 30), 0)
    image.putpalette([*RED, *GREEN])
    return image


def ramp16() -> np.ndarray:
    """All of a 16-bit range in 256 steps, 256x16."""
    return np.tile(np.linspace(0, 65535, 256).astype(np.uint16), (16, 1))


def chunk(name: bytes, payload: bytes) -> bytes:
    checksum = zlib.crc32(name + payload)
    return struct.pack(">I", len(payload)) + name + payload + struct.pack(">I", checksum)


def png(width, height, bit_depth, color_type, rows, before=(), after=()) -> bytes:
    """A PNG written by hand: raw rows (filter byte first), and chunks around the pixels."""
    header = struct.pack(">IIBBBBB", width, height, bit_depth, color_type, 0, 0, 0)
    chunks = [(b"IHDR", header), *before, (b"IDAT", zlib.compress(rows)), *after, (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*each) for each in chunks)


def pillow_rgb(data: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image.convert("RGB"))
