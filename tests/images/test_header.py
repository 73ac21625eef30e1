from __future__ import annotations

import contextlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_imagetools.errors import DataError
from gym_imagetools.images.header import MAX_PIXELS, read_header, sniff
from tests.images.samples import exif, hidden_red, noise, png, red_palette, save

FORMATS = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
EXIF_6 = exif(6).tobytes()


@pytest.mark.parametrize(("fmt", "media_type"), FORMATS.items())
@pytest.mark.parametrize("size", [(1, 1), (37, 5), (300, 2)])
def test_kind_and_size_are_read_from_the_header(fmt, media_type, size):
    header = read_header(save(noise(*size), fmt))
    assert (header.media_type, header.size, header.orientation) == (media_type, size, 1)


@pytest.mark.parametrize("options", [{"lossless": True}, {"lossless": False}, {"exif": exif(1)}])
def test_every_layout_of_webp_is_read(options):
    header = read_header(save(noise(300, 17), "WEBP", **options))
    assert header.size == (300, 17)
    assert header.is_plain


@pytest.mark.parametrize("fmt", ["PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_orientation_turns_the_size_of_each_format(fmt, orientation):
    header = read_header(save(noise(24, 16), fmt, exif=exif(orientation)))
    assert header.orientation == orientation
    assert header.stored_size == (24, 16)
    assert header.size == ((16, 24) if orientation >= 5 else (24, 16))
    assert header.is_plain == (orientation == 1)


def test_exif_behind_the_pixels_of_a_png_counts():
    data = png(2, 1, 8, 0, b"\0\1\2", after=[(b"eXIf", EXIF_6)])
    assert read_header(data).size == (1, 2)


@pytest.mark.parametrize("order", ["<", ">"])
def test_exif_is_read_in_both_byte_orders(order):
    magic = b"II*\0" if order == "<" else b"MM\0*"
    block = magic + struct.pack(order + "IHHHIHH", 8, 1, 0x0112, 3, 1, 6, 0)
    assert read_header(png(2, 1, 8, 0, b"\0\1\2", before=[(b"eXIf", block)])).orientation == 6


@pytest.mark.parametrize(
    "block",
    [
        b"",
        b"garbage",
        b"II*\0",
        b"II*\0\xff\xff\xff\xff",
        EXIF_6[:12],
        EXIF_6.replace(b"\6", b"\t"),
    ],
)
def test_damaged_exif_means_upright(block):
    assert read_header(png(2, 1, 8, 0, b"\0\1\2", before=[(b"eXIf", block)])).orientation == 1


@pytest.mark.parametrize(
    "data",
    [
        save(hidden_red(), "PNG"),
        save(hidden_red(), "WEBP"),
        save(noise(8, 8).convert("LA"), "PNG"),
        save(red_palette(), "PNG", transparency=0),
        save(noise(8, 8).convert("CMYK"), "JPEG"),
        save(noise(8, 8), "PNG", save_all=True, append_images=[noise(8, 8, 1)]),
        save(noise(8, 8), "WEBP", save_all=True, append_images=[noise(8, 8, 1)]),
        save(noise(8, 8).convert("I;16"), "PNG"),
        save(noise(8, 8), "GIF"),
    ],
)
def test_what_decoding_changes_is_not_plain(data):
    assert not read_header(data).is_plain


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB"])
def test_opaque_8_bit_pngs_are_plain(mode):
    assert read_header(save(noise(8, 8).convert(mode), "PNG")).is_plain


@pytest.mark.parametrize("data", [b"", b"BM", b"\x89PNG", b"<svg/>", b"%PDF-1.7", b"RIFF1234WAVE"])
def test_other_kinds_are_refused_by_content(data):
    assert sniff(data) is None
    with pytest.raises(DataError, match="Expected a PNG, JPEG, GIF or WebP picture"):
        read_header(data)


@pytest.mark.parametrize("fmt", ["BMP", "TIFF", "PPM", "TGA"])
def test_formats_that_pillow_knows_besides_are_refused(fmt):
    with pytest.raises(DataError, match="bytes of another kind"):
        read_header(save(noise(8, 8), fmt))


@pytest.mark.parametrize(
    ("width", "height"), [(8001, 8000), (MAX_PIXELS + 1, 1), (2**31 - 1, 2**31 - 1), (0, 5), (5, 0)]
)
def test_sizes_out_of_bounds_are_refused_before_decoding(width, height):
    with pytest.raises(DataError, match=f"{width}x{height}"):
        read_header(png(width, height, 8, 2, b""))


def test_the_largest_size_is_allowed():
    assert read_header(png(8000, 8000, 8, 2, b"")).size == (8000, 8000)


@pytest.mark.parametrize("fmt", FORMATS)
def test_a_cut_header_is_refused(fmt):
    with pytest.raises(DataError):
        read_header(save(noise(8, 8), fmt)[:9])


def test_fill_bytes_and_thumbnails_in_a_jpeg_are_passed_over():
    data = save(noise(24, 16), "JPEG")
    thumbnail = save(noise(4, 4), "JPEG")
    segment = b"\xff\xff\xff\xe2" + struct.pack(">H", len(thumbnail) + 2) + thumbnail
    assert read_header(data[:2] + segment + data[2:]).size == (24, 16)


@given(st.sampled_from(list(FORMATS)), st.data())
def test_damaged_bytes_give_a_header_or_a_data_error(fmt, draw):
    data = bytearray(save(noise(9, 7), fmt))
    for _ in range(draw.draw(st.integers(1, 8))):
        data[draw.draw(st.integers(0, len(data) - 1))] = draw.draw(st.integers(0, 255))
    with contextlib.suppress(DataError):
        read_header(bytes(data[: draw.draw(st.integers(0, len(data)))]))
