import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gym_imagetools.report.marks import Gaze, Mark, new_picture, pictures_named
from gym_imagetools.rollout.turns import RecordedCall
from gym_imagetools.types import ToolCall


def ran(name, arguments, made, **reply):
    reply = {"ok": True, **reply, "new_img_indices": [made]}
    return RecordedCall(ToolCall(name, arguments), "ran", reply)


def crop(box, made, img_idx=0, **reply):
    arguments = {"bbox_2d": box, "img_idx": img_idx}
    return ran("image_crop_tool", arguments, made, box=box, **reply)


def gaze(num_sources=1, size=None):
    return Gaze(num_sources, lambda index: size)


def test_a_box_lies_on_the_picture_that_was_named():
    assert gaze().look(crop([100, 200, 300, 400], 1)) == [Mark(0, (100, 200, 300, 400))]


def test_a_crop_of_a_crop_lies_on_the_source_too():
    view = gaze()
    view.look(crop([500, 0, 1000, 500], 1))
    marks = view.look(crop([500, 500, 1000, 1000], 2, img_idx=1))
    assert marks == [Mark(1, (500, 500, 1000, 1000)), Mark(0, (750, 250, 1000, 500))]


@pytest.mark.parametrize(
    ("axis", "expected"),
    [("horizontal", (700, 200, 900, 400)), ("vertical", (100, 600, 300, 800))],
)
def test_a_mirrored_picture_is_followed_back(axis, expected):
    view = gaze()
    view.look(ran("image_flip_tool", {"axis": axis}, 1, axis=axis))
    marks = view.look(crop([100, 200, 300, 400], 2, img_idx=1))
    assert marks[1] == Mark(0, expected)


def test_a_crop_of_a_mirrored_crop_is_followed_back():
    view = gaze()
    view.look(crop([0, 0, 500, 1000], 1))
    view.look(ran("image_flip_tool", {"img_idx": 1, "axis": "horizontal"}, 2, axis="horizontal"))
    view.look(crop([0, 0, 500, 1000], 3, img_idx=2))
    assert view.look(crop([0, 0, 1000, 1000], 4, img_idx=3))[1] == Mark(0, (250, 0, 500, 1000))


def test_what_counts_on_a_picture_shows_the_same_picture():
    view = gaze()
    view.look(ran("count_objects_tool", {}, 1))
    assert view.look(crop([0, 0, 100, 100], 2, img_idx=1))[1] == Mark(0, (0, 0, 100, 100))


def test_after_a_rotation_only_the_rotated_picture_is_marked():
    view = gaze()
    view.look(ran("image_rotate_tool", {"degrees": 30}, 1))
    assert view.look(crop([0, 0, 100, 100], 2, img_idx=1)) == [Mark(1, (0, 0, 100, 100))]


def test_a_point_is_a_box_without_an_area():
    marks = gaze().look(ran("color_at_tool", {"point_2d": [360, 300]}, 1))
    assert marks == [Mark(0, (360, 300, 360, 300))]


def test_a_box_in_pixels_is_measured_by_its_picture():
    box = [1000, 500, 2000, 1000]
    call = crop(box, 1, box_unit="pixels")
    assert gaze(size=(4000, 1000)).look(call) == [Mark(0, (250, 500, 500, 1000))]
    # A preview is smaller than what the call saw.
    assert gaze(size=(512, 128)).look(call) == []
    assert gaze().look(call) == []


def test_a_box_in_pixels_of_a_made_picture_is_measured_by_its_reply():
    view = gaze()
    view.look(crop([0, 0, 500, 500], 1, size=[2000, 2000]))
    marks = view.look(crop([1000, 0, 2000, 1000], 2, img_idx=1, box_unit="pixels"))
    assert marks[0] == Mark(1, (500, 0, 1000, 500))


def test_a_refused_box_is_shown_where_it_would_have_been():
    call = RecordedCall(
        ToolCall("image_crop_tool", {"bbox_2d": [900, 900, 2000, 950]}), "refused", {}
    )
    assert gaze().look(call) == [Mark(0, (900, 900, 1000, 950))]


def test_a_picture_that_was_not_there_has_no_mark():
    assert gaze().look(crop([0, 0, 10, 10], 1, img_idx=1)) == []
    assert pictures_named({"img_indices": [1, 0, 2]}, num_pictures=2) == [1, 0]
    assert pictures_named({"img_idx_a": 1, "img_idx_b": 0}, num_pictures=2) == [1, 0]
    assert pictures_named({}, num_pictures=1) == [0]


anything = st.recursive(
    st.just("pixels")
    | st.lists(st.integers(0, 2000), min_size=4, max_size=4)
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=3),
)
keys = st.sampled_from(
    [
        "bbox_2d",
        "point_2d",
        "img_idx",
        "img_indices",
        "box",
        "size",
        "new_img_indices",
        "axis",
        "box_unit",
    ]
)


@settings(deadline=None)
@given(st.lists(st.tuples(st.dictionaries(keys, anything), st.dictionaries(keys, anything))))
def test_whatever_a_record_holds_is_survived(calls):
    view = gaze()
    for arguments, reply in calls:
        call = RecordedCall(ToolCall("image_crop_tool", arguments), "ran", reply)
        for mark in view.look(call):
            assert 0 <= mark.picture < view.num_pictures
        pictures_named(arguments, view.num_pictures)
        new_picture(call)
