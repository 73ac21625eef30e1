import gymnasium as gym
import numpy as np
import pytest
from gymnasium.wrappers import TransformReward

from gym_imagetools.wrappers import EpisodicReward, RewardCap, RewardComponents, VectorReward
from gym_imagetools.wrappers.reward_cap import trim
from tests.wrappers.fake_env import CALL, FakeEnv, Outcome


class TwoObjectives(gym.Wrapper):
    """Adds a running second objective, given for each step."""

    def __init__(self, env, totals):
        super().__init__(env)
        self.totals = totals
        self.reward_weights = {"answer": 1.0, "extra": 0.5}

    def reset(self, *, seed=None, options=None):
        self.before = 0.0
        observation, info = self.env.reset(seed=seed, options=options)
        info["reward_components"]["extra"] = info["reward_scores"]["extra"] = 0.0
        self.left = list(self.totals)
        return observation, info

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        total = self.left.pop(0)
        info["reward_components"]["extra"] = info["reward_scores"]["extra"] = total
        pay, self.before = total - self.before, total
        return observation, reward + pay, terminated, truncated, info


def play(env, steps):
    env.reset(seed=0)
    return [env.step(CALL) for _ in range(steps)]


@pytest.mark.parametrize(("base", "reward"), [(0.0, 0.02), (0.5, 0.52), (0.99, 1.0), (1.0, 1.0)])
def test_the_cap_cuts_the_published_examples(base, reward):
    inner = TwoObjectives(FakeEnv([Outcome(), Outcome(answer=base, ends=True)]), [0.02, 0.02])
    steps = play(RewardCap(inner, reward_cap=1.0), 2)
    assert sum(step[1] for step in steps) == pytest.approx(reward)
    components = steps[-1][4]["reward_components"]
    assert components["answer"] == base
    assert sum(components.values()) == pytest.approx(reward)
    assert steps[-1][4]["reward_scores"] == {"answer": base, "extra": 0.02}


def test_another_cap_cuts_elsewhere():
    inner = TwoObjectives(FakeEnv([Outcome(answer=1.0, ends=True)]), [0.2])
    assert play(RewardCap(inner, reward_cap=0.4), 1)[0][1] == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("components", "cap", "trimmed"),
    [
        ({"a": 1.0, "b": 0.2}, 1.0, {"a": 1.0, "b": 0.0}),
        ({"a": 1.0, "b": -0.2}, 1.0, {"a": 1.0, "b": -0.2}),
        ({"a": 1.0, "b": 0.2}, 0.5, {"a": 0.5, "b": 0.0}),
        ({"a": 0.2, "b": 0.2, "c": 0.3}, 0.5, {"a": 0.2, "b": 0.2, "c": 0.1}),
        ({"a": 2.0, "b": -0.2}, 1.0, {"a": 1.2, "b": -0.2}),
    ],
)
def test_the_last_components_are_cut_first_and_only_what_is_positive(components, cap, trimmed):
    assert trim(components, cap) == pytest.approx(trimmed)


def test_episodic_reward_pays_everything_at_the_end():
    inner = TwoObjectives(
        FakeEnv([Outcome(), Outcome(), Outcome(answer=0.5, ends=True)]), [0.1, 0.2, 0.2]
    )
    steps = play(RewardComponents(EpisodicReward(inner), foreign_rewards=False), 3)
    assert [step[1] for step in steps] == pytest.approx([0.0, 0.0, 0.7])
    assert steps[1][4]["reward_components"] == {"answer": 0.0, "extra": 0.0}
    assert steps[2][4]["reward_components"] == {"answer": 0.5, "extra": 0.2}


def test_foreign_rewards_are_booked_under_rest():
    inner = TwoObjectives(FakeEnv([Outcome(), Outcome(answer=1.0, ends=True)]), [0.1, 0.1])
    env = RewardComponents(TransformReward(inner, lambda reward: reward - 0.25))
    steps = play(env, 2)
    assert [s[4]["reward_components"]["rest"] for s in steps] == pytest.approx([-0.25, -0.5])
    for index, step in enumerate(steps):
        so_far = sum(s[1] for s in steps[: index + 1])
        assert sum(step[4]["reward_components"].values()) == pytest.approx(so_far)
    assert env.reward_weights == {"answer": 1.0, "extra": 0.5, "rest": 1.0}


def test_a_reward_that_its_components_do_not_explain_is_a_fault_of_the_stack():
    inner = TransformReward(TwoObjectives(FakeEnv(), [0.0]), lambda reward: reward + 1.0)
    env = RewardComponents(inner, foreign_rewards=False)
    env.reset(seed=0)
    with pytest.raises(RuntimeError, match="foreign_rewards=True"):
        env.step(CALL)


def test_vector_reward_has_one_entry_an_objective():
    inner = TwoObjectives(FakeEnv([Outcome(), Outcome(answer=0.5, ends=True)]), [0.1, 0.05])
    env = VectorReward(inner)
    steps = play(env, 2)
    np.testing.assert_allclose([step[1] for step in steps], [[0.0, 0.1], [0.5, -0.05]])
    assert env.reward_space.contains(steps[0][1])
    assert env.reward_space.shape == (2,)
