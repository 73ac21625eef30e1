"""Gymnasium environments in which vision-language models answer questions with image tools.

To import the package registers its ids::

    import gymnasium as gym
    import gym_imagetools

    env = gym.make("ImageTools/Maze-v0", difficulty=2)
"""

from gym_imagetools.registration import register_envs

__version__ = "0.1.0"

register_envs()
