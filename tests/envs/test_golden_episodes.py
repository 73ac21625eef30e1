"""The published smoke table and the golden episodes, played through ``gymnasium.make``."""

import json
import warnings
from pathlib import Path

import gymnasium as gym
import pytest

import gym_imagetools  # noqa: F401
from gym_imagetools.prompts import replies

GOLDEN = Path(__file__).parents[1] / "golden"
DEVIATIONS = json.loads((GOLDEN / "accepted_deviations.json").read_text())
DEVIATING = {row for fault in DEVIATIONS.values() for row in fault["ids"]}
ROWS = [*map(json.loads, (GOLDEN / "episodes.public.jsonl").read_text().splitlines())]
ENDINGS = {
    "answered": "answered",
    "invalid_terminated": "invalid_call",
    "max_steps_exhausted": "step_limit",
}
# The reference pays 0.98 for 99.2 where 100 is right. A case of the same fault (a relative
# tolerance nobody asked for) says that this is wrong: the answer scores 0.
TOLERANT = "ep-answer-base-098"


def make(row):
    content = [{"type": "input_text", "text": "Which colour?"}]
    content += [{"type": "input_image", "image_url": name} for name in row["images"]]
    data = [
        {
            "responses_create_params": {"input": [{"role": "user", "content": content}]},
            "expected_answer": row["expected_answer"],
            "extraction_mode": row["extraction_mode"],
            "image_tools_base_agent_ref": {"name": "string_match_simple_agent"},
        }
    ]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="max_steps=")
        return gym.make(
            "ImageTools/Dataset-v0", data=data, data_root=str(GOLDEN / "images"), **row["config"]
        )


def play(row):
    env = make(row)
    env.reset(seed=0)
    steps = []
    for text in row["texts"]:
        steps.append(env.step(text))
        if steps[-1][2] or steps[-1][3]:
            break
    return steps


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_every_turn_and_the_pay_are_those_of_the_reference(row):
    if row["id"] in DEVIATING or row["id"] == TOLERANT:
        pytest.skip("has a test of the right behaviour below")
    steps = play(row)
    assert len(steps) == len(row["turns"])
    for step, turn in zip(steps, row["turns"], strict=True):
        check_turn(step, turn)
    check_final(steps, row["final"])


def check_turn(step, turn):
    observation, _, terminated, _, info = step
    executed = [result for result in info["tool_results"] if result["ok"]]
    assert info["image_tools_aux_reward"] == pytest.approx(turn["aux_after_turn"], abs=1e-9)
    assert info["tool_call_count"] == turn["tool_call_count"]
    assert info["tool_error_count"] == turn["error_count"]
    assert info["final_turn"] == turn["force_final_next"]
    assert terminated == turn["done"]
    assert [result["duplicate"] or None for result in executed] == turn["duplicate"]
    made = [json.loads(result["output"])["new_img_indices"] for result in executed]
    assert [index for indices in made for index in indices] == turn["new_img_indices"]
    assert len(observation["images"]) == turn["executed_calls"]
    assert (replies.only_first(len(executed)) in info["notice"]) == turn["only_first_notice"]
    for result, overlap in zip(executed, turn["near_duplicate_iou_2dp"], strict=True):
        if overlap is not None:
            assert f"overlap {overlap:.2f}" in json.loads(result["output"])["warning"]


def check_final(steps, final):
    _, _, terminated, truncated, info = steps[-1]
    assert info["ending"] == ENDINGS[final["ending"]]
    assert truncated == (info["ending"] == "step_limit")
    assert terminated != truncated
    assert info["base_reward"] == pytest.approx(final["base_reward"], abs=1e-9)
    assert info["image_tools_aux_reward"] == pytest.approx(final["aux_reward"], abs=1e-9)
    paid = sum(step[1] for step in steps)
    assert paid == pytest.approx(final["reward_clipped_min1"], abs=1e-9)
    assert sum(info["reward_components"].values()) == pytest.approx(paid, abs=1e-9)
    assert info["tool_call_count"] == final["tool_call_count"]
    assert info["tool_error_count"] == final["error_count"]


def row_of(row_id):
    return next(row for row in ROWS if row["id"] == row_id)


def test_a_number_near_the_answer_is_wrong_where_no_tolerance_was_asked_for():
    steps = play(row_of(TOLERANT))
    assert steps[-1][4]["base_reward"] == 0.0
    assert sum(step[1] for step in steps) == pytest.approx(0.04)


def test_a_negative_cap_is_refused_when_the_environment_is_made():
    with pytest.raises(ValueError, match="tool_success_reward_cap to be a number >= 0, got"):
        make(row_of("ep-answer-cap-negative"))


@pytest.mark.parametrize(
    "row_id", ["ep-several_calls-limit-2-second-fails", "ep-several_calls-limit-2-second-unknown"]
)
def test_a_good_call_before_a_bad_one_of_the_same_turn_keeps_its_picture_and_its_pay(row_id):
    row = row_of(row_id)
    observation, reward, terminated, _, info = play(row)[0]
    assert terminated
    assert [result["ok"] for result in info["tool_results"]] == [True, False]
    assert len(observation["images"]) == 1
    assert (info["tool_call_count"], info["tool_error_count"]) == (1, 1)
    config = row["config"]
    aux = config["tool_success_reward"] + config["invalid_tool_call_penalty"]
    assert info["image_tools_aux_reward"] == pytest.approx(aux)
    assert reward == pytest.approx(aux)


def test_a_failed_call_is_not_remembered():
    row = row_of("ep-exact_duplicate-failed-call-repeated")
    steps = play(row)
    assert [step[4]["tool_error_count"] for step in steps] == [1, 2, 2]
    assert all(not result["duplicate"] for step in steps for result in step[4]["tool_results"])


def test_the_turn_graded_at_the_step_limit_is_the_last_one():
    """The turn before the last carries another answer: only the last one's counts."""
    call = '<tool_call>{{"name": "image_crop_tool", "arguments": {{"bbox_2d": {box}}}}}</tool_call>'
    texts = [
        r"It is \boxed{blue}. " + call.format(box=[0, 0, 300, 300]),
        r"It is \boxed{red}. " + call.format(box=[500, 500, 900, 900]),
    ]
    row = {**row_of("ep-max_steps-three-calls"), "expected_answer": "red"}
    row = {**row, "extraction_mode": "boxed", "config": {**row["config"], "max_steps": 2}}
    for order, base in ((texts, 1.0), (texts[::-1], 0.0)):
        steps = play({**row, "texts": order})
        assert steps[-1][3]
        assert steps[-1][4]["ending"] == "step_limit"
        assert steps[-1][4]["base_reward"] == base
