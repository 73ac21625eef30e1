from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from gym_imagetools.images.cache import ENCODED
from gym_imagetools.images.decode import decode, image_size
from gym_imagetools.images.encode import MEDIA_TYPES, encode, encoded
from gym_imagetools.images.header import sniff
from gym_imagetools.images.picture import EncodedPicture
from gym_imagetools.images.preview import preview
from tests.images.samples import exif, hidden_red, noise, save, smooth

PIXELS = np.asarray(smooth(96, 64))


@dataclass(frozen=True)
class Made:
    """A picture that is made and not read from a file."""

    key: str
    pixels: np.ndarray

    @property
    def size(self):
        return self.pixels.shape[1], self.pixels.shape[0]

    def load(self):
        return self.pixels


@pytest.mark.parametrize("fmt", MEDIA_TYPES)
def test_bytes_are_of_the_media_type_that_the_format_names(fmt):
    data = encode(PIXELS, fmt)
    assert sniff(data) == MEDIA_TYPES[fmt]
    assert image_size(data) == (96, 64)


def test_jpg_is_jpeg():
    assert encode(PIXELS, "jpg") == encode(PIXELS, "jpeg")
    assert MEDIA_TYPES["jpg"] == "image/jpeg"


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 999))
def test_png_is_lossless(width, height, seed):
    pixels = np.asarray(noise(width, height, seed))
    assert np.array_equal(decode(encode(pixels, "png")), pixels)


@pytest.mark.parametrize("fmt", ["jpeg", "webp"])
def test_lossy_formats_are_close_and_follow_the_quality(fmt):
    error = [
        np.abs(decode(encode(PIXELS, fmt, quality)).astype(int) - PIXELS).mean()
        for quality in (95, 30)
    ]
    assert error[0] < 4 < error[1]
    assert len(encode(PIXELS, fmt, 95)) > len(encode(PIXELS, fmt, 30))


def test_jpeg_has_chroma_at_half_resolution_and_the_usual_quality():
    files = encode(PIXELS, "jpeg"), save(smooth(96, 64), "JPEG", quality=95)
    ours, pillows = (Image.open(io.BytesIO(data)) for data in files)
    assert ours.quantization == pillows.quantization
    assert ours.layer == pillows.layer


@pytest.mark.parametrize("view", [PIXELS[::-1], PIXELS[:, ::2], PIXELS[..., ::-1]])
@pytest.mark.parametrize("fmt", ["png", "jpeg", "webp"])
def test_strided_pixels_are_encoded_right(view, fmt):
    assert encode(view, fmt) == encode(np.ascontiguousarray(view), fmt)


@pytest.mark.parametrize("fmt", ["gif", "bmp", "PNG", ""])
def test_other_formats_are_refused(fmt):
    for call in (lambda: encode(PIXELS, fmt), lambda: encoded(Made("x", PIXELS), fmt)):
        with pytest.raises(ValueError, match="Expected a format out of jpeg, jpg, png, webp"):
            call()


@pytest.mark.parametrize("quality", [0, 101, -5])
def test_other_qualities_are_refused(quality):
    with pytest.raises(ValueError, match="quality from 1 to 100"):
        encode(PIXELS, "jpeg", quality)


@pytest.mark.parametrize(("fmt", "side"), [("jpeg", 65501), ("webp", 16384)])
def test_sides_that_a_format_cannot_hold_are_refused(fmt, side):
    pixels = np.zeros((1, side, 3), np.uint8)
    with pytest.raises(ValueError, match="use png"):
        encode(pixels, fmt)
    assert image_size(encode(pixels, "png")) == (side, 1)
    assert image_size(encode(pixels[:, 1:], fmt)) == (side - 1, 1)


@pytest.mark.parametrize(("fmt", "name"), [("jpeg", "JPEG"), ("jpg", "JPEG"), ("png", "PNG")])
def test_source_bytes_are_delivered_as_they_are(fmt, name):
    picture = EncodedPicture.from_bytes(save(smooth(96, 64), name))
    assert encoded(picture, fmt, 40) is picture.data
    assert encoded(picture, fmt, 40, max_side=96) is picture.data


@pytest.mark.parametrize(
    ("data", "fmt"),
    [
        (save(smooth(24, 16), "JPEG", exif=exif(6)), "jpeg"),
        (save(smooth(24, 16).convert("CMYK"), "JPEG"), "jpeg"),
        (save(hidden_red(), "PNG"), "png"),
        (save(smooth(24, 16).convert("L").convert("I;16"), "PNG"), "png"),
        (save(smooth(24, 16), "PNG", exif=exif(3)), "png"),
        (save(hidden_red(), "WEBP"), "webp"),
        (save(smooth(24, 16), "GIF"), "png"),
        (save(smooth(24, 16), "PNG"), "jpeg"),
    ],
)
def test_source_bytes_that_do_not_show_the_pixels_are_encoded_anew(data, fmt):
    picture = EncodedPicture.from_bytes(data)
    sent = encoded(picture, fmt)
    assert sent != data
    assert sniff(sent) == MEDIA_TYPES[fmt]
    assert image_size(sent) == picture.size
    assert np.abs(decode(sent).astype(int) - picture.load()).mean() < (0.01 if fmt == "png" else 12)


def test_a_preview_is_sent_where_a_picture_is_too_large():
    picture = EncodedPicture.from_bytes(save(smooth(96, 64), "PNG"))
    sent = encoded(picture, "png", max_side=48)
    assert image_size(sent) == (48, 32)
    assert np.array_equal(decode(sent), preview(picture.load(), 48))


def test_a_picture_is_encoded_once_for_each_setting():
    ENCODED.clear()
    picture = Made("a made picture", PIXELS)
    first = encoded(picture, "jpeg")
    assert encoded(picture, "jpg", 95, max_side=500) is first
    assert len(ENCODED) == 1
    variants = [
        encoded(picture, "jpeg", 50),
        encoded(picture, "png"),
        encoded(picture, "webp"),
        encoded(picture, "jpeg", max_side=40),
    ]
    assert len(ENCODED) == 5
    assert len({first, *variants}) == 5
    assert encoded(picture, "png", 50) is variants[1]
    assert len(ENCODED) == 5
