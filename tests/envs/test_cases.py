"""The public fault reports about environments, each with the input that it gives.

Their kinds are tested in the modules beside this one; here stand the reported inputs.
"""

import json
import pickle
from pathlib import Path

import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

from gym_imagetools.errors import DataError
from gym_imagetools.images.cache import PIXELS
from gym_imagetools.prompts import replies
from tests.envs.play import (
    DATASET,
    MAZE,
    RIGHT,
    WRONG,
    call,
    dataset_row,
    episode,
    hermes,
    make,
    make_rows,
    paid,
    rotate,
)

CASES = Path(__file__).parents[1] / "cases/environment.jsonl"
ROWS = [json.loads(line) for line in CASES.read_text().splitlines()]


def text_observations_in_shared_memory():
    with pytest.raises((TypeError, ValueError)):
        AsyncVectorEnv([make_rows])
    envs = AsyncVectorEnv([make_rows], shared_memory=False)
    texts = [envs.reset(seed=0)[0]["text"], envs.step([rotate(1)])[0]["text"]]
    envs.close()
    assert texts[0] != texts[1]


def final_observation_is_not_the_reset_one():
    envs = SyncVectorEnv([make_rows], autoreset_mode=AutoresetMode.SAME_STEP)
    envs.reset(seed=0)
    envs.step([rotate(1)])
    observations, _, _, _, info = envs.step([RIGHT])
    assert observations["text"] == ("Which thing?",)
    assert info["final_obs"][0]["text"] == ""


def grades_are_read_in_both_autoreset_modes():
    same = SyncVectorEnv([make_rows], autoreset_mode=AutoresetMode.SAME_STEP)
    same.reset(seed=0)
    assert same.step([RIGHT])[4]["final_info"]["base_reward"].tolist() == [1.0]
    after = SyncVectorEnv([make_rows], autoreset_mode=AutoresetMode.NEXT_STEP)
    after.reset(seed=0)
    assert after.step([RIGHT])[4]["base_reward"].tolist() == [1.0]
    _, rewards, terminated, _, info = after.step([RIGHT])
    assert (rewards.tolist(), terminated.tolist()) == ([0.0], [False])
    assert info["base_reward"].tolist() == [0.0]


def no_info_of_a_vector_is_filled_in():
    envs = SyncVectorEnv([make_rows] * 2)
    envs.reset(seed=0)
    info = envs.step([RIGHT, rotate(1)])[4]
    assert info["_base_reward"].all()
    assert info["_reward_components"].all()
    assert info["reward_components"]["_answer"].all()


def a_seed_repeats_and_the_generator_goes_on():
    check_env(make(MAZE).unwrapped)
    played = []
    for _ in range(2):
        envs = SyncVectorEnv([lambda: make(MAZE)] * 2)
        tasks = [envs.reset(seed=123)[1]["task_id"].tolist()]
        tasks += [envs.reset()[1]["task_id"].tolist() for _ in range(2)]
        played.append(tasks)
    assert played[0] == played[1]
    assert len({task for tasks in played[0] for task in tasks}) == 6


def eight_new_angles_pay_no_more_than_the_cap():
    env = make_rows(tool_success_reward=0.02, tool_success_reward_cap=0.05)
    steps = episode(env, [rotate(10 * i + 5) for i in range(8)])
    assert len(steps) == 8
    assert paid(steps) == pytest.approx(0.05)


def a_duplicate_costs_the_same_wherever_it_stands():
    good = [rotate(10), rotate(20), rotate(30), rotate(40)]
    keywords = {"force_final_after_duplicate": False, "tool_success_reward": 0.02}
    totals = {
        policy: [
            paid(episode(make_rows(reward_policy=policy, **keywords), [*order, WRONG]))
            for order in ([*good, good[0]], [good[0], good[0], *good[1:]])
        ]
        for policy in ("strict", "reference")
    }
    assert totals["strict"] == pytest.approx([0.03, 0.03])
    assert totals["reference"] == pytest.approx([0.03, 0.05])


def five_calls_with_a_budget_of_four_leave_an_answer():
    turns = [*(rotate(i + 1) for i in range(5)), RIGHT]
    steps = episode(make_rows(max_tool_calls=4), turns)
    assert steps[3][4]["notice"] == replies.BUDGET_SPENT
    assert steps[5][4]["ending"] == "answered"
    with pytest.warns(UserWarning, match="Use max_steps >= 6"):
        env = make_rows(max_tool_calls=4, max_steps=5)
    assert episode(env, turns)[-1][4]["ending"] == "step_limit"


def a_missing_picture_is_told_before_the_episode():
    rows = [dataset_row("no_such_file.png"), dataset_row()]
    with pytest.raises(DataError, match="rows#0"):
        make_rows(*rows)
    env = make_rows(*rows, on_data_error="skip")
    assert {env.reset()[1]["task_id"] for _ in range(3)} == {"rows#1"}


def one_bad_call_keeps_the_good_ones():
    turn = hermes(rotate(10), rotate(20), call("image_rotate_tool", degrees="x"))
    *_, info = episode(make_rows(max_tool_calls_per_turn=9), [turn])[0]
    assert [result["ok"] for result in info["tool_results"]] == [True, True, False]
    assert (info["tool_call_count"], info["tool_error_count"]) == (2, 1)
    assert info["image_tools_aux_reward"] == pytest.approx(0.02 - 0.01)


def a_thousand_episodes_pile_nothing_up():
    env = make_rows(dataset_row("tiny.png"))
    sizes = set()
    for number in range(1_000):
        episode(env, [rotate(1), rotate(2), rotate(3), WRONG], seed=None)
        if number % 250 == 249:
            sizes.add(len(pickle.dumps(env.unwrapped._episode)))
    assert len(sizes) == 1
    assert PIXELS.nbytes <= PIXELS.max_bytes


def the_gold_is_nowhere_before_the_end():
    gold = "zugzwang-991"
    env = make_rows(dataset_row(answer=gold), render_mode="ansi")
    shown = [*env.reset(seed=0), env.get_wrapper_attr("prompt"), env.render()]
    shown += [*env.step(rotate(1)), env.render()]
    assert gold not in repr(shown)
    assert gold in repr(env.step(WRONG))


def the_step_limit_truncates_once():
    with pytest.warns(UserWarning, match="max_steps=3"):
        env = make(DATASET, max_steps=3)
    flags = [step[2:4] for step in episode(env, [rotate(1), rotate(2), rotate(3)])]
    assert flags == [(False, False), (False, False), (False, True)]


TESTS = {
    "GY01": text_observations_in_shared_memory,
    "GY04": final_observation_is_not_the_reset_one,
    "GY05": grades_are_read_in_both_autoreset_modes,
    "GY06": no_info_of_a_vector_is_filled_in,
    "GY07": a_seed_repeats_and_the_generator_goes_on,
    "RL01": eight_new_angles_pay_no_more_than_the_cap,
    "RL02": a_duplicate_costs_the_same_wherever_it_stands,
    "RL03": five_calls_with_a_budget_of_four_leave_an_answer,
    "RL05": a_missing_picture_is_told_before_the_episode,
    "RL07": one_bad_call_keeps_the_good_ones,
    "RL09": a_thousand_episodes_pile_nothing_up,
    "RL11": the_gold_is_nowhere_before_the_end,
    "RL12": the_step_limit_truncates_once,
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_reported_fault(row):
    TESTS[row["id"]]()


def test_every_test_has_its_report():
    assert {row["id"] for row in ROWS} == set(TESTS)
