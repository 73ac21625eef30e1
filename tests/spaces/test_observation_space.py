import copy
import pickle

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st

from gym_imagetools.spaces import PicturesSpace, TextSpace, observation_space

PICTURE = np.zeros((3, 4, 3), np.uint8)


@given(st.text() | st.sampled_from(["\ud800", "\x00", "x" * 10**6]))
def test_every_text_is_a_member(text):
    assert TextSpace().contains(text)


@pytest.mark.parametrize("thing", [None, 3, b"x", ["x"], np.str_, object()])
def test_nothing_else_is_a_text(thing):
    assert not TextSpace().contains(thing)


@pytest.mark.parametrize("pictures", [(), (PICTURE,), (PICTURE, np.zeros((9, 1, 3), np.uint8))])
def test_tuples_of_rgb_arrays_are_members(pictures):
    assert PicturesSpace().contains(pictures)


@pytest.mark.parametrize(
    "thing",
    [
        None,
        "x",
        PICTURE,
        [PICTURE],
        (None,),
        (PICTURE.astype(int),),
        (PICTURE[..., 0],),
        (PICTURE[..., :2],),
        (PICTURE[:0],),
        (PICTURE, "x"),
        (np.zeros((2, 2, 3, 1), np.uint8),),
    ],
)
def test_nothing_else_is_a_tuple_of_pictures(thing):
    assert not PicturesSpace().contains(thing)


def test_max_side_bounds_both_sides():
    space = PicturesSpace(max_side=4)
    assert space.contains((PICTURE,))
    assert not space.contains((np.zeros((5, 1, 3), np.uint8),))
    assert not space.contains((np.zeros((1, 5, 3), np.uint8),))


@pytest.mark.parametrize("space", [TextSpace(), PicturesSpace(), PicturesSpace(8)])
def test_samples_are_members_and_follow_the_seed(space):
    space.seed(3)
    first = [space.sample() for _ in range(20)]
    assert all(space.contains(sample) for sample in first)
    space.seed(3)
    again = [space.sample() for _ in range(20)]
    assert repr(first) == repr(again)
    assert len({repr(sample) for sample in first}) > 1


def test_masks_and_probabilities_choose_what_is_sampled():
    space = PicturesSpace(seed=1)
    assert {len(space.sample(mask=[0, 0, 1])) for _ in range(9)} == {2}
    assert {len(space.sample(probability=[1.0, 0.0, 0.0])) for _ in range(9)} == {0}
    words = TextSpace(seed=1)
    only = [0, 1] + [0] * 9
    assert {word for _ in range(9) for word in words.sample(mask=only).split()} == {"red"}
    for either in (space, words):
        with pytest.raises(ValueError, match="both"):
            either.sample(mask=[1, 1, 1], probability=[1, 0, 0])


def test_spaces_are_equal_by_their_bounds():
    assert TextSpace() == TextSpace() != PicturesSpace()
    assert PicturesSpace(8) == PicturesSpace(8) != PicturesSpace(9)
    assert len({PicturesSpace(8), PicturesSpace(8), PicturesSpace(), TextSpace()}) == 3
    assert observation_space(8) == observation_space(8) != observation_space()


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_are_equal_and_sample_the_same(duplicate):
    space = observation_space(16)
    space.seed(5)
    twin = duplicate(space)
    assert twin == space
    assert repr(twin.sample()) == repr(space.sample())


def test_there_is_no_flat_form():
    assert isinstance(observation_space(), spaces.Dict)
    assert not observation_space().is_np_flattenable
    assert repr(PicturesSpace(8)) == "PicturesSpace(max_side=8)"
    assert repr(TextSpace()) == "TextSpace()"
