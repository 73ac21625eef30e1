"""Critters: flat little monsters put together from parts, for puzzles that compare figures.

A critter is a body and one value for each slot (ears, eyes, mouth, ...). Its parts are polygons
in a unit box around the origin, x to the right and y downwards, so that a puzzle can move, scale
or recolour one part of it, turn it, mirror it, or draw its shadow.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from gym_imagetools.puzzles.critters.bodies import Body
from gym_imagetools.puzzles.critters.figures import Figure, Part, Patch
from gym_imagetools.puzzles.critters.slots import INNER_SLOTS, OUTER_SLOTS, SLOTS


def build(body: Body, values: Mapping[str, str]) -> Figure:
    """Return the parts of a critter.

    Args:
        body: Its body.
        values: A value of :data:`SLOTS` for each slot.
    """
    trunk = Part("body", (Patch(body.outline, "body"),), True)
    outer = (_part(body, slot, values[slot]) for slot in OUTER_SLOTS)
    inner = (_part(body, slot, values[slot]) for slot in INNER_SLOTS)
    return (*outer, trunk, *inner)


def draw_values(rng: np.random.Generator) -> dict[str, str]:
    """Draw a value for each slot."""
    return {slot: str(rng.choice(list(values))) for slot, values in SLOTS.items()}


@lru_cache(maxsize=256)  # the critters of a puzzle have most of their parts in common
def _part(body: Body, slot: str, value: str) -> Part:
    patches = tuple(Patch(outline, role) for outline, role in SLOTS[slot][value](body))
    return Part(slot, patches, slot in OUTER_SLOTS)
