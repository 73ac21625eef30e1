"""The keywords of the image-tools ids: each one checked, named in its error, and with an effect."""

import warnings
from dataclasses import fields

import pytest

from gym_imagetools.images.data_url import decode_data_url
from gym_imagetools.images.header import read_header
from gym_imagetools.prompts import replies
from gym_imagetools.settings import RANGES, EpisodeSettings
from tests.envs.play import (
    DATASET,
    MAZE,
    PIVOT,
    RIGHT,
    TOOL_IDS,
    WEATHER,
    WRONG,
    call,
    crop,
    dataset_row,
    episode,
    frozen,
    hermes,
    make,
    make_rows,
    paid,
    rotate,
    zoom,
)

NAMES = [field.name for field in fields(EpisodeSettings)]


def infos(actions, **keywords):
    return [step[4] for step in episode(make_rows(**keywords), actions)]


def pay(actions, **keywords):
    return paid(episode(make_rows(**keywords), actions))


def media_type(url):
    return url.partition(";")[0]


def opening(**keywords):
    env = make_rows(dataset_row("photo.png"), **keywords)
    env.reset(seed=1)
    return env


def zoomed_pixels(**keywords):
    images = episode(make_rows(**keywords), [zoom(0, 0, 500, 500)])[0][0]["images"]
    return images[0].shape[0] * images[0].shape[1]


def test_every_keyword_has_a_range_and_a_test():
    assert set(RANGES) == set(NAMES)
    assert {name for name in NAMES if f"test_{name}_" in " ".join(globals())} == set(NAMES)


def test_max_tool_calls_is_how_many_run():
    turns = [rotate(i + 1) for i in range(4)]
    assert [i["tool_call_count"] for i in infos(turns, max_tool_calls=2)] == [1, 2, 2, 2]
    assert infos(turns, max_tool_calls=2)[-1]["ending"] == "invalid_call"
    assert infos([rotate(1)], max_tool_calls=0)[0]["notice"] == replies.FINAL_TURN


def test_max_steps_is_how_many_turns_there_are():
    with pytest.warns(UserWarning, match="max_steps=3"):
        ended = infos([rotate(i + 1) for i in range(9)], max_steps=3)
    assert [i["ending"] for i in ended] == ["", "", "step_limit"]


def test_max_tool_calls_per_turn_is_how_many_of_a_turn_run():
    turn = hermes(rotate(1), rotate(2), rotate(3))
    for limit in (1, 2, 3):
        info = infos([turn], max_tool_calls_per_turn=limit)[0]
        assert info["tool_call_count"] == limit
        assert (replies.only_first(limit) in info["notice"]) == (limit < 3)


def test_tool_success_reward_is_paid_a_call():
    assert pay([rotate(1), rotate(2), WRONG], tool_success_reward=0.015) == pytest.approx(0.03)
    assert pay([rotate(1), WRONG], tool_success_reward=0) == 0.0


def test_tool_success_reward_cap_bounds_the_bonus():
    turns = [*(rotate(i + 1) for i in range(5)), WRONG]
    assert pay(turns, tool_success_reward_cap=0.025) == pytest.approx(0.025)
    assert pay(turns, tool_success_reward_cap=0) == 0.0
    assert pay(turns, tool_success_reward_cap=9) == pytest.approx(0.05)


def test_invalid_tool_call_penalty_is_paid_an_error():
    assert pay(["<tool_call>{"], invalid_tool_call_penalty=-0.3) == pytest.approx(-0.3)
    assert pay([call("nothing")], invalid_tool_call_penalty=-2) == pytest.approx(-2.0)


def test_duplicate_tool_call_penalty_is_paid_a_repeat():
    turns = [rotate(1), rotate(1), WRONG]
    assert pay(turns, duplicate_tool_call_penalty=-0.2) == pytest.approx(0.01 - 0.2)
    assert pay(turns, duplicate_tool_call_penalty=0) == pytest.approx(0.01)


@pytest.mark.parametrize(("threshold", "kind"), [(0.2, "near"), (0.5, ""), (1.5, "")])
def test_duplicate_iou_threshold_is_the_overlap_that_repeats(threshold, kind):
    turns = [crop(0, 0, 400, 400), crop(200, 0, 600, 400)]  # their overlap is 1/3
    info = infos(turns, duplicate_iou_threshold=threshold)[1]
    assert info["tool_results"][0]["duplicate"] == kind


@pytest.mark.parametrize("force", [True, False])
def test_force_final_after_duplicate_ends_the_use_of_tools(force):
    ended = infos([rotate(1), rotate(1), rotate(2)], force_final_after_duplicate=force)
    assert ended[1]["final_turn"] is force
    assert ended[2]["ending"] == ("invalid_call" if force else "")


@pytest.mark.parametrize("ends", [True, False])
def test_terminate_on_invalid_tool_call_ends_the_episode(ends):
    steps = episode(make_rows(terminate_on_invalid_tool_call=ends), [call("nothing"), RIGHT])
    assert len(steps) == (1 if ends else 2)
    assert paid(steps) == pytest.approx(-0.01 if ends else 0.99)


def test_reward_cap_is_the_most_an_episode_pays():
    assert pay([RIGHT], reward_cap=0.25) == pytest.approx(0.25)
    assert pay([rotate(1), RIGHT], reward_cap=5) == pytest.approx(1.01)


def test_reward_policy_chooses_the_rules():
    assert pay([rotate(360), WRONG]) == pytest.approx(0.01)
    assert pay([rotate(360), WRONG], reward_policy="strict") == pytest.approx(-0.02)


def test_crop_min_pixels_is_the_least_area_of_a_zoom():
    assert zoomed_pixels(crop_min_pixels=400_000) >= 400_000 > zoomed_pixels()


def test_crop_max_pixels_is_the_largest_area_of_a_zoom():
    assert zoomed_pixels(crop_min_pixels=1, crop_max_pixels=20_000) <= 20_000


def test_preview_max_side_bounds_what_is_delivered():
    env = opening(preview_max_side=32)
    observation, _ = env.reset(seed=1)
    assert [max(picture.shape) for picture in observation["images"]] == [32]
    (url,) = env.get_wrapper_attr("image_urls")
    assert max(read_header(decode_data_url(url)).size) == 32
    observation, *_ = env.step(crop(0, 0, 1000, 1000))
    assert max(observation["images"][0].shape) == 32
    assert '"size": [128, 96]' in observation["text"]


@pytest.mark.parametrize("fmt", ["jpeg", "png", "webp"])
def test_crop_format_is_the_encoding_of_delivered_pictures(fmt):
    env = opening(crop_format=fmt)
    env.step(crop(0, 0, 500, 500))
    (url,) = env.get_wrapper_attr("image_urls")
    assert media_type(url) == f"data:image/{fmt}"
    assert read_header(decode_data_url(url)).media_type == f"image/{fmt}"


@pytest.mark.parametrize("fmt", ["jpeg", "webp"])
def test_crop_jpeg_quality_sets_the_size_of_delivered_pictures(fmt):
    sizes = []
    for quality in (10, 95):
        env = opening(crop_format=fmt, crop_jpeg_quality=quality)
        env.step(crop(0, 0, 900, 900))
        sizes.append(len(env.get_wrapper_attr("image_urls")[0]))
    assert sizes[0] < sizes[1] / 2


def test_resample_changes_the_pixels_of_a_zoom_and_nothing_else():
    exact, fast = (
        episode(make_rows(dataset_row("photo.png"), resample=kind), [zoom(0, 0, 500, 500)])[0]
        for kind in ("exact", "fast")
    )
    assert frozen(exact[0]["images"]) != frozen(fast[0]["images"])
    assert exact[0]["images"][0].shape == fast[0]["images"][0].shape
    assert frozen(exact[1:]) == frozen(fast[1:])


@pytest.mark.parametrize(
    ("prompt_format", "shown"),
    [("xml", "<parameter=bbox_2d>"), ("json", '{"name": "image_zoom_in_tool", "arguments"')],
)
def test_prompt_format_says_how_tools_are_called(prompt_format, shown):
    system = opening(prompt_format=prompt_format).get_wrapper_attr("prompt")[0]
    assert system["role"] == "system"
    assert shown in system["content"]
    native = opening(prompt_format="native").get_wrapper_attr("prompt")[0]
    assert "image_zoom_in_tool" not in native["content"]


OUTSIDE = {
    "max_tool_calls": [-1, 1.5, True, None, "3"],
    "max_steps": [0, -2, 2.0, False],
    "max_tool_calls_per_turn": [0, -1, 1.0, None],
    "tool_success_reward": [-0.1, float("nan"), float("inf"), None, "0.1"],
    "tool_success_reward_cap": [-0.1, float("nan"), float("inf"), None],
    "invalid_tool_call_penalty": [0.1, float("nan"), float("-inf"), None],
    "duplicate_tool_call_penalty": [0.1, float("nan"), float("-inf"), None],
    "duplicate_iou_threshold": [0, -0.5, float("nan"), None],
    "force_final_after_duplicate": [1, 0, None, "yes"],
    "terminate_on_invalid_tool_call": [1, 0, None, "yes"],
    "reward_cap": [0, -1.0, float("nan"), float("inf"), None],
    "reward_policy": ["lenient", None, 1, ["strict"]],
    "crop_min_pixels": [0, -5, 2.5, None],
    "crop_max_pixels": [0, -5, 2.5, None],
    "preview_max_side": [31, 0, 64.0, True],
    "crop_format": ["bmp", "JPEG", None, ["png"]],
    "crop_jpeg_quality": [0, 101, 95.0, None],
    "resample": ["bicubic", None],
    "prompt_format": ["yaml", None],
}


@pytest.mark.parametrize(("keyword", "value"), [(k, v) for k in NAMES for v in OUTSIDE[k]])
def test_a_value_out_of_range_is_refused_by_name_value_and_range(keyword, value):
    with pytest.raises(ValueError, match=keyword) as caught:
        make_rows(**{keyword: value})
    assert repr(value) in str(caught.value)
    assert RANGES[keyword].words in str(caught.value)


@pytest.mark.parametrize("env_id", TOOL_IDS)
def test_every_id_checks_its_keywords(env_id):
    for keyword in NAMES:
        with pytest.raises(ValueError, match=keyword):
            make(env_id, **{keyword: OUTSIDE[keyword][0]})


def test_the_two_bounds_of_a_zoom_must_fit():
    with pytest.raises(ValueError, match="crop_min_pixels <= crop_max_pixels, got 50 > 40"):
        make_rows(crop_min_pixels=50, crop_max_pixels=40)


OWN = [
    (MAZE, {"difficulty": 0}, "difficulty"),
    (MAZE, {"difficulty": 6}, "difficulty"),
    (MAZE, {"difficulty": "adaptive"}, "difficulty"),
    (MAZE, {"split": "test"}, "split"),
    ("ImageTools/Mixed-v0", {"difficulty": "hard"}, "difficulty"),
    ("ImageTools/Mixed-v0", {"families": ["Mase"]}, "Maze"),
    ("ImageTools/Mixed-v0", {"families": []}, "families"),
    ("ImageTools/Mixed-v0", {"weights": [1.0]}, "weights"),
    ("ImageTools/Mixed-v0", {"families": ["Maze"], "weights": [-1.0]}, "weights"),
    ("ImageTools/Mixed-v0", {"split": "test"}, "split"),
    (DATASET, {"order": "random"}, "order"),
    (DATASET, {"on_data_error": "ignore"}, "on_data_error"),
    (PIVOT, {"order": "random"}, "order"),
    (PIVOT, {"on_data_error": "ignore"}, "on_data_error"),
    (PIVOT, {"reward_mode": "half"}, "reward_mode"),
    (PIVOT, {"argument_threshold": -1}, "argument_threshold"),
    (PIVOT, {"argument_threshold": {"box": 0.5}}, "argument_threshold"),
    (PIVOT, {"numeric_tolerance": -1.0}, "numeric_tolerance"),
    (PIVOT, {"enable_target_match": 1}, "enable_target_match"),
    (PIVOT, {"penalize_extra_tool_calls": 1}, "penalize_extra_tool_calls"),
    (PIVOT, {"unify_region_inspect_tools": 1}, "unify_region_inspect_tools"),
    (PIVOT, {"scoring": "pixels"}, "scoring"),
    (PIVOT, {"preview_max_side": 8}, "preview_max_side"),
    (WEATHER, {"split": "test"}, "split"),
]


@pytest.mark.parametrize(("env_id", "keywords", "named"), OWN)
def test_an_ids_own_keywords_are_checked_when_it_is_made(env_id, keywords, named):
    with pytest.raises(ValueError, match=named):
        make(env_id, **keywords)


FOREIGN = [
    (MAZE, "data"),
    (MAZE, "families"),
    (DATASET, "difficulty"),
    (DATASET, "split"),
    (PIVOT, "max_tool_calls"),
    (PIVOT, "split"),
    (WEATHER, "reward_cap"),
    (WEATHER, "difficulty"),
    ("ImageTools/Mixed-v0", "data"),
    *((env_id, "max_tool_cals") for env_id in (*TOOL_IDS, PIVOT, WEATHER)),
]


@pytest.mark.parametrize(("env_id", "keyword"), FOREIGN)
def test_a_keyword_of_another_id_is_a_type_error(env_id, keyword):
    with pytest.raises(TypeError, match=keyword):
        make(env_id, **{keyword: 1})


@pytest.mark.parametrize(
    ("env_id", "keyword", "meant"),
    [
        (MAZE, "max_tool_cals", "max_tool_calls"),
        (MAZE, "dificulty", "difficulty"),
        (PIVOT, "rewardmode", "reward_mode"),
        (WEATHER, "spilt", "split"),
    ],
)
def test_a_misspelt_keyword_is_answered_with_the_right_one(env_id, keyword, meant):
    with pytest.raises(TypeError, match=f"Did you mean {meant!r}"):
        make(env_id, **{keyword: 1})


@pytest.mark.parametrize(("calls", "steps"), [(4, 5), (4, 1), (0, 1)])
def test_too_few_turns_warn_and_name_enough(calls, steps):
    with pytest.warns(UserWarning, match=f"max_steps={steps} .*Use max_steps >= {calls + 2}"):
        make(MAZE, max_tool_calls=calls, max_steps=steps)


@pytest.mark.parametrize(("calls", "steps"), [(4, 6), (0, 2), (4, 60), (4, None)])
def test_enough_turns_do_not_warn(calls, steps):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make(MAZE, max_tool_calls=calls, max_steps=steps)


@pytest.mark.parametrize("env_id", [*TOOL_IDS, PIVOT, WEATHER])
def test_an_unknown_render_mode_is_refused(env_id):
    with (
        pytest.warns(UserWarning, match="render_mode"),
        pytest.raises(ValueError, match=r"render_mode to be None or one of .*'ansi'.* got 'film'"),
    ):
        make(env_id, render_mode="film")
