"""The public fault reports about loading pictures, each with the input that it gives."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from PIL import Image

from gym_imagetools.errors import DataError
from gym_imagetools.images.decode import decode, image_size, sniff
from gym_imagetools.images.encode import encode
from gym_imagetools.images.picture import EncodedPicture, read_picture
from gym_imagetools.tool_output_images import ToolOutputImage
from tests.images.samples import BLUE, RED, barred, exif, hidden_red, noise, ramp16, save

CASES = Path(__file__).parents[1] / "cases" / "images.jsonl"
ROWS = [json.loads(line) for line in CASES.read_text().splitlines()]
NOISE_PNG = save(noise(9, 7), "PNG")
BASE64 = base64.b64encode(NOISE_PNG).decode()
PREFIX = "data:image/png;base64,"


def read(source: str) -> bytes:
    return read_picture(source, root=None).data


def orientation_ignored():
    pixels = decode(save(barred(), "JPEG", exif=exif(6), quality=95, subsampling=0))
    assert pixels.shape == (24, 16, 3)
    assert np.abs(pixels[:4].astype(int) - RED).mean() < 8
    assert np.abs(pixels[8:].astype(int) - BLUE).mean() < 8


def alpha_dropped():
    assert not (decode(save(hidden_red(), "PNG")) == RED).all(axis=2).any()


def sixteen_bits_clipped():
    pixels = decode(save(Image.fromarray(ramp16()), "PNG"))
    assert pixels[0, :, 0].tolist() == list(range(256))


def cmyk_inverted():
    image = Image.new("CMYK", (40, 30), (0, 255, 255, 0))
    pixels = decode(save(image, "JPEG", quality=95))
    assert (np.abs(pixels.astype(int) - RED) <= 3).all()
    assert np.array_equal(decode(encode(pixels, "png")), pixels)
    with pytest.raises(DataError, match="bytes of another kind"):
        decode(save(image, "TIFF"))


def huge_raster():
    data = save(Image.new("1", (12000, 12000), 1), "PNG")
    assert len(data) < 100_000
    for read_some in (image_size, decode, EncodedPicture.from_bytes):
        with pytest.raises(DataError, match="12000x12000"):
            read_some(data)


def padding_missing():
    assert read(PREFIX + BASE64.rstrip("=")) == NOISE_PNG


def base64_disfigured():
    assert read(PREFIX + quote(BASE64, safe="")) == NOISE_PNG
    assert read(PREFIX + BASE64.translate(str.maketrans("+/", "-_"))) == NOISE_PNG
    assert read(PREFIX + BASE64.replace("+", " ")) == NOISE_PNG


def prefix_missing_or_twice():
    for url in (BASE64, PREFIX * 2 + BASE64):
        assert ToolOutputImage(image_url=url).image_url == PREFIX + BASE64


def media_type_wrong():
    wrong = "data:image/jpeg;base64," + BASE64
    assert ToolOutputImage(image_url=wrong).media_type == "image/png"
    assert sniff(encode(np.asarray(noise(9, 7)), "jpg")) == "image/jpeg"


def reference_to_elsewhere():
    for url in ("file:///etc/hostname", "http://127.0.0.1:9/x.png"):
        for root in (None, Path("/")):
            with pytest.raises(DataError, match="Expected") as caught:
                read_picture(url, root=root)
            assert "hostname" not in str(caught.value)
            assert "127" not in str(caught.value)


CHECKS: dict[str, Callable[[], None]] = {
    "IM01": orientation_ignored,
    "IM02": alpha_dropped,
    "IM04": sixteen_bits_clipped,
    "IM05": cmyk_inverted,
    "IM08": huge_raster,
    "IM16": padding_missing,
    "IM17": base64_disfigured,
    "IM19": prefix_missing_or_twice,
    "IM20": media_type_wrong,
    "IM22": reference_to_elsewhere,
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_the_reported_fault_does_not_occur(row):
    CHECKS[row["id"]]()


def test_every_check_has_its_report():
    assert sorted(CHECKS) == [row["id"] for row in ROWS]
