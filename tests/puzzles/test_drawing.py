"""The stroke font and the canvas."""

from __future__ import annotations

from itertools import combinations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_imagetools.puzzles.drawing.canvas import PALETTES, Canvas, lab_to_rgb
from gym_imagetools.puzzles.drawing.strokes import CHARACTERS, SAFE_ALPHABET, glyph

WHITE, BLACK = (255, 255, 255), (0, 0, 0)


def written(character: str, **turned) -> np.ndarray:
    canvas = Canvas((96, 96), WHITE)
    canvas.glyph(character, (48, 48), 64, 8, BLACK, **turned)
    return canvas.finish()[:, :, 0] < 128


def overlap(one: np.ndarray, other: np.ndarray) -> float:
    return (one & other).sum() / (one | other).sum()


def test_the_font_has_letters_and_digits_in_its_box():
    assert sorted(CHARACTERS) == sorted("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    for character in CHARACTERS:
        for x, y in (point for stroke in glyph(character) for point in stroke):
            assert abs(x) <= 1 / 3 + 1e-9
            assert abs(y) <= 0.5 + 1e-9


@pytest.mark.parametrize("character", ["a", "", "AB", "!"])
def test_what_the_font_lacks_is_refused(character):
    with pytest.raises(ValueError, match="Expected one of"):
        glyph(character)


def test_safe_characters_are_told_apart():
    pictures = {character: written(character) for character in SAFE_ALPHABET}
    worst = max(combinations(pictures, 2), key=lambda pair: overlap(*map(pictures.get, pair)))
    assert overlap(*map(pictures.get, worst)) < 0.85, worst


def test_the_safe_alphabet_leaves_out_look_alikes():
    assert not set(SAFE_ALPHABET) & set("O0I1S5B8")


def test_a_glyph_turns_counter_clockwise_and_mirrors_left_to_right():
    upright = written("F")
    assert overlap(written("F", degrees=90), np.rot90(upright)) > 0.85
    assert overlap(written("F", mirrored=True), np.fliplr(upright)) > 0.85
    assert overlap(written("F", mirrored=True, degrees=90), np.rot90(np.fliplr(upright))) > 0.85


def test_a_rectangle_covers_exactly_its_pixels():
    canvas = Canvas((20, 10), WHITE)
    canvas.rectangle((3, 2, 7, 9), BLACK)
    assert (canvas.finish()[:, :, 0] == 0).sum() == 4 * 7


def test_edges_between_pixels_are_smooth():
    canvas = Canvas((20, 10), WHITE)
    canvas.rectangle((3.5, 0, 10, 10), BLACK)
    assert canvas.finish()[5, 2:5, 0].tolist() == [255, 128, 0]


@pytest.mark.parametrize("radius", [4.0, 9.5, 20.0])
def test_a_disc_has_the_area_of_a_disc(radius):
    canvas = Canvas((64, 64), WHITE)
    canvas.disc((32, 32), radius, BLACK)
    area = (255 - canvas.finish()[:, :, 0].astype(float)).sum() / 255
    assert area == pytest.approx(np.pi * radius**2, rel=0.06)


def test_a_badge_and_a_caption_leave_ink_in_their_place():
    canvas = Canvas((100, 60), WHITE)
    canvas.badge("K", (30, 30), 20, (200, 0, 0), WHITE)
    canvas.text("sample", (75, 30), 12, BLACK)
    pixels = canvas.finish()
    assert (pixels[30, 12] == (200, 0, 0)).all()
    assert (pixels[15:45, 20:40] == WHITE).all(axis=2).any()
    assert (pixels[20:40, 52:, 0] < 100).any()


def test_a_finished_picture_is_read_only():
    pixels = Canvas((8, 8), WHITE).finish()
    assert not pixels.flags.writeable
    assert pixels.dtype == np.uint8


@given(st.floats(5, 95), st.floats(-20, 20), st.floats(-20, 20))
def test_lab_colors_agree_with_opencv(lightness, a, b):
    lab = np.array([[[lightness, a, b]]], np.float32)
    theirs = cv2.cvtColor(lab, cv2.COLOR_LAB2RGB)[0, 0] * 255
    assert np.abs(np.subtract(lab_to_rgb(lightness, a, b), theirs)).max() <= 1.5


@pytest.mark.parametrize("palette", PALETTES)
def test_in_a_palette_ink_is_dark_and_marks_are_bright_in_red(palette):
    assert palette.ink[0] < 70
    assert min(palette.accent[0], palette.second[0]) > 220
    assert min(palette.paper) > max(max(palette.accent[2], palette.second[2]) + 100, 240)
