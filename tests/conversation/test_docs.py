from __future__ import annotations

import re
from pathlib import Path

import gymnasium as gym

import gym_imagetools  # noqa: F401

PAGE = Path(__file__).parents[2] / "docs" / "conversation.md"


def test_the_examples_of_the_page_run():
    first, *examples = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    for example in examples:
        exec(example, names)
    env = gym.make("ImageTools/Maze-v0")
    env.reset(seed=7)
    observation, _, _, _, info = env.step("B")
    exec(first, {"env": env, "reply": "B", "observation": observation, "info": info})
