"""A running episode copies and pickles: small, free of pixels, and it goes on exactly."""

import copy
import pickle

import pytest

from gym_imagetools.images.cache import PIXELS
from tests.envs.play import (
    GOLDEN_IMAGES,
    WRONG,
    call,
    crop,
    dataset_row,
    flip,
    frozen,
    go_on,
    make,
    make_rows,
    rotate,
    zoom,
)

BEFORE = (crop(0, 0, 900, 900), rotate(30, img_idx=1), zoom(100, 100, 400, 500, img_idx=2))
AFTER = (
    call("image_overlay_tool", img_idx_a=3, img_idx_b=0),
    flip("vertical", img_idx=4),
    rotate(30, img_idx=1),
    WRONG,
)
EPISODE_BYTES, STACK_BYTES = 4_000, 16_000
"""A puzzle's episode with the recipes of three derived pictures; and with all of its stack."""


def pickled(env):
    return pickle.loads(pickle.dumps(env))


def pickled_to_an_empty_cache(env):
    data = pickle.dumps(env)
    PIXELS.clear()
    return pickle.loads(data)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, pickled, pickled_to_an_empty_cache])
def test_a_copy_of_a_running_episode_goes_on_exactly_as_the_original(tool_id, duplicate):
    env = make(tool_id)
    env.reset(seed=5)
    go_on(env, BEFORE)
    twin = duplicate(env)
    mine, its = go_on(env, AFTER), go_on(twin, AFTER)
    assert len(mine) == len(AFTER)
    assert frozen(its) == frozen(mine)
    assert frozen(twin.reset()) == frozen(env.reset())


def test_a_copy_leaves_the_original_alone():
    env = make_rows(dataset_row(), dataset_row("shapes.png"))
    env.reset(seed=5)
    twin = copy.deepcopy(env)
    go_on(twin, BEFORE)
    assert go_on(env, [rotate(9)])[0][4]["turn"] == 1


def test_copies_between_episodes_draw_the_same_tasks(env_id):
    env = make(env_id)
    env.reset(seed=5)
    twin = pickled(env)
    assert [env.reset()[1]["task_id"] for _ in range(3)] == [
        twin.reset()[1]["task_id"] for _ in range(3)
    ]


def test_a_fresh_environment_copies_before_its_first_reset(env_id):
    env = make(env_id)
    assert frozen(copy.deepcopy(env).reset(seed=2)) == frozen(env.reset(seed=2))


def test_a_running_puzzle_pickles_to_a_few_kilobytes(puzzle_id):
    env = make(puzzle_id)
    env.reset(seed=5)
    go_on(env, BEFORE)
    assert state_bytes(env) < EPISODE_BYTES
    assert len(pickle.dumps(env)) < STACK_BYTES


ENDLESS = {
    "terminate_on_invalid_tool_call": False,
    "force_final_after_duplicate": False,
    "max_tool_calls": 99,
}


def state_bytes(env):
    return len(pickle.dumps(env.unwrapped._episode))


@pytest.mark.parametrize("names", [("photo.png",), ("photo.png", "shapes.png", "text.png")])
@pytest.mark.parametrize("long", ["", "x" * 1_000_000])
def test_an_episode_of_a_row_holds_its_encoded_pictures_and_little_a_turn(names, long):
    """The store grows by recipes, not by pixels, and long texts are kept in part."""
    encoded = sum((GOLDEN_IMAGES / name).stat().st_size for name in names)
    env = make_rows(dataset_row(*names), **ENDLESS)
    env.reset(seed=5)
    turns = 0
    for index in range(8):
        for action in (
            {**zoom(index, index, 900 - index * 90, 800, label=long or "a"), "call_id": long},
            {"content": long, "tool_calls": [rotate(index + 1, img_idx=index, note=long)]},
            call("no_such_tool" + long, argument=long),
            long + "<tool_call>{",
        ):
            turns += 1
            env.step(action)
            assert state_bytes(env) <= 1.2 * encoded + 4_000 * turns


def test_a_new_episode_forgets_the_pictures_of_the_last():
    env = make_rows()
    env.reset(seed=5)
    before = state_bytes(env)
    for _ in range(20):
        go_on(env, [*BEFORE, WRONG])
        env.reset()
    assert state_bytes(env) == before


@pytest.mark.parametrize("env_id", ["ImageTools/Pivot-v0", "ImageTools/Weather-v0"])
def test_a_scored_turn_of_a_megabyte_is_kept_in_part(env_id):
    env = make(env_id)
    env.reset(seed=5)
    before = len(pickle.dumps(env))
    env.step("x" * 1_000_000)
    assert len(pickle.dumps(env)) < before + 4_000
