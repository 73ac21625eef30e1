"""Threads share pictures: whatever they do at once comes out as when one thread does it alone."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from threading import Barrier

import numpy as np
import pytest

from gym_imagetools.images.cache import ENCODED, PIXELS
from gym_imagetools.images.encode import encode, encoded
from gym_imagetools.images.picture import EncodedPicture
from gym_imagetools.images.preview import preview
from gym_imagetools.tools import TOOLS, run_tool
from tests.images.samples import save, smooth

NUM_THREADS = 8
SOURCES = [save(smooth(96, 72, seed), "JPEG", quality=95) for seed in (1, 2)]
SETTINGS = {"crop_min_pixels": 32 * 32, "crop_max_pixels": 96 * 96}
CALLS = [
    ("image_zoom_in_tool", {"bbox_2d": [200, 200, 700, 800]}, {}),
    ("image_zoom_in_tool", {"bbox_2d": [200, 200, 700, 800]}, {"resample": "fast"}),
    ("image_crop_tool", {"bbox_2d": [100, 50, 900, 600]}, {}),
    ("image_rotate_tool", {"degrees": 33}, {}),
    ("image_rotate_tool", {"degrees": 270}, {}),
    ("image_flip_tool", {"axis": "vertical"}, {}),
    ("image_diff_tool", {"img_idx_a": 0, "img_idx_b": 1}, {}),
    ("image_side_by_side_tool", {"img_indices": [0, 1], "labels": ["before", "after"]}, {}),
    ("image_overlay_tool", {"img_idx_a": 1, "img_idx_b": 0, "alpha": 0.3}, {}),
    ("count_objects_tool", {"min_size": 5}, {}),
    ("find_color_tool", {"color": [120, 120, 120], "tolerance": 60}, {}),
    ("color_at_tool", {"point_2d": [400, 600]}, {}),
]
ENCODERS = [("jpeg", 95), ("jpeg", 40), ("png", 95), ("webp", 80)]


def call_tool(number, pictures):
    """Run one tool and encode what it made; return all of it."""
    name, arguments, resample = CALLS[number % len(CALLS)]
    result = run_tool(name, arguments, [p.load() for p in pictures], **SETTINGS, **resample)
    fmt, quality = ENCODERS[number // len(CALLS) % len(ENCODERS)]
    made = sha256(result.pixels.tobytes()).digest(), sha256(encode(result.pixels, fmt, quality))
    return result.result, result.affine, made[0], made[1].digest()


def call_source(number, pictures):
    """Encode a source for a message, whole or as a preview; return the bytes."""
    fmt, quality = ENCODERS[number % len(ENCODERS)]
    side = (None, 64, 48)[number // len(ENCODERS) % 3]
    picture = pictures[number % 2]
    return encoded(picture, fmt, quality, side), preview(picture.load(), side).shape


def call(number, pictures):
    return call_tool(number, pictures), call_source(number, pictures)


def fresh_pictures():
    PIXELS.clear()
    ENCODED.clear()
    return [EncodedPicture.from_bytes(data) for data in SOURCES]


@pytest.fixture
def frequent_switches():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def test_the_calls_are_of_all_tools():
    assert {name for name, _, _ in CALLS} == set(TOOLS)


@pytest.mark.usefixtures("frequent_switches")
@pytest.mark.parametrize(
    ("cache_bytes", "num_calls"), [(2**20, 2_000), (0, 400)], ids=["cached", "always made anew"]
)
def test_eight_threads_get_what_one_thread_gets(cache_bytes, num_calls):
    pictures = fresh_pictures()
    alone = {number: call(number, pictures) for number in range(len(CALLS) * len(ENCODERS))}
    before = [picture.load().copy() for picture in pictures]
    bounds = PIXELS.max_bytes, ENCODED.max_bytes
    pictures, barrier = fresh_pictures(), Barrier(NUM_THREADS)
    PIXELS.resize(cache_bytes)
    ENCODED.resize(cache_bytes)

    def work(thread):
        barrier.wait()
        numbers = range(thread, num_calls // 2, NUM_THREADS)
        return [
            number for number in numbers if call(number, pictures) != alone[number % len(alone)]
        ]

    try:
        with ThreadPoolExecutor(NUM_THREADS) as pool:
            wrong = [number for found in pool.map(work, range(NUM_THREADS)) for number in found]
        assert wrong == []
        assert all(np.array_equal(p.load(), b) for p, b in zip(pictures, before, strict=True))
    finally:
        PIXELS.resize(bounds[0])
        ENCODED.resize(bounds[1])
