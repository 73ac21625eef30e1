"""Pivot and Weather: one turn, scored, answered and told; each keyword of theirs has its effect."""

import json

import pytest

from gym_imagetools.prompts import replies
from tests.envs.play import (
    PIVOT,
    WEATHER,
    call,
    crop,
    hermes,
    make,
    pivot_row,
    rotate,
    zoom,
)

SHOWN = zoom(100, 100, 500, 500, img_idx=0)
HALF = zoom(100, 100, 500, 340, img_idx=0)  # overlap 0.6


def pivot(action, shown=SHOWN, pictures=("shapes.png", "text.png"), **keywords):
    env = make(PIVOT, data=[pivot_row(shown, *pictures)], **keywords)
    env.reset(seed=0)
    _, reward, terminated, truncated, info = env.step(action)
    assert (terminated, truncated) == (True, False)
    assert info["reward_components"] == info["reward_scores"] == {"match": reward}
    return reward, info["failure"]


def test_reward_mode_pays_the_match_or_its_closeness():
    assert pivot(HALF) == (1.0, "none")
    reward, failure = pivot(HALF, reward_mode="continuous")
    assert (round(reward, 2), failure) == (0.6, "none")


@pytest.mark.parametrize("threshold", [0.7, {"bbox": 0.7}])
def test_argument_threshold_is_where_a_match_begins(threshold):
    assert pivot(HALF, argument_threshold=threshold) == (0.0, "argument_below_threshold")
    assert pivot(HALF, argument_threshold={"point": 0.7}) == (1.0, "none")


def test_numeric_tolerance_is_the_difference_angles_may_have():
    assert pivot(rotate(91), rotate(90))[0] == 0.0
    assert pivot(rotate(91), rotate(90), numeric_tolerance=2.0)[0] == 1.0


def test_enable_target_match_asks_for_the_same_picture():
    other = {**SHOWN, "arguments": {**SHOWN["arguments"], "img_idx": 1}}
    assert pivot(other) == (0.0, "target_mismatch")
    assert pivot(other, enable_target_match=False) == (1.0, "none")


def test_penalize_extra_tool_calls_refuses_a_second_call():
    assert pivot([SHOWN, rotate(3)]) == (0.0, "extra_tool_calls")
    assert pivot([SHOWN, rotate(3)], penalize_extra_tool_calls=False) == (1.0, "none")


def test_unify_region_inspect_tools_takes_zoom_and_crop_for_one():
    other = crop(100, 100, 500, 500, img_idx=0)
    assert pivot(other) == (1.0, "none")
    assert pivot(other, unify_region_inspect_tools=False) == (0.0, "tool_name_mismatch")


def test_scoring_by_execution_compares_what_calls_show():
    turned = rotate(450, img_idx=0)
    assert pivot(turned, rotate(90, img_idx=0), scoring="execution")[0] == 1.0
    assert pivot(HALF, scoring="execution", reward_mode="continuous")[0] == pytest.approx(
        0.6, abs=0.02
    )


@pytest.mark.parametrize(
    ("turn", "failure"),
    [
        ("no call here", "no_tool_call_in_rollout"),
        ("<tool_call>{", "no_tool_call_in_rollout"),
        (hermes(SHOWN) + "<tool_call>", "malformed_tool_call"),
        ([SHOWN, SHOWN], "extra_tool_calls"),
        (rotate(90), "tool_name_mismatch"),
        (zoom(600, 600, 900, 900, img_idx=0), "argument_below_threshold"),
        (SHOWN, "none"),
    ],
)
def test_the_failure_of_a_pivot_is_named(turn, failure):
    assert pivot(turn) == (float(failure == "none"), failure)


@pytest.mark.parametrize("env_id", [PIVOT, WEATHER])
def test_a_malformed_turn_is_one_refused_entry(env_id):
    env = make(env_id)
    env.reset(seed=0)
    broken = hermes(rotate(3), rotate(4)) + "<tool_call>"
    *_, info = env.step(broken)
    (entry,) = info["tool_results"]
    assert entry["ok"] is False
    assert json.loads(entry["output"])["ok"] is False
    assert (info["ending"], info["tool_error_count"]) == ("invalid_call", 1)
    assert info["tool_call_count"] == 0


@pytest.mark.parametrize("env_id", [PIVOT, WEATHER])
def test_a_cut_reply_is_told_as_one(env_id):
    env = make(env_id)
    env.reset(seed=0)
    reply = {"output": [{"type": "function_call", **call("x")}], "status": "incomplete"}
    _, reward, terminated, _, info = env.step(reply)
    assert terminated
    assert info["ending"] == "incomplete"
    assert info["tool_error_count"] == 0
    assert replies.CUT_OFF in info["tool_results"][0]["output"]
    assert sum(info["reward_components"].values()) == reward


def test_every_call_of_a_pivot_is_answered_under_its_own_id():
    env = make(PIVOT)
    env.reset(seed=0)
    *_, info = env.step([rotate(1), {**rotate(2), "call_id": "mine"}])
    assert [entry["call_id"] for entry in info["tool_results"]] == ["call_1_0", "mine"]
    assert all(replies.NOT_RUN_PIVOT in entry["output"] for entry in info["tool_results"])


def weather(make_turn, seed=2):
    env = make(WEATHER)
    env.reset(seed=seed)
    expected = env.get_wrapper_attr("task").expected_call
    observation, reward, terminated, truncated, info = env.step(make_turn(expected))
    assert (terminated, truncated) == (True, False)
    assert reward == sum(info["reward_components"].values()) == info["base_reward"]
    return observation, info


@pytest.mark.parametrize(
    ("make_turn", "components"),
    [
        (lambda c: [{"type": "function_call", **c}], (1.0, 1.0, 1.0)),
        (lambda c: "It rains.", (0.0, 0.0, 0.0)),
        (lambda c: [{"type": "function_call", **call("get_weather")}], (0.0, 0.0, 1.0)),
        (
            lambda c: [
                {"type": "message", "content": [{"text": "Let me see."}]},
                {"type": "function_call", **c},
            ],
            (1.0, 1.0, 0.0),
        ),
    ],
)
def test_the_weather_is_scored_on_three_objectives(make_turn, components):
    _, info = weather(make_turn)
    assert tuple(info["reward_components"].values()) == components


def test_the_reply_of_the_weather_tool_is_the_observation():
    observation, info = weather(lambda c: [{"type": "function_call", **c}])
    assert json.loads(observation["text"])["city"]
    assert info["tool_call_count"] == 1
    observation, info = weather(lambda c: [{"type": "function_call", **call("get_wether")}])
    assert "get_wether" in json.loads(observation["text"])["error"]
    assert info["tool_call_count"] == 0


def test_weather_rows_are_read_from_data():
    row = {
        "responses_create_params": {
            "input": [{"role": "user", "content": "Rain in Oslo?"}],
            "tools": [
                {
                    "type": "function",
                    "name": "get_weather",
                    "parameters": {
                        "type": "object",
                        "properties": {"city": {"type": "string"}},
                        "required": ["city"],
                    },
                }
            ],
        },
        "expected_call": call("get_weather", city="Oslo"),
    }
    env = make(WEATHER, data=[row, row], order="sequential")
    assert env.get_wrapper_attr("num_tasks") == 2
    observation, info = env.reset(seed=0)
    assert (observation["text"], info["task_id"]) == ("Rain in Oslo?", "rows#0")
    assert env.step([{"type": "function_call", **row["expected_call"]}])[1] == 3.0
