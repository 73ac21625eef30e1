"""The strict policy cannot be gamed: what a search over tool use finds never pays above its cap."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gym_imagetools.advantages import gate, gdpo
from gym_imagetools.tools import TOOLS
from tests.envs.play import (
    RIGHT,
    WRONG,
    call,
    crop,
    dataset_row,
    episode,
    flip,
    hermes,
    make_rows,
    paid,
    rotate,
    zoom,
)

ROWS = (dataset_row("grey.png"), dataset_row("tiny.png", "grey.png"))
KEYWORDS = [
    {},
    {"tool_success_reward": 0.5, "tool_success_reward_cap": 0.2},
    {"tool_success_reward": 0.07, "tool_success_reward_cap": 0.0},
    {"duplicate_tool_call_penalty": 0.0, "invalid_tool_call_penalty": 0.0},
    {
        "force_final_after_duplicate": False,
        "terminate_on_invalid_tool_call": False,
        "max_tool_calls_per_turn": 4,
        "max_tool_calls": 12,
    },
    {"duplicate_iou_threshold": 2.0, "force_final_after_duplicate": False},
    {"tool_success_reward_cap": 3.0, "tool_success_reward": 1.0},
]
NUM_SEEDS = 8


@pytest.fixture(scope="module", params=range(len(KEYWORDS)))
def keywords(request):
    return KEYWORDS[request.param]


@pytest.fixture(scope="module")
def env(keywords):
    return make_rows(*ROWS, reward_policy="strict", preview_max_side=32, **keywords)


def spam(env, rng):
    """A random turn: sampled calls, several at once, broken ones, or one that was made before."""
    made = [env.action_space.sample(mask=[1] * len(TOOLS) + [0]) for _ in range(rng.integers(1, 4))]
    if rng.random() < 0.1:
        return "<tool_call>{"
    if rng.random() < 0.1:
        return call("no_such_tool")
    return hermes(*made, prose=rng.choice([RIGHT, ""]))


def greedy(rng):
    """Calls that each look new: other angles, boxes that slide, flips of what was made."""
    for step in itertools.count():
        x = int(rng.integers(0, 700))
        yield [
            rotate(step + 1),
            zoom(x, 0, x + 300, 300 + step),
            crop(0, x, 300, x + 300, img_idx=step),
            flip("vertical", img_idx=step),
        ][step % 4]


def check(steps, cap):
    total = 0.0
    for step in steps:
        total += step[1]
        info = step[4]
        bound = 1.0 if info["base_reward"] == 1.0 else min(cap, 1.0)
        assert total <= bound + 1e-9
        assert info["image_tools_aux_reward"] <= cap + 1e-9
        assert sum(info["reward_components"].values()) == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("answer", [RIGHT, WRONG, None])
@pytest.mark.parametrize("style", ["random", "greedy"])
def test_no_tool_use_pays_above_the_cap_nor_a_right_answer_above_one(env, keywords, style, answer):
    cap = keywords.get("tool_success_reward_cap", 0.05)
    for seed in range(NUM_SEEDS):
        rng = np.random.default_rng(seed)
        env.action_space.seed(seed)
        turns = greedy(rng) if style == "greedy" else (spam(env, rng) for _ in itertools.count())
        ends = [answer] if answer else itertools.islice(turns, 40)
        steps = episode(env, [*itertools.islice(turns, int(rng.integers(1, 9))), *ends], seed=seed)
        check(steps, cap)


def test_only_an_answer_is_graded():
    env = make_rows(reward_policy="strict", max_tool_calls=2)
    for turns in (
        ["<tool_call>{ " + RIGHT],
        [hermes(call("no_such_tool"), prose=RIGHT)],
        [rotate(1), rotate(2), rotate(3), hermes(rotate(4), prose=RIGHT)],
    ):
        steps = episode(env, turns)
        assert steps[-1][4]["ending"] == "invalid_call"
        assert steps[-1][4]["base_reward"] == 0.0


@settings(max_examples=25, deadline=None)
@given(order=st.permutations([0, 0, 1, 2, 3, 4, "bad", "bad"]))
def test_the_order_of_calls_does_not_matter(order):
    env = make_rows(
        dataset_row("grey.png"),
        reward_policy="strict",
        tool_success_reward=0.02,
        force_final_after_duplicate=False,
        terminate_on_invalid_tool_call=False,
    )
    turns = [call("nothing") if item == "bad" else rotate(10 * item + 5) for item in order]
    steps = episode(env, [*turns, WRONG])
    assert paid(steps) == pytest.approx(0.05 - 0.02 - 2 * 0.01)


def duplicates(policy, *calls, **keywords):
    env = make_rows(
        dataset_row("photo.png", "shapes.png"),
        reward_policy=policy,
        force_final_after_duplicate=False,
        **keywords,
    )
    steps = episode(env, calls)
    assert len(steps) == len(calls)
    return [step[4]["tool_results"][0]["duplicate"] for step in steps]


# pairs of (calls, what the strict policy says of the last one)
SAME_DEED = {
    "whole crop": ([crop(0, 0, 1000, 1000)], "exact"),
    "rotation by 360": ([rotate(360)], "exact"),
    "rotation by 0": ([rotate(0)], "exact"),
    "rotation by 450 after 90": ([rotate(90), rotate(450)], "exact"),
    "rotation by -270 after 90": ([rotate(90), rotate(-270)], "exact"),
    "rotation back": ([rotate(90), rotate(-90, img_idx=2)], "exact"),
    "two halves of a turn": ([rotate(180), rotate(180, img_idx=2)], "exact"),
    "flip of a flip": ([flip("vertical"), flip("vertical", img_idx=2)], "exact"),
    "both flips after a half turn": (
        [rotate(180), flip("vertical"), flip("horizontal", img_idx=3)],
        "exact",
    ),
    "another label": ([rotate(7), rotate(7, label="again")], "exact"),
    "an unknown key": ([rotate(7), rotate(7, note="again")], "exact"),
    "a default spelt out": ([rotate(7), rotate(7, img_idx=0)], "exact"),
    "a number as text": ([rotate(7), rotate("7")], "exact"),
    "crop after zoom": ([zoom(100, 100, 500, 500), crop(100, 100, 500, 500)], "near"),
    "zoom by another factor": (
        [zoom(100, 100, 500, 500), zoom(100, 100, 500, 500, factor=0.5)],
        "near",
    ),
    "corners swapped": ([crop(100, 100, 500, 500), crop(500, 500, 100, 100)], "exact"),
    "through a derived picture": (
        [crop(0, 0, 500, 500), crop(0, 0, 250, 250), zoom(0, 0, 500, 500, img_idx=2)],
        "near",
    ),
    "through a flipped picture": (
        [flip("horizontal"), crop(0, 0, 400, 1000), zoom(600, 0, 1000, 1000, img_idx=2)],
        "near",
    ),
    "through a turned picture": (
        [rotate(90), crop(500, 0, 1000, 1000), zoom(0, 0, 1000, 500, img_idx=2)],
        "near",
    ),
}


@pytest.mark.parametrize(("calls", "kind"), SAME_DEED.values(), ids=SAME_DEED)
def test_strict_judges_by_what_a_call_does(calls, kind):
    found = duplicates("strict", *calls)
    assert found[-1] == kind
    assert not any(found[:-1])


@pytest.mark.parametrize(
    "name",
    [name for name in SAME_DEED if name not in ("corners swapped", "zoom by another factor")],
)
def test_the_reference_judges_by_what_is_written(name):
    assert not any(duplicates("reference", *SAME_DEED[name][0]))


NEW_DEED = {
    "another picture": [crop(0, 0, 400, 400), crop(0, 0, 400, 400, img_idx=1)],
    "another part": [crop(0, 0, 400, 400), crop(500, 500, 900, 900)],
    "another part of a part": [
        crop(0, 0, 500, 500),
        crop(500, 500, 1000, 1000, img_idx=2),
        crop(0, 0, 400, 400, img_idx=2),
    ],
    "another angle": [rotate(10), rotate(11)],
    "another axis": [flip("vertical"), flip("horizontal")],
    "two ways to measure": [
        call("count_objects_tool", color=[255, 0, 0]),
        call("find_color_tool", color=[255, 0, 0]),
    ],
    "parts that look alike": [crop(0, 0, 40, 40, img_idx=1), crop(960, 0, 1000, 40, img_idx=1)],
    "a flip that changes nothing": [
        crop(0, 0, 40, 40, img_idx=1),
        flip("horizontal", img_idx=2),
    ],
    "a colour elsewhere": [
        call("color_at_tool", point_2d=[100, 100]),
        call("color_at_tool", point_2d=[120, 100]),
    ],
    "nothing found twice": [
        call("count_objects_tool", color=[1, 2, 3], tolerance=0),
        call("count_objects_tool", color=[3, 2, 1], tolerance=0),
    ],
}


@pytest.mark.parametrize("calls", NEW_DEED.values(), ids=NEW_DEED)
def test_strict_does_not_take_new_looks_for_repeats(calls):
    assert not any(duplicates("strict", *calls))


@pytest.mark.parametrize("policy", ["reference", "strict"])
def test_a_threshold_above_one_never_finds_a_near_repeat(policy):
    calls = [crop(0, 0, 500, 500), crop(0, 0, 500, 501)]
    assert duplicates(policy, *calls) == ["", "near"]
    assert duplicates(policy, *calls, duplicate_iou_threshold=1.5) == ["", ""]


def play_scores(env, rng, answer):
    turns = [*(spam(env, rng) for _ in range(rng.integers(0, 6))), answer]
    steps = episode(env, turns, options={"task": 0})
    info = steps[-1][4]
    return info["base_reward"], info["reward_scores"]


@pytest.mark.parametrize("policy", ["reference", "strict"])
def test_no_wrong_answer_of_a_mixed_group_gets_a_positive_advantage(policy):
    """GDPO on what the environment says: tool use never lifts a wrong answer above the mean."""
    env = make_rows(
        *ROWS,
        reward_policy=policy,
        preview_max_side=32,
        force_final_after_duplicate=False,
        max_tool_calls_per_turn=3,
    )
    rng = np.random.default_rng(5)
    env.action_space.seed(5)
    pool = {answer: [play_scores(env, rng, answer) for _ in range(25)] for answer in (RIGHT, WRONG)}
    right = [scores for base, scores in pool[RIGHT] if base == 1.0]
    wrong = [scores for base, scores in pool[RIGHT] + pool[WRONG] if base == 0.0]
    assert len(right) > 3
    assert len(wrong) > 20
    weights = env.get_wrapper_attr("reward_weights")
    for _ in range(400):
        size = int(rng.integers(2, 21))
        num_right = int(rng.integers(1, size))
        group = [right[i] for i in rng.integers(len(right), size=num_right)]
        group += [wrong[i] for i in rng.integers(len(wrong), size=size - num_right)]
        scores = {name: [member[name] for member in group] for name in weights}
        advantages = gdpo(scores, np.zeros(size, dtype=int), weights)
        assert (advantages[num_right:] <= 0).all(), scores


@pytest.mark.parametrize("size", [8, 20, 64, 512])
def test_one_tool_user_among_wrong_answers_is_not_lifted_up_to_groups_of_twenty(size):
    """The weight of tool use bounds the group; the gate holds for every size."""
    scores = {"answer": np.zeros(size), "tool_use": np.zeros(size)}
    scores["answer"][0], scores["tool_use"][1] = 1.0, 0.05
    weights = make_rows(*ROWS).get_wrapper_attr("reward_weights")
    groups = np.zeros(size, dtype=int)
    assert (gdpo(scores, groups, weights)[1] <= 0) == (size <= 20)
    gated = gate(scores, by="answer", threshold=1.0)
    assert (gdpo(gated, groups, weights)[1:] <= 0).all()


@pytest.mark.parametrize(
    "calls",
    [
        [call("color_at_tool", point_2d=[500, 500 + k / 100]) for k in range(2)],
        [call("find_color_tool", color=[200, 2, 3], tolerance=k) for k in range(2)],
        [call("count_objects_tool", color=[200, 2, 3], tolerance=k) for k in (4, 5)],
        [call("count_objects_tool"), call("count_objects_tool", min_size=31)],
    ],
)
def test_a_measurement_that_only_says_otherwise_what_was_asked_repeats(calls):
    for policy, kind in (("strict", "exact"), ("reference", "")):
        env = make_rows(ROWS[0], reward_policy=policy)
        steps = episode(env, calls)
        assert steps[1][4]["tool_results"][0]["duplicate"] == kind


def test_the_same_colour_at_two_places_is_two_measurements():
    env = make_rows(ROWS[0], reward_policy="strict")
    steps = episode(env, [call("color_at_tool", point_2d=[100, y]) for y in (100, 900)])
    assert [step[4]["tool_results"][0]["duplicate"] for step in steps] == ["", ""]


def test_a_search_for_another_colour_that_finds_nothing_either_is_new():
    env = make_rows(ROWS[0], reward_policy="strict")
    colors = ([1, 200, 3], [200, 3, 1])
    steps = episode(env, [call("find_color_tool", color=color, tolerance=0) for color in colors])
    assert [step[4]["tool_results"][0]["duplicate"] for step in steps] == ["", ""]
