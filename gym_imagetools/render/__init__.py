"""An episode for people: a contact sheet of fixed size, or a transcript."""

from gym_imagetools.render.sheet import render_rgb_array
from gym_imagetools.render.transcript import render_ansi

__all__ = ["render_ansi", "render_rgb_array"]
