import json

import gymnasium as gym
import pytest
from typer.testing import CliRunner

import gym_imagetools  # noqa: F401
from gym_imagetools.cli import app
from gym_imagetools.policies import OraclePolicy, RandomPolicy
from gym_imagetools.rollout import RunFolder, plan, play, read_records
from gym_imagetools.rollout.replay import Replayer
from gym_imagetools.rollout.turns import read_turns
from gym_imagetools.types import Turn
from tests.rollout.scripted import Scripted

SEE = {"name": "image_crop_tool", "arguments": {"bbox_2d": [0, 0, 500, 500]}}
WRONG = {"name": "image_crop_tool", "arguments": {"bbox_2d": [0, 0, 0, 0]}}
FLIP = {"name": "image_flip_tool", "arguments": {"axis": "vertical"}}

RUNS = {
    "text": ("ImageTools/Maze-v0", {}, RandomPolicy()),
    "going on after errors": (
        "ImageTools/CrowdCensus-v0",
        {"terminate_on_invalid_tool_call": False, "max_tool_calls": 3, "reward_policy": "strict"},
        RandomPolicy(),
    ),
    "native": ("ImageTools/Maze-v0", {"prompt_format": "native"}, RandomPolicy()),
    "json": ("ImageTools/Maze-v0", {"prompt_format": "json", "max_tool_calls": 2}, RandomPolicy()),
    "several calls a turn": (
        "ImageTools/Maze-v0",
        {"max_tool_calls_per_turn": 3, "prompt_format": "native"},
        RandomPolicy(),
    ),
    "adaptive mixture": ("ImageTools/Mixed-v0", {"difficulty": "adaptive"}, OraclePolicy()),
    "rows": ("ImageTools/Dataset-v0", {}, RandomPolicy()),
    "weather": ("ImageTools/Weather-v0", {}, RandomPolicy()),
    "pivot": ("ImageTools/Pivot-v0", {}, RandomPolicy()),
    "an empty reply": ("ImageTools/Maze-v0", {}, Scripted(FLIP, [])),
    "a cut reply": ("ImageTools/Maze-v0", {}, Scripted(FLIP, Turn("A", "", incomplete=True))),
    "words like markup": ("ImageTools/Maze-v0", {}, Scripted("<tool_response>\n{} \\boxed{A}")),
}


def write_run(folder, env_id, keywords, policy, *, num_tasks=2, group_size=2):
    env = gym.make(env_id, **keywords)
    run = RunFolder(folder)
    for rollout in play(env, policy, plan(5, num_tasks=num_tasks, group_size=group_size)):
        run.write(rollout)
    return run.rollouts_path


def replays_of(path):
    with Replayer() as replayer:
        return list(replayer.replay_all(read_records(path)))


@pytest.mark.parametrize("name", RUNS)
def test_what_was_recorded_comes_out_again(tmp_path, name):
    replays = replays_of(write_run(tmp_path, *RUNS[name]))
    assert [replay.differences for replay in replays] == [()] * 4
    assert [replay.problem for replay in replays] == [""] * 4
    assert [replay.regraded() for replay in replays] == [replay.record for replay in replays]


@pytest.mark.parametrize("name", sorted(set(RUNS) - {"weather"}))
def test_every_call_of_a_record_has_its_outcome(tmp_path, name):
    for record in read_records(write_run(tmp_path, *RUNS[name])):
        turns = read_turns(record)
        outcomes = [call.outcome for turn in turns for call in turn.calls]
        assert outcomes.count("ran") == record.image_tools_call_count
        refused_turns = [
            turn
            for turn in turns
            if turn.is_malformed or any(call.outcome == "refused" for call in turn.calls)
        ]
        assert len(refused_turns) == record.image_tools_error_count
        assert [path for turn in turns for path in turn.pictures] == [
            *record.image_tools_output_paths
        ]


def test_outcomes_within_one_turn(tmp_path):
    keywords = {"max_tool_calls_per_turn": 3, "terminate_on_invalid_tool_call": False}
    policy = Scripted(_turn(SEE, WRONG, FLIP), _turn(SEE), _turn(FLIP), "A")
    path = write_run(tmp_path, "ImageTools/Maze-v0", keywords, policy, num_tasks=1, group_size=1)
    first, second, third, last = read_turns(next(read_records(path)))
    assert [call.outcome for call in first.calls] == ["ran", "refused", "not run"]
    assert [call.duplicate for call in second.calls] == ["exact"]
    assert [call.outcome for call in third.calls] == ["refused"]
    assert last.calls == ()


def test_outcomes_of_a_turn_that_ends_the_episode_are_counted_back(tmp_path):
    policy = Scripted(_turn(FLIP), _turn(SEE, WRONG, FLIP))
    keywords = {"max_tool_calls_per_turn": 3}
    path = write_run(tmp_path, "ImageTools/Maze-v0", keywords, policy, num_tasks=1, group_size=1)
    _, last = read_turns(next(read_records(path)))
    assert [call.outcome for call in last.calls] == ["ran", "refused", "not run"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda row: row.update(reward=0.5), "reward"),
        (lambda row: row.update(base_reward=0.5), "base_reward"),
        (lambda row: row.update(ending="step_limit"), "ending"),
        (lambda row: row.update(expected_answer="Z"), "expected_answer"),
        (lambda row: row["step_rewards"].__setitem__(0, 0.02), "step_rewards"),
        (lambda row: row["reward_scores"].update(answer=0.5), "reward_scores.answer"),
        (
            lambda row: (row["reward_components"].update(answer=0.5), row.update(answer=0.5)),
            "reward_components.answer",
        ),
        (lambda row: row.update(image_tools_call_count=7), "image_tools_call_count"),
        (lambda row: _part(row, 0).update(text="other"), "turn 1: answer"),
        (lambda row: _part(row, 1).update(image_url="images/0.png"), "turn 1: pictures"),
        (lambda row: _part(row, 1).update(detail="low"), "turn 1: answer items"),
        (lambda row: row["responses_create_params"]["input"].pop(), "prompt"),
        (lambda row: row["responses_create_params"]["tools"].pop(), "tools"),
    ],
)
def test_every_change_of_a_record_is_found(tmp_path, change, field):
    path = _changed(tmp_path, change)
    (replay,) = replays_of(path)
    assert field in [difference.field for difference in replay.differences]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda row: row.update(task_id="Maze/9/1"), "difficulty"),
        (lambda row: row.update(task_id="nonsense"), "nonsense"),
        (lambda row: row.update(env_id="ImageTools/Nothing-v0"), "Nothing"),
        (lambda row: row.update(env_kwargs={"max_tool_calls": -1}), "max_tool_calls"),
        (lambda row: row.update(env_kwargs={"unknown": 1}), "unknown"),
        (lambda row: row["step_rewards"].append(0.0), "assistant turns"),
        (lambda row: row.update(step_rewards=[]), "assistant turns"),
    ],
)
def test_what_cannot_be_played_is_a_problem_and_not_a_crash(tmp_path, change, problem):
    (replay,) = replays_of(_changed(tmp_path, change))
    assert problem in replay.problem
    assert replay.replayed is None
    assert [difference.field for difference in replay.differences] == ["cannot be played"]
    with pytest.raises(ValueError, match="can be played"):
        replay.regraded()


def test_a_changed_rule_shows_and_regrades(tmp_path):
    """As if the pay of a call had been another one when the run was made."""
    path = _changed(tmp_path, lambda row: row["env_kwargs"].update(tool_success_reward=0.03))
    (replay,) = replays_of(path)
    fields = {difference.field for difference in replay.differences}
    assert fields == {
        "reward",
        "reward_components.tool_use",
        "reward_scores.tool_use",
        "image_tools_aux_reward",
        "step_rewards",
    }
    graded = replay.regraded()
    assert graded.reward == pytest.approx(0.03)
    assert graded.model_extra == graded.reward_components
    assert graded.response == replay.record.response


def test_an_episode_that_goes_on_or_ends_early_differs_in_its_turns(tmp_path):
    path = _changed(tmp_path, lambda row: row["env_kwargs"].update(max_steps=1))
    with pytest.warns(UserWarning, match="max_steps"):
        (replay,) = replays_of(path)
    found = {one.field: (one.recorded, one.replayed) for one in replay.differences}
    assert found["turns"] == ("2", "1")
    assert found["ending"] == ("answered", "step_limit")


def test_long_texts_are_shown_where_they_part(tmp_path):
    path = _changed(
        tmp_path, lambda row: _part(row, 0).update(text=_part(row, 0)["text"] + "x" * 500)
    )
    (difference,) = replays_of(path)[0].differences
    assert difference.recorded.startswith("…")
    assert len(difference.recorded) < 130
    assert difference.recorded != difference.replayed


@pytest.fixture
def run_command(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def run_folder(tmp_path):
    write_run(tmp_path / "run", "ImageTools/Maze-v0", {}, Scripted(FLIP, "\\boxed{Z}"))
    return tmp_path / "run"


def test_verify_says_that_nothing_differs(run_command, run_folder):
    result = run_command("verify", run_folder)
    assert result.exit_code == 0, result.output
    assert "4 episodes come out as recorded" in result.stdout


def test_verify_ends_with_1_and_a_table_where_something_differs(run_command, run_folder):
    _edit(run_folder / "rollouts.jsonl", lambda row: row.update(extracted_answer="[red]Q[/red]"))
    result = run_command("verify", run_folder)
    assert result.exit_code == 1
    assert "[red]Q[/red]" in result.stdout
    assert "4 of 4 episodes differ (extracted_answer 4)" in result.stdout


def test_regrade_writes_a_new_file_and_leaves_the_old_one(run_command, run_folder):
    path = run_folder / "rollouts.jsonl"
    good = path.read_bytes()
    _edit(path, lambda row: row.update(reward=0.7, base_reward=0.7))
    before = path.read_bytes()
    result = run_command("verify", run_folder, "--regrade", run_folder / "new.jsonl")
    assert result.exit_code == 1
    assert path.read_bytes() == before
    assert (run_folder / "new.jsonl").read_bytes() == good
    assert run_command("verify", run_folder / "new.jsonl").exit_code == 0


def test_regrade_leaves_out_what_cannot_be_played_and_says_so(run_command, run_folder):
    def lose(row):
        if row["_ng_task_index"] == 0:
            row.update(task_id="Maze/9/1")

    _edit(run_folder / "rollouts.jsonl", lose)
    result = run_command("verify", run_folder, "--regrade", run_folder / "new.jsonl")
    assert "2 records; 2 that cannot be played are left out" in result.stdout


def test_regrade_never_overwrites(run_command, run_folder):
    path = run_folder / "rollouts.jsonl"
    before = path.read_bytes()
    result = run_command("verify", run_folder, "--regrade", path)
    assert result.exit_code == 2
    assert "new file" in result.stderr
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [None, "", "{}\n", "not JSON\n"])
def test_a_run_that_cannot_be_read_is_one_line_and_leaves_no_file(run_command, tmp_path, content):
    run = tmp_path / "run"
    run.mkdir()
    if content is not None:
        (run / "rollouts.jsonl").write_text(content)
    result = run_command("verify", run, "--regrade", tmp_path / "new.jsonl")
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "new.jsonl").exists()


def _turn(*calls):
    return [
        {
            "type": "function_call",
            "call_id": f"c{index}",
            **call,
            "arguments": json.dumps(call["arguments"]),
        }
        for index, call in enumerate(calls)
    ]


def _part(row, index):
    return row["response"]["output"][1]["content"][index]


def _changed(folder, change):
    path = write_run(
        folder, "ImageTools/Maze-v0", {}, Scripted(FLIP, "\\boxed{Z}"), num_tasks=1, group_size=1
    )
    _edit(path, change)
    return path


def _edit(path, change):
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        change(row)
    path.write_text(
        "".join(json.dumps(row, separators=(",", ":"), ensure_ascii=False) + "\n" for row in rows)
    )
