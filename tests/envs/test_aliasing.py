"""What an environment hands out belongs to the caller: to change it changes nothing else."""

import copy

import numpy as np
import pytest

from tests.envs.play import (
    PIVOT,
    SCRIPT,
    call,
    dataset_row,
    flip,
    frozen,
    make,
    make_rows,
    rotate,
    run,
    zoom,
)


def spoil(value):
    """Change everything that can be changed."""
    match value:
        case np.ndarray():
            assert value.flags.writeable
            value[...] = 77
        case dict():
            for item in value.values():
                spoil(item)
            value.clear()
            value["spoilt"] = 1
        case list():
            for item in value:
                spoil(item)
            value.clear()
        case tuple():
            for item in value:
                spoil(item)


def run_spoiling(env, actions, seed=7):
    """Play like :func:`run`, noting each step before it is spoilt."""
    noted = []
    step = env.reset(seed=seed)
    for action in actions:
        noted.append(frozen(step))
        ended = len(step) == 5 and (step[2] or step[3])
        spoil(step)
        if ended:
            step = env.reset()
            noted.append(frozen(step))
            spoil(step)
        step = env.step(copy.deepcopy(action))
    return [*noted, frozen(step)]


def test_spoilt_observations_and_infos_change_no_later_step(env_id):
    spoilt = run_spoiling(make(env_id), SCRIPT[:6])
    assert spoilt == [frozen(step) for step in run(make(env_id), SCRIPT[:6])]


@pytest.mark.parametrize("preview_max_side", [None, 32])
def test_a_spoilt_picture_is_not_what_the_tools_see(preview_max_side):
    env = make_rows(preview_max_side=preview_max_side)
    actions = [rotate(0), call("color_at_tool", point_2d=[500, 500]), flip("vertical", img_idx=1)]
    assert run_spoiling(env, actions) == [frozen(step) for step in run(env, actions)]


def test_a_spoilt_action_is_not_what_the_episode_remembers():
    env = make_rows(force_final_after_duplicate=False)
    env.reset(seed=1)
    action = zoom(100, 100, 400, 400)
    *_, info = env.step(action)
    spoil(action)
    assert info["tool_results"][0]["arguments"] == {"bbox_2d": [100, 100, 400, 400]}
    *_, info = env.step(zoom(100, 100, 400, 400))
    assert info["tool_results"][0]["duplicate"] == "exact"


@pytest.mark.parametrize("name", ["prompt", "image_urls", "function_tools", "reward_weights"])
def test_spoilt_attributes_come_back_whole(env_id, name):
    env = make(env_id)
    env.reset(seed=3)
    if name == "function_tools" and env_id == PIVOT:
        assert not env.has_wrapper_attr(name)
        return
    before = frozen(env.get_wrapper_attr(name))
    spoil(env.get_wrapper_attr(name))
    assert frozen(env.get_wrapper_attr(name)) == before
    env.reset(seed=3)
    assert frozen(env.get_wrapper_attr(name)) == before
    assert make(env_id).action_space == env.action_space


def test_spoilt_prompts_of_rows_do_not_reach_the_next_episode_of_the_row():
    rows = [dataset_row("tiny.png", metadata={"a": 1})]
    env = make_rows(*rows)
    env.reset(seed=3)
    before = frozen(env.get_wrapper_attr("prompt"))
    spoil(env.get_wrapper_attr("prompt"))
    env.reset(options={"task": 0})
    assert frozen(env.get_wrapper_attr("prompt")) == before


def test_consecutive_steps_share_no_object():
    env = make_rows(force_final_after_duplicate=False)
    env.reset(seed=1)
    steps = [env.step(rotate(10)) for _ in range(3)]
    for key in ("tool_results", "reward_components", "reward_scores"):
        assert len({id(step[4][key]) for step in steps}) == 3
    assert len({id(step[0]) for step in steps}) == len({id(step[4]) for step in steps}) == 3
    arrays = [step[0]["images"][0] for step in steps]
    assert not np.shares_memory(arrays[0], arrays[1])
