"""The contact sheet: one size for every step, whatever the episode holds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gym_imagetools.render.lettering import fit, fit_end, font, wrap
from tests.envs.play import (
    MAZE,
    RIGHT,
    call,
    crop,
    dataset_row,
    flip,
    hermes,
    make,
    make_rows,
    rotate,
    zoom,
)

SHAPE = (800, 1280, 3)
LENIENT = {
    "terminate_on_invalid_tool_call": False,
    "force_final_after_duplicate": False,
    "max_tool_calls_per_turn": 3,
}
ODD = "\ud800 \x00 画像 كم 🙂 \u200b ½\n\n\t" + "x" * 5_000
EPISODES = {
    "plain": ((), [zoom(0, 0, 500, 500), RIGHT]),
    "many calls": ((), [rotate(i) for i in range(18)]),
    "errors": ((), [call("none"), "<tool_call>{", hermes(rotate(1), crop(0, 0, 0, 0))]),
    "repeats": ((), [rotate(7), rotate(7), crop(0, 0, 500, 500), crop(0, 0, 500, 510)]),
    "thin": (("thin.png", "tall.png"), [zoom(0, 0, 1000, 1000), rotate(45), crop(0, 0, 9, 9)]),
    "nine sources": (("text.png",) * 9, [crop(0, 0, 500, 500, img_idx=8)]),
    "forty sources": (("tiny.png",) * 40, [crop(0, 0, 500, 500, img_idx=39), RIGHT]),
    "two hundred sources": (("tiny.png",) * 200, [zoom(0, 0, 500, 500, img_idx=199)]),
    "outside of the source": ((), [rotate(30), zoom(0, 0, 200, 200, img_idx=1)]),
    "odd texts": ((), [{"content": ODD, "tool_calls": [rotate(3, label=ODD)]}, ODD]),
    "a cut reply": ((), [{"content": "I th", "status": "incomplete"}]),
}


def sheets(env, actions):
    env.reset(seed=1)
    yield env.render()
    for action in actions:
        env.step(action)
        yield env.render()


@pytest.mark.parametrize(("pictures", "actions"), EPISODES.values(), ids=EPISODES)
@pytest.mark.parametrize("question", ["Which?", ODD], ids=["short", "odd"])
def test_every_step_has_a_sheet_of_the_same_size(pictures, actions, question):
    row = dataset_row(*pictures, question=question, answer="umbrella")
    env = make_rows(row, render_mode="rgb_array", **LENIENT)
    seen = []
    for sheet in sheets(env, actions):
        assert sheet.shape == SHAPE
        assert sheet.dtype == np.uint8
        assert sheet.flags.writeable
        seen.append(sheet.tobytes())
    assert len(set(seen)) == len(actions) + 1


def test_a_row_without_pictures_has_a_sheet():
    row = dataset_row()
    row["responses_create_params"]["input"] = "What is 1 + 1?"
    env = make_rows(row, render_mode="rgb_array")
    assert [sheet.shape for sheet in sheets(env, [RIGHT])] == [SHAPE] * 2


def test_to_render_changes_nothing_and_is_the_same_each_time():
    env = make(MAZE, render_mode="rgb_array")
    env.reset(seed=2)
    env.step(zoom(0, 0, 500, 500))
    first = env.render()
    first[...] = 0
    second = env.render()
    assert second.any()
    assert np.array_equal(second, env.render())
    assert env.step(flip("vertical"))[4]["turn"] == 2


def test_a_looked_at_region_is_outlined_on_its_source():
    row = dataset_row("div_16bit.png")
    env = make_rows(row, render_mode="rgb_array")
    before, after = sheets(env, [crop(250, 250, 750, 750)])
    changed = (before != after).any(axis=2)
    left = changed[120:730, 20:620]
    assert 0 < left.sum() < left.size / 10
    assert changed[120:310, 640:840].mean() > 0.2


def test_regions_of_rotated_pictures_stay_within_the_sources():
    env = make_rows(dataset_row("shapes.png"), render_mode="rgb_array")
    _, turned, looked = sheets(env, [rotate(45), zoom(0, 0, 200, 200, img_idx=1)])
    changed = (turned != looked).any(axis=2)
    assert not changed[:116].any()
    assert not changed[730:, :640].any() or changed[736:].any()


texts = st.text(max_size=60) | st.sampled_from([ODD, "", "word " * 400, "x" * 900, "\ud800"])


@settings(max_examples=60, deadline=None)
@given(text=texts, width_px=st.integers(40, 900), size_px=st.integers(9, 20))
def test_text_is_cut_to_its_width(text, width_px, size_px):
    for line in (fit(text, width_px, size_px), fit_end(text, width_px, size_px)):
        assert "\n" not in line
        assert font(size_px).getlength(line) <= width_px
    lines = wrap(text, width_px, size_px, max_lines=3).split("\n")
    assert len(lines) <= 3
    assert all(font(size_px).getlength(line) <= width_px for line in lines)


def test_a_text_that_fits_is_whole_and_a_long_one_shows_its_cut():
    assert fit("two words", 400, 14) == fit_end("two words", 400, 14) == "two words"
    assert wrap("two words", 400, 14, max_lines=2) == "two words"
    long = "so we begin " + "and " * 200 + "end"
    assert fit(long, 200, 14).startswith("so we begin")
    assert fit(long, 200, 14).endswith("…")
    assert fit_end(long, 200, 14).endswith("and end")
    assert fit_end(long, 200, 14).startswith("…")
    assert wrap(long, 200, 14, max_lines=2).endswith("…")
    assert wrap("x" * 300, 200, 14, max_lines=3).count("\n") == 2
