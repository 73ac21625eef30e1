"""The transcript: every call with its result, what was refused and told, and how it ended."""

import pytest

from gym_imagetools.prompts import replies
from tests.envs.play import (
    PIVOT,
    RIGHT,
    WEATHER,
    call,
    crop,
    dataset_row,
    hermes,
    make,
    make_rows,
    rotate,
    zoom,
)


def transcript(*actions, question="Which thing?", **keywords):
    env = make_rows(dataset_row(question=question), render_mode="ansi", **keywords)
    env.reset(seed=1)
    for action in actions:
        env.step(action)
    return env.render().splitlines()


def test_a_fresh_episode_shows_its_task():
    assert transcript() == ["rows#0   pictures: 160x120", "Q: Which thing?", "... running"]


def test_each_call_is_shown_with_the_picture_it_made():
    lines = transcript(
        hermes(crop(100, 100, 600, 600, label="left"), prose="Let me look."),
        zoom(0, 0, 500, 250.5, factor=2.5, img_idx=1),
        call("find_color_tool", color=[255, 0, 0], min_size=7),
        call("image_diff_tool", img_idx_a=0, img_idx_b=2),
        call("image_side_by_side_tool", img_indices=[0, 1], labels=["a", "b"]),
        RIGHT,
    )
    assert lines[2:] == [
        "  1. said: Let me look.",
        "  1. crop #0 [100,100,600,600] -> #1 80x60",
        "  2. zoom #1 [0,0,500,250.5] factor 2.5 -> #2 832x352",
        "  3. find color #0 [255,0,0] min size 7 -> #3 160x120",
        "  4. diff #0 #2 -> #4 160x120",
        "  5. side by side #0 #1 -> #5 328x120",
        r"  6. answer: \boxed{umbrella}",
        "answered: score 1, expected 'umbrella'",
    ]


@pytest.mark.parametrize(
    ("calls", "note"),
    [
        ([rotate(5), rotate(5)], "repeats an earlier call"),
        ([crop(0, 0, 500, 500), crop(0, 0, 500, 510)], "seen before"),
    ],
)
def test_a_repeat_says_so(calls, note):
    assert transcript(*calls)[-2].endswith(f"({note})")


def test_what_was_told_is_shown():
    lines = transcript(rotate(5), rotate(6), max_tool_calls=1)
    assert lines[3] == f"  1. told: {replies.BUDGET_SPENT}"
    assert lines[4] == f"  2. told: {replies.FINAL_TURN}"


def test_what_was_refused_says_why():
    lines = transcript(hermes(rotate(5), call("none")), max_tool_calls_per_turn=2)
    assert lines[2].startswith("  1. rotate #0 5 -> #1 ")
    assert lines[3].startswith("  1. refused: Expected the name of a tool")
    assert lines[-1] == "ended by an invalid call: score 0, expected 'umbrella'"


def test_a_cut_reply_is_told():
    lines = transcript({"content": "I th", "status": "incomplete"})
    assert lines[2:4] == ["  1. said: I th", f"  1. refused: {replies.CUT_OFF}"]
    assert lines[-1].startswith("reply cut off")


def test_further_lines_stand_below_the_first():
    lines = transcript("First.\nSecond.", question="One?\n\nTwo?")
    assert lines[1:6] == ["Q: One?", "", "   Two?", "  1. answer: First.", "     Second."]


def test_a_long_text_is_shown_in_part_with_its_end():
    lines = transcript("so " * 100_000 + RIGHT)
    assert len(lines[2]) < 1_100
    assert " … " in lines[2]
    assert lines[2].endswith(RIGHT)


@pytest.mark.parametrize("env_id", [PIVOT, WEATHER])
def test_one_step_ids_show_question_turn_and_pay(env_id):
    env = make(env_id, render_mode="ansi")
    observation, info = env.reset(seed=1)
    before = env.render()
    assert info["task_id"] in before
    assert observation["text"].splitlines()[-1] in before
    _, reward, *_ = env.step("nothing to call")
    assert "turn: nothing to call" in env.render()
    assert f"reward {reward:g}" in env.render()


def test_without_a_render_mode_nothing_is_drawn():
    for made in (make(WEATHER), make(PIVOT), make_rows()):
        made.reset(seed=1)
        assert made.unwrapped.render() is None
