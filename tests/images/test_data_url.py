from __future__ import annotations

import base64
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_imagetools.errors import DataError
from gym_imagetools.images.data_url import decode_data_url, encode_data_url, is_inline
from tests.images.samples import noise, save

FORMATS = ["PNG", "JPEG", "GIF", "WEBP"]
PREFIX = "data:image/png;base64,"


def pictures() -> st.SearchStrategy[bytes]:
    """Bytes that begin like a picture and go on with anything, so that all of base64 occurs."""
    starts = [save(noise(1, 1), fmt)[:16] for fmt in FORMATS]
    tail = st.binary(max_size=80)
    return st.builds(lambda start, end: start + end + b"\0", st.sampled_from(starts), tail)


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


@given(pictures(), st.sampled_from(["image/png", "image/jpeg", "", "text/plain;charset=utf-8"]))
def test_the_bytes_come_back_whatever_media_type_is_declared(data, media_type):
    assert decode_data_url(encode_data_url(data, media_type)) == data


@given(pictures())
def test_padding_may_be_missing(data):
    assert decode_data_url(PREFIX + b64(data).rstrip("=")) == data


@given(pictures(), st.booleans())
def test_base64_may_be_percent_encoded(data, is_padded):
    text = b64(data) if is_padded else b64(data).rstrip("=")
    assert decode_data_url(PREFIX + quote(text, safe="")) == data


@given(pictures())
def test_the_url_safe_alphabet_is_read(data):
    assert decode_data_url(PREFIX + base64.urlsafe_b64encode(data).decode()) == data


@given(pictures())
def test_spaces_in_place_of_plus_signs_are_read(data):
    assert decode_data_url(PREFIX + b64(data).replace("+", " ")) == data


@given(pictures(), st.integers(1, 76), st.sampled_from(["\n", "\r\n", "\n    "]))
def test_base64_may_be_broken_into_lines(data, width, newline):
    text = b64(data)
    lines = [text[i : i + width] for i in range(0, len(text), width)]
    assert decode_data_url(PREFIX + newline.join(lines) + "\n") == data


@given(pictures())
def test_the_prefix_may_be_missing(data):
    assert decode_data_url(b64(data)) == data
    assert decode_data_url(base64.urlsafe_b64encode(data).decode()) == data


@given(pictures(), st.integers(2, 4))
def test_the_prefix_may_stand_several_times(data, times):
    assert decode_data_url(PREFIX * times + b64(data)) == data


@pytest.mark.parametrize(
    "prefix", ["DATA:IMAGE/PNG;BASE64,", "  data:;base64,", "data:x/y;base64,\n"]
)
def test_the_prefix_may_be_written_otherwise(prefix):
    data = save(noise(9, 7), "PNG")
    assert decode_data_url(prefix + b64(data)) == data


SECRET = "secret-host-7f3a"


@pytest.mark.parametrize(
    "url",
    [
        f"http://{SECRET}/x.png",
        f"https://{SECRET}/x.png",
        f"file:///{SECRET}/x.png",
        f"ftp://{SECRET}/x.png",
        f"//{SECRET}/x.png",
        f"/{SECRET}/x.png",
        f"../{SECRET}.png",
        f"C:\\{SECRET}.png",
        f"data:image/png,{SECRET}",
        f"data:{SECRET}",
        f"data:image/png;base64,{SECRET}!",
        f"data:image/png;base64,iVBORw0KGgo{SECRET}\u00e9",
        f"data:image/svg+xml;base64,{b64(SECRET.encode())}",
        f"data:text/html;base64,{b64(b'<html>' + SECRET.encode())}",
        PREFIX,
        "",
    ],
)
def test_anything_else_is_refused_without_being_echoed(url):
    with pytest.raises(DataError, match="Expected") as caught:
        decode_data_url(url)
    assert SECRET not in str(caught.value)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("where", [20, 400, -2])
def test_damaged_base64_is_refused_briefly(where):
    text = list(b64(save(noise(30, 30), "PNG")))
    text[where] = "*"
    with pytest.raises(DataError, match="encode the picture again") as caught:
        decode_data_url(PREFIX + "".join(text))
    assert len(str(caught.value)) < 250


@given(st.text(max_size=60), st.sampled_from(["", "data:", PREFIX, "iVBORw0KGgo", "/9j/"]))
def test_no_text_raises_anything_but_a_data_error(text, start):
    try:
        decode_data_url(start + text)
    except DataError:
        return


@pytest.mark.parametrize("fmt", FORMATS)
def test_inline_pictures_are_told_from_paths(fmt):
    text = b64(save(noise(9, 7), fmt))
    assert is_inline(text)
    assert is_inline(quote(text, safe=""))
    assert is_inline(" data:anything")
    assert not is_inline("images/photo.png")
    assert not is_inline("https://example.org/a.png")
