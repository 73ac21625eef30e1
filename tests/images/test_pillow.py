"""Pixels come out of Pillow's memory as numpy's own way brings them."""

import numpy as np
import pytest
from PIL import Image

from gym_imagetools.images.pillow import rgb_pixels


@pytest.mark.parametrize("size", [(1, 1), (1, 700), (700, 1), (33, 17), (1024, 768)])
def test_pixels_are_those_of_numpy(size):
    width, height = size
    pixels = np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)
    assert np.array_equal(rgb_pixels(Image.fromarray(pixels)), pixels)


def test_what_was_drawn_turned_or_cut_is_read_as_it_is():
    image = Image.effect_noise((300, 200), 80).convert("RGB").rotate(15, expand=True)
    for shown in (image, image.crop((5, 7, 90, 33)), image.transpose(Image.Transpose.ROTATE_90)):
        assert np.array_equal(rgb_pixels(shown), np.asarray(shown))


def test_a_picture_that_lies_in_several_pieces_is_read_too():
    pixels = np.random.default_rng(0).integers(0, 256, (2300, 2300, 3), dtype=np.uint8)
    image = Image.fromarray(pixels)
    with pytest.raises(ValueError, match=r"contiguous|block"):
        image.__arrow_c_array__()
    assert np.array_equal(rgb_pixels(image), pixels)


def test_pixels_outlive_the_image():
    image = Image.new("RGB", (64, 48), (1, 2, 3))
    pixels = rgb_pixels(image)
    del image
    Image.new("RGB", (64, 48), (9, 9, 9))
    assert (pixels == (1, 2, 3)).all()
