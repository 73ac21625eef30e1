"""What every registered id promises: Gymnasium's contract, equal episodes, a whole spec."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import gymnasium as gym
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RecordEpisodeStatistics, RecordVideo, TimeLimit

from tests.envs.play import (
    DATASET,
    IDS,
    PIVOT,
    SCRIPT,
    TOOL_IDS,
    call,
    digest,
    digests,
    episode,
    frozen,
    make,
    make_rows,
    rotate,
    run,
)

ROOT = Path(__file__).parents[2]
SPEC_KEYWORDS = {"max_tool_calls": 3, "tool_success_reward": 0.03, "reward_cap": 0.5}
SHORT = SCRIPT[:4]


def test_every_id_of_the_design_is_registered():
    assert {"ImageTools/Mixed-v0", "ImageTools/Dataset-v0", "ImageTools/Pivot-v0"} <= set(IDS)
    assert len(TOOL_IDS) == len(IDS) - 2


def test_the_base_environment_passes_check_env_without_a_warning(env):
    check_env(env.unwrapped)


def test_the_made_environment_gets_only_the_warning_about_its_wrappers(env):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(env)
    messages = [str(warning.message) for warning in caught]
    assert all("is different from the unwrapped version" in message for message in messages)
    assert len(messages) == (env is not env.unwrapped)


@pytest.fixture(scope="module")
def noted():
    """The digests of every id's episodes, from this process."""
    return digests()


def test_the_same_seed_and_actions_give_the_same_episodes_after_a_new_make(env_id, noted):
    assert digest(run(make(env_id), SCRIPT)) == noted[env_id]


def test_another_seed_gives_another_task(env_id):
    env = make(env_id)
    ids = {env.reset(seed=seed)[1]["task_id"] for seed in range(6)}
    assert len(ids) > 1


def test_a_process_with_another_hash_seed_plays_the_same_episodes(noted):
    assert os.environ.get("PYTHONHASHSEED") != "4242"
    out = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.envs.play"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "4242"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(out.stdout) == noted


def test_reset_without_a_seed_goes_on_with_the_generator(env_id):
    first, second = make(env_id), make(env_id)
    ids = []
    for env in (first, second):
        env.reset(seed=123)
        ids.append([env.reset()[1]["task_id"] for _ in range(3)])
    assert ids[0] == ids[1]


def stack(env):
    """Names and arguments of the wrappers, outermost first."""
    layers = []
    while env is not env.unwrapped:
        layers.append((type(env).__name__, getattr(env, "_saved_kwargs", {})))
        env = env.env
    return [*layers, type(env).__name__]


def from_json(env):
    return gym.make(EnvSpec.from_json(env.spec.to_json()))


def rebuilt(env):
    return gym.make(env.spec)


@pytest.mark.parametrize("rebuild", [rebuilt, from_json])
def test_the_spec_rebuilds_the_same_stack(env_id, rebuild):
    keywords = SPEC_KEYWORDS if env_id in TOOL_IDS else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Gymnasium on rows that JSON cannot hold, if any
        env = make(env_id, **keywords)
    again = rebuild(env)
    assert stack(again) == stack(env)
    assert again.spec.kwargs == env.spec.kwargs
    assert digest(run(again, SHORT)) == digest(run(env, SHORT))


def test_one_setting_is_changed_by_the_keywords_of_the_spec(tool_id):
    env = make(tool_id, **SPEC_KEYWORDS)
    changed = gym.make(env.spec.id, **{**env.spec.kwargs, "max_tool_calls": 1})
    assert changed.spec.kwargs == {**env.spec.kwargs, "max_tool_calls": 1}
    reset = {} if tool_id != DATASET else {"options": {"task": 0}}
    notices = [episode(e, [rotate(11)], **reset)[0][4]["notice"] for e in (env, changed)]
    assert [bool(notice) for notice in notices] == [False, True]


def test_the_entry_points_name_their_render_modes(env):
    modes = env.metadata["render_modes"]
    assert modes == env.unwrapped.metadata["render_modes"]
    assert "ansi" in modes
    for mode in modes:
        assert make(env.spec.id, render_mode=mode).render_mode == mode


def test_a_step_needs_a_running_episode(env):
    with pytest.raises(gym.error.ResetNeeded):
        env.unwrapped.step("x")
    env.reset(seed=1)
    env.step(r"\boxed{x}")
    with pytest.raises(gym.error.ResetNeeded):
        env.unwrapped.step("x")
    env.reset()
    env.step("x")


def test_a_look_at_an_episode_needs_one(env_id):
    env = make(env_id, render_mode="ansi").unwrapped
    for look in ("task", "prompt", "image_urls"):
        if look == "image_urls" and env_id not in (PIVOT,):
            continue
        with pytest.raises(gym.error.ResetNeeded):
            getattr(env, look)
    with pytest.raises(gym.error.ResetNeeded):
        env.render()


def test_episode_statistics_count_the_pay_and_the_turns(env_id):
    env = RecordEpisodeStatistics(make(env_id))
    steps = episode(env, SCRIPT)
    assert steps[-1][4]["episode"]["r"] == pytest.approx(sum(step[1] for step in steps))
    assert steps[-1][4]["episode"]["l"] == len(steps)


def test_a_time_limit_of_gymnasium_stops_without_grading():
    env = TimeLimit(make_rows(), max_episode_steps=2)
    steps = episode(env, [rotate(10), rotate(20), rotate(30)])
    assert [step[2:4] for step in steps] == [(False, False), (False, True)]
    assert steps[-1][4]["ending"] == ""
    assert steps[-1][4]["expected_answer"] == ""


def test_a_video_of_an_episode_is_recorded(tmp_path):
    pytest.importorskip("moviepy", reason="`make test-video` runs it beside moviepy")
    env = make_rows(render_mode="rgb_array")
    env = RecordVideo(env, str(tmp_path / "videos"), episode_trigger=lambda _: True)
    episode(env, [rotate(10), r"\boxed{x}"])
    env.close()
    (video,) = (tmp_path / "videos").glob("*.mp4")
    assert video.stat().st_size > 1_000


def test_render_frames_collects_equal_sheets():
    env = gym.wrappers.RenderCollection(make_rows(render_mode="rgb_array"), pop_frames=False)
    episode(env, [rotate(10), call("color_at_tool", point_2d=[1, 1]), r"\boxed{x}"])
    frames = env.render()
    assert [frame.shape for frame in frames] == [(800, 1280, 3)] * 4
    assert len({frozen(frame) for frame in frames}) == 4
