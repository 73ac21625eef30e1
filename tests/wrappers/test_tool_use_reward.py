import itertools

import pytest

from gym_imagetools.wrappers import ToolUseReward
from tests.wrappers.fake_env import CALL, FakeEnv, Outcome

GOOD, REPEAT, BAD = Outcome(), Outcome(duplicates=("exact",)), Outcome(fails=True)
MALFORMED = "<tool_call>{</tool_call>"


def paid(outcomes, *, policy="reference", cap=0.05, actions=None, success=0.01):
    env = ToolUseReward(
        FakeEnv(list(outcomes)),
        tool_success_reward=success,
        tool_success_reward_cap=cap,
        invalid_tool_call_penalty=-0.03,
        duplicate_tool_call_penalty=-0.02,
        reward_policy=policy,
    )
    env.reset(seed=0)
    steps = [env.step(action) for action in actions or [CALL] * len(outcomes)]
    infos = [step[4] for step in steps]
    assert sum(step[1] for step in steps) == pytest.approx(infos[-1]["image_tools_aux_reward"])
    assert infos[-1]["reward_components"]["tool_use"] == infos[-1]["image_tools_aux_reward"]
    assert infos[-1]["reward_scores"]["tool_use"] == infos[-1]["image_tools_aux_reward"]
    return [info["image_tools_aux_reward"] for info in infos]


def test_good_calls_are_paid_up_to_the_cap():
    assert paid([GOOD] * 7) == pytest.approx([0.01, 0.02, 0.03, 0.04, 0.05, 0.05, 0.05])


def test_a_repeated_call_pays_the_penalty_in_place_of_the_reward():
    assert paid([GOOD, REPEAT]) == pytest.approx([0.01, -0.01])


def test_the_running_cap_lets_a_penalty_after_it_count_in_full():
    assert paid([GOOD] * 6 + [REPEAT])[-1] == pytest.approx(0.03)


def test_the_running_cap_lets_an_early_penalty_be_earned_back():
    assert paid([GOOD, REPEAT] + [GOOD] * 9)[-1] == pytest.approx(0.05)


def test_a_turn_that_made_no_picture_is_not_cut_to_the_cap():
    assert paid([GOOD, GOOD], cap=0.0, actions=[CALL, MALFORMED]) == pytest.approx([0.0, -0.03])


def test_each_counted_error_is_fined_once():
    assert paid([BAD, BAD, GOOD]) == pytest.approx([-0.02, -0.04, -0.03])


def test_strict_pays_the_same_whatever_the_order():
    totals = {
        round(paid(order, policy="strict")[-1], 12)
        for order in set(itertools.permutations([GOOD] * 4 + [REPEAT] * 2))
    }
    assert totals == {round(0.04 - 0.04, 12)}


def test_strict_keeps_penalties_out_of_the_cap_and_above_their_floor():
    assert paid([GOOD] * 7 + [REPEAT], policy="strict")[-1] == pytest.approx(0.03)
    assert paid([REPEAT] * 80, policy="strict")[-1] == pytest.approx(-1.0)


def test_the_weight_of_tool_use_stands_beside_the_answers():
    env = ToolUseReward(
        FakeEnv(),
        tool_success_reward=0.5,
        tool_success_reward_cap=1.0,
        invalid_tool_call_penalty=0.0,
        duplicate_tool_call_penalty=0.0,
        reward_policy="strict",
    )
    assert env.reward_weights == {"answer": 1.0, "tool_use": 0.05}


def test_reset_forgets_the_account():
    env = ToolUseReward(
        FakeEnv([GOOD]),
        tool_success_reward=0.5,
        tool_success_reward_cap=1.0,
        invalid_tool_call_penalty=0.0,
        duplicate_tool_call_penalty=0.0,
        reward_policy="reference",
    )
    env.reset(seed=0)
    env.step(CALL)
    _, info = env.reset()
    assert info["image_tools_aux_reward"] == 0.0
    assert env.step(CALL)[1] == pytest.approx(0.5)
