import json

import pytest

from gym_imagetools.rollout import read_records

MAZE = ("rollout", "--env", "ImageTools/Maze-v0")


def records_of(folder):
    return list(read_records(folder / "rollouts.jsonl"))


def test_a_run_writes_records_pictures_and_settings(run, tmp_path):
    result = run(*MAZE, "--num-tasks", 2, "-k", "difficulty=3", "--out", tmp_path / "run")
    assert result.exit_code == 0, result.output
    assert "mean reward" in result.stdout
    assert str(tmp_path / "run" / "rollouts.jsonl") in result.stdout
    assert [record.reward for record in records_of(tmp_path / "run")] == [1.0, 1.0]
    assert list((tmp_path / "run" / "images").iterdir())


def test_run_json_holds_every_setting(run, tmp_path):
    result = run(
        *MAZE, "--policy", "random", "--num-tasks", 3, "--group-size", 2, "--seed", 5,
        "--env-kwargs", '{"difficulty": 2, "max_tool_calls": 3}', "-k", "difficulty=1",
        "-k", "split=eval", "--out", tmp_path,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    settings = json.loads((tmp_path / "run.json").read_text())
    assert settings.pop("version")
    assert settings == {
        "env_id": "ImageTools/Maze-v0",
        "env_kwargs": {"difficulty": 1, "max_tool_calls": 3, "split": "eval"},
        "policy": "random",
        "num_tasks": 3,
        "group_size": 2,
        "seed": 5,
        "concurrency": 16,
        "endpoint": None,
    }
    records = records_of(tmp_path)
    assert len(records) == 6
    assert [record.task_index for record in records] == [0, 0, 1, 1, 2, 2]
    assert len({record.task_id for record in records}) == 3
    assert all(record.env_kwargs["split"] == "eval" for record in records)


def test_two_runs_are_equal_to_the_byte_and_another_seed_is_not(run, tmp_path):
    for name, seed in (("one", 1), ("two", 1), ("other", 2)):
        run(*MAZE, "--num-tasks", 2, "--seed", seed, "--out", tmp_path / name)
    one, two, other = (
        (tmp_path / name / "rollouts.jsonl").read_bytes() for name in ("one", "two", "other")
    )
    assert one == two
    assert one != other


def test_all_rows_of_data_are_played_by_default(run, tmp_path):
    words = ("rollout", "--env", "ImageTools/Dataset-v0", "--policy", "demonstration")
    assert run(*words, "--out", tmp_path).exit_code == 0
    ids = [record.task_id for record in records_of(tmp_path)]
    assert ids == [f"rows.jsonl#{row}" for row in range(12)]


def test_weather_is_summed_up_by_its_components(run, tmp_path):
    result = run("rollout", "--env", "ImageTools/Weather-v0", "--num-tasks", 3, "--out", tmp_path)
    for figure in ("mean correctness", "mean schema_valid", "mean format"):
        assert figure in result.stdout
    assert [record.reward for record in records_of(tmp_path)] == [3.0] * 3


def test_a_folder_of_another_run_is_refused_and_left_alone(run, refused, tmp_path):
    run(*MAZE, "--num-tasks", 1, "--out", tmp_path)
    before = (tmp_path / "rollouts.jsonl").read_bytes()
    assert "empty folder" in refused(*MAZE, "--num-tasks", 1, "--out", tmp_path)
    assert (tmp_path / "rollouts.jsonl").read_bytes() == before


def test_a_warning_of_a_keyword_is_one_line(run, tmp_path):
    result = run(*MAZE, "--num-tasks", 1, "-k", "max_steps=5", "--out", tmp_path)
    assert result.exit_code == 0
    assert result.stderr.startswith("Warning: max_steps=5 leaves")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--env", "ImageTools/Maz-v0"), "did you mean 'ImageTools/Maze-v0'?"),
        (("--env", "CartPole-v1"), "id of this package, got 'CartPole-v1'"),
        (("--env", "ImageTools/Maze-v0", "-k", "difficulty=9"), "difficulty to be"),
        (("--env", "ImageTools/Maze-v0", "-k", "max_tol_calls=3"), "no keyword 'max_tol_calls'"),
        (("--env", "ImageTools/Maze-v0", "-k", "difficulty"), "-k key=value, got 'difficulty'"),
        (("--env", "ImageTools/Maze-v0", "--env-kwargs", "{"), "--env-kwargs to be JSON"),
        (("--env", "ImageTools/Maze-v0", "--env-kwargs", "[1]"), "to be a JSON object"),
        (("--env", "ImageTools/Maze-v0", "--policy", "god"), "--policy to be one of oracle"),
        (("--env", "ImageTools/Maze-v0", "--num-tasks", "0"), "num_tasks >= 1, got 0"),
        (("--env", "ImageTools/Maze-v0", "--group-size", "0"), "group_size >= 1, got 0"),
        (("--env", "ImageTools/Maze-v0", "--seed", "-1"), "seed >= 0, got -1"),
        (("--env", "ImageTools/Dataset-v0", "--num-tasks", "13"), "num_tasks <= 12"),
        (("--env", "ImageTools/Dataset-v0", "-k", "data=/missing.jsonl"), "readable row file"),
        (("--env", "ImageTools/Maze-v0", "--policy", "demonstration"), "have a demonstration"),
    ],
)
def test_what_the_user_got_wrong_is_one_line(refused, tmp_path, words, message):
    line = refused("rollout", *words, "--out", tmp_path / "run")
    assert message in line
    assert "environment creator" not in line


def test_a_folder_that_cannot_be_made_is_one_line(refused, tmp_path):
    (tmp_path / "file").write_text("")
    assert "file" in refused(*MAZE, "--num-tasks", 1, "--out", tmp_path / "file" / "run")
