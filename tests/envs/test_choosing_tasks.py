"""Seeds, options, order and split choose the task; nothing else does."""

import json
from pathlib import Path

import pytest
from gymnasium.vector import SyncVectorEnv

from gym_imagetools.errors import DataError
from tests.envs.play import (
    DATASET,
    GOLDEN_IMAGES,
    MAZE,
    PIVOT,
    PIVOT_ROWS,
    PUZZLE_IDS,
    WEATHER,
    WRONG,
    dataset_row,
    episode,
    frozen,
    make,
    make_rows,
    rotate,
)

ROWS = [dataset_row("tiny.png", question=f"Question {i}?", answer=str(i)) for i in range(7)]
MIXED = "ImageTools/Mixed-v0"


def ids(env, number, **reset):
    first = env.reset(**reset)[1]["task_id"]
    return [first, *(env.reset()[1]["task_id"] for _ in range(number - 1))]


def row_ids(*numbers):
    return [f"rows#{number}" for number in numbers]


def test_endless_ids_have_no_number_of_tasks():
    for env_id in (*PUZZLE_IDS, WEATHER):
        assert make(env_id).get_wrapper_attr("num_tasks") is None


def test_rows_have_a_number_of_tasks_before_the_first_reset():
    assert make_rows(*ROWS).get_wrapper_attr("num_tasks") == len(ROWS)
    assert make(DATASET).get_wrapper_attr("num_tasks") == 12
    assert make(PIVOT, data=PIVOT_ROWS).get_wrapper_attr("num_tasks") == len(PIVOT_ROWS)


def test_the_option_chooses_a_row():
    env = make_rows(*ROWS)
    for number in (3, 0, 6):
        observation, info = env.reset(options={"task": number})
        assert info["task_id"] == f"rows#{number}"
        assert observation["text"] == f"Question {number}?"


@pytest.mark.parametrize("number", [-1, 7, 10**30])
def test_a_row_that_is_not_there_is_refused_by_number(number):
    with pytest.raises(ValueError, match=f"got {number}"):
        make_rows(*ROWS).reset(options={"task": number})


def test_an_option_of_another_name_is_refused():
    for env in (make_rows(*ROWS), make(PIVOT), make(WEATHER)):
        with pytest.raises(ValueError, match=r"Expected reset options .*'tsk'"):
            env.reset(options={"tsk": 1})


def test_the_option_beats_the_seed_and_leaves_the_order_alone():
    env = make_rows(*ROWS, order="sequential")
    assert ids(env, 2, seed=4) == row_ids(0, 1)
    assert env.reset(options={"task": 5})[1]["task_id"] == "rows#5"
    assert env.reset()[1]["task_id"] == "rows#2"


def test_the_sequence_goes_round_and_starts_anew_when_seeded():
    env = make_rows(*ROWS, order="sequential")
    assert ids(env, 9, seed=0) == row_ids(0, 1, 2, 3, 4, 5, 6, 0, 1)
    assert ids(env, 2, seed=0) == row_ids(0, 1)
    assert ids(env, 2) == row_ids(2, 3)


def test_a_shuffle_plays_every_row_once_an_epoch():
    env = make_rows(*ROWS)
    played = ids(env, 14, seed=3)
    assert sorted(played[:7]) == sorted(played[7:]) == row_ids(*range(7))
    assert played[:7] != played[7:]
    assert played == ids(env, 14, seed=3)
    assert played != ids(env, 14, seed=4)


def test_a_group_shares_one_task():
    envs = SyncVectorEnv([lambda: make(MAZE)] * 3)
    observations, info = envs.reset(options={"task": 12})
    assert len(set(info["task_id"])) == 1
    assert len(set(observations["text"])) == 1


def test_a_puzzle_is_chosen_by_its_seed(puzzle_id):
    env = make(puzzle_id)
    first = frozen(env.reset(seed=1, options={"task": 123}))
    assert frozen(env.reset(seed=2, options={"task": 123})) == first
    assert frozen(make(puzzle_id).reset(options={"task": 123})) == first


def test_a_recorded_episode_is_replayed_by_its_task_id(tool_id):
    env = make(tool_id)
    observation, info = env.reset(seed=9)
    again, told = make(tool_id).reset(options={"task": info["task_id"]})
    assert frozen(again) == frozen(observation)
    assert told == info


@pytest.mark.parametrize("env_id", [*PUZZLE_IDS, WEATHER])
def test_the_splits_never_meet(env_id):
    train, held_out = (
        {make(env_id, split=split).reset(options={"task": i})[1]["task_id"] for i in range(4)}
        for split in ("train", "eval")
    )
    assert not train & held_out
    assert ids(make(env_id), 2, seed=5) == ids(make(env_id, split="train"), 2, seed=5)
    assert ids(make(env_id), 2, seed=5) != ids(make(env_id, split="eval"), 2, seed=5)


@pytest.mark.parametrize("difficulty", [1, 3, 5])
def test_difficulty_is_that_of_the_task(puzzle_id, difficulty):
    _, info = make(puzzle_id, difficulty=difficulty).reset(seed=1)
    assert info["task_id"].split("/")[1] == str(difficulty)


def test_families_and_weights_choose_what_a_mixture_holds():
    one = make(MIXED, families=["Maze"])
    assert {i.split("/")[0] for i in ids(one, 5, seed=1)} == {"Maze"}
    weighted = make(MIXED, families=["Maze", "CrowdCensus"], weights=[0.0, 1.0])
    assert {i.split("/")[0] for i in ids(weighted, 5, seed=1)} == {"CrowdCensus"}
    named = make(MIXED, families=["Maze", "CrowdCensus"], weights={"CrowdCensus": 0, "Maze": 2})
    assert {i.split("/")[0] for i in ids(named, 5, seed=1)} == {"Maze"}


def test_adaptive_difficulty_rises_with_success():
    env = make(MIXED, families=["CrowdCensus"], difficulty="adaptive")
    levels = []
    for seed in range(21):
        _, info = env.reset(seed=seed)
        levels.append(int(info["task_id"].split("/")[1]))
        env.step(rf"\boxed{{{env.get_wrapper_attr('task').expected_answer}}}")
    assert levels == [1] * 20 + [2]


def test_rows_come_from_a_file_with_its_pictures_beside_it(tmp_path):
    (tmp_path / "tiny.png").write_bytes((GOLDEN_IMAGES / "tiny.png").read_bytes())
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS[:2]))
    env = make(DATASET, data=str(path), order="sequential")
    assert ids(env, 2, seed=0) == ["mine.jsonl#0", "mine.jsonl#1"]


def test_data_root_is_where_pictures_are_read():
    with pytest.raises(DataError, match="Expected a picture file inside data_root"):
        make(DATASET, data=ROWS, data_root=str(Path(__file__).parent))


def test_bad_rows_are_told_when_the_environment_is_made_or_passed_over(caplog):
    rows = [ROWS[0], {"nothing": 1}, dataset_row("no_such.png"), ROWS[3]]
    with pytest.raises(DataError, match="1"):
        make_rows(*rows)
    env = make_rows(*rows, on_data_error="skip", order="sequential")
    assert env.get_wrapper_attr("num_tasks") == 2
    assert ids(env, 3, seed=0) == row_ids(0, 3, 0)
    assert sum("Passed over" in record.message for record in caplog.records) == 2


@pytest.mark.parametrize("env_id", [PIVOT, WEATHER])
def test_bad_rows_of_one_step_ids_are_told_or_passed_over(env_id):
    with pytest.raises(DataError):
        make(env_id, data=[{"nothing": 1}])
    with pytest.raises(DataError, match="usable row"):
        make(env_id, data=[{"nothing": 1}], on_data_error="skip")


def test_an_episode_that_was_left_half_way_does_not_reach_into_the_next():
    env = make_rows(*ROWS, order="sequential")
    fresh = frozen(episode(env, [rotate(3), WRONG], seed=0))
    env.reset()
    env.step(rotate(99))
    env.step(rotate(99))
    assert frozen(episode(env, [rotate(3), WRONG], seed=0)) == fresh
