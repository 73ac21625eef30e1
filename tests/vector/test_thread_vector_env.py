import pickle
import threading

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import gym_imagetools  # noqa: F401
from gym_imagetools.errors import DataError
from gym_imagetools.images.cache import PIXELS
from gym_imagetools.vector import ThreadVectorEnv

ZOOM = {"name": "image_zoom_in_tool", "arguments": {"bbox_2d": [0, 0, 500, 500]}}
TURNS = [
    ZOOM,
    r"\boxed{3}",
    {"name": "count_objects_tool", "arguments": {}},
    "<tool_call>broken",
    {"name": "image_rotate_tool", "arguments": {"degrees": 90}},
]
MODES = list(AutoresetMode)


def make_env(**keywords):
    return lambda: gym.make("ImageTools/CrowdCensus-v0", **keywords)


def threaded(num_envs=3, **keywords):
    return ThreadVectorEnv([make_env()] * num_envs, **keywords)


def digest(batch):
    """Everything a batch says, as bytes that can be compared."""
    return pickle.dumps(batch)


@pytest.mark.parametrize("num_workers", [1, 3])
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_it_equals_sync_vector_env_bit_for_bit(mode, num_workers):
    envs = [
        SyncVectorEnv([make_env()] * 3, autoreset_mode=mode),
        threaded(autoreset_mode=mode, num_workers=num_workers),
    ]
    rng = np.random.default_rng(1)
    assert len({digest(env.reset(seed=5)) for env in envs}) == 1
    for _ in range(8):
        actions = [TURNS[int(turn)] for turn in rng.integers(len(TURNS), size=3)]
        batches = [env.step(actions) for env in envs]
        assert len(set(map(digest, batches))) == 1
        ended = batches[0][2] | batches[0][3]
        if mode == AutoresetMode.DISABLED and ended.any():
            resets = [env.reset(options={"reset_mask": ended.copy()}) for env in envs]
            assert len(set(map(digest, resets))) == 1
    for env in envs:
        env.close()


def test_steps_run_beside_one_another():
    """Each of two episodes waits inside of its step until the other is there, too."""
    barrier = threading.Barrier(2, timeout=20)

    class Waits(gym.Wrapper):
        def step(self, action):
            barrier.wait()
            return self.env.step(action)

    env = ThreadVectorEnv([lambda: Waits(make_env()())] * 2, num_workers=2)
    env.reset(seed=0)
    env.step([ZOOM, ZOOM])
    env.close()


def test_a_group_shares_its_tasks_one_after_the_other():
    env = threaded(4, group_size=2, autoreset_mode=AutoresetMode.SAME_STEP)
    _, infos = env.reset(seed=9)
    seen = [infos["task_id"]]
    for _ in range(2):
        seen.append(env.step([r"\boxed{1}"] * 4)[4]["task_id"])
    for ids in seen:
        assert ids[0] == ids[1] != ids[2] == ids[3]
    assert len({ids[0] for ids in seen}) == 3
    env.close()


def test_a_group_shares_its_task_without_a_seed_too():
    env = threaded(2, group_size=2)
    _, infos = env.reset()
    assert infos["task_id"][0] == infos["task_id"][1]
    env.close()


def test_a_group_draws_its_picture_once():
    env = gym.make_vec("ImageTools/CrowdCensus-v0", num_envs=4, group_size=4)
    PIXELS.clear()
    before = PIXELS.misses
    env.reset(seed=123)
    assert PIXELS.misses - before == 1
    env.step([ZOOM] * 4)
    assert PIXELS.misses - before == 2
    env.close()


def test_step_async_and_step_wait_are_the_halves_of_a_step():
    whole, halves = threaded(), threaded()
    whole.reset(seed=1), halves.reset(seed=1)
    halves.step_async([ZOOM] * 3)
    assert digest(halves.step_wait()) == digest(whole.step([ZOOM] * 3))
    with pytest.raises(RuntimeError, match="step_async"):
        halves.step_wait()
    whole.close(), halves.close()


def test_a_disabled_env_that_has_ended_is_named():
    env = threaded(autoreset_mode="Disabled")
    env.reset(seed=0)
    env.step([ZOOM, r"\boxed{1}", ZOOM])
    with pytest.raises(gym.error.ResetNeeded, match=r"\[1\].*reset_mask"):
        env.step([ZOOM] * 3)
    env.close()


def test_an_ended_episode_waits_for_the_others_with_the_action_none():
    env = threaded(autoreset_mode="Disabled")
    env.reset(seed=0)
    _, _, ended, _, before = env.step([ZOOM, r"\boxed{1}", ZOOM])
    _, rewards, terminated, _, infos = env.step([r"\boxed{1}", None, ZOOM])
    assert ended.tolist() == [False, True, False]
    assert terminated.tolist() == [True, True, False]
    assert rewards[1] == 0.0
    for key in ("task_id", "ending", "turn", "base_reward"):
        assert infos[key][1] == before[key][1]
    _, _, terminated, _, _ = env.step([None, None, r"\boxed{1}"])
    assert terminated.all()
    _, infos = env.reset(options={"reset_mask": np.array([False, True, False])})
    assert infos["ending"][1] == ""
    env.close()


@pytest.mark.parametrize(("tasks", "seeds"), [([3, 8], [3, 3, 8, 8]), ([5, 6, 7, 8], [5, 6, 7, 8])])
def test_tasks_are_chosen_for_each_group_or_each_environment(tasks, seeds):
    env = threaded(4, group_size=2)
    _, infos = env.reset(options={"task": tasks})
    assert [int(task_id.split("/")[-1]) for task_id in infos["task_id"]] == seeds
    with pytest.raises(ValueError, match="each of 4 environments or of 2 groups, got 3"):
        env.reset(options={"task": [1, 2, 3]})
    env.close()


@pytest.mark.parametrize("actions", [[ZOOM], [ZOOM] * 4, "abc"])
def test_the_actions_are_one_for_each_environment(actions):
    env = threaded()
    env.reset(seed=0)
    with pytest.raises(ValueError, match="Expected 3 actions"):
        env.step(actions)
    env.close()


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"group_size": 2}, "divisor of num_envs=3"),
        ({"group_size": 0}, "divisor"),
        ({"num_workers": 0}, "num_workers to be >= 1"),
    ],
)
def test_a_keyword_outside_of_its_range_is_refused(keywords, words):
    with pytest.raises(ValueError, match=words):
        threaded(**keywords)


def test_call_and_render_reach_every_environment():
    env = gym.make_vec("ImageTools/CrowdCensus-v0", num_envs=2, render_mode="ansi")
    env.reset(seed=0)
    tasks = env.call("task")
    assert len({task.task_id for task in tasks}) == 2
    assert [frame.split()[0] for frame in env.render()] == [task.task_id for task in tasks]
    env.close()


@pytest.mark.parametrize("name", ["Maze", "Mixed", "Dataset", "Pivot", "Weather"])
def test_make_vec_makes_every_id_with_its_keywords(name):
    keywords = {"difficulty": 2} if name in ("Maze", "Mixed") else {"order": "sequential"}
    env = gym.make_vec(
        f"ImageTools/{name}-v0", num_envs=2, autoreset_mode="Disabled", num_workers=1, **keywords
    )
    assert isinstance(env, ThreadVectorEnv)
    assert env.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    observations, infos = env.reset(seed=4)
    assert len(observations["text"]) == 2
    if name in ("Maze", "Mixed"):
        assert all("/2/" in task_id for task_id in infos["task_id"])
    env.step(["an answer"] * 2)
    env.close()


def test_one_adaptive_difficulty_serves_all_environments():
    env = gym.make_vec("ImageTools/Mixed-v0", num_envs=3, difficulty="adaptive")
    assert len({id(source.controller) for source in env.get_attr("source")}) == 1
    env.close()


def test_a_fault_of_the_data_is_raised_and_the_other_episodes_go_on(tmp_path):
    row = {
        "responses_create_params": {"input": "What next?"},
        "expected_action": {"name": "image_crop_tool", "arguments": {"bbox_2d": [0, 0, 9, 9]}},
    }
    env = gym.make_vec("ImageTools/Pivot-v0", num_envs=2, data=[row], scoring="execution")
    for _ in range(2):
        with pytest.raises(DataError, match="image_crop_tool that runs"):
            env.reset(seed=0)
    env.close()
