"""Reflection: lines in which cards are mirrored, for cells and by tools.

An oracle that lacks a tool goes on with the first picture, and with differences of 0.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.puzzles.drawing.canvas import Point
from gym_imagetools.puzzles.eye import Reply

Grid = NDArray[np.int64]
"""Kinds of the cells of a square, shape (n, n); a kind is a colour, 0 may be empty."""


@dataclass(frozen=True)
class Axis:
    """A line in which a picture is reflected.

    Attributes:
        words: Where it is drawn.
        ends: Its ends, in sides of the card from the card's centre.
        reflect: How cells move.
        tools: The calls that do the same to a picture.
    """

    words: str
    ends: tuple[Point, Point]
    reflect: Callable[[Grid], Grid]
    tools: tuple[dict[str, Any], ...]


def _flip(axis: str) -> dict[str, Any]:
    return {"name": "image_flip_tool", "arguments": {"axis": axis}}


_QUARTER = {"name": "image_rotate_tool", "arguments": {"degrees": 90}}
_AWAY, _REACH = 0.64, 0.6  # of an axis beside a card, and of its ends, in sides of the card
_NEAR, _FAR = 0.31, 0.79  # the ends of an axis across a corner


def _transposed(grid: Grid) -> Grid:
    return grid.T


def _turned_and_flipped(grid: Grid) -> Grid:
    return np.rot90(grid, 2).T


AXES = (
    Axis("on its right", ((_AWAY, -_REACH), (_AWAY, _REACH)), np.fliplr, (_flip("horizontal"),)),
    Axis("on its left", ((-_AWAY, -_REACH), (-_AWAY, _REACH)), np.fliplr, (_flip("horizontal"),)),
    Axis("below it", ((-_REACH, _AWAY), (_REACH, _AWAY)), np.flipud, (_flip("vertical"),)),
    Axis(
        "across its bottom left corner",
        ((-_FAR, _NEAR), (-_NEAR, _FAR)),
        _transposed,
        (_QUARTER, _flip("vertical")),
    ),
    Axis(
        "across its bottom right corner",
        ((_FAR, _NEAR), (_NEAR, _FAR)),
        _turned_and_flipped,
        (_QUARTER, _flip("horizontal")),
    ),
)
"""The last two run at 45 degrees."""


Indices = Generator[dict[str, Any], Reply, int]


def make(call: dict[str, Any]) -> Indices:
    """Return the index of the picture that a call makes; of the first picture when it fails."""
    reply = yield call
    return int(reply.results[0]["new_img_indices"][0]) if reply.ok else 0


def reflected(index: int, axis: Axis) -> Indices:
    """Return the index of a picture reflected by tools."""
    for tool in axis.tools:
        arguments = {**tool["arguments"], "img_idx": index}
        index = yield from make({"name": tool["name"], "arguments": arguments})
    return index


def difference(first: int, second: int) -> Generator[dict[str, Any], Reply, float]:
    """Return the mean difference that the tool measures between two pictures."""
    arguments = {"img_idx_a": first, "img_idx_b": second}
    reply = yield {"name": "image_diff_tool", "arguments": arguments}
    return float(reply.results[0]["mean_abs_diff"]) if reply.ok else 0.0
