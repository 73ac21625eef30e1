"""How oracles read lines: the places where two lines meet, and the pieces between them."""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, ceil, cos, pi, sin

import cv2
import numpy as np
from numpy.typing import NDArray

from gym_imagetools.puzzles.eye import Blocks

Mask = NDArray[np.bool_]
"""Where ink is, shape (rows, columns)."""

_ANGLES = np.arange(48) * 2 * pi / 48
_REACH = 12  # squares around a point in which its piece of line is looked for first


@dataclass(frozen=True)
class Branch:
    """A piece of line that leaves a node; ``angle`` in radians, clockwise from the right."""

    piece: int
    angle: float


@dataclass(frozen=True)
class Node:
    """Where two lines meet: its middle in squares of the mask, and its branches by their angle."""

    x: float
    y: float
    branches: tuple[Branch, ...]

    def opposite(self, branch: int) -> int:
        """Return the branch on the other side: where a line goes on that crosses here."""
        return (branch + len(self.branches) // 2) % len(self.branches)


@dataclass(frozen=True, eq=False)
class Network:
    """Lines read out of a mask.

    Attributes:
        nodes: Where lines meet.
        pieces: The number of the piece of line at each square, 0 for none.
    """

    nodes: tuple[Node, ...]
    pieces: NDArray[np.int32]

    def next_node(self, piece: int, behind: int | None) -> tuple[int, int] | None:
        """Return the node at the other end of a piece, and which of its branches the piece is."""
        for index, node in enumerate(self.nodes):
            for place, branch in enumerate(node.branches):
                if branch.piece == piece and index != behind:
                    return index, place
        return None


def darkness(blocks: Blocks) -> NDArray[np.float64]:
    """Return how dark blocks are in blue, 0 for paper; every ink and mark is dark there."""
    blue = blocks[:, :, 2].astype(np.float64)
    return np.asarray(blue.max() - blue)


def read_network(mask: Mask, radius: float) -> Network:
    """Read lines that meet two by two.

    Where a circle of the radius cuts lines four times, two lines meet inside of it. What is left
    when these circles are taken away are the pieces of line between meetings.

    Args:
        mask: Where ink is.
        radius: Of the circles, in squares: below half the distance of lines that do not meet.
    """
    middles = _middles(_runs_around(mask, radius) >= 4, 0.25 * radius**2)
    clear = mask.copy()
    for middle in middles:
        window, squared = _near(mask, middle, radius)
        clear[window] &= squared > radius**2
    pieces = _labels(clear)
    nodes = []
    for middle in middles:
        window, squared = _near(mask, middle, radius + 1.5)
        ring = clear[window] & (squared <= (radius + 1.5) ** 2)
        corner = window[1].start, window[0].start
        nodes.append(Node(*middle, _branches(ring, pieces[window], corner, middle)))
    return Network(tuple(node for node in nodes if len(node.branches) == 4), pieces)


def _near(
    mask: Mask, middle: tuple[float, float], reach: float
) -> tuple[tuple[slice, slice], NDArray[np.float64]]:
    """Return the part of a mask within reach of a point, and squared distances to it there."""
    (x, y), around = middle, ceil(reach) + 1
    top, left = max(0, int(y) - around), max(0, int(x) - around)
    bottom, right = min(mask.shape[0], int(y) + around + 1), min(mask.shape[1], int(x) + around + 1)
    down, across = np.arange(top, bottom)[:, None] - y, np.arange(left, right) - x
    return (slice(top, bottom), slice(left, right)), down**2 + across**2


def joins(seen: Mask, node: Node, branch: int) -> int:
    """Return the branch where a line goes on, from a close look at the node.

    Args:
        seen: Where ink is in the square around the node.
        node: The node; its branches leave the square where a circle inside it would cut them.
        branch: Where the line comes from.
    """
    labels = _labels(seen)
    half = len(seen) / 2
    ends = [_label_towards(labels, half, other.angle) for other in node.branches]
    same = [other for other, end in enumerate(ends) if end == ends[branch] and other != branch]
    return same[0] if len(same) == 1 else node.opposite(branch)


def _label_towards(labels: NDArray[np.int32], half: float, angle: float) -> int:
    """Return the label of the ink that is nearest to a point near the square's edge."""
    y, x = np.nonzero(labels)
    if not len(y):
        return 0
    away_x, away_y = x + 0.5 - half, y + 0.5 - half
    along = away_x * cos(angle) + away_y * sin(angle)
    aside = abs(away_y * cos(angle) - away_x * sin(angle))
    nearest = int((aside + abs(along - 0.8 * half)).argmin())
    return int(labels[y[nearest], x[nearest]])


def _runs_around(mask: Mask, radius: float) -> NDArray[np.uint8]:
    """Return how many runs of ink the circle around each square cuts."""
    pad = int(radius) + 2
    rows, columns = mask.shape
    padded = np.pad(mask, pad)
    circle = []
    for angle in _ANGLES:
        down, right = round(radius * sin(angle)) + pad, round(radius * cos(angle)) + pad
        circle.append(padded[down : down + rows, right : right + columns])
    runs = np.zeros(mask.shape, dtype=np.uint8)
    for before, here in zip([circle[-1], *circle], circle, strict=False):
        runs += here > before
    return runs


def _middles(candidates: Mask, least: float) -> list[tuple[float, float]]:
    """Return the centres (x, y) of groups of candidates with a least area."""
    kernel = np.ones((3, 3), np.uint8)
    opened = cv2.morphologyEx(candidates.astype(np.uint8), cv2.MORPH_OPEN, kernel)
    _, _, stats, centroids = cv2.connectedComponentsWithStats(opened, connectivity=8)
    areas = stats[1:, cv2.CC_STAT_AREA].tolist()
    groups = zip(centroids[1:].tolist(), areas, strict=True)
    return [(x, y) for (x, y), area in groups if area >= least]


def _branches(
    ring: Mask, pieces: NDArray[np.int32], corner: tuple[int, int], middle: tuple[float, float]
) -> tuple[Branch, ...]:
    """Return the pieces that a ring, in a window with its first square at a corner, cuts."""
    labels = _labels(ring)
    found = []
    for label in range(1, int(labels.max()) + 1):
        y, x = np.nonzero(labels == label)
        down, right = (y + corner[1]).mean() - middle[1], (x + corner[0]).mean() - middle[0]
        found.append(Branch(int(pieces[y[0], x[0]]), atan2(down, right)))
    return tuple(sorted(found, key=lambda branch: branch.angle))


def _labels(mask: Mask) -> NDArray[np.int32]:
    _, labels = cv2.connectedComponents(mask.astype(np.uint8), connectivity=8)
    return labels.astype(np.int32, copy=False)


def nearest_piece(pieces: NDArray[np.int32], x: float, y: float) -> int:
    """Return the piece of line that is nearest to a point."""
    reach = _REACH
    while True:
        top, left = max(0, int(y) - reach), max(0, int(x) - reach)
        rows, columns = np.nonzero(pieces[top : int(y) + reach, left : int(x) + reach])
        away = np.hypot(columns + (left + 0.5) - x, rows + (top + 0.5) - y)
        # What is farther than the window reaches might be nearer outside of its sides.
        if reach > max(pieces.shape) or away.min(initial=reach) < reach - 1:
            nearest = int(away.argmin())
            return int(pieces[rows[nearest] + top, columns[nearest] + left])
        reach *= 4
