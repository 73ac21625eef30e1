"""What a model writes never raises, and never breaks a promise of info, spaces or pay."""

import json
import math
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gym_imagetools.parsing import is_action
from gym_imagetools.tools import TOOLS
from gym_imagetools.types import Turn
from tests.envs.play import IDS, PIVOT_ROWS, dataset_row, make, make_rows

NUM_ASSEMBLED, NUM_SEARCHED, BATCH = 4_500, 500, 25
ROWS = [dataset_row("tiny.png"), dataset_row("checker.png", "tiny.png")]

PIECES = (
    "<tool_call>", "</tool_call>", "<think>", "</think>", "<function=image_zoom_in_tool>",
    "<function=image_rotate_tool>", "</function>", "<parameter=bbox_2d>", "<parameter=degrees>",
    "<parameter=img_idx>", "</parameter>", "[1, 2, 3, 4]", "[0,0,1000,1000]", "90", "-0", "0",
    '{"name": "image_flip_tool", "arguments": {"axis": "vertical"}}', '{"name":', "}", "{", "[",
    '"arguments": ', "null", "NaN", "1e999", "9" * 400, "\\boxed{", "umbrella", "\ud800", "\x00",
    "é", "\n", "```json", "<tool_response>", "<image>", "&lt;tool_call&gt;", "True", " ",
)  # fmt: skip

texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=14).map("".join)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(0, 3),
    st.floats(),
    st.text(max_size=6),
    st.sampled_from(["0", "1.5", "[1,2,3,4]", "vertical", "NaN", 10**400, b"x", {1, 2}, 1 + 2j]),
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
boxes = st.lists(st.integers(-50, 1100), min_size=4, max_size=4)
argument_values = values | boxes | st.integers(0, 3)
names = st.sampled_from([*TOOLS, "no_such_tool", "", "image_zoom_in_tool "]) | st.text(max_size=5)
ARGUMENT_NAMES = (
    "bbox_2d", "img_idx", "degrees", "axis", "label", "factor", "img_idx_a", "img_idx_b",
     "img_indices", "labels", "alpha", "color", "tolerance", "min_size", "point_2d", "other",
)  # fmt: skip
argument_names = st.sampled_from(ARGUMENT_NAMES)
arguments = st.dictionaries(argument_names, argument_values, max_size=5)
calls = st.fixed_dictionaries({"name": names, "arguments": arguments | values})
KEYS = (
    "name", "arguments", "type", "content", "role", "tool_calls", "output", "choices", "message",
     "call_id", "id", "status", "function", "text", "parsed", "finish_reason",
)  # fmt: skip
keys = st.sampled_from(KEYS)
kinds = st.sampled_from(["function_call", "message", "assistant", "incomplete", "reasoning", ""])
odd_dicts = st.dictionaries(keys, values | kinds | st.lists(calls, max_size=3), max_size=6)
turns = st.one_of(
    texts,
    calls,
    calls.map(lambda item: f"<tool_call>{json.dumps(item, default=str)}</tool_call>"),
    odd_dicts,
    st.lists(calls | odd_dicts | values, max_size=3),
    st.dictionaries(st.integers() | st.text(max_size=3), values, max_size=3),
)

MEGABYTE = 1_000_000
MONSTERS = [
    "",
    "x" * MEGABYTE,
    "<tool_call>" * (MEGABYTE // 11),
    "<think>" * (MEGABYTE // 7),
    "<tool_call>" + "[" * MEGABYTE,
    '<tool_call>{"name": "image_rotate_tool", "arguments": {"degrees": ' + "[" * 100_000,
    '<tool_call>{"name": "a", "arguments": {"x": ' + '{"y": ' * 60 + "1" + "}" * 62,
    '<tool_call>{"name": "image_rotate_tool", "arguments": {"degrees": '
    + "9" * 5_000 + "}}</tool_call>",
    "<tool_call><function=image_rotate_tool><parameter=degrees>" + "9" * 5_000
    + "</parameter></function></tool_call>",
    "\\boxed{" * 100_000,
    "\\boxed{" + "9" * 5_000 + "}",
    "\\boxed{\ud800}",
    {"name": "\ud800", "arguments": {"\udfff": "\ud800"}},
    {"name": "image_flip_tool", "arguments": {"axis": "vertical", "label": "\ud800" * 999}},
    {"name": "image_flip_tool", "arguments": '{"axis": "vertical", "label": "\\ud800"}'},
    {"name": "image_rotate_tool", "arguments": {"degrees": 10**5_000}},
    {"name": "image_rotate_tool", "arguments": {"degrees": "9" * 5_000}},
    {"name": "image_rotate_tool", "arguments": {"degrees": 1e308}},
    {"name": "image_rotate_tool", "arguments": {"degrees": float("nan")}},
    {"name": "image_zoom_in_tool", "arguments": {"bbox_2d": [1, 2, 999, 998], "factor": 1e300}},
    {"name": "image_side_by_side_tool", "arguments": {"img_indices": [0] * 6, "labels": ["\x00"]}},
    {"name": "x" * MEGABYTE, "arguments": {"y" * MEGABYTE: "z" * MEGABYTE}},
    {"name": None, "arguments": [[]]},
    {1: 2, None: 3},
    [],
    [[[]]],
    [None, 3, "text", {}],
    [{"type": "message", "content": [{"text": 3}]}],
    {"choices": []},
    {"choices": [None]},
    {"output": [None], "status": "incomplete"},
    {"role": "user", "content": "me"},
    Turn("", "", incomplete=True),
]  # fmt: skip


class Watch:
    """Steps an environment and holds every step to the promises."""

    def __init__(self, env):
        self.env = env
        self.done = True

    def play(self, action):
        if self.done:
            _, info = self.env.reset()
            self.types = types_of(info)
            self.paid = 0.0
            check_info(info)
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.done = terminated or truncated
        self.paid += reward
        assert self.env.observation_space.contains(observation)
        assert type(reward) is float
        assert type(terminated) is type(truncated) is bool
        assert not (terminated and truncated)
        assert types_of(info) == self.types
        check_info(info)
        assert bool(info["ending"]) == self.done
        self.check_pay(info)
        return observation, info

    def check_pay(self, info):
        components, scores = info["reward_components"], info["reward_scores"]
        assert math.isclose(sum(components.values()), self.paid, abs_tol=1e-9)
        if "tool_use" in components:
            uncapped = info["base_reward"] + info["image_tools_aux_reward"]
            assert math.isclose(sum(scores.values()), uncapped, abs_tol=1e-9)
            assert math.isclose(self.paid, min(1.0, uncapped), abs_tol=1e-9)


def types_of(info):
    """Keys in their order with their types, down to the components."""
    return {
        key: {name: type(part) for name, part in value.items()}
        if isinstance(value, dict)
        else type(value)
        for key, value in info.items()
    }


ENTRY = {
    "call_id": str,
    "name": str,
    "arguments": dict,
    "ok": bool,
    "duplicate": str,
    "output": str,
}


def check_info(info):
    json.dumps(info, allow_nan=False)
    assert all(value is not None for value in info.values())
    for entry in info["tool_results"]:
        assert {key: type(value) for key, value in entry.items()} == ENTRY
        assert isinstance(json.loads(entry["output"]), dict)


@pytest.fixture(scope="module")
def watches():
    lenient = {"terminate_on_invalid_tool_call": False, "max_tool_calls_per_turn": 3}
    envs = [
        make_rows(*ROWS),
        make_rows(*ROWS, **lenient, force_final_after_duplicate=False, max_tool_calls=4),
        make_rows(*ROWS, **lenient, reward_policy="strict", preview_max_side=64),
        make("ImageTools/Pivot-v0", data=PIVOT_ROWS),
        make("ImageTools/Pivot-v0", scoring="execution"),
        make("ImageTools/Weather-v0"),
    ]
    return [Watch(env) for env in envs]


def assembled(rng):
    """A turn put together at random, much faster than a search finds one."""
    pick = rng.choice
    text = "".join(pick(PIECES) for _ in range(rng.randrange(14)))
    value = pick([text, None, True, rng.random(), -1, 10**400, [text], [[]], {}, {"a": [text]}])
    box = [rng.randint(-50, 1100) for _ in range(4)]
    axis = pick(["vertical", "horizontal", value])
    given = {"bbox_2d": box, "degrees": rng.randint(-400, 400), "axis": axis, "img_idx": 0}
    given |= {pick(ARGUMENT_NAMES): value for _ in range(rng.randrange(2))}
    made = {"name": pick([*TOOLS, "no_such_tool", text]), "arguments": pick([given, given, value])}
    forms = [
        text,
        made,
        f"<tool_call>{json.dumps(made, default=str)}</tool_call>",
        [made] * rng.randrange(4),
        {"content": value, "tool_calls": [made, value]},
        {pick(KEYS): value, pick(KEYS): made},
    ]
    return pick(forms)


def test_thousands_of_junk_turns_break_nothing(watches):
    rng = Random(11)
    endings = set()
    for index in range(NUM_ASSEMBLED):
        watch = watches[index % len(watches)]
        turn = assembled(rng)
        assert watch.env.action_space.contains(turn)
        _, info = watch.play(turn)
        endings.add(info["ending"])
    assert endings == {"", "answered", "invalid_call", "step_limit"}


@settings(
    max_examples=NUM_SEARCHED // BATCH,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(batch=st.lists(turns, min_size=BATCH, max_size=BATCH))
def test_searched_junk_turns_break_nothing(watches, batch):
    for index, turn in enumerate(batch):
        watch = watches[index % len(watches)]
        assert watch.env.action_space.contains(turn)
        watch.play(turn)


@pytest.mark.parametrize("index", range(len(MONSTERS)))
def test_monsters_break_nothing(watches, index):
    for watch in watches:
        watch.play(MONSTERS[index])
        watch.play(MONSTERS[index])


@pytest.mark.parametrize("env_id", IDS)
def test_sampled_turns_break_nothing(env_id):
    env = make(env_id)
    env.action_space.seed(3)
    watch = Watch(env)
    for _ in range(15):
        action = env.action_space.sample()
        assert action in env.action_space
        watch.play(action)


@pytest.mark.parametrize("thing", [None, 3, 2.5, b"bytes", {1, 2}, object()])
def test_what_is_no_turn_at_all_is_a_fault_of_the_program(thing):
    env = make_rows()
    env.reset(seed=0)
    assert not is_action(thing)
    assert not env.action_space.contains(thing)
    with pytest.raises(TypeError, match="Expected a turn as text"):
        env.unwrapped.step(thing)


def test_a_reply_to_junk_is_short():
    watch = Watch(make_rows(terminate_on_invalid_tool_call=False))
    for monster in MONSTERS:
        observation, info = watch.play(monster)
        assert len(observation["text"]) < 4_000
        assert len(info["notice"]) < 2_000
