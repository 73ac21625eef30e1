"""``gym-imagetools rollout`` with a model: what it writes and prints, and what goes wrong."""

import json

import pytest

from gym_imagetools.rollout import read_records
from tests.endpoints.runs import CENSUS, SEED, script_of
from tests.endpoints.server import MODEL, Fault, serving

TASKS = 2


@pytest.fixture
def rollout(run, tmp_path):
    """Runs the command against a server; keywords are those of its script."""

    def run_against(*words, model=MODEL, env_kwargs=None, manners="vllm", **script):
        env_kwargs = env_kwargs or {}
        served = script_of(manners, CENSUS, env_kwargs, TASKS, **script)
        with serving(served) as server:
            result = run(
                "rollout", "--env", CENSUS, "--env-kwargs", json.dumps(env_kwargs),
                "--num-tasks", TASKS, "--seed", SEED, "--out", tmp_path / "run",
                "--base-url", server.base_url, "--model", model, *words,
            )  # fmt: skip
        result.requests = served.requests
        return result

    return run_against


def error_of(result, exit_code=2):
    assert result.exit_code == exit_code, result.output
    assert isinstance(result.exception, SystemExit)
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: ")
    return line


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_a_model_plays_and_its_run_is_kept(rollout, tmp_path, api):
    result = rollout("--api", api, "--group-size", 2, "--concurrency", 3)
    assert result.exit_code == 0, result.output
    assert f"{CENSUS}, {MODEL}" in result.stdout
    assert "mean reward" in result.stdout
    records = list(read_records(tmp_path / "run" / "rollouts.jsonl"))
    assert [record.reward for record in records] == [1.0] * 4
    assert {record.response.model for record in records} == {MODEL}
    assert not (tmp_path / "run" / "failures.jsonl").exists()


def test_run_json_holds_every_setting_of_the_model_and_no_key(rollout, tmp_path, monkeypatch):
    monkeypatch.setenv("MY_KEY", "top-secret")
    result = rollout(
        "--api", "responses", "--server", "vllm", "--api-key-env", "MY_KEY",
        "--temperature", 0.5, "--top-p", 0.9, "--max-output-tokens", 77, "--sampling-seed", 3,
        "--extra-body", '{"min_p": 0.1}', "--concurrency", 2, "--timeout-s", 9,
        "--max-retries", 1, "--capture", "tokens", key="top-secret",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    text = (tmp_path / "run" / "run.json").read_text()
    settings = json.loads(text)
    endpoint = settings["endpoint"]
    assert endpoint.pop("base_url").startswith("http://127.0.0.1:")
    assert endpoint == {
        "model": MODEL,
        "api": "responses",
        "server": "vllm",
        "sampling": {
            "temperature": 0.5,
            "top_p": 0.9,
            "max_output_tokens": 77,
            "seed": 3,
            "extra_body": {"min_p": 0.1},
        },
        "timeout_s": 9.0,
        "max_retries": 1,
        "capture_tokens": True,
    }
    assert (settings["policy"], settings["concurrency"]) == ("model", 2)
    assert "top-secret" not in text
    body = result.requests[0]
    assert (body["temperature"], body["top_p"], body["max_output_tokens"]) == (0.5, 0.9, 77)
    assert body["min_p"] == 0.1


def test_failed_episodes_end_the_run_with_their_number(rollout, tmp_path):
    fault = lambda number, body: Fault("status", 500) if number == 0 else None  # noqa: E731
    line = error_of(
        rollout(
            "--concurrency",
            1,
            "--max-retries",
            0,
            fault=fault,
        ),
        1,
    )
    assert "1 episodes failed" in line
    assert "--resume" in line
    assert len(list(read_records(tmp_path / "run" / "rollouts.jsonl"))) == 1
    result = rollout("--resume")
    assert result.exit_code == 0, result.output
    assert len(list(read_records(tmp_path / "run" / "rollouts.jsonl"))) == TASKS
    assert not (tmp_path / "run" / "failures.jsonl").exists()


def test_quiet_prints_nothing(rollout):
    result = rollout("--quiet")
    assert (result.exit_code, result.output) == (0, "")


def test_the_json_log_is_json_from_the_first_line_to_the_last(rollout, monkeypatch):
    monkeypatch.setattr("gym_imagetools.cli.run_progress.LOG_EVERY_S", 0.0)
    result = rollout("--log-json")
    events = [json.loads(line) for line in result.stdout.splitlines()]
    assert [event["event"] for event in events] == ["started", "progress", "progress", "finished"]
    assert events[-1]["rollouts"] == events[-1]["total"] == TASKS
    assert events[-1]["mean_reward"] == 1.0
    assert events[-1]["failures"] == 0


def test_what_was_mended_is_told(rollout, tmp_path):
    rollout()
    path = tmp_path / "run" / "rollouts.jsonl"
    path.write_bytes(path.read_bytes()[:-10])
    result = rollout("--resume")
    assert result.exit_code == 0
    assert result.stderr.startswith("Repaired: a torn last line of ")
    path.write_bytes(path.read_bytes()[:-10])
    first = json.loads(rollout("--resume", "--log-json").stdout.splitlines()[0])
    assert first["event"] == "repaired"


def test_a_wrong_key_is_one_line(rollout, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "wrong")
    assert "the key is refused" in error_of(rollout(key="right"))


def test_an_unknown_model_is_one_line(rollout, tmp_path):
    assert "no such model" in error_of(rollout(model="another"))
    assert (tmp_path / "run" / "run.json").exists()


def test_a_folder_of_another_run_is_one_line_and_left_alone(rollout, tmp_path):
    rollout()
    before = (tmp_path / "run" / "rollouts.jsonl").read_bytes()
    assert "empty folder" in error_of(rollout())
    assert "temperature" in error_of(rollout("--resume", "--temperature", 0.3))
    assert (tmp_path / "run" / "rollouts.jsonl").read_bytes() == before


def test_no_server_is_one_line(refused, tmp_path):
    line = refused(
        "rollout", "--env", CENSUS, "--out", tmp_path / "run", "--max-retries", 0,
        "--base-url", "http://127.0.0.1:9/v1", "--model", "m",
    )  # fmt: skip
    assert "Expected a server at http://127.0.0.1:9/v1" in line


def test_a_full_disk_is_one_line_and_what_is_written_is_whole(rollout, tmp_path, monkeypatch):
    from gym_imagetools.rollout.lines import PlacedLines

    real, written = PlacedLines.append, []

    def append(self, place, line):
        if written:
            raise OSError(28, "No space left on device", str(self.path))
        written.append(place)
        real(self, place, line)

    monkeypatch.setattr(PlacedLines, "append", append)
    line = error_of(rollout("--concurrency", 1))
    assert "No space left on device" in line
    assert "1 complete episodes are written" in line
    monkeypatch.undo()
    assert len(list(read_records(tmp_path / "run" / "rollouts.jsonl"))) == 1
    assert rollout("--resume").exit_code == 0
    assert len(list(read_records(tmp_path / "run" / "rollouts.jsonl"))) == TASKS


def test_a_broken_line_of_a_row_file_is_one_line(refused, tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"responses_create_params": {}}\n{broken\n')
    line = refused(
        "rollout", "--env", "ImageTools/Dataset-v0", "-k", f"data={tmp_path / 'rows.jsonl'}",
        "--out", tmp_path / "run", "--base-url", "http://127.0.0.1:9/v1", "--model", "m",
    )  # fmt: skip
    assert "line 1 of" in line
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--policy", "model"), "--model, the name of the model"),
        (("--base-url", "http://127.0.0.1:9/v1"), "--model, the name of the model"),
        (("--policy", "oracle", "--model", "m"), "--policy model"),
        (("--model", "m", "--api", "completions"), "--api to be one of"),
        (("--model", "m", "--server", "ollama"), "--server to be one of"),
        (("--model", "m", "--capture", "pictures"), "--capture to be one of tokens"),
        (("--model", "m", "--extra-body", "{"), "--extra-body to be JSON"),
        (("--model", "m", "--extra-body", "[]"), "--extra-body to be a JSON object"),
        (("--model", "m", "--temperature", "-1"), "temperature >= 0"),
        (("--model", "m", "--top-p", "2"), "top_p above 0"),
        (("--model", "m", "--max-output-tokens", "0"), "max_output_tokens >= 1"),
        (("--model", "m", "--timeout-s", "0", "--base-url", "http://h/v1"), "timeout_s > 0"),
        (("--model", "m", "--base-url", "127.0.0.1:8000"), "base_url such as"),
        (("--model", "m", "--api-key-env", "NO_SUCH_KEY"), "NO_SUCH_KEY of --api-key-env"),
        (("--model", "m"), "key for the endpoint"),
        (("--concurrency", "0"), "--concurrency >= 1"),
    ],
)
def test_what_the_user_got_wrong_is_one_line(refused, tmp_path, monkeypatch, words, message):
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert message in refused("rollout", "--env", CENSUS, *words, "--out", tmp_path / "run")
    assert not (tmp_path / "run").exists()
