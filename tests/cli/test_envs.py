import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from gym_imagetools.cli.envs import env_lines
from gym_imagetools.puzzles.families import FAMILIES
from gym_imagetools.puzzles.registry import family
from gym_imagetools.registration import ENTRIES

ROOT = Path(__file__).parents[2]


def test_every_id_is_listed_with_its_summary_and_its_own_keywords(run):
    result = run("envs")
    assert result.exit_code == 0
    for env_id in ENTRIES:
        assert env_id in result.stdout


def test_the_markdown_table_has_a_line_for_each_id(run):
    lines = run("envs", "--markdown").stdout.strip().splitlines()
    assert lines[:2] == ["| id | what | own keywords |", "|---|---|---|"]
    assert len(lines) == 2 + len(ENTRIES)
    (maze,) = [line for line in lines if "ImageTools/Maze-v0" in line]
    assert maze.startswith("| `ImageTools/Maze-v0` | Find the opening")
    assert maze.endswith("| `difficulty`, `split` |")


def test_the_lines_come_from_the_families_and_the_code():
    lines = {line.env_id: line for line in env_lines()}
    assert list(lines) == list(ENTRIES)
    for name in FAMILIES:
        assert lines[f"ImageTools/{name}-v0"].what == family(name).summary
    assert lines["ImageTools/Dataset-v0"].keywords == (
        "data", "data_root", "order", "on_data_error",
    )  # fmt: skip
    assert all(line.what and line.keywords for line in lines.values())


def test_the_script_of_the_project_is_the_app():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["scripts"]["gym-imagetools"] == "gym_imagetools.cli:app"


def test_help_lists_every_command(run):
    result = run("--help")
    assert result.exit_code == 0
    for command in ("envs", "demo", "rollout", "check", "export"):
        assert f" {command} " in result.stdout


@pytest.mark.parametrize("heavy", ["cv2", "PIL", "pydantic", "gym_imagetools.factories"])
def test_the_command_line_loads_nothing_heavy_before_it_is_used(heavy):
    code = f"import sys, gym_imagetools.cli; print({heavy!r} in sys.modules)"
    out = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert out.stdout.strip() == "False"
