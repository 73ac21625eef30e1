"""Assistant turns in all their forms, read in linear time; what a model wrote never raises."""

from gym_imagetools.parsing.turn import is_action, parse_turn

__all__ = ["is_action", "parse_turn"]
