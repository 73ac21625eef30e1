"""The packaged pivots: the demonstrated call is right in every way of scoring."""

import gymnasium as gym
import pytest

import gym_imagetools  # noqa: F401
from gym_imagetools.errors import DataError


@pytest.mark.parametrize("scoring", ["arguments", "execution"])
@pytest.mark.parametrize("reward_mode", ["binary", "continuous"])
def test_the_demonstration_scores_one_on_every_row(scoring, reward_mode):
    env = gym.make("ImageTools/Pivot-v0", scoring=scoring, reward_mode=reward_mode)
    for row in range(env.get_wrapper_attr("num_tasks")):
        env.reset(options={"task": row})
        shown = env.get_wrapper_attr("task").demonstration
        action = {"name": shown.name, "arguments": dict(shown.arguments)}
        if shown.is_answer:
            action = rf"The answer is \boxed{{{shown.arguments['answer']}}}."
        _, reward, terminated, _, info = env.step(action)
        assert (reward, terminated, info["failure"]) == (1.0, True, "none")
        assert info["expected_answer"]


def test_a_call_where_the_demonstration_answers_earns_nothing():
    env = gym.make("ImageTools/Pivot-v0")
    env.reset(options={"task": 7})
    call = {"name": "image_flip_tool", "arguments": {"axis": "vertical"}}
    _, reward, _, _, info = env.step(call)
    assert (reward, info["failure"]) == (0.0, "tool_name_mismatch")


def test_the_transcript_is_the_observation_and_its_pictures_are_delivered():
    env = gym.make("ImageTools/Pivot-v0", preview_max_side=100)
    observation, _ = env.reset(options={"task": 7})
    assert observation["text"].startswith("user: From which gate")
    assert "assistant: From B" in observation["text"]
    assert [max(image.shape) for image in observation["images"]] == [100]


def test_a_demonstration_that_cannot_run_is_refused_before_the_episode_starts():
    row = {
        "responses_create_params": {"input": "Look closer."},
        "expected_action": {"name": "image_crop_tool", "arguments": {"bbox_2d": [0, 0, 9, 9]}},
    }
    env = gym.make("ImageTools/Pivot-v0", data=[row], scoring="execution")
    with pytest.raises(DataError, match="image_crop_tool that runs"):
        env.reset(seed=0)
