from __future__ import annotations

import base64
import json

import pytest
from pydantic import ValidationError

from gym_imagetools.tool_output_images import (
    TOOL_OUTPUT_IMAGES_KEY,
    ToolOutputImage,
    split_tool_output_images,
)
from tests.images.samples import noise, png, save

FORMATS = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


PNG_BASE64 = b64(save(noise(9, 7), "PNG"))
PNG_URL = "data:image/png;base64," + PNG_BASE64


@pytest.mark.parametrize(("fmt", "media_type"), FORMATS.items())
def test_an_image_has_its_base64_and_media_type(fmt, media_type):
    text = b64(save(noise(9, 7), fmt))
    image = ToolOutputImage(image_url=f"data:{media_type};base64,{text}", label="a crop")
    assert (image.data, image.media_type, image.label) == (text, media_type, "a crop")
    assert image.image_url == f"data:{media_type};base64,{text}"
    assert ToolOutputImage(image_url=image.image_url).label is None


@pytest.mark.parametrize("declared", ["image/jpeg", "image/webp", "application/octet-stream", ""])
def test_the_bytes_decide_the_media_type(declared):
    image = ToolOutputImage(image_url=f"data:{declared};base64,{PNG_BASE64}")
    assert image.image_url == PNG_URL


@pytest.mark.parametrize(
    "url", [PNG_BASE64, PNG_URL.rstrip("="), "data:image/png;base64," + PNG_URL]
)
def test_forgiven_forms_are_written_anew(url):
    assert ToolOutputImage(image_url=url).image_url == PNG_URL


@pytest.mark.parametrize("make", [dict, json.dumps])
def test_a_reply_is_split_in_the_form_it_came_in(make):
    reply = {"ok": True, "text": "é", TOOL_OUTPUT_IMAGES_KEY: [{"image_url": PNG_URL}] * 2}
    rest, images = split_tool_output_images(make(reply))
    assert type(rest) is type(make(reply))
    assert (json.loads(rest) if isinstance(rest, str) else rest) == {"ok": True, "text": "é"}
    assert [image.image_url for image in images] == [PNG_URL, PNG_URL]


def test_the_given_reply_is_not_changed():
    reply = {TOOL_OUTPUT_IMAGES_KEY: [{"image_url": PNG_URL, "label": "x"}]}
    rest, _ = split_tool_output_images(reply)
    assert rest == {}
    assert reply == {TOOL_OUTPUT_IMAGES_KEY: [{"image_url": PNG_URL, "label": "x"}]}


@pytest.mark.parametrize("listed", [None, []])
@pytest.mark.parametrize("make", [dict, json.dumps])
def test_null_and_an_empty_list_mean_no_pictures(make, listed):
    rest, images = split_tool_output_images(make({"ok": 1, TOOL_OUTPUT_IMAGES_KEY: listed}))
    assert images == []
    assert rest == make({"ok": 1})


@pytest.mark.parametrize(
    "payload",
    [
        "",
        "plain text",
        "tool_output_images",
        "[1, 2]",
        "null",
        "3",
        '"tool_output_images"',
        '{"ok": true}',
        '{"ok": true,  "nested": {"tool_output_images": [1]}}',
        '{"tool_output_images": [',
        '["tool_output_images"]',
        "[" * 100_000,
        '{"n": ' + "9" * 5000 + "}",
        {"ok": True},
        {},
        [{TOOL_OUTPUT_IMAGES_KEY: []}],
        None,
        3,
    ],
)
def test_what_lists_no_pictures_comes_back_unchanged(payload):
    rest, images = split_tool_output_images(payload)
    assert rest is payload
    assert images == []


SECRET = "secret7f3a"
MALFORMED = [
    {},
    "image",
    PNG_URL,
    3,
    True,
    [None],
    [PNG_URL],
    [[]],
    [{}],
    [{"label": "x"}],
    [{"image_url": None}],
    [{"image_url": 3}],
    [{"image_url": {"url": PNG_URL}}],
    [{"image_url": PNG_URL, "label": 3}],
    [{"image_url": PNG_URL, "detail": SECRET}],
    [{"image_url": PNG_URL}, {"image_url": f"http://{SECRET}/x.png"}],
    [{"image_url": f"file:///{SECRET}"}],
    [{"image_url": f"/{SECRET}/x.png"}],
    [{"image_url": "data:image/png," + SECRET}],
    [{"image_url": "data:image/png;base64," + SECRET * 100_000}],
    [{"image_url": "data:image/svg+xml;base64," + b64(b"<svg>" + SECRET.encode() + b"</svg>")}],
    [{"image_url": "data:image/bmp;base64," + b64(save(noise(4, 4), "BMP"))}],
    [{"image_url": "data:image/png;base64," + b64(png(100_000, 100_000, 8, 2, b""))}],
    [{"image_url": PNG_URL[:40]}],
]


@pytest.mark.parametrize("listed", MALFORMED)
@pytest.mark.parametrize("make", [dict, json.dumps])
def test_a_malformed_list_raises_a_validation_error_without_its_input(make, listed):
    with pytest.raises(ValidationError) as caught:
        split_tool_output_images(make({"ok": True, TOOL_OUTPUT_IMAGES_KEY: listed}))
    assert SECRET not in str(caught.value)
    assert PNG_BASE64[:20] not in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_an_image_alone_hides_its_input_too():
    with pytest.raises(ValidationError) as caught:
        ToolOutputImage(image_url="data:image/png;base64," + SECRET)
    assert SECRET not in str(caught.value)


def test_images_cannot_be_changed():
    image = ToolOutputImage(image_url=PNG_URL)
    with pytest.raises(ValidationError, match="frozen"):
        image.label = "x"
