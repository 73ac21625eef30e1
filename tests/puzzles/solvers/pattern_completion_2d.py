"""PatternCompletion2D solved on pixels: the period is searched for, the gap filled by copying."""

from __future__ import annotations

from collections import Counter

import numpy as np

from gym_imagetools.puzzles.cards.cards import UNITS
from gym_imagetools.puzzles.families.pattern_completion_2d import LEVELS
from gym_imagetools.types import Task

SPEC_HASHES = {
    (1, 0): "f2f4c6db0738610b583a75e41ed92fbfc205f0efc4ca6a8765bfd164c505850f",
    (3, 1): "079a55b8abacb998e686e38c4bcd2124c6d521aee0072717df6a5f31f5bf8b42",
    (5, 2): "31f1e1711401534427671b3268eb075c364ad270ee9109b9e2a2dff6b0dad0d4",
}

_CORNER, _SIDE = (12, 14), 96
_OPTIONS = ((135, 36), (177, 36), (135, 89), (177, 89))


def cells(task: Task, left: float, top: float, count: int) -> np.ndarray:
    """The pixels of ``count`` by ``count`` cells as bytes, from a corner in units on."""
    pixels = task.pictures[0].load()
    unit = pixels.shape[1] // UNITS
    side = _SIDE * unit // LEVELS[task.metadata["difficulty"] - 1].cells
    x, y = round(left * unit), round(top * unit)
    found = np.empty((count, count), object)
    for row, column in np.ndindex(count, count):
        part = pixels[y + row * side : y + (row + 1) * side, x + column * side :][:, :side]
        found[row, column] = part.tobytes()
    return found


def solve(task: Task) -> str:
    level = LEVELS[task.metadata["difficulty"] - 1]
    carpet = cells(task, *_CORNER, level.cells)
    common = [kind for kind, _ in Counter(carpet.ravel().tolist()).most_common()]
    is_hidden = np.isin(carpet, [kind for kind in common if len(set(kind)) <= 3])
    rows, columns = np.nonzero(is_hidden)
    top, bottom, left, right = rows.min(), rows.max() + 1, columns.min(), columns.max() + 1
    is_hidden[top:bottom, left:right] = True
    period = next(p for p in range(2, level.cells // 2 + 1) if _repeats(carpet, is_hidden, p))
    assert period == level.period, task.task_id
    seen = {}
    for row, column in np.argwhere(~is_hidden).tolist():
        seen[row % period, column % period] = carpet[row, column]
    fill = [
        [seen[row % period, column % period] for column in range(left, right)]
        for row in range(top, bottom)
    ]
    half = _SIDE / level.cells * period / 2
    fits = [cells(task, x - half, y - half, period).tolist() == fill for x, y in _OPTIONS]
    assert sum(fits) == 1, task.task_id
    return "ABCD"[fits.index(True)]


def _repeats(carpet: np.ndarray, is_hidden: np.ndarray, period: int) -> bool:
    """Whether what is seen repeats after a period across and down."""
    return all(
        ((array[period:] == array[:-period]) | hidden[period:] | hidden[:-period]).all()
        for array, hidden in ((carpet, is_hidden), (carpet.T, is_hidden.T))
    )


def option_boxes(task: Task) -> list[tuple[int, int, int, int]]:
    level, unit = LEVELS[task.metadata["difficulty"] - 1], task.pictures[0].size[0] // UNITS
    half = _SIDE / level.cells * level.period / 2
    edges = np.array([(x - half, y - half, x + half, y + half) for x, y in _OPTIONS]) * unit
    return [tuple(box) for box in edges.round().astype(int).tolist()]


def chance(task: Task) -> float:
    return 1 / 4


def _by(measure):
    def attack(task: Task) -> str:
        latents = task.metadata["latents"]
        patches, motif = (
            [np.array(list(map(int, digits))) for digits in texts]
            for texts in (latents["patches"], [latents["motif"]])
        )
        side = round(len(motif[0]) ** 0.5)
        patches = [patch.reshape(side, side) for patch in patches]
        return "ABCD"[int(np.argmin([measure(p, patches, motif[0]) for p in patches]))]

    return attack


def _apart(patch, patches, _) -> int:
    return sum(int((patch != other).sum()) for other in patches)


def _asymmetry(patch, patches, motif) -> int:
    return min(int((patch != other).sum()) for other in (patch.T, patch[::-1], patch[:, ::-1]))


def _mix(patch, patches, motif) -> int:
    """How far the numbers of kinds are from those of the carpet."""
    return int(abs(np.bincount(patch.ravel(), minlength=4) - np.bincount(motif, minlength=4)).sum())


ATTACKS = {
    "most like the others": _by(_apart),
    "least like the others": _by(lambda *args: -_apart(*args)),
    "most symmetric": _by(_asymmetry),
    "least symmetric": _by(lambda *args: -_asymmetry(*args)),
    "mix of the carpet": _by(_mix),
    "smoothest": _by(lambda p, *_: (p[1:] != p[:-1]).sum() + (p[:, 1:] != p[:, :-1]).sum()),
}
