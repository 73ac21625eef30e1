import json

import pytest

from gym_imagetools.rollout import read_records


def rows_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("env_id", ["ImageTools/CrowdCensus-v0", "ImageTools/Mixed-v0"])
@pytest.mark.parametrize(
    ("options", "file", "kind", "played"),
    [
        ((), "rows.jsonl", "dataset", "Dataset"),
        (("--pivots",), "pivots.jsonl", "pivot", "Pivot"),
    ],
)
def test_what_is_exported_can_be_checked_and_played(
    run, tmp_path, env_id, options, file, kind, played
):
    out, path = tmp_path / "rows", tmp_path / "rows" / file
    words = ("export", "--env", env_id, "--num-tasks", 2, "-k", "difficulty=2", *options)
    assert run(*words, "--out", out).exit_code == 0
    assert run("check", path, "--kind", kind).exit_code == 0
    words = ("rollout", "--env", f"ImageTools/{played}-v0", "-k", f"data={path}")
    assert run(*words, "--out", tmp_path / "run").exit_code == 0
    records = list(read_records(tmp_path / "run" / "rollouts.jsonl"))
    assert [record.reward for record in records] == [1.0] * len(rows_of(path))


def test_pictures_stand_beside_the_rows_or_inside_of_them(run, tmp_path):
    words = ("export", "--env", "ImageTools/Maze-v0", "--num-tasks", 1)
    run(*words, "--out", tmp_path / "beside")
    run(*words, "--inline", "--out", tmp_path / "inside")
    beside = (tmp_path / "beside" / "rows.jsonl").read_text()
    inside = (tmp_path / "inside" / "rows.jsonl").read_text()
    assert '"image_url": "images/' in beside
    assert "data:" not in beside
    assert '"image_url": "data:image/png;base64,' in inside
    assert not (tmp_path / "inside" / "images").exists()


def test_the_halves_never_meet_and_the_seed_fixes_the_rows(run, tmp_path):
    def ids(name, *options):
        words = ("export", "--env", "ImageTools/Maze-v0", "--num-tasks", 4, *options)
        assert run(*words, "--out", tmp_path / name).exit_code == 0
        return [row["metadata"]["task_id"] for row in rows_of(tmp_path / name / "rows.jsonl")]

    train = ids("train")
    assert len(set(train)) == 4
    assert ids("again") == train
    assert not set(ids("eval", "--split", "eval")) & set(train)
    assert not set(ids("other", "--seed", 1)) & set(train)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--env", "ImageTools/Weather-v0"), "to be a puzzle or ImageTools/Mixed-v0"),
        (("--env", "ImageTools/Mazes-v0"), "did you mean 'ImageTools/Maze-v0'?"),
        (("--env", "ImageTools/Maze-v0", "--num-tasks", "0"), "num_tasks >= 1, got 0"),
        (("--env", "ImageTools/Maze-v0", "-k", "difficulty=7"), "difficulty"),
        (("--env", "ImageTools/Maze-v0", "-k", "=7"), "-k key=value"),
    ],
)
def test_what_the_user_got_wrong_is_one_line(refused, tmp_path, words, message):
    assert message in refused("export", *words, "--out", tmp_path / "rows")


def test_a_folder_with_something_in_it_is_refused(refused, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    assert "empty folder" in refused("export", "--env", "ImageTools/Maze-v0", "--out", tmp_path)
