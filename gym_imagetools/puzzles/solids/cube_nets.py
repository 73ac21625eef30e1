"""Nets of a cube: their shapes, how they fold, and what the cube shows from each side.

Directions in space are integer vectors. A face lies in a frame of three of them: where its
picture's right and down lead, and outwards; seen from outside, the picture is not mirrored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product

import numpy as np

Net = tuple[tuple[int, int], ...]
"""Row and column of six squares, in order."""

Vector = tuple[int, int, int]

_SHAPES = (
    "#.../####/#...",
    "#.../####/.#..",
    "#.../####/..#.",
    "#.../####/...#",
    ".#../####/.#..",
    ".#../####/..#.",
    "##../.###/.#..",
    "##../.###/..#.",
    "##../.###/...#",
    "##../.##./..##",
    "###../..###",
)


@dataclass(frozen=True)
class Frame:
    """How a face lies in space."""

    right: Vector
    down: Vector
    out: Vector

    def roll(self, rows: int, columns: int) -> Frame:
        """Return the frame of the face next to this one in the net, folded back by 90 degrees."""
        if columns:
            return Frame(_times(-columns, self.out), self.down, _times(columns, self.right))
        return Frame(self.right, _times(-rows, self.out), _times(rows, self.down))

    def turn(self, quarters: int) -> Frame:
        """Return the frame of a picture that is turned clockwise on the face."""
        frame = self
        for _ in range(quarters % 4):
            frame = Frame(frame.down, _times(-1, frame.right), frame.out)
        return frame


@dataclass(frozen=True)
class Sticker:
    """The picture on a face.

    Attributes:
        glyph: The character that is shown.
        turn: Quarter turns clockwise.
    """

    glyph: str
    turn: int = 0


@dataclass(frozen=True)
class SeenFace:
    """A face of a cube that is seen: its character, and where the character's right leads."""

    glyph: str
    right: Vector


CubeView = tuple[SeenFace, SeenFace, SeenFace]
"""The faces towards x, y and z."""


@cache
def all_nets() -> tuple[Net, ...]:
    """Return the 11 nets in every position: turned, mirrored."""
    found = set()
    for shape in _SHAPES:
        cells = np.argwhere(np.array([list(row) for row in shape.split("/")]) == "#")
        for swapped, down, right in product((False, True), (1, -1), (1, -1)):
            placed = (cells[:, ::-1] if swapped else cells) * (down, right)
            found.add(tuple(sorted(map(tuple, (placed - placed.min(axis=0)).tolist()))))
    return tuple(sorted(found))


@cache
def fold(net: Net) -> tuple[Frame, ...]:
    """Return the frame of each square of a net when it is folded, the pictures outside."""
    frames = {net[0]: Frame((1, 0, 0), (0, 1, 0), (0, 0, -1))}
    waiting = [net[0]]
    while waiting:
        row, column = waiting.pop()
        for rows, columns in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            beside = row + rows, column + columns
            if beside in net and beside not in frames:
                frames[beside] = frames[row, column].roll(rows, columns)
                waiting.append(beside)
    return tuple(frames[cell] for cell in net)


def opposite(net: Net, index: int) -> int:
    """Return the square of a net that comes to lie opposite to another one."""
    outs = [frame.out for frame in fold(net)]
    return outs.index(_times(-1, outs[index]))


def views(net: Net, stickers: Sequence[Sticker]) -> list[CubeView]:
    """Return what the folded cube shows from a corner, in each of its 24 positions."""
    frames = [frame.turn(s.turn) for frame, s in zip(fold(net), stickers, strict=True)]
    outs = np.array([frame.out for frame in frames])
    rights = np.array([frame.right for frame in frames])
    shown = []
    for rotation in rotations():
        seen = []
        for axis in range(3):
            index = int((outs @ rotation)[:, axis].argmax())
            x, y, z = (rights[index] @ rotation).tolist()
            seen.append(SeenFace(stickers[index].glyph, (x, y, z)))
        shown.append((seen[0], seen[1], seen[2]))
    return shown


def without_turns(view: CubeView) -> tuple[str, ...]:
    """Return the characters of a view alone."""
    return tuple(face.glyph for face in view)


def down_of(right: Vector, axis: int) -> Vector:
    """Return where the picture's down leads on the face towards an axis."""
    out = np.eye(3, dtype=int)[axis]
    x, y, z = np.cross(right, out).tolist()
    return x, y, z


@cache
def rotations() -> tuple[np.ndarray, ...]:
    """Return the 24 rotations of a cube."""
    matrices = []
    for order in permutations(range(3)):
        for signs in product((1, -1), repeat=3):
            matrix = np.zeros((3, 3), dtype=int)
            matrix[range(3), order] = signs
            if round(float(np.linalg.det(matrix))) == 1:
                matrices.append(matrix)
    return tuple(matrices)


def _times(factor: int, vector: Vector) -> Vector:
    x, y, z = vector
    return factor * x, factor * y, factor * z
