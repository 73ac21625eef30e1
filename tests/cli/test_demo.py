import json

import cv2
import pytest

from gym_imagetools.rollout import RunSettings, read_records
from tests.envs.test_smoke_table import PUBLISHED


@pytest.fixture
def demo(run, tmp_path):
    result = run("demo", "--out", tmp_path / "demo")
    assert result.exit_code == 0, result.output
    return result.stdout, tmp_path / "demo"


def test_the_demo_shows_the_published_table_and_keeps_its_records(demo):
    text, folder = demo
    lines = [line.split() for line in text.splitlines()]
    for row, _, base, aux, reward, calls, errors, _ in PUBLISHED:
        line = next(words for words in lines if words[:1] == [str(row)])
        figures = ["yes" if base else "no", f"{base:.2f}", f"{aux:+.2f}", f"{reward:.2f}"]
        where = line.index(figures[0])
        assert line[where : where + 5] == [*figures, str(calls)]
        assert (f"({errors}" in line) == bool(errors)
    records = list(read_records(folder / "rollouts.jsonl"))
    assert len(records) == 24
    assert [record.reward for record in records[12:]] == [1.0] * 12
    assert "24 episodes, 14 answered right" in text
    assert f"Contact sheet: {folder / 'sheet.png'}" in text
    assert cv2.imread(str(folder / "sheet.png")).shape == (6 * 408 - 8, 4 * 648 - 8, 3)
    parts = [
        RunSettings.model_validate(part) for part in json.loads((folder / "run.json").read_text())
    ]
    assert parts[0].env_kwargs == {"max_steps": 21}
    assert {part.env_kwargs["difficulty"] for part in parts[1:]} == {1, 2, 3, 4, 5}


def test_the_folder_of_another_run_is_refused(refused, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    assert "empty folder" in refused("demo", "--out", tmp_path)
