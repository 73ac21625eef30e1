"""Golden rows of the graders, pivots and the weather, as data rows of the environments."""

import json
from pathlib import Path

import gymnasium as gym
import pytest

import gym_imagetools  # noqa: F401
from gym_imagetools.errors import DataError

GOLDEN = Path(__file__).parents[1] / "golden"
DEVIATIONS = json.loads((GOLDEN / "accepted_deviations.json").read_text())
DEVIATING = {row for fault in DEVIATIONS.values() for row in fault["ids"]}
AGENTS = {
    "string_match": "string_match_simple_agent",
    "mcqa": "mcqa_simple_agent",
    "math_library": "math_with_judge_simple_agent",
    "gui_coordinate": "gui_coordinate_simple_agent",
}


def golden(name):
    lines = (GOLDEN / f"{name}.public.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["id"] not in DEVIATING]


def play(env_id, row, action, **keywords):
    env = gym.make(f"ImageTools/{env_id}-v0", data=[row], **keywords)
    env.reset(seed=0)
    return env.step(action)


@pytest.mark.parametrize("row", golden("weather"), ids=lambda row: row["id"])
def test_a_weather_row_pays_the_reference_components(row):
    declared = json.loads((GOLDEN / "weather_tools.json").read_text())["tools"]
    tools = [tool for tool in declared if tool["name"] in row["tools"]]
    data = {
        "responses_create_params": {"input": "How is the weather?", "tools": tools},
        "expected_call": row["expected_call"],
    }
    if not row["expected_call"]:
        with pytest.raises(DataError, match="expected_call"):
            play("Weather", data, row["output"])
        return
    _, reward, terminated, _, info = play("Weather", data, row["output"])
    assert info["reward_components"] == row["expect"]["reward_components"]
    assert reward == row["expect"]["reward"]
    assert terminated


@pytest.mark.parametrize("mode", ["binary", "continuous"])
@pytest.mark.parametrize("row", golden("pivot"), ids=lambda row: row["id"])
def test_a_pivot_row_pays_what_the_reference_pays(row, mode):
    data = {"responses_create_params": {"input": "What next?"}, **row["body"]}
    _, reward, _, _, info = play("Pivot", data, row["text"], reward_mode=mode, **row["config"])
    assert reward == pytest.approx(row["expect"][mode]["reward"], abs=1e-9)
    assert info["failure"] == row["expect"][mode]["failure"]


def grading(row):
    options, mode = row["options"], row["mode"]
    if row["grader"] == "string_match":
        return {**options, "extraction_mode": mode}
    if row["grader"] == "mcqa":
        chosen = options["config_grading_mode"] or mode
        rest = {key: options[key] for key in ("options", "template_metadata")}
        return {**rest, "grading_mode": chosen}
    return options


# A case of the same fault says that a point with decimals is read; the reference does not.
DECIMAL_POINT = "gui_coordinate-point-007"

# No answer can equal the gold of these: the reference grades them, ours refuses the row.
UNUSABLE_GOLD = {
    "string_match-final_answer-027",
    "string_match-final_answer-028",
    "mcqa-strict_single_letter_boxed-027",
    "mcqa-strict_single_letter_boxed-029",
    "gui_coordinate-point-018",
    "gui_coordinate-point-019",
    "gui_coordinate-point-020",
    "gui_coordinate-point-022",
    "math_library-boxed-042",
}


@pytest.mark.parametrize("row", golden("graders"), ids=lambda row: row["id"])
def test_an_answer_is_graded_as_the_reference_grades_it(row):
    data = {
        "responses_create_params": {"input": "Which?"},
        "image_tools_base_agent_ref": {"name": AGENTS[row["grader"]]},
        "expected_answer": row["gold"],
        **grading(row),
    }
    right = 1.0 if row["id"] == DECIMAL_POINT else row["expect"]["reward"]
    text = "\n".join(row["texts"])
    if row["id"] in UNUSABLE_GOLD:
        with pytest.raises(DataError, match="expected_answer"):
            play("Dataset", data, text)
        return
    _, _, _, _, info = play("Dataset", data, text)
    assert info["base_reward"] == pytest.approx(right, abs=1e-9)
