import json

import gymnasium as gym
import pytest
from typer.testing import CliRunner

import gym_imagetools  # noqa: F401
from gym_imagetools.cli import app
from gym_imagetools.monitor import read_figures
from gym_imagetools.policies import OraclePolicy, RandomPolicy
from gym_imagetools.rollout import RunFolder, plan, play, read_records

UNKNOWN = '<tool_call>\n{"name": "[red]shell", "arguments": {}}\n</tool_call>'


def write_run(folder, policy, env_id="ImageTools/Maze-v0", *, num_tasks=3, **keywords):
    env = gym.make(env_id, **keywords)
    run = RunFolder(folder)
    for rollout in play(env, policy, plan(2, num_tasks=num_tasks, group_size=2)):
        run.write(rollout)
    return folder


@pytest.fixture
def run(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    return lambda *words: CliRunner().invoke(app, ["metrics", *map(str, words)])


@pytest.fixture(scope="module")
def oracle(tmp_path_factory):
    return write_run(tmp_path_factory.mktemp("run") / "oracle", OraclePolicy())


@pytest.fixture(scope="module")
def random(tmp_path_factory):
    keywords = {"terminate_on_invalid_tool_call": False, "max_tool_calls": 3}
    return write_run(tmp_path_factory.mktemp("run") / "random", RandomPolicy(), **keywords)


def test_the_tables_fit_100_columns_and_name_every_part(run, random):
    result = run(random)
    assert result.exit_code == 0, result.output
    assert max(map(len, result.stdout.splitlines())) <= 100
    for words in ("Rewards", "pass@k", "majority@k", "Maze, level 1", "Tool monitors", "Endings"):
        assert words in result.stdout
    assert "…" not in result.stdout.replace("% … ", "")


def test_json_holds_the_same_figures(run, oracle):
    figures = json.loads(run(oracle, "--json").stdout)
    assert figures["accuracy"]["mean"] == 1.0
    assert figures["tools"]["equal_rewards"] == {"value": 1.0, "count": 3, "total": 3}
    assert figures["at_k"][1]["k"] == 2
    assert figures["aggregate"]["mean/reward"] == 1.0
    assert figures["aggregate"]["majority@2/accuracy"] == 100.0


def test_a_seed_is_no_figure(run, oracle):
    assert not [
        name for name in json.loads(run(oracle, "--json").stdout)["aggregate"] if "seed" in name
    ]


def test_intervals_are_drawn_with_the_seed_that_is_given(run, random):
    words = (random, "--json", "--seed", 3)
    assert run(*words).stdout == run(*words).stdout
    assert run(random, "--seed", -1).exit_code == 2


def test_two_runs_are_compared_by_task(run, random, oracle):
    result = run("--compare", random, oracle)
    assert result.exit_code == 0, result.output
    assert "3 shared tasks" in result.stdout
    figures = json.loads(run("--compare", random, oracle, "--json").stdout)["figures"]
    accuracy = next(one for one in figures if one["name"] == "accuracy")
    assert accuracy["difference"] == pytest.approx(1.0 - accuracy["first"])


@pytest.mark.parametrize("words", [(), ("--compare",)])
def test_the_number_of_runs_is_checked(run, oracle, words):
    result = run(*words, *[oracle] * (1 if words else 2))
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: Expected")


def test_failures_are_told(run, oracle, tmp_path):
    (tmp_path / "rollouts.jsonl").write_bytes((oracle / "rollouts.jsonl").read_bytes())
    (tmp_path / "failures.jsonl").write_text('{"error": "timeout"}\n{"error": "reset"}\n')
    assert "2 failed without a record" in run(tmp_path).stdout


@pytest.mark.parametrize("content", ["", "{}\n", '{"reward": 1', "\n"])
def test_what_is_no_run_is_one_line(run, tmp_path, content):
    (tmp_path / "rollouts.jsonl").write_text(content)
    result = run(tmp_path)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1


class Says:
    name = "says"

    def __init__(self, text):
        self.text = text

    def start(self, env, *, seed):
        return self

    def act(self, observation, info):
        return self.text


def figures_of(folder):
    return [read_figures(record) for record in read_records(folder / "rollouts.jsonl")]


def test_names_that_a_model_makes_up_are_one_line(run, tmp_path):
    write_run(tmp_path, Says(UNKNOWN))
    assert set(figures_of(tmp_path)[0].tools) == {"(unknown)"}
    assert "shell" not in run(tmp_path).stdout


def test_malformed_markup_is_told_from_other_errors(tmp_path):
    write_run(tmp_path / "malformed", Says("<tool_call>"))
    write_run(tmp_path / "invalid", Says(UNKNOWN))
    malformed, invalid = figures_of(tmp_path / "malformed")[0], figures_of(tmp_path / "invalid")[0]
    assert (malformed.num_malformed, malformed.num_invalid) == (1, 0)
    assert (invalid.num_malformed, invalid.num_invalid) == (0, 1)


def test_the_weather_is_right_when_its_call_is(tmp_path):
    write_run(tmp_path / "one", OraclePolicy(), "ImageTools/Weather-v0")
    write_run(tmp_path / "two", Says("It is sunny."), "ImageTools/Weather-v0")
    assert all(one.is_right for one in figures_of(tmp_path / "one"))
    assert not any(one.is_right or one.has_calls for one in figures_of(tmp_path / "two"))


def test_levels_come_from_the_task_or_the_keywords(tmp_path):
    write_run(tmp_path / "maze", OraclePolicy(), difficulty=4)
    write_run(tmp_path / "rows", RandomPolicy(), "ImageTools/Dataset-v0")
    assert {one.difficulty for one in figures_of(tmp_path / "maze")} == {"4"}
    assert {one.difficulty for one in figures_of(tmp_path / "rows")} == {""}


def test_usage_is_read_where_an_endpoint_told_it(oracle, tmp_path):
    lines = (oracle / "rollouts.jsonl").read_text().splitlines()
    row = json.loads(lines[0])
    row["usage"] = {"input_tokens": 7, "output_tokens": 2}
    (tmp_path / "rollouts.jsonl").write_text(json.dumps(row) + "\n")
    assert figures_of(tmp_path)[0].usage == {"input_tokens": 7, "output_tokens": 2}
