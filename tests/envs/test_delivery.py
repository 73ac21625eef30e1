"""Prompts and data URLs: they show the pictures of the observation, and each is encoded once."""

import re

import cv2
import numpy as np
import pytest

from gym_imagetools.envs.delivery import Delivery
from gym_imagetools.images.cache import ENCODED
from gym_imagetools.images.data_url import decode_data_url
from gym_imagetools.images.decode import decode
from tests.envs.play import (
    IDS,
    crop,
    dataset_row,
    frozen,
    make,
    make_rows,
    pivot_row,
    rotate,
    zoom,
)

ACTIONS = [crop(0, 0, 900, 900), rotate(20), zoom(0, 0, 300, 300)]


def pictures_of(messages):
    parts = [
        part
        for message in messages
        for part in (message["content"] if isinstance(message.get("content"), list) else ())
    ]
    return [part["image_url"] for part in parts if part["type"] == "input_image"]


def decoded(urls):
    return [decode(decode_data_url(url)) for url in urls]


def close(first, second, tolerance):
    assert first.shape == second.shape
    assert np.abs(first.astype(int) - second).mean() <= tolerance


@pytest.mark.parametrize("env_id", IDS)
def test_the_prompt_shows_the_pictures_of_the_first_observation(env_id):
    env = make(env_id)
    observation, _ = env.reset(seed=3)
    urls = pictures_of(env.get_wrapper_attr("prompt"))
    assert urls == env.get_wrapper_attr("image_urls")
    assert len(urls) == len(observation["images"])
    for shown, seen in zip(decoded(urls), observation["images"], strict=True):
        close(shown, seen, 3.0)


@pytest.mark.parametrize(("fmt", "tolerance"), [("png", 0), ("jpeg", 8), ("webp", 9)])
@pytest.mark.parametrize("side", [None, 48])
def test_the_urls_show_the_new_pictures_of_each_step(fmt, tolerance, side):
    rows = [dataset_row("photo.png", "shapes.png")]
    env = make_rows(*rows, crop_format=fmt, preview_max_side=side)
    observation, _ = env.reset(seed=3)
    for action in [*ACTIONS, None]:
        urls = env.get_wrapper_attr("image_urls")
        for shown, seen in zip(decoded(urls), observation["images"], strict=True):
            close(shown, seen, tolerance)
            assert side is None or max(shown.shape) <= side
        if action is not None:
            observation, *_ = env.step(action)
    env.step("done")
    assert env.get_wrapper_attr("image_urls") == []


def test_the_question_is_in_the_prompt_and_in_the_observation(tool_id):
    env = make(tool_id)
    observation, _ = env.reset(seed=3)
    system, *rest = env.get_wrapper_attr("prompt")
    assert system["role"] == "system"
    texts = [
        part["text"]
        for message in rest
        if isinstance(message["content"], list)
        for part in message["content"]
        if "text" in part
    ]
    assert observation["text"] in "\n".join(texts)


def test_a_row_with_a_system_message_keeps_its_own():
    row = dataset_row()
    row["responses_create_params"]["input"].insert(0, {"role": "system", "content": "Be brief."})
    env = make_rows(row)
    env.reset(seed=3)
    prompt = env.get_wrapper_attr("prompt")
    assert [message["role"] for message in prompt] == ["system", "user"]
    assert "Be brief." in str(prompt[0])


def test_the_prompt_stays_the_same_over_the_episode():
    env = make_rows()
    env.reset(seed=3)
    before = frozen(env.get_wrapper_attr("prompt"))
    env.step(rotate(3))
    assert frozen(env.get_wrapper_attr("prompt")) == before


def test_each_picture_is_encoded_once():
    ENCODED.clear()
    env = make_rows(dataset_row("photo.png"), crop_jpeg_quality=71)
    start = ENCODED.misses
    env.reset(seed=3)
    for _ in range(3):
        env.get_wrapper_attr("prompt"), env.get_wrapper_attr("image_urls")
    assert ENCODED.misses - start == 1
    for number, action in enumerate(ACTIONS, start=2):
        env.step(action)
        for _ in range(3):
            env.get_wrapper_attr("image_urls")
        assert ENCODED.misses - start == number
    twin = make_rows(dataset_row("photo.png"), crop_jpeg_quality=71)
    twin.reset(seed=3)
    for action in ACTIONS:
        twin.step(action)
        twin.get_wrapper_attr("image_urls")
    assert ENCODED.misses - start == len(ACTIONS) + 1


def test_nothing_is_encoded_until_a_message_needs_it():
    start = ENCODED.misses
    env = make_rows(crop_jpeg_quality=72)
    env.reset(seed=3)
    env.step(rotate(3))
    assert ENCODED.misses == start


def test_the_tools_work_on_the_full_size_whatever_is_delivered():
    results = []
    for side in (None, 32):
        env = make_rows(dataset_row("shapes.png"), preview_max_side=side)
        env.reset(seed=3)
        results.append(env.step(crop(100, 100, 300, 300))[4]["tool_results"])
    assert results[0] == results[1]


@pytest.mark.parametrize("side", [32, 100, 512])
def test_previews_keep_the_shape_and_average(side):
    env = make_rows(dataset_row("tall.png"), preview_max_side=side)
    full, _ = make_rows(dataset_row("tall.png")).reset(seed=3)
    seen, _ = env.reset(seed=3)
    (full,), (seen,) = full["images"], seen["images"]
    height, width = seen.shape[:2]
    assert max(height, width) == min(side, max(full.shape))
    expected = cv2.resize(full, (width, height), interpolation=cv2.INTER_AREA)
    close(seen, expected, 0.01)


def test_a_pivot_shows_its_transcript_with_the_pictures_in_their_places():
    row = pivot_row(rotate(90), "photo.png", "tall.png")
    env = make("ImageTools/Pivot-v0", data=[row], preview_max_side=40)
    observation, _ = env.reset(seed=3)
    assert [max(image.shape) for image in observation["images"]] == [40, 40]
    urls = pictures_of(env.get_wrapper_attr("prompt"))
    assert [max(image.shape) for image in decoded(urls)] == [40, 40]
    assert re.search(r"\[picture 0\] \[picture 1\]", observation["text"])


def test_placeholders_in_outputs_of_calls_are_filled_too():
    class Dot:
        key, size = "dot", (1, 1)

        def load(self):
            return np.zeros((1, 1, 3), np.uint8)

    item = {"type": "function_call_output", "output": [{"type": "input_image", "picture": 0}]}
    filled = Delivery(crop_format="png").with_pictures(item, [Dot()])
    assert filled["output"][0]["image_url"].startswith("data:image/png;base64,")
    assert item["output"] == [{"type": "input_image", "picture": 0}]
