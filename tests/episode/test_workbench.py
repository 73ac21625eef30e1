"""Pictures as recipes: keys, frames, and pixels that come back."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from gym_imagetools.episode import Workbench
from gym_imagetools.episode.record import signature_of
from gym_imagetools.errors import ToolError
from gym_imagetools.images.cache import PIXELS
from gym_imagetools.images.picture import EncodedPicture
from gym_imagetools.prompts import replies
from gym_imagetools.tools import ToolSettings
from gym_imagetools.types import ToolCall

GOLDEN = Path(__file__).parents[1] / "golden/images"
SETTINGS = ToolSettings(1, 1_048_576, "exact")


def picture(name):
    return EncodedPicture.from_bytes((GOLDEN / name).read_bytes())


def bench(*names, settings=SETTINGS):
    return Workbench(
        [picture(name) for name in names or ("shapes.png",)],
        settings=settings,
        reward_policy="strict",
        duplicate_iou_threshold=0.5,
    )


def run(on, name, **arguments):
    return on.run(ToolCall(name, arguments))[0]


def test_equal_calls_of_two_episodes_share_their_pixels():
    first, second = bench(), bench()
    calls = [("image_rotate_tool", {"degrees": 20}), ("image_flip_tool", {"axis": "vertical"})]
    for name, arguments in calls:
        one, two = run(first, name, **arguments), run(second, name, label="other", **arguments)
        assert one.picture.key == two.picture.key
        assert one.picture.load() is two.picture.load()


@pytest.mark.parametrize(
    ("name", "arguments", "other"),
    [
        ("image_rotate_tool", {"degrees": 20}, {"degrees": 21}),
        ("image_crop_tool", {"bbox_2d": [0, 0, 5e2, 5e2]}, {"bbox_2d": [0, 0, 500, 501]}),
        ("image_flip_tool", {"axis": "vertical"}, {"axis": "vertical", "img_idx": 1}),
        (
            "image_diff_tool",
            {"img_idx_a": 0, "img_idx_b": 1},
            {"img_idx_a": 1, "img_idx_b": 0},
        ),
        (
            "image_side_by_side_tool",
            {"img_indices": [0, 1]},
            {"img_indices": [0, 1], "labels": ["a", "b"]},
        ),
        ("image_overlay_tool", {"img_idx_a": 0, "img_idx_b": 1}, {"img_idx_a": 0, "img_idx_b": 0}),
    ],
)
def test_calls_that_differ_have_other_keys(name, arguments, other):
    on = bench("shapes.png", "photo.png")
    assert run(on, name, **arguments).picture.key != run(on, name, **other).picture.key


def test_other_sizes_of_a_zoom_have_another_key():
    keys = {
        run(bench(settings=settings), "image_zoom_in_tool", bbox_2d=[0, 0, 500, 500]).picture.key
        for settings in (SETTINGS, ToolSettings(400_000, 1_048_576, "exact"),
                         ToolSettings(1, 1_048_576, "fast"))
    }  # fmt: skip
    assert len(keys) == 3


def test_the_same_picture_at_another_index_has_the_same_key():
    on = bench("shapes.png", "shapes.png")
    first = run(on, "image_flip_tool", axis="vertical", img_idx=0)
    assert run(on, "image_flip_tool", axis="vertical", img_idx=1).picture.key == first.picture.key


def test_dropped_pixels_come_back_identical_through_a_chain():
    on = bench("shapes.png", "photo.png")
    run(on, "image_rotate_tool", degrees=33)
    run(on, "image_zoom_in_tool", bbox_2d=[100, 100, 700, 600], img_idx=2)
    run(on, "image_overlay_tool", img_idx_a=3, img_idx_b=1)
    run(on, "count_objects_tool", img_idx=4)
    before = [np.array(held.load()) for held in on.store]
    copies = pickle.loads(pickle.dumps(list(on.store)))
    PIXELS.clear()
    assert all(map(np.array_equal, before, (held.load() for held in copies)))
    assert [(pixels.shape[1], pixels.shape[0]) for pixels in before] == [
        held.size for held in on.store
    ]


def test_pixels_of_the_store_are_read_only():
    on = bench()
    for held in (on.store[0], run(on, "image_rotate_tool", degrees=3).picture):
        with pytest.raises(ValueError, match="read-only"):
            held.load()[...] = 0


@pytest.mark.parametrize(
    ("steps", "box"),
    [
        ([("image_crop_tool", {"bbox_2d": [500, 0, 1000, 500]})], (160, 0, 320, 120)),
        (
            [
                ("image_crop_tool", {"bbox_2d": [500, 0, 1000, 500]}),
                ("image_crop_tool", {"bbox_2d": [0, 0, 500, 500], "img_idx": 1}),
            ],
            (160, 0, 240, 60),
        ),
        (
            [
                ("image_zoom_in_tool", {"bbox_2d": [500, 0, 1000, 500]}),
                ("image_zoom_in_tool", {"bbox_2d": [0, 0, 500, 500], "img_idx": 1}),
            ],
            (160, 0, 240, 60),
        ),
        (
            [
                ("image_flip_tool", {"axis": "horizontal"}),
                ("image_crop_tool", {"bbox_2d": [0, 0, 250, 1000], "img_idx": 1}),
            ],
            (240, 0, 320, 240),
        ),
        (
            [
                ("image_rotate_tool", {"degrees": 90}),
                ("image_crop_tool", {"bbox_2d": [0, 0, 1000, 500], "img_idx": 1}),
            ],
            (160, 0, 320, 240),
        ),
    ],
)
def test_a_region_is_known_in_pixels_of_its_source(steps, box):
    on = bench()
    for name, arguments in steps:
        record = run(on, name, **arguments)
    assert record.region.source == 0
    assert record.region.box_px == pytest.approx(box, abs=1.5)


def test_a_picture_of_several_is_a_source_of_its_own():
    on = bench("shapes.png", "photo.png")
    run(on, "image_side_by_side_tool", img_indices=[0, 1])
    record = run(on, "image_crop_tool", bbox_2d=[0, 0, 500, 500], img_idx=2)
    assert record.region.source == 2


def test_a_failed_call_leaves_no_trace():
    on = bench()
    for call in (
        ToolCall("none", {}),
        ToolCall("image_crop_tool", {"bbox_2d": [0, 0, 0, 0]}),
        ToolCall("image_flip_tool", {"axis": "vertical", "img_idx": 1}),
    ):
        with pytest.raises(ToolError):
            on.run(call)
    assert (len(on.store), on.records) == (1, [])


def test_without_pictures_there_is_nothing_to_call():
    empty = Workbench([], settings=SETTINGS, reward_policy="reference", duplicate_iou_threshold=0.5)
    with pytest.raises(ToolError) as caught:
        empty.run(ToolCall("image_flip_tool", {"axis": "vertical"}))
    assert str(caught.value) == replies.NO_PICTURES


def test_a_signature_takes_a_call_as_written_but_for_the_order_of_keys():
    assert signature_of("a", {"x": 1, "y": 2}) == signature_of("a", {"y": 2, "x": 1})
    different = [("a", {"x": 1}), ("b", {"x": 1}), ("a", {"x": 1.0}), ("a", {"x": "1"}), ("a", {})]
    assert len({signature_of(name, arguments) for name, arguments in different}) == 5
    assert len(signature_of("\ud800" * 10**6, {"\udfff": float("nan")})) == 16
