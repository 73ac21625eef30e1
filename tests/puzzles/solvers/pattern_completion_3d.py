"""PatternCompletion3D solved on pixels: cubes are peeled off, and every position is tried."""

from __future__ import annotations

from functools import cache
from itertools import permutations, product

import cv2
import numpy as np

from gym_imagetools.puzzles.families.pattern_completion_3d import (
    LEVELS,
    card_for,
    option_corner,
    option_side,
    shelf_for,
)
from gym_imagetools.puzzles.solids.blocks import corners
from gym_imagetools.types import Pixels, Task
from tests.puzzles.solvers.peeling import classes, face_mask

SPEC_HASHES = {
    (1, 0): "6cece9b0c3236b72756ab16c1cb3de8a7cba719a97463325dbac87ba68f5e3e2",
    (3, 1): "6464365c1047d3ddc203ee148602bfbb427b4d751537f1c6d3a78c66ddee3b49",
    (5, 2): "031a9dbed6df4b9484e8814e839afd992a8c210afd527fd38784fd454c6e156f",
}

_SIZE = 200
"""Pixels along a side of a card that is read."""

_NOTHING = 3
_LEAST = 0.1  # of a cube's faces that is open, if anything is told by it
_RIGHT = 0.72  # of what is open, if the cube is there
_LABEL = _SIZE // 5


def _read_block(pixels: np.ndarray, level) -> np.ndarray:
    view = card_for(level, _SIZE, is_block=True).view((level.side,) * 3)
    return _peeled(_classes(pixels), view, (level.side,) * 3, hidden=True)[0]


def _read_piece(pixels: np.ndarray, level) -> np.ndarray:
    """Return a piece; of all frames the one in which it leaves least unexplained."""
    card, shown = card_for(level, _SIZE, is_block=False), _classes(pixels)
    readings = [
        _peeled(shown, card.view(size), size, hidden=False)
        for size in product((card.reach, card.reach - 1), repeat=3)
    ]
    is_solid = (shown != _NOTHING).astype(bool)
    is_solid[:_LABEL, :_LABEL] = False
    return min(readings, key=lambda reading: (is_solid ^ reading[1]).sum())[0]


def _classes(pixels: np.ndarray) -> np.ndarray:
    method = cv2.INTER_CUBIC if len(pixels) < _SIZE else cv2.INTER_AREA
    return classes(cv2.resize(pixels, (_SIZE, _SIZE), interpolation=method))


def _peeled(shown: np.ndarray, view, size, *, hidden: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return which cells are filled, decided from front to back, and the pixels they take."""
    filled, covered = np.zeros(size, bool), np.zeros(shown.size, bool)
    for cell in sorted(np.ndindex(*size), key=sum, reverse=True):
        places, axes, whole = _cube(view, cell)
        is_open = ~covered[places]
        right = shown.ravel()[places[is_open]] == axes[is_open]
        filled[cell] = right.mean() > _RIGHT if len(right) > _LEAST * len(places) else hidden
        if filled[cell]:
            covered[whole] = True
    return filled, covered.reshape(shown.shape)


@cache
def _cube(view, cell) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the pixels of a cube's faces, the axis of each, and all pixels that it takes."""
    masks = [face_mask((_SIZE, _SIZE), view, cell, axis) for axis in range(3)]
    faces = [np.flatnonzero(mask) for mask in masks]
    outline = np.rint(view.place(corners(cell, np.add(cell, 1)))).astype(np.int32)
    whole = cv2.fillConvexPoly(np.zeros((_SIZE, _SIZE), np.uint8), cv2.convexHull(outline), 1)
    axes = np.repeat([0, 1, 2], [len(face) for face in faces])
    return np.concatenate(faces), axes, np.flatnonzero(whole)


def _positions(piece: np.ndarray, *, with_turns: bool) -> set[frozenset]:
    """Return the cells of a piece in all its positions, at the origin."""
    found = set()
    for order, signs in product(permutations(range(3)), product((1, -1), repeat=3)):
        is_turn = np.linalg.det(np.eye(3)[list(order)] * signs) > 0
        if is_turn if with_turns else (order, signs) == ((0, 1, 2), (1, 1, 1)):
            cells = np.argwhere(piece)[:, order] * signs
            found.add(frozenset(map(tuple, (cells - cells.min(axis=0)).tolist())))
    return found


def _completes(piece: np.ndarray, block: np.ndarray, *, with_turns: bool) -> bool:
    """Whether a piece, put somewhere, fills just what a block lacks."""
    lacking = frozenset(map(tuple, np.argwhere(~block).tolist()))
    return any(
        frozenset((x + a, y + b, z + c) for x, y, z in position) == lacking
        for position in _positions(piece, with_turns=with_turns)
        for a, b, c in product(range(len(block)), repeat=3)
    )


def solve(task: Task) -> str:
    level, asks_piece = LEVELS[task.metadata["difficulty"] - 1], task.metadata["form"] == "pieces"
    pixels, shelf = task.pictures[0].load(), shelf_for(level)
    (place,) = shelf.named_in(task.question)
    left, top = shelf.corner(place)
    named = pixels[top : top + shelf.cell, left : left + shelf.cell]
    options = [pixels[y1:y2, x1:x2] for x1, y1, x2, y2 in option_boxes(task)]
    if asks_piece:
        blocks = [_read_block(named, level)] * 4
        pieces = [_read_piece(option, level) for option in options]
    else:
        blocks = [_read_block(option, level) for option in options]
        pieces = [_read_piece(named, level)] * 4
    fits = [
        _completes(piece, block, with_turns=level.has_turns)
        for piece, block in zip(pieces, blocks, strict=True)
    ]
    assert sum(fits) == 1, (task.task_id, fits)
    return "ABCD"[fits.index(True)]


def chance(task: Task) -> float:
    return 1 / 4


def option_boxes(task: Task) -> list[tuple[int, int, int, int]]:
    level = LEVELS[task.metadata["difficulty"] - 1]
    side, places = option_side(level), (option_corner(index, level) for index in range(4))
    return [(x, y, x + side, y + side) for x, y in places]


def _crops(task: Task) -> list[Pixels]:
    pixels = task.pictures[0].load()
    return [pixels[y1:y2, x1:x2] for x1, y1, x2, y2 in option_boxes(task)]


def _option_by(measure):
    """Choose the option whose cells are first by a measure of them and of all cells offered."""

    def attack(task: Task) -> str:
        offered = [text.split()[1:] for text in task.metadata["latents"]["offered"]]
        cells = [np.array([[int(digit) for digit in cell] for cell in text]) for text in offered]
        return "ABCD"[int(np.argmin([measure(own, cells) for own in cells]))]

    return attack


def _extent(cells: np.ndarray, _) -> int:
    return int(np.prod(np.ptp(cells, axis=0) + 1))


def _length(cells: np.ndarray, _) -> int:
    return int(np.ptp(cells, axis=0).max())


def _apart(cells: np.ndarray, others: list[np.ndarray]) -> int:
    """How many cells an option shares with none of the others, where it is drawn."""
    own = set(map(tuple, cells.tolist()))
    return sum(len(own - set(map(tuple, other.tolist()))) for other in others)


def _darkest(task: Task) -> str:
    return "ABCD"[int(np.argmin([crop.mean() for crop in _crops(task)]))]


ATTACKS = {
    "least extent": _option_by(_extent),
    "greatest extent": _option_by(lambda cells, others: -_extent(cells, others)),
    "longest": _option_by(lambda cells, others: -_length(cells, others)),
    "most like the others": _option_by(_apart),
    "least like the others": _option_by(lambda cells, others: -_apart(cells, others)),
    "darkest": _darkest,
    "first letter": lambda task: "A",
}
