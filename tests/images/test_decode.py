from __future__ import annotations

import contextlib
import hashlib
import io
import json
import struct
from pathlib import Path

import numpy as np
import pytest
import simplejpeg
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageOps

from gym_imagetools.errors import DataError
from gym_imagetools.images.decode import decode, image_size, to_pixels
from tests.images.samples import (
    BLUE,
    GREEN,
    ORIENTATION,
    RED,
    WHITE,
    barred,
    exif,
    hidden_red,
    noise,
    pillow_rgb,
    png,
    ramp16,
    red_palette,
    save,
    smooth,
)

GOLDEN = Path(__file__).parents[1] / "golden"
IMAGES = json.loads((GOLDEN / "images.json").read_text())["images"]
CONVERTED_PLAINLY = sorted(
    set(IMAGES) - {"div_16bit.png", "div_exif6.png", "palette.png", "rgba.png"}
)


def golden(name: str) -> bytes:
    return (GOLDEN / "images" / name).read_bytes()


@pytest.mark.parametrize("name", CONVERTED_PLAINLY)
def test_golden_pictures_decode_to_the_pixels_of_the_reference(name):
    pixels = decode(golden(name))
    assert hashlib.sha256(pixels.tobytes()).hexdigest() == IMAGES[name]["sha256_rgb_after_convert"]


@pytest.mark.parametrize("name", IMAGES)
def test_golden_pictures_have_the_size_of_their_header(name):
    data = golden(name)
    assert decode(data).shape[1::-1] == image_size(data)


def test_golden_16_bit_grey_keeps_its_upper_byte():
    values = np.asarray(Image.open(io.BytesIO(golden("div_16bit.png"))))
    expected = np.repeat((values >> 8).astype(np.uint8)[..., None], 3, axis=2)
    assert np.array_equal(decode(golden("div_16bit.png")), expected)


def test_golden_orientation_is_applied():
    upright = ImageOps.exif_transpose(Image.open(io.BytesIO(golden("div_exif6.png"))))
    assert np.array_equal(decode(golden("div_exif6.png")), np.asarray(upright))


@pytest.mark.parametrize("name", ["rgba.png", "palette.png"])
def test_golden_transparency_is_composited_on_white(name):
    rgba = Image.open(io.BytesIO(golden(name))).convert("RGBA")
    alpha = np.asarray(rgba)[..., 3:] / 255
    expected = np.asarray(rgba)[..., :3] * alpha + 255 * (1 - alpha)
    assert np.abs(decode(golden(name)) - expected).max() <= 0.51


@pytest.mark.parametrize("fmt", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_orientation_of_every_format_is_shown_upright(fmt, orientation):
    image = smooth(24, 16, seed=orientation)
    options = {"lossless": True} if fmt == "WEBP" else {}
    data = save(image, fmt, exif=exif(orientation), **options)
    with Image.open(io.BytesIO(data)) as stored:
        expected = np.asarray(ImageOps.exif_transpose(stored).convert("RGB"))
        assert np.array_equal(to_pixels(stored), expected)
    assert np.array_equal(decode(data), expected)
    assert decode(data).shape[1::-1] == image_size(data)


def test_orientation_set_on_an_image_in_memory_is_applied():
    image = barred()
    image.getexif()[ORIENTATION] = 6
    pixels = to_pixels(image)
    assert pixels.shape == (24, 16, 3)
    assert (pixels[:4] == RED).all()


@pytest.mark.parametrize("block", [b"Exif\0\0garbage", b"Exif\0\0II*\0"])
def test_damaged_exif_spoils_no_picture(block):
    data = save(barred(), "JPEG", exif=block, dpi=(72, 72))
    assert decode(data).shape == (16, 24, 3)
    with Image.open(io.BytesIO(data)) as image:
        assert to_pixels(image).shape == (16, 24, 3)


@pytest.mark.parametrize(
    "data",
    [
        save(hidden_red(), "PNG"),
        save(hidden_red(), "WEBP", lossless=True, exact=True),
        save(hidden_red().convert("LA"), "PNG"),
        save(red_palette(), "PNG", transparency=0),
        save(red_palette(), "PNG", transparency=bytes([0, 255])),
        save(red_palette(), "GIF", transparency=0),
        save(Image.new("RGB", (9, 9), RED), "PNG", transparency=RED),
        save(Image.new("L", (9, 9), 7), "PNG", transparency=7),
        save(Image.new("1", (9, 9), 0), "PNG", transparency=0),
    ],
)
def test_colours_under_full_transparency_never_show(data):
    assert (decode(data) == 255).all()
    with Image.open(io.BytesIO(data)) as image:
        assert (to_pixels(image) == 255).all()


@pytest.mark.parametrize(("bit_depth", "row"), [(1, b"\x40"), (2, b"\x1b"), (4, b"\x01\x2f")])
def test_transparent_grey_of_few_bits_is_white(bit_depth, row):
    key = struct.pack(">H", 1)
    width = 8 * len(row) // bit_depth
    opaque = decode(png(width, 1, bit_depth, 0, b"\0" + row))[0, :, 0]
    keyed = decode(png(width, 1, bit_depth, 0, b"\0" + row, before=[(b"tRNS", key)]))[0, :, 0]
    grey = 255 // (2**bit_depth - 1)
    assert keyed.tolist() == [255 if value == grey else value for value in opaque.tolist()]


def test_transparent_colour_of_16_bits_is_white():
    grey = png(2, 1, 16, 0, b"\0\x10\x01\x10\x02", before=[(b"tRNS", b"\x10\x02")])
    assert decode(grey)[0].tolist() == [[0x10] * 3, [255] * 3]
    key = b"\x10\x01\x20\x02\x30\x03"
    color = png(2, 1, 16, 2, b"\0" + key + b"\x40\0\x50\0\x60\0", before=[(b"tRNS", key)])
    assert decode(color)[0].tolist() == [[255] * 3, [0x40, 0x50, 0x60]]


@pytest.mark.parametrize("alpha", [0, 1, 64, 127, 128, 200, 254, 255])
def test_half_transparent_pixels_mix_with_white(alpha):
    image = Image.new("RGBA", (2, 2), (40, 90, 250, alpha))
    expected = [c * alpha / 255 + 255 - alpha for c in (40, 90, 250)]
    for pixels in (decode(save(image, "PNG")), to_pixels(image), to_pixels(np.asarray(image))):
        assert np.abs(pixels - expected).max() <= 0.51


@pytest.mark.parametrize("mode", ["I;16", "I;16B", "I"])
def test_16_bit_grey_keeps_256_levels(mode):
    values = ramp16()
    if mode == "I;16B":
        image = Image.frombytes(mode, (256, 16), values.astype(">u2").tobytes())
    else:
        image = Image.fromarray(values.astype(np.int32) if mode == "I" else values)
    assert image.mode == mode
    expected = np.repeat((values >> 8)[..., None], 3, axis=2)
    assert np.array_equal(to_pixels(image), expected)
    if mode == "I;16":
        assert np.array_equal(decode(save(image, "PNG")), expected)


@pytest.mark.parametrize("color_type", [2, 4, 6])
def test_16_bits_a_channel_keep_the_upper_byte(color_type):
    num_channels = {2: 3, 4: 2, 6: 4}[color_type]
    samples = [0x1234, 0x5678, 0x9ABC][: num_channels if color_type == 2 else num_channels - 1]
    row = samples if color_type == 2 else [*samples, 0xFFFF]
    data = png(1, 1, 16, color_type, b"\0" + struct.pack(f">{num_channels}H", *row))
    expected = [value >> 8 for value in samples] * (3 if color_type == 4 else 1)
    assert decode(data)[0, 0].tolist() == expected


@pytest.mark.parametrize(
    ("ink", "rgb"),
    [
        ((0, 255, 255, 0), RED),
        ((255, 0, 255, 0), GREEN),
        ((255, 255, 0, 0), BLUE),
        ((0, 0, 0, 0), WHITE),
        ((0, 0, 0, 255), (0, 0, 0)),
    ],
)
def test_cmyk_has_the_right_colours(ink, rgb):
    image = Image.new("CMYK", (40, 30), ink)
    assert (np.abs(decode(save(image, "JPEG", quality=95)).astype(int) - rgb) <= 3).all()
    assert (to_pixels(image) == rgb).all()


@pytest.mark.parametrize("fmt", ["GIF", "PNG", "WEBP"])
def test_the_first_frame_of_an_animation_is_taken(fmt):
    frames = [Image.new("RGB", (20, 10), color) for color in (RED, GREEN)]
    options = {"lossless": True} if fmt == "WEBP" else {}
    data = save(frames[0], fmt, save_all=True, append_images=frames[1:], duration=50, **options)
    assert (decode(data) == RED).all()


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "YCbCr", "HSV"])
def test_modes_without_transparency_convert_as_pillow_does(mode):
    image = smooth(33, 21).convert(mode)
    assert np.array_equal(to_pixels(image), np.asarray(image.convert("RGB")))


JPEGS = st.fixed_dictionaries(
    {"quality": st.integers(1, 100), "progressive": st.booleans(), "optimize": st.booleans()},
    optional={
        "subsampling": st.sampled_from([0, 1, 2]),
        "restart_marker_blocks": st.integers(1, 4),
    },
)


@settings(deadline=None)
@given(st.integers(1, 80), st.integers(1, 80), st.sampled_from(["RGB", "L"]), JPEGS)
def test_jpegs_decode_to_the_pixels_of_pillow(width, height, mode, options):
    data = save(smooth(width, height, width * height).convert(mode), "JPEG", **options)
    assert np.array_equal(decode(data), pillow_rgb(data))


@pytest.mark.parametrize("subsampling", ["444", "422", "420", "440", "411", "Gray"])
@pytest.mark.parametrize("size", [(64, 48), (61, 47), (1, 1)])
def test_every_chroma_subsampling_decodes_to_the_pixels_of_pillow(subsampling, size):
    data = simplejpeg.encode_jpeg(np.asarray(smooth(*size)), colorsubsampling=subsampling)
    assert np.array_equal(decode(data), pillow_rgb(data))


def test_a_jpeg_stored_as_rgb_decodes_to_the_pixels_of_pillow():
    data = save(smooth(50, 40), "JPEG", keep_rgb=True)
    assert np.array_equal(decode(data), pillow_rgb(data))


@pytest.mark.parametrize("fmt", ["PNG", "JPEG", "GIF", "WEBP"])
@pytest.mark.parametrize("part", [0.3, 0.5, 0.9])
def test_cut_pictures_are_refused(fmt, part):
    data = save(noise(300, 300), fmt)
    with pytest.raises(DataError, match="Expected a whole image/"):
        decode(data[: int(len(data) * part)])


def test_a_frame_beyond_the_canvas_is_refused():
    data = bytearray(save(Image.new("P", (20, 10)), "GIF"))
    data[6:8] = struct.pack("<H", 5)
    with pytest.raises(DataError, match="cut or damaged"):
        decode(bytes(data))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(["PNG", "JPEG", "GIF", "WEBP"]), st.data())
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_damaged_bytes_decode_or_raise_a_data_error(fmt, draw):
    data = bytearray(
        save(noise(9, 7), fmt, exif=exif(6)) if fmt != "GIF" else save(noise(9, 7), fmt)
    )
    for _ in range(draw.draw(st.integers(1, 8))):
        data[draw.draw(st.integers(0, len(data) - 1))] = draw.draw(st.integers(0, 255))
    with contextlib.suppress(DataError):
        size = image_size(bytes(data))
        assert decode(bytes(data)).shape[1::-1] == size


@pytest.mark.parametrize("fmt", ["PNG", "JPEG", "GIF", "WEBP"])
def test_decoded_pixels_are_contiguous_and_read_only(fmt):
    for options in ({}, {"exif": exif(6)}) if fmt != "GIF" else ({},):
        pixels = decode(save(noise(24, 16), fmt, **options))
        assert (pixels.dtype, pixels.ndim, pixels.flags.c_contiguous) == (np.uint8, 3, True)
        with pytest.raises(ValueError, match="read-only"):
            pixels[0, 0] = 0


def test_rgb_arrays_are_taken_without_a_copy():
    array = np.asarray(noise(24, 16)).copy()
    pixels = to_pixels(array)
    assert np.shares_memory(pixels, array)
    assert not pixels.flags.writeable
    assert array.flags.writeable
    assert to_pixels(pixels) is pixels


def test_strided_arrays_become_contiguous():
    array = np.asarray(noise(24, 16))[::-1, ::2]
    pixels = to_pixels(array)
    assert pixels.flags.c_contiguous
    assert np.array_equal(pixels, array)


def test_grey_arrays_become_rgb():
    grey = np.asarray(noise(24, 16))[..., 0]
    assert np.array_equal(to_pixels(grey), np.repeat(grey[..., None], 3, axis=2))


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((4, 4, 3), np.float32),
        np.zeros((4, 4), np.uint16),
        np.zeros((4, 4), bool),
        np.zeros(4, np.uint8),
        np.zeros((4, 4, 2), np.uint8),
        np.zeros((3, 4, 4, 3), np.uint8),
        np.zeros((0, 4, 3), np.uint8),
        np.zeros((4, 0), np.uint8),
        np.zeros((0, 0, 4), np.uint8),
    ],
)
def test_other_arrays_are_refused(array):
    with pytest.raises(ValueError, match="Expected"):
        to_pixels(array)


def test_an_empty_image_is_refused():
    with pytest.raises(ValueError, match="at least 1x1"):
        to_pixels(Image.new("RGB", (0, 4)))
