"""What an episode pays under the published rules, and how the pay is told."""

import pytest

from gym_imagetools.images.cache import PIXELS
from gym_imagetools.prompts import replies
from gym_imagetools.wrappers import EpisodicReward, VectorReward
from tests.envs.play import (
    GOLDEN_IMAGES,
    RIGHT,
    WRONG,
    call,
    crop,
    dataset_row,
    episode,
    hermes,
    make,
    make_rows,
    paid,
    rotate,
    zoom,
)


@pytest.mark.parametrize("policy", ["reference", "strict"])
@pytest.mark.parametrize("bonus", [0.01, 0.02, 0.5])
@pytest.mark.parametrize("num_calls", [1, 3, 8])
def test_the_bonus_does_not_grow_above_its_cap(policy, bonus, num_calls):
    env = make_rows(tool_success_reward=bonus, reward_policy=policy)
    steps = episode(env, [*(rotate(10 * i + 1) for i in range(num_calls)), WRONG])
    assert paid(steps) == pytest.approx(min(num_calls * bonus, 0.05))


@pytest.mark.parametrize("place", [1, 2, 4])
def test_strict_pays_the_same_wherever_the_duplicate_stands(place):
    good = [rotate(10 * i + 10) for i in range(6)]
    actions = [*good[:place], good[0], *good[place:], WRONG]
    totals = {
        policy: paid(
            episode(make_rows(reward_policy=policy, force_final_after_duplicate=False), actions)
        )
        for policy in ("reference", "strict")
    }
    assert totals["strict"] == pytest.approx(0.05 - 0.02)
    # The running cap is kept on purpose: what is lost before it is reached is earned back.
    assert totals["reference"] == pytest.approx(0.04)


@pytest.mark.parametrize("max_tool_calls", [0, 1, 4, 20])
def test_the_default_number_of_turns_always_leaves_one_for_the_answer(max_tool_calls):
    env = make_rows(max_tool_calls=max_tool_calls)
    calls = [rotate(i + 1) for i in range(max_tool_calls + 1)]
    steps = episode(env, [*calls, RIGHT])
    assert len(steps) == max_tool_calls + 2
    assert steps[-1][4]["ending"] == "answered"
    assert paid(steps) == 1.0
    notices = [step[4]["notice"] for step in steps]
    if max_tool_calls:
        assert notices[max_tool_calls - 1] == replies.BUDGET_SPENT
    assert notices[max_tool_calls] == replies.FINAL_TURN
    assert steps[max_tool_calls][4]["final_turn"] is True


@pytest.mark.parametrize("extra", [0, 1])
def test_fewer_turns_warn_when_the_environment_is_made(extra):
    with pytest.warns(UserWarning, match="a forced final turn may get no answer"):
        env = make_rows(max_tool_calls=4, max_steps=4 + extra)
    steps = episode(env, [rotate(i + 1) for i in range(9)])
    assert len(steps) == 4 + extra


def test_one_bad_call_of_a_turn_leaves_the_good_ones():
    env = make_rows(max_tool_calls_per_turn=9, terminate_on_invalid_tool_call=False)
    turn = hermes(rotate(10), rotate(20), call("image_rotate_tool", degrees="x"), rotate(30))
    steps = episode(env, [turn, RIGHT])
    observation, reward, _, _, info = steps[0]
    assert [result["ok"] for result in info["tool_results"]] == [True, True, False, False]
    assert replies.NOT_RUN_AFTER_ERROR in info["tool_results"][3]["output"]
    assert (info["tool_call_count"], info["tool_error_count"]) == (2, 1)
    assert len(observation["images"]) == 2
    assert reward == pytest.approx(0.02 - 0.01)
    assert paid(steps) == 1.0


@pytest.mark.parametrize(
    ("actions", "flags"),
    [
        ([rotate(1), rotate(2), rotate(3)], (False, True)),
        ([rotate(1), rotate(2), RIGHT], (True, False)),
        ([rotate(1), rotate(2), "<tool_call>{"], (True, False)),
        ([rotate(1), {"content": "x", "status": "incomplete"}], (True, False)),
    ],
)
def test_an_episode_ends_once_and_says_how(actions, flags):
    with pytest.warns(UserWarning, match="max_steps=3"):
        env = make_rows(max_steps=3)
    steps = episode(env, actions)
    assert len(steps) == len(actions)
    assert all(step[2:4] == (False, False) for step in steps[:-1])
    assert steps[-1][2:4] == flags


def test_a_refused_last_turn_that_does_not_end_the_episode_is_truncated():
    with pytest.warns(UserWarning, match="max_steps=2"):
        env = make_rows(max_steps=2, terminate_on_invalid_tool_call=False)
    steps = episode(env, ["<tool_call>{", "<tool_call>{"])
    assert steps[-1][2:4] == (False, True)
    assert steps[-1][4]["ending"] == "step_limit"


@pytest.mark.parametrize(("policy", "base"), [("reference", 1.0), ("strict", 0.0)])
def test_only_the_reference_grades_a_last_turn_that_still_calls(policy, base):
    with pytest.warns(UserWarning, match="max_steps=1"):
        env = make_rows(max_steps=1, reward_policy=policy)
    steps = episode(env, [hermes(rotate(5), prose=RIGHT)])
    assert steps[-1][3]
    assert steps[-1][4]["base_reward"] == base
    assert paid(steps) == pytest.approx(min(1.0, base + 0.01))


def test_a_cut_reply_runs_nothing_and_is_graded_zero():
    reply = {"role": "assistant", "content": RIGHT, "status": "incomplete"}
    steps = episode(make_rows(), [rotate(4), reply])
    info = steps[-1][4]
    assert (info["ending"], info["base_reward"]) == ("incomplete", 0.0)
    assert info["tool_call_count"] == 1
    assert paid(steps) == pytest.approx(0.01)
    assert info["tool_error_count"] == 0


def test_what_the_cap_cuts_comes_off_tool_use():
    steps = episode(make_rows(), [rotate(4), rotate(5), RIGHT])
    info = steps[-1][4]
    assert info["reward_components"] == {"answer": 1.0, "tool_use": 0.0}
    assert info["reward_scores"] == {"answer": 1.0, "tool_use": pytest.approx(0.02)}
    assert info["image_tools_aux_reward"] == pytest.approx(0.02)


def test_every_objective_has_a_weight_on_every_id(env):
    _, info = env.reset(seed=1)
    weights = env.get_wrapper_attr("reward_weights")
    assert info["reward_components"].keys() == info["reward_scores"].keys() == weights.keys()


def test_episodic_and_vector_rewards_stand_on_top_of_a_made_stack():
    actions = [rotate(4), crop(0, 0, 500, 500), zoom(0, 0, 490, 500), WRONG]
    dense = episode(make_rows(), actions)
    episodic = episode(EpisodicReward(make_rows()), actions)
    vector = episode(VectorReward(make_rows()), actions)
    assert [step[1] for step in episodic[:-1]] == [0.0] * 3
    assert episodic[-1][1] == pytest.approx(paid(dense))
    assert sum(step[1] for step in vector).tolist() == pytest.approx([0.0, paid(dense)])


def test_a_data_fault_is_no_fault_of_the_model(tmp_path):
    """Infrastructure faults raise before the episode starts: nothing of it can be trained on."""
    picture = tmp_path / "a.png"
    picture.write_bytes((GOLDEN_IMAGES / "tiny.png").read_bytes())
    rows = [dataset_row("a.png"), dataset_row("a.png")]
    env = make("ImageTools/Dataset-v0", data=rows, data_root=str(tmp_path))
    env.reset(seed=0)
    env.step(rotate(3))
    picture.unlink()
    # The running episode goes on from the bytes that it has read.
    PIXELS.clear()
    assert env.step(rotate(4))[4]["tool_error_count"] == 0
    with pytest.raises(ValueError, match=r"rows.*1.*picture"):
        env.reset(options={"task": 1})
    with pytest.raises(ValueError, match=r"Expected a picture file inside data_root"):
        make("ImageTools/Dataset-v0", data=rows, data_root=str(tmp_path))
