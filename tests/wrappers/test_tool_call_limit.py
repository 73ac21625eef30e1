import pytest

from gym_imagetools.prompts import replies
from gym_imagetools.wrappers import ToolCallLimit
from tests.wrappers.fake_env import CALL, FakeEnv, Outcome


def limited(outcomes=(), *, calls=2, per_turn=1, force=True):
    env = ToolCallLimit(
        FakeEnv(list(outcomes)),
        max_tool_calls=calls,
        max_tool_calls_per_turn=per_turn,
        force_final_after_duplicate=force,
    )
    env.reset(seed=0)
    return env


def test_calls_within_the_limits_pass_unchanged():
    env = limited(calls=3)
    _, _, _, _, info = env.step(CALL)
    assert len(env.unwrapped.seen[-1].calls) == 1
    assert info["notice"] == ""
    assert info["final_turn"] is False


def test_the_reply_to_the_last_allowed_call_says_that_none_is_left():
    env = limited(calls=2)
    assert env.step(CALL)[4]["notice"] == ""
    observation, _, _, _, info = env.step(CALL)
    assert info["notice"] == replies.BUDGET_SPENT
    assert replies.BUDGET_SPENT in observation["text"]
    assert info["final_turn"] is False


def test_a_call_over_the_budget_runs_nothing_and_announces_the_final_turn():
    env = limited(calls=1)
    env.step(CALL)
    _, _, _, _, info = env.step(CALL)
    turn = env.unwrapped.seen[-1]
    assert turn.calls == ()
    assert not turn.error
    assert not turn.is_answer
    assert info["notice"] == replies.FINAL_TURN
    assert info["final_turn"] is True
    assert [result["ok"] for result in info["tool_results"]] == [False]
    assert replies.NOT_RUN_NO_CALLS_LEFT in info["tool_results"][0]["output"]


def test_a_call_after_the_announced_final_turn_is_an_error_and_stays_one():
    env = limited(calls=0)
    env.step(CALL)
    for _ in range(2):
        _, _, _, _, info = env.step(CALL)
        assert env.unwrapped.seen[-1].error == replies.CALL_AFTER_FINAL_TURN
        assert info["final_turn"] is True


def test_an_answer_passes_even_after_the_final_turn_was_announced():
    env = limited(calls=0)
    env.step(CALL)
    env.step(r"\boxed{B}")
    assert env.unwrapped.seen[-1].is_answer


@pytest.mark.parametrize(("per_turn", "calls", "run"), [(1, 9, 1), (2, 9, 2), (9, 2, 2), (9, 9, 3)])
def test_only_the_first_calls_of_a_turn_run(per_turn, calls, run):
    env = limited(calls=calls, per_turn=per_turn)
    _, _, _, _, info = env.step([dict(CALL, arguments={"axis": str(i)}) for i in range(3)])
    assert [call.arguments["axis"] for call in env.unwrapped.seen[-1].calls] == list("012")[:run]
    assert [result["ok"] for result in info["tool_results"]] == [True] * run + [False] * (3 - run)
    assert (replies.only_first(run) in info["notice"]) == (run < 3)
    ids = [result["call_id"] for result in info["tool_results"]]
    assert len(set(ids)) == 3


@pytest.mark.parametrize("force", [True, False])
def test_a_duplicate_announces_the_final_turn_when_asked(force):
    env = limited([Outcome(duplicates=("near",))], calls=9, force=force)
    observation, _, _, _, info = env.step(CALL)
    assert info["final_turn"] is force
    assert (replies.FINAL_TURN in info["notice"]) is force
    assert (replies.FINAL_TURN in observation["text"]) is force
    env.step(CALL)
    assert bool(env.unwrapped.seen[-1].error) is force


def test_reset_gives_all_calls_back():
    env = limited(calls=0)
    env.step(CALL)
    _, info = env.reset()
    assert info["final_turn"] is False
    env.step(CALL)
    assert not env.unwrapped.seen[-1].error
