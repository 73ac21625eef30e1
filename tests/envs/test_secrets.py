"""The expected answer stays out of all that an agent sees until the episode has ended."""

import pytest

from tests.envs.play import (
    SCRIPT,
    call,
    crop,
    dataset_row,
    hermes,
    make,
    make_rows,
    pivot_row,
    rotate,
    zoom,
)

SECRET = "xyzzy-4711-plugh"
LENIENT = {"terminate_on_invalid_tool_call": False, "max_tool_calls_per_turn": 3}
GRADINGS = {
    "string_match": {"grader": "string_match", "extraction_mode": "boxed"},
    "mcqa": {
        "grader": "mcqa",
        "extraction_mode": None,
        "expected_answer": "B",
        "options": [{"A": "one"}, {"B": "two"}],
        "metadata": {"solution": SECRET},
    },
    "metadata": {
        "metadata": {"solution": SECRET, "category": "riddles"},
        "demonstration": [rf"\boxed{{{SECRET}}}"],
        "uuid": SECRET,
    },
}


def everything_shown(env, observation, info):
    """All texts that an agent, or a log of one, gets to see of a running episode."""
    shown = [observation["text"], info, env.render()]
    shown += [env.get_wrapper_attr(name) for name in ("prompt", "image_urls", "reward_weights")]
    if env.has_wrapper_attr("function_tools"):
        shown.append(env.get_wrapper_attr("function_tools"))
    return repr(shown)


def make_secret(**fields):
    row = dataset_row("checker.png", answer=SECRET)
    row |= fields
    row = {name: value for name, value in row.items() if value is not None}
    return make_rows(row, render_mode="ansi", **LENIENT)


@pytest.mark.parametrize("fields", GRADINGS.values(), ids=GRADINGS)
def test_no_gold_of_a_row_is_shown_before_the_end(fields):
    env = make_secret(**fields)
    observation, info = env.reset(seed=1)
    actions = [
        *SCRIPT[:5],
        "<tool_call>{",
        call("count_objects_tool", label="?"),
        hermes(rotate(1), rotate(2), crop(0, 0, 0, 0)),
    ]
    for action in actions:
        assert SECRET not in everything_shown(env, observation, info)
        assert info["expected_answer"] == info["extracted_answer"] == ""
        assert info["base_reward"] == 0.0
        observation, _, _, _, info = env.step(action)
    assert info["turn"] == len(actions)
    assert info["ending"] == ""


def test_the_gold_is_shown_at_the_end():
    env = make_secret()
    env.reset(seed=1)
    *_, info = env.step(r"\boxed{no idea}")
    assert info["expected_answer"] == SECRET
    assert info["extracted_answer"] == "no idea"
    assert SECRET in env.render()


def test_a_next_episode_shows_nothing_of_the_last_ones_gold():
    env = make_secret()
    env.reset(seed=1)
    env.step(r"\boxed{no idea}")
    observation, info = env.reset()
    assert SECRET not in everything_shown(env, observation, info)


def test_a_puzzle_shows_only_its_question(puzzle_id):
    """Puzzles keep facts for tests in their metadata: none of it is shown."""
    env = make(puzzle_id, render_mode="ansi", **LENIENT)
    observation, info = env.reset(seed=4)
    task = env.get_wrapper_attr("task")
    assert observation["text"] == task.question
    for action in (zoom(0, 0, 500, 500), "<tool_call>{"):
        observation, _, _, _, info = env.step(action)
        shown = everything_shown(env, observation, info)
        for key, value in task.metadata.items():
            if key not in ("seed", "difficulty", "family") and len(repr(value)) > 6:
                assert repr(value) not in shown, key
        assert info["expected_answer"] == ""


def test_no_demonstration_of_a_pivot_is_shown_before_the_end():
    row = pivot_row(crop(123.25, 231.5, 789.75, 876.125, label=SECRET), "checker.png")
    env = make("ImageTools/Pivot-v0", data=[row], render_mode="ansi")
    observation, info = env.reset(seed=1)
    shown = everything_shown(env, observation, info)
    assert SECRET not in shown
    assert "123.25" not in shown
    assert "crop" not in shown
    *_, info = env.step(rotate(2))
    assert "123.25" in info["expected_answer"]
    assert "123.25" in env.render()


def test_the_expected_call_is_not_shown_before_the_end():
    env = make("ImageTools/Weather-v0", render_mode="ansi")
    observation, info = env.reset(seed=1)
    expected = env.get_wrapper_attr("task").expected_call
    assert repr(expected) not in everything_shown(env, observation, info)
    assert info["expected_answer"] == ""
    *_, info = env.step(hermes(expected))
    assert expected["arguments"]["city"] in info["expected_answer"]
