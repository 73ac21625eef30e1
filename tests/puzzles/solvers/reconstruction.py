"""Reconstruction solved by Algorithm X on cells that are read from the pixels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import ndimage
from scipy.signal import fftconvolve

from gym_imagetools.puzzles.families.reconstruction import LEVELS
from gym_imagetools.types import Picture, Task

SPEC_HASHES = {
    (1, 0): "7c0b37860c866668262f3b0d1639944e9362c63efb820940d7a3fe513825b38b",
    (3, 1): "da66010a530991a34ed10f712551a05161f4dff04130e7c1cebdcfd47aa2f6a9",
    (5, 2): "37d002befd72ac9d5ffd8def8ddc02058f57042dfe219eb36f88e6bd7dbaa760",
}

_PIECES_FROM = 0.35  # of the picture's height: below the card of the large shape
_KEY_FROM = 0.85  # of its width


@dataclass(frozen=True)
class Sheet:
    """What is seen: the pieces in reading order, and the large shape or its parts."""

    pieces: tuple[np.ndarray, ...]
    parts: tuple[np.ndarray, ...]


def solve(task: Task) -> str:
    sheet = _look(task.pictures[0], LEVELS[task.metadata["difficulty"] - 1].cell)
    turns = range(4 if "turned by quarters" in task.question else 1)
    turned = [[np.rot90(piece, turn) for turn in turns] for piece in sheet.pieces]
    if task.grader == "set":
        (shape,) = sheet.parts
        (chosen,) = {frozenset(cover) for cover in _exact_covers(_placements(shape, turned))}
        assert len(chosen) == task.metadata["parts"]
        return _set_of(chosen)
    pairs = []
    for letter, part in zip("ABCDEF", sheet.parts, strict=False):
        (piece,) = (i for i, ways in enumerate(turned) if any(_same(part, way) for way in ways))
        pairs.append(f"{letter}-{piece + 1}")
    return ", ".join(pairs)


def _set_of(indices) -> str:
    return ", ".join(str(index + 1) for index in sorted(indices))


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    return one.shape == other.shape and bool((one == other).all())


@lru_cache(maxsize=4)
def _look(picture: Picture, cell: int) -> Sheet:
    """Read cells by the pixel in their middle."""
    cells = picture.load()[cell // 2 :: cell, cell // 2 :: cell].astype(np.int64)
    codes = cells @ [65536, 256, 1]
    shape_end, key_start = round(_PIECES_FROM * len(cells)), round(_KEY_FROM * len(cells))
    below = codes[shape_end:]
    labels, _ = ndimage.label(below == _commonest(below, cells[shape_end:]))
    found = ndimage.find_objects(labels)
    pieces = [(box, labels[box] == label) for label, box in enumerate(found, start=1)]
    shape = codes[1:shape_end, :key_start]
    pale = {codes[0, 0], codes[shape_end // 3, key_start]}
    colors = _in_key_order(picture.load(), pale)
    masks = [shape == color for color in colors if (shape == color).any()]
    if not masks:
        masks = [shape == _commonest(shape, cells[1:shape_end, :key_start])]
    return Sheet(tuple(mask for _, mask in _in_reading_order(pieces)), tuple(map(_trim, masks)))


def _commonest(codes: np.ndarray, cells: np.ndarray) -> int:
    """The commonest colour that is not pale."""
    dark = codes[cells.min(axis=2) < 180]
    values, counts = np.unique(dark, return_counts=True)
    return int(values[counts.argmax()])


def _in_reading_order(pieces: list) -> Iterator:
    """Pieces row by row: the middles of a row are level, but for a cell."""
    rows: dict[int, list] = {}
    for box, mask in sorted(pieces, key=lambda piece: _middle(piece[0][0])):
        middle = _middle(box[0])
        row = next((row for row in rows if middle - row < 5), middle)
        rows.setdefault(row, []).append((box, mask))
    for row in rows.values():
        yield from sorted(row, key=lambda piece: _middle(piece[0][1]))


def _middle(side: slice) -> float:
    return (side.start + side.stop) / 2


def _in_key_order(pixels: np.ndarray, pale: set[int]) -> list[int]:
    """The colours of the swatches from top to bottom."""
    size = len(pixels)
    line = pixels[: round(_PIECES_FROM * size), round(0.875 * size)].astype(np.int64)
    codes = (line @ [65536, 256, 1]).tolist()
    runs = [(code, codes.count(code)) for code in dict.fromkeys(codes)]
    return [code for code, length in runs if length > 0.02 * size and code not in pale]


def _trim(mask: np.ndarray) -> np.ndarray:
    (box,) = ndimage.find_objects(mask.astype(np.int8))
    return mask[box]


def _placements(shape: np.ndarray, turned: list[list[np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """All ways to lay a piece inside the shape: the piece of each, and the cells it covers."""
    numbers = np.cumsum(shape).reshape(shape.shape) - 1
    pieces, covered = [], []
    for index, ways in enumerate(turned):
        for way in {(way.shape, way.tobytes()): way for way in ways}.values():
            if way.shape[0] > shape.shape[0] or way.shape[1] > shape.shape[1]:
                continue
            fits = fftconvolve(shape.astype(float), way[::-1, ::-1].astype(float), mode="valid")
            corners = np.argwhere(fits > way.sum() - 0.5)
            cells = corners[:, None] + np.argwhere(way)
            rows = np.zeros((len(corners), shape.sum()), dtype=bool)
            rows[np.arange(len(rows))[:, None], numbers[cells[:, :, 0], cells[:, :, 1]]] = True
            pieces += [index] * len(rows)
            covered.append(rows)
    return np.array(pieces), np.concatenate(covered)


def _exact_covers(placements: tuple[np.ndarray, np.ndarray]) -> Iterator[list[int]]:
    """Knuth's Algorithm X: a column for each cell, and one, that may stay open, for each piece."""
    pieces, rows = placements

    def search(alive: np.ndarray, open_cells: np.ndarray, chosen: list[int]) -> Iterator[list[int]]:
        if not open_cells.any():
            yield chosen
            return
        choices = np.where(open_cells, rows[alive].sum(axis=0), len(rows) + 1)
        column = int(choices.argmin())
        for row in alive[rows[alive, column]]:
            clear = ~(rows[alive] & rows[row]).any(axis=1) & (pieces[alive] != pieces[row])
            yield from search(alive[clear], open_cells & ~rows[row], [*chosen, int(pieces[row])])

    yield from search(np.arange(len(rows)), np.ones(rows.shape[1], dtype=bool), [])


def chance(task: Task) -> float:
    """Of a guess between a piece and its twin, for each part: who sees the twins needs no more."""
    return 0.5 ** task.metadata["parts"]


def _guess(task: Task, chosen) -> str:
    """Pieces as the answer; where parts are lettered, the pieces in this order."""
    if task.grader == "set":
        return _set_of(chosen)
    return ", ".join(f"{letter}-{i + 1}" for letter, i in zip("ABCDEF", chosen, strict=False))


def _twins(task: Task) -> list[list[int]]:
    """The pieces that differ by one tooth, with the right part: all but which is false."""
    order, count = task.metadata["latents"]["order"], task.metadata["parts"]
    return [sorted((order.index(part), order.index(part + count))) for part in range(count)]


def _by(score):
    """Of twins, the piece of the higher score."""

    def guess(task: Task) -> str:
        sheet = _look(task.pictures[0], LEVELS[task.metadata["difficulty"] - 1].cell)
        return _guess(
            task, [max(twins, key=lambda i: score(sheet.pieces[i])) for twins in _twins(task)]
        )

    return guess


def _spread(piece: np.ndarray) -> float:
    return float(np.argwhere(piece).var(axis=0).sum())


def _corners(piece: np.ndarray) -> int:
    padded = np.pad(piece, 1).astype(int)
    sums = padded[1:, 1:] + padded[1:, :-1] + padded[:-1, 1:] + padded[:-1, :-1]
    return int((sums % 2).sum())


ATTACKS = {
    "the first numbers": lambda task: _guess(task, range(task.metadata["parts"])),
    "the last numbers": lambda task: _guess(
        task, range(task.metadata["parts"], 2 * task.metadata["parts"])
    ),
    "the first of twins": lambda task: _guess(task, [min(twins) for twins in _twins(task)]),
    "the last of twins": lambda task: _guess(task, [max(twins) for twins in _twins(task)]),
    "the smaller box of twins": _by(lambda piece: -piece.size),
    "the larger box of twins": _by(lambda piece: piece.size),
    "the more compact of twins": _by(lambda piece: -_spread(piece)),
    "the more spread of twins": _by(_spread),
    "the smoother of twins": _by(lambda piece: -_corners(piece)),
}
