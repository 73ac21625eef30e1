"""How oracles follow the lines of a braid, with a close look wherever two of them meet."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from math import ceil
from typing import Any, Self

import cv2
import numpy as np
from numpy.typing import NDArray

from gym_imagetools.puzzles.eye import Blocks, Reply
from gym_imagetools.puzzles.lines.braid import DIRECTIONS, MARGIN
from gym_imagetools.puzzles.lines.network import Mask, Network, Node, darkness, joins, read_network
from gym_imagetools.puzzles.looking.gaze import look_around

_CIRCLE = 0.36  # radius of the circles that find meetings, of the pitch of slots
_LOOK_REACH = 1.25  # half a side of a close look, of that radius
_TRACE = 12  # of 255 in blue; what is less dark is no line
_DARK_SHARE = 0.55  # of the lines' median darkness
_DARK_SHARE_CLOSE = 0.7  # the same where lines come near
_DARK_CLOSE = 90  # in a close look, where lines are wider than a block
_FINER = 3  # squares of the mask along a block
_EDGE = 0.03  # of the side, where the picture's frame is


@dataclass
class Route:
    """A line that was followed: its pieces from a start on, and how often it crossed others."""

    pieces: list[int]
    crossings: int = 0


Tracing = Generator[dict[str, Any], Reply, Route]
"""Yields calls and returns a line."""


@dataclass
class Tracer:
    """Lines of a whole picture, laid to run from left to right.

    Attributes:
        network: The lines.
        direction: How the lines run in the picture.
        radius: Of the circles that find meetings, in squares.
        sharp: Where ink is, if the picture is seen sharply enough to tell at a meeting which
            lines go on in which; otherwise every meeting is zoomed in on.
        looks: Close looks at nodes, so that none is taken twice.
    """

    network: Network
    direction: str
    radius: float
    sharp: Mask | None = None
    looks: dict[int, Mask | None] = field(default_factory=dict)

    @classmethod
    def of(cls, blocks: Blocks, direction: str, slots: int, *, is_sharp: bool = False) -> Self:
        """Read the lines of a braid with so many slots between the margins of its labels."""
        depth = lay_level(darkness(blocks), direction)
        depth = cv2.resize(depth, None, fx=_FINER, fy=_FINER, interpolation=cv2.INTER_LINEAR)
        side = len(depth)
        edge, margin = ceil(_EDGE * side), _margin(side)
        depth[:edge] = depth[-edge:] = 0
        depth[:, :margin] = depth[:, -margin:] = 0
        usual = float(np.median(depth[depth > _TRACE]))
        mask = depth > _DARK_SHARE * usual
        radius = _CIRCLE * side * (1 - 2 * MARGIN) / (slots + 1)
        sharp = depth > _DARK_SHARE_CLOSE * usual if is_sharp else None
        return cls(read_network(mask, radius), direction, radius, sharp)

    @property
    def side(self) -> int:
        """Blocks along a side of the picture."""
        return len(self.network.pieces)

    @property
    def starts(self) -> list[int]:
        """The pieces that begin at the lettered ends, in the order of the letters."""
        return self._ends_in(_margin(self.side))

    @property
    def ends(self) -> list[int]:
        """The pieces that reach the other ends, in their order."""
        return self._ends_in(self.side - _margin(self.side) - 1)

    def rank(self, piece: int) -> int:
        """Return the number of the end that a piece reaches, from 1; 1 for other pieces."""
        return self.ends.index(piece) + 1 if piece in self.ends else 1

    def follow(self, start: int) -> Tracing:
        """Return the line from the given start, counted from 0."""
        starts = self.starts
        route, behind = Route([starts[min(start, len(starts) - 1)]]), None
        while len(route.pieces) <= len(self.network.nodes):
            found = self.network.next_node(route.pieces[-1], behind)
            if found is None:
                break
            behind, branch = found
            node = self.network.nodes[behind]
            seen = yield from self._look(behind)
            onward = node.opposite(branch) if seen is None else joins(seen, node, branch)
            route.crossings += onward == node.opposite(branch)
            route.pieces.append(node.branches[onward].piece)
        return route

    def _look(self, index: int) -> Generator[dict[str, Any], Reply, Mask | None]:
        if index not in self.looks:
            node = self.network.nodes[index]
            reach = _LOOK_REACH * self.radius
            if self.sharp is None:
                self.looks[index] = yield from self._zoom(node, reach)
            else:
                self.looks[index] = _square(self.sharp, node, round(reach))
        return self.looks[index]

    def _zoom(self, node: Node, reach: float) -> Generator[dict[str, Any], Reply, Mask | None]:
        x, y = self.in_picture(node.x + 0.5, node.y + 0.5)
        blocks = yield from look_around(x, y, reach * 1000 / self.side)
        if blocks is None:
            return None
        return lay_level(darkness(blocks) > _DARK_CLOSE, self.direction)

    def in_picture(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point in squares of the level lines lies in the picture, thousandths."""
        return _exchange(x * 1000 / self.side, y * 1000 / self.side, 1000, self.direction)

    def in_blocks(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point of the picture, in thousandths, lies in squares of the mask."""
        level = self.direction in DIRECTIONS[:2]
        along, across = (x, y) if level else (y, x)
        if self.direction in ("right to left", "bottom to top"):
            along = 1000 - along
        return along * self.side / 1000, across * self.side / 1000

    def _ends_in(self, column: int) -> list[int]:
        pieces = self.network.pieces[:, column]
        return list(dict.fromkeys(int(piece) for piece in pieces if piece))


def _exchange(along: float, across: float, side: float, direction: str) -> tuple[float, float]:
    if direction in ("right to left", "bottom to top"):
        along = side - along
    return (along, across) if direction in DIRECTIONS[:2] else (across, along)


def _square(mask: Mask, node: Node, reach: int) -> Mask:
    """Return the part of a mask around a node."""
    x, y = round(node.x), round(node.y)
    padded = np.pad(mask, reach)
    return padded[y : y + 2 * reach + 1, x : x + 2 * reach + 1]


def _margin(side: int) -> int:
    return ceil(MARGIN * side + 0.5)


def lay_level(picture: NDArray[Any], direction: str) -> NDArray[Any]:
    """Return a picture with lines of a direction turned so that they run from left to right."""
    level = picture if direction in DIRECTIONS[:2] else np.swapaxes(picture, 0, 1)
    is_reversed = direction in ("right to left", "bottom to top")
    return level[:, ::-1].copy() if is_reversed else level.copy()
