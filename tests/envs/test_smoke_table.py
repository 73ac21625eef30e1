"""The twelve published episodes, played by the demonstrations of the packaged sample."""

import gymnasium as gym
import pytest

import gym_imagetools  # noqa: F401

# row, category, base_reward, auxiliary reward, reward, executed calls, errors, ending
PUBLISHED = [
    (0, "Paper Folding", 0.0, 0.01, 0.01, 1, 0, "answered"),
    (1, "3D Pattern Completion", 0.0, 0.02, 0.02, 2, 0, "answered"),
    (2, "3D Views", 0.0, 0.05, 0.05, 13, 0, "answered"),
    (3, "Rotation Patterns", 0.0, -0.01, -0.01, 3, 1, "invalid_call"),
    (4, "Connect the lines", 0.0, 0.01, 0.01, 5, 1, "invalid_call"),
    (5, "Recognize numbers and letters", 1.0, 0.0, 1.0, 0, 0, "answered"),
    (6, "Find the same", 0.0, 0.05, 0.05, 20, 0, "step_limit"),
    (7, "Maze", 1.0, 0.03, 1.0, 3, 0, "answered"),
    (8, "Count Same Patterns", 0.0, 0.04, 0.04, 4, 0, "answered"),
    (9, "Mirroring Patterns", 0.0, 0.04, 0.04, 4, 0, "answered"),
    (10, "2D Pattern Completion", 0.0, 0.05, 0.05, 7, 0, "answered"),
    (11, "Pattern and Color Completion", 0.0, 0.02, 0.02, 7, 1, "invalid_call"),
]


@pytest.fixture(scope="module")
def env():
    with pytest.warns(UserWarning, match="max_steps=21"):
        return gym.make("ImageTools/Dataset-v0", max_steps=21)


@pytest.mark.parametrize("published", PUBLISHED, ids=lambda row: f"row{row[0]:02}")
def test_the_published_row_comes_out_exactly(env, published):
    row, category, base, aux, reward, calls, errors, ending = published
    _, info = env.reset(options={"task": row})
    task = env.get_wrapper_attr("task")
    assert task.family == category
    paid, turns = 0.0, iter(task.demonstration)
    while not info["ending"]:
        _, pay, _, _, info = env.step(next(turns))
        paid += pay
    assert len(list(turns)) == (row == 6)  # its answer, for which no turn is left
    assert info["ending"] == ending
    assert info["base_reward"] == base
    assert info["image_tools_aux_reward"] == pytest.approx(aux, abs=1e-12)
    assert paid == pytest.approx(reward, abs=1e-12)
    assert (info["tool_call_count"], info["tool_error_count"]) == (calls, errors)


def test_the_default_number_of_turns_leaves_room_for_the_forced_answer():
    """Row 6 of the published run ran out of turns; by default it gets its answer."""
    env = gym.make("ImageTools/Dataset-v0")
    env.reset(options={"task": 6})
    task = env.get_wrapper_attr("task")
    steps = [env.step(turn) for turn in task.demonstration]
    assert [step[4]["final_turn"] for step in steps[-2:]] == [True, True]
    assert (steps[-1][4]["ending"], steps[-1][4]["base_reward"]) == ("answered", 1.0)
    assert sum(step[1] for step in steps) == pytest.approx(1.0)
