"""Tools, graders and puzzle families of a user's own, added from outside of the package."""

from __future__ import annotations

import json
from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import pytest

from gym_imagetools.graders import GRADERS, Grader, add_grader
from gym_imagetools.graders.fields import gold_text
from gym_imagetools.parsing import parse_turn
from gym_imagetools.policies import OraclePolicy
from gym_imagetools.prompts.calls import xml_call
from gym_imagetools.puzzles.families import FAMILIES
from gym_imagetools.puzzles.puzzle import Family, Puzzle
from gym_imagetools.puzzles.registry import family
from gym_imagetools.registration import ENTRIES, add_family
from gym_imagetools.rollout import play_episode
from gym_imagetools.tools import TOOLS, add_tool, run_tool
from gym_imagetools.tools.arguments import ARGUMENTS, OnePicture
from gym_imagetools.tools.result import make_result
from gym_imagetools.tools.schemas import FUNCTION_TOOLS, PARAMETERS
from gym_imagetools.types import Score

ENV_ID = "ImageTools/Lamps-v0"


class NegativeArgs(OnePicture):
    """Turn a picture into its negative."""

    strength: int = 255


def negative(args, pictures, settings):
    pixels = args.strength - pictures[args.img_idx]
    return make_result({"strength": args.strength}, pixels, args.img_idx)


@dataclass(frozen=True)
class Nearby(Grader):
    """Half the score for being off by one."""

    gold: int

    @classmethod
    def from_fields(cls, fields):
        return cls(int(gold_text(fields)))

    def grade_reply(self, reply):
        return Score(max(0.0, 1 - abs(self.gold - len(reply)) / 2), reply)


class Lamps(Family):
    """How many lamps are lit."""

    name = "Lamps"
    group = "tests"
    summary = "Count."
    answer_type = "integer"
    useful_tools = ("negative_tool",)
    necessary_tools = ()
    tools_needed_from = 6

    def draw(self, rngs, difficulty):
        lit = int(rngs.latents.integers(1, 4))
        pixels = np.zeros((40, 80, 3), np.uint8)
        for lamp in range(lit):
            pixels[10:30, 20 * lamp : 20 * lamp + 10] = 255
        return Puzzle("How many?", (pixels,), "nearby", {"expected_answer": str(lit)}, {"n": lit})

    def oracle(self, question, images):
        reply = yield {"name": "negative_tool", "arguments": {"strength": 255}}
        dark = reply.images[0].blocks.mean(2)[2] < 128
        return "x" * int((np.diff(dark.astype(int), prepend=0) == 1).sum())


@pytest.fixture
def extended():
    add_tool("negative_tool", NegativeArgs, negative)
    add_grader("nearby", Nearby)
    add_family(Lamps)
    yield
    for registry in (ARGUMENTS, PARAMETERS, TOOLS):
        del registry["negative_tool"]
    FUNCTION_TOOLS.pop()
    del GRADERS["nearby"], FAMILIES["Lamps"], ENTRIES[ENV_ID], gym.registry[ENV_ID]
    family.cache_clear()


@pytest.mark.usefixtures("extended")
def test_a_family_of_ones_own_is_solved_with_a_tool_and_graded_by_ones_own_grader():
    env = gym.make(ENV_ID)
    rollout = play_episode(env, OraclePolicy(), seed=3)
    assert rollout.family == "Lamps"
    assert rollout.final["base_reward"] == 1.0
    assert rollout.final["tool_call_count"] == 1
    env.reset(options={"task": rollout.task_id})
    _, reward, *_ = env.step("x" * (int(rollout.final["expected_answer"]) + 1))
    assert reward == 0.5


@pytest.mark.usefixtures("extended")
def test_models_are_told_of_a_tool_of_ones_own():
    env = gym.make(ENV_ID)
    env.reset(seed=1)
    (told,) = [tool for tool in env.get_wrapper_attr("function_tools") if tool["name"][0] == "n"]
    assert told["description"] == "Turn a picture into its negative."
    assert told["parameters"]["properties"]["strength"]["type"] == "integer"
    assert "negative_tool" in json.dumps(env.get_wrapper_attr("prompt"))


@pytest.mark.usefixtures("extended")
def test_markup_of_a_tool_of_ones_own_is_typed_by_its_schema():
    (call,) = parse_turn(xml_call("negative_tool", {"strength": 7})).calls
    assert call.arguments == {"strength": 7}
    result = run_tool("negative_tool", call.arguments, [np.zeros((4, 4, 3), np.uint8)])
    assert result.result == {"strength": 7, "size": [4, 4]}
    assert (result.pixels == 7).all()


@pytest.mark.usefixtures("extended")
def test_a_vector_environment_and_a_mixture_play_a_family_of_ones_own():
    envs = gym.make_vec(ENV_ID, num_envs=2)
    _, info = envs.reset(seed=1)
    assert [name.split("/")[0] for name in info["task_id"]] == ["Lamps"] * 2
    envs.close()
    _, info = gym.make("ImageTools/Mixed-v0", families=["Lamps"]).reset(seed=1)
    assert info["task_id"].startswith("Lamps/1/")


def test_a_name_that_is_taken_is_refused():
    with pytest.raises(ValueError, match="image_crop_tool"):
        add_tool("image_crop_tool", NegativeArgs, negative)
    with pytest.raises(ValueError, match="mcqa"):
        add_grader("mcqa", Nearby)
    with pytest.raises(ValueError, match="Maze"):
        add_family(type("Maze", (Lamps,), {"name": "Maze"}))


def test_a_tool_that_does_not_say_what_it_does_is_refused():
    class Silent(OnePicture):
        pass

    with pytest.raises(ValueError, match="docstring"):
        add_tool("silent_tool", Silent, negative)
    assert "silent_tool" not in ARGUMENTS


def test_a_family_inside_of_a_function_is_refused():
    class Inner(Lamps):
        name = "Inner"

    with pytest.raises(ValueError, match="top of a module"):
        add_family(Inner)
    assert "Inner" not in FAMILIES
