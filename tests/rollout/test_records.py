import json
import warnings

import gymnasium as gym
import pytest
from pydantic import ValidationError

import gym_imagetools
from gym_imagetools.errors import DataError
from gym_imagetools.images.decode import decode
from gym_imagetools.policies import POLICIES
from gym_imagetools.rollout import (
    RolloutRecord,
    RunFolder,
    RunSettings,
    plan,
    play,
    play_episode,
    read_records,
)
from gym_imagetools.rollout.pictures import PictureFolder

KEYS = {
    "responses_create_params", "response", "reward", "reward_components", "reward_scores",
    "base_reward", "image_tools_aux_reward", "image_tools_call_count", "image_tools_error_count",
    "image_tools_output_paths", "image_tools_generation_image_paths", "ending", "task_id",
    "env_id", "env_kwargs", "seed", "group", "family", "version",
}  # fmt: skip

RUNS = [
    ("ImageTools/CrowdCensus-v0", {"difficulty": 3}, "oracle", None),
    (
        "ImageTools/Maze-v0",
        {"terminate_on_invalid_tool_call": False, "max_tool_calls": 4},
        "random",
        None,
    ),
    ("ImageTools/Dataset-v0", {}, "demonstration", 4),
    (
        "ImageTools/Dataset-v0",
        {"prompt_format": "json", "crop_format": "webp", "max_tool_calls": 2},
        "random",
        2,
    ),
    ("ImageTools/Dataset-v0", {"prompt_format": "native", "max_tool_calls": 2}, "random", 2),
    ("ImageTools/Weather-v0", {}, "oracle", None),
    ("ImageTools/Weather-v0", {}, "random", None),
    ("ImageTools/Pivot-v0", {}, "oracle", 2),
]


def write_run(path, env_id, keywords, policy, available):
    env = gym.make(env_id, **keywords)
    folder = RunFolder(path)
    episodes = plan(3, num_tasks=2, group_size=2, available=available)
    records = [folder.write(one) for one in play(env, POLICIES[policy](), episodes)]
    return folder, records


@pytest.fixture(params=RUNS, ids=lambda run: f"{run[0][11:-3]}-{run[2]}")
def run(request):
    return request.param


def test_records_are_read_back_as_they_were_written(run, tmp_path):
    folder, records = write_run(tmp_path / "run", *run)
    assert list(read_records(folder.rollouts_path)) == records
    for line in folder.rollouts_path.read_text(encoding="utf-8").splitlines():
        assert set(json.loads(line)) >= KEYS


def test_the_same_run_writes_the_same_bytes(run, tmp_path):
    for name in ("one", "two"):
        write_run(tmp_path / name, *run)
    files = [
        {file.relative_to(root): file.read_bytes() for file in root.rglob("*") if file.is_file()}
        for root in (tmp_path / "one", tmp_path / "two")
    ]
    assert files[0] == files[1]


def test_a_record_replays_to_its_own_rewards(run, tmp_path):
    _, records = write_run(tmp_path / "run", *run)
    for record in records:
        env = gym.make(record.env_id, **record.env_kwargs)
        env.reset(options={"task": record.task_id})
        paid = [env.step(turn)[1] for turn in assistant_turns(record)]
        assert paid == pytest.approx(record.step_rewards)
        assert sum(paid) == pytest.approx(record.reward)


def assistant_turns(record):
    """What was said, as actions: the text of a message, or the items of native calls."""
    for item in record.response.output:
        if item.get("role") == "assistant":
            yield item["content"][0]["text"]
        elif item.get("type") == "function_call":
            yield [item]


def test_the_picture_paths_lead_to_the_pictures(tmp_path):
    folder, (record, *_) = write_run(tmp_path / "run", *RUNS[0])
    assert record.image_tools_call_count == 2
    assert len(record.image_tools_output_paths) == 2
    first, second = record.image_tools_output_paths
    assert record.image_tools_generation_image_paths == [[], [first], [second]]
    assert decode((folder.path / first).read_bytes()).shape == (150, 150, 3)
    shown = json.dumps(record.model_dump(mode="json"))
    assert "data:" not in shown
    stored = {f"images/{path.name}" for path in (folder.path / "images").iterdir()}
    assert {first, second} <= stored


def test_equal_pictures_are_stored_once(tmp_path):
    folder, records = write_run(tmp_path / "run", *RUNS[0])
    assert [record.task_id for record in records[:2]] == [records[0].task_id] * 2
    named = {path for record in records for path in record.image_tools_output_paths}
    named |= {
        part["image_url"]
        for record in records
        for item in record.responses_create_params.input
        if isinstance(item["content"], list)
        for part in item["content"]
        if part["type"] == "input_image"
    }
    assert {f"images/{path.name}" for path in (folder.path / "images").iterdir()} == named


@pytest.mark.parametrize(("crop_format", "ending"), [("jpeg", "jpg"), ("png", "png")])
def test_a_picture_is_named_by_its_bytes_and_its_kind(tmp_path, crop_format, ending):
    env = gym.make("ImageTools/Maze-v0", crop_format=crop_format)
    env.reset(seed=1)
    (url,) = env.get_wrapper_attr("image_urls")
    reference = PictureFolder(tmp_path).put(url)
    assert reference.startswith("images/")
    assert reference.endswith(f".{ending}")
    assert len(reference) == len(f"images/{'0' * 16}.{ending}")
    assert (tmp_path / reference).exists()


def test_the_last_pictures_are_outputs_that_no_turn_has_seen(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env = gym.make("ImageTools/Dataset-v0", max_steps=1)
    rollout = play_episode(env, POLICIES["demonstration"](), task=2)
    record = RunFolder(tmp_path / "run").write(rollout)
    assert record.ending == "step_limit"
    assert len(record.image_tools_output_paths) == 1
    assert record.image_tools_generation_image_paths == [[]]


def test_records_name_group_version_and_components(tmp_path):
    _, records = write_run(tmp_path / "run", *RUNS[5])
    assert [record.group for record in records] == [
        f"{records[0].task_id}@0", f"{records[0].task_id}@0",
        f"{records[2].task_id}@1", f"{records[2].task_id}@1",
    ]  # fmt: skip
    line = json.loads(records[0].line())
    assert (line["_ng_task_index"], line["_ng_rollout_index"]) == (0, 0)
    assert line["version"] == gym_imagetools.__version__
    for name, value in line["reward_components"].items():
        assert line[name] == value


def test_the_parts_of_a_record_fit_together(tmp_path):
    _, (record, *_) = write_run(tmp_path / "run", *RUNS[0])
    fields = json.loads(record.line())
    with pytest.raises(ValidationError, match="reward components"):
        RolloutRecord.model_validate({**fields, "answer": 0.5})
    with pytest.raises(ValidationError, match="reward components"):
        RolloutRecord.model_validate({**fields, "another": 0.5})
    with pytest.raises(ValidationError, match="ending"):
        RolloutRecord.model_validate({**fields, "ending": "vanished"})


@pytest.mark.parametrize(("line", "fault"), [("{", "JSON"), ("{}", "Expected"), ("[]", "object")])
def test_a_line_that_is_no_record_is_named(tmp_path, line, fault):
    folder, _ = write_run(tmp_path / "run", *RUNS[0])
    with folder.rollouts_path.open("a") as file:
        file.write(line + "\n")
    with pytest.raises(DataError, match=f"line 5 of .*{fault}"):
        list(read_records(folder.rollouts_path))


def test_a_folder_with_something_in_it_is_refused(tmp_path):
    RunFolder(tmp_path / "new" / "run")
    RunFolder(tmp_path / "new" / "run")
    (tmp_path / "new" / "run" / "notes.txt").write_text("mine")
    with pytest.raises(DataError, match="empty folder"):
        RunFolder(tmp_path / "new" / "run")
    with pytest.raises(DataError, match="empty folder"):
        RunFolder(tmp_path / "new" / "run" / "notes.txt")


@pytest.mark.parametrize("count", [1, 2])
def test_the_settings_of_a_run_are_read_back(tmp_path, count):
    part = RunSettings(
        env_id="ImageTools/Maze-v0",
        env_kwargs={"difficulty": 3},
        policy="random",
        num_tasks=4,
        group_size=2,
        seed=9,
    )
    RunFolder(tmp_path).write_settings(*[part] * count)
    read = json.loads((tmp_path / "run.json").read_text())
    parts = [read] if count == 1 else read
    assert [RunSettings.model_validate(one) for one in parts] == [part] * count
