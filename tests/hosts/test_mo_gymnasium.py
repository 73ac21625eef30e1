"""MO-Gymnasium takes our environments once ``VectorReward`` pays a number an objective."""

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.passive_env_checker import env_step_passive_checker

from gym_imagetools.wrappers import VectorReward
from tests.hosts.recipes import run_recipe
from tests.hosts.rollouts import RECORDINGS, expected, recording

mo_gymnasium = pytest.importorskip("mo_gymnasium", reason="the mo-gymnasium extra is missing")
vector = pytest.importorskip("mo_gymnasium.wrappers.vector")

IDS = (
    "ImageTools/Maze-v0",
    "ImageTools/Dataset-v0",
    "ImageTools/Pivot-v0",
    "ImageTools/Weather-v0",
)


def made(env_id, **keywords):
    return VectorReward(mo_gymnasium.make(env_id, **keywords))


@pytest.mark.parametrize("env_id", IDS)
def test_the_checker_accepts_the_weighted_sum(env_id):
    # MO-Gymnasium checks an environment by Gymnasium's checker, on the weighted sum.
    check_env(mo_gymnasium.wrappers.LinearReward(made(env_id)), skip_render_check=True)


@pytest.mark.parametrize("env_id", IDS)
def test_rewards_lie_in_the_declared_space(env_id):
    env = made(env_id)
    env.action_space.seed(5)
    env.reset(seed=5)
    _, reward, *_ = env.step(env.action_space.sample())
    assert reward in env.unwrapped.reward_space
    assert reward.shape == (env.unwrapped.reward_dim,) == env.reward_space.shape
    env.reset(seed=5)
    env_step_passive_checker(mo_gymnasium.wrappers.LinearReward(env), env.action_space.sample())


def test_weights_trade_the_objectives():
    played = recording("one_wrong_call")
    env = mo_gymnasium.wrappers.LinearReward(
        made(played.env_id, **played.keywords), weight=np.array([0.0, 1.0])
    )
    env.reset(options={"task": played.task})
    _, reward, *_ = env.step(played.turns[0])
    assert reward == pytest.approx(-0.01)


@pytest.mark.parametrize("name", RECORDINGS)
def test_statistics_of_an_episode_are_its_components(name):
    played, outcome = recording(name), expected(name)
    env = mo_gymnasium.wrappers.MORecordEpisodeStatistics(made(played.env_id, **played.keywords))
    env.reset(options={"task": played.task})
    for turn in played.turns:
        *_, info = env.step(turn)
    assert info["episode"]["r"] == pytest.approx(list(outcome.components.values()), abs=1e-6)


def test_a_wrapper_that_writes_into_the_reward_leaves_the_next_one_alone():
    played = recording("one_wrong_call")
    env = mo_gymnasium.wrappers.MOClipReward(
        made(played.env_id, **played.keywords), idx=1, min_r=0.0, max_r=1.0
    )
    env.reset(options={"task": played.task})
    paid = [env.step(turn)[1] for turn in played.turns]
    assert paid[0].tolist() == [0.0, 0.0]
    assert paid[1][1] == pytest.approx(0.01)


def test_vector_environments_batch_the_reward_vectors():
    envs = vector.MOSyncVectorEnv([lambda: made("ImageTools/Maze-v0") for _ in range(2)])
    envs.reset(seed=[1, 2])
    _, rewards, *_ = envs.step(
        ["no idea", {"name": "image_rotate_tool", "arguments": {"degrees": 5}}]
    )
    assert rewards.shape == (2, 2)
    assert rewards[1] == pytest.approx([0.0, 0.01])
    envs.close()


def test_the_recipe_runs():
    run_recipe("MO-Gymnasium")
