import json

import gymnasium as gym
import numpy as np
import pytest

import gym_imagetools  # noqa: F401
from gym_imagetools.export import FULL_SIZE, REFERENCE_GRADING, pivot_rows, question_row, solve
from gym_imagetools.graders import GRADERS, grade
from gym_imagetools.policies import POLICIES
from gym_imagetools.puzzles.families import FAMILIES
from gym_imagetools.rollout import plan, play
from gym_imagetools.rows.row import AGENT_GRADERS


@pytest.fixture(scope="module", params=FAMILIES)
def solved(request):
    env = gym.make(f"ImageTools/{request.param}-v0", difficulty=3, **FULL_SIZE)
    return list(solve(env, num_tasks=3, seed=1))


def rewards(env_id, rows, policy):
    with pytest.warns() if len(repr(rows)) > 1_000_000 else _quiet():
        env = gym.make(env_id, data=rows)
    episodes = plan(0, num_tasks=len(rows), available=env.get_wrapper_attr("num_tasks"))
    return [rollout.reward for rollout in play(env, POLICIES[policy](), episodes)]


class _quiet:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


@pytest.mark.parametrize("policy", ["oracle", "demonstration"])
def test_exported_questions_are_played_for_the_full_reward(solved, policy):
    rows = [question_row(puzzle) for puzzle in solved]
    assert rewards("ImageTools/Dataset-v0", rows, policy) == [1.0] * len(rows)


@pytest.mark.parametrize("policy", ["oracle", "demonstration"])
def test_exported_decisions_are_played_for_the_full_reward(solved, policy):
    rows = list(pivot_rows(solved[0]))
    assert rewards("ImageTools/Pivot-v0", rows, policy) == [1.0] * len(rows)


def test_a_wrong_answer_to_an_exported_question_earns_nothing(solved):
    row = question_row(solved[0])
    env = gym.make("ImageTools/Dataset-v0", data=[{**row, "demonstration": []}])
    env.reset(options={"task": 0})
    assert env.step(r"\boxed{no}")[1] == 0.0


def test_the_exported_pictures_are_those_of_the_puzzle_at_full_size(solved):
    puzzle = solved[0]
    env = gym.make("ImageTools/Dataset-v0", data=[question_row(puzzle)])
    observation, _ = env.reset(options={"task": 0})
    drawn = [picture.load() for picture in puzzle.task.pictures]
    assert len(observation["images"]) == len(drawn)
    assert all(map(np.array_equal, observation["images"], drawn))


def test_every_decision_of_the_oracle_becomes_a_row(solved):
    for puzzle in solved:
        rows = list(pivot_rows(puzzle))
        names = [row["expected_action"]["name"] for row in rows]
        assert len(rows) == len(puzzle.rollout.steps)
        assert names[-1] == "__answer__"
        assert "__answer__" not in names[:-1]
        for turn, row in enumerate(rows):
            assert row["metadata"]["turn_index"] == turn
            num_images = len(puzzle.task.pictures) + turn
            assert row["metadata"]["num_images_in_prefix"] == num_images


def test_a_question_names_the_graders_of_both(solved):
    for puzzle in solved:
        row = question_row(puzzle)
        reference = REFERENCE_GRADING.get(puzzle.task.grader)
        agent = row.get("image_tools_base_agent_ref", {}).get("name")
        assert row["grader"] == puzzle.task.grader
        assert AGENT_GRADERS.get(agent) == (reference and reference.grader)
        assert row["metadata"]["reference_grading"] == (
            reference.agreement if reference else "none"
        )
        assert row["metadata"]["task_id"] == puzzle.task.task_id


@pytest.mark.parametrize("grader", [name for name in GRADERS if name not in REFERENCE_GRADING])
def test_a_grader_without_a_match_names_no_agent_and_says_so(grader, solved):
    from dataclasses import replace

    gold = {"coord": "3,5", "pairs": "1-4, 2-3", "set": "A, C", "intlist": "3, 1, 2"}[grader]
    task = replace(solved[0].task, grader=grader, grading={"expected_answer": gold})
    row = question_row(replace(solved[0], task=task))
    assert "image_tools_base_agent_ref" not in row
    assert (row["grader"], row["metadata"]["reference_grading"]) == (grader, "none")


@pytest.mark.parametrize(
    ("grader", "gold", "wrong"), [("integer", "60", "59"), ("compare", "<", ">")]
)
def test_the_fields_for_the_reference_take_the_written_answer_alone(grader, gold, wrong):
    reference = REFERENCE_GRADING[grader]
    fields = {**reference.fields, "expected_answer": gold}
    assert grade(reference.grader, rf"\boxed{{{gold}}}", fields).value == 1.0
    assert grade(reference.grader, rf"\boxed{{{wrong}}}", fields).value == 0.0


def test_a_request_tells_the_reference_to_stop_after_a_call(solved):
    request = question_row(solved[0])["responses_create_params"]
    stop = json.loads(request["metadata"]["extra_body"])
    assert stop == {"stop": ["</tool_call>"], "include_stop_str_in_output": True}


def test_a_puzzle_that_is_not_solved_is_not_exported():
    env = gym.make("ImageTools/Maze-v0", difficulty=5, max_tool_calls=0, **FULL_SIZE)
    with pytest.raises(RuntimeError, match=r"oracle to earn 1\.0 in Maze/5"):
        list(solve(env, num_tasks=8, seed=0))
