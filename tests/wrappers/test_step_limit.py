from gym_imagetools.wrappers import StepLimit
from tests.wrappers.fake_env import CALL, FakeEnv


def test_only_the_last_turn_is_marked():
    env = StepLimit(FakeEnv(), max_steps=3)
    env.reset(seed=0)
    for _ in range(3):
        env.step(CALL)
    assert [turn.is_last for turn in env.unwrapped.seen] == [False, False, True]


def test_reset_starts_the_count_anew():
    env = StepLimit(FakeEnv(), max_steps=2)
    env.reset(seed=0)
    env.step(CALL)
    env.reset()
    env.step(CALL)
    assert env.unwrapped.seen[-1].is_last is False
