"""Spaces whose members are plain Python values: text, pictures and assistant turns."""

from gym_imagetools.spaces.observation import PicturesSpace, TextSpace, observation_space
from gym_imagetools.spaces.turn import TurnSpace

__all__ = ["PicturesSpace", "TextSpace", "TurnSpace", "observation_space"]
