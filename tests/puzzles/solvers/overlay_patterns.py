"""OverlayPatterns solved on cells that are read off the pixels at the middle of each cell."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np

from gym_imagetools.puzzles.cards.cards import CARD, UNITS, Table
from gym_imagetools.puzzles.families.overlay_patterns import LEVELS
from gym_imagetools.types import Task

SPEC_HASHES = {
    (1, 0): "25dec658108bbf6ca61d1206024fba38e019db885c9e9fe96fb4b3d480faf81f",
    (3, 1): "0e771904e78bc13dc6861d08ef16dcbda500c1dfb649db4f3369a113c80d87b7",
    (5, 2): "dd0e2f9f6a1f40af42f1916ecd9cc4234c5e3725b871bdbb200dd8b0150cc64a",
}


def box_of(task: Task, card) -> tuple[int, int, int, int]:
    unit = task.pictures[0].size[0] // UNITS
    left, top = card.left * unit, card.top * unit
    return left, top, left + CARD * unit, top + CARD * unit


def cut(task: Task, card) -> np.ndarray:
    """Pixels of a card, shape (side, side, 3)."""
    left, top, right, bottom = box_of(task, card)
    return task.pictures[0].load()[top:bottom, left:right].astype(int)


def read(task: Task, card) -> np.ndarray:
    """Marked cells: dark ones among light ones, or light ones among grey ones."""
    level = LEVELS[task.metadata["difficulty"] - 1]
    pixels = cut(task, card)
    middles = ((np.arange(level.cells) + 0.7) / (level.cells + 0.4) * len(pixels)).astype(int)
    light = pixels[np.ix_(middles, middles)].sum(axis=2)
    paper = pixels[0, 0].sum()
    return light > paper - 60 if level.bead else light < paper - 250


def moved(question: str, cells: np.ndarray) -> np.ndarray:
    """Cells after the motion that the question tells, by coordinates."""
    rows, columns = np.nonzero(cells)
    last = len(cells) - 1
    if "counter-clockwise" in question:
        rows, columns = last - columns, rows
    elif "clockwise" in question:
        rows, columns = columns, last - rows
    elif "upside down" in question:
        rows, columns = last - rows, last - columns
    elif "left and right" in question:
        columns = last - columns
    elif "top and bottom" in question:
        rows = last - rows
    result = np.zeros_like(cells)
    result[rows, columns] = True
    return result


def solve(task: Task) -> str:
    count = len(task.grading.get("options", ())) or LEVELS[task.metadata["difficulty"] - 1].options
    table = Table.of(3, count)
    options = [read(task, card) for card in table.options]
    first, second, third = table.subjects
    if task.grader == "pairs":
        goal = read(task, third)
        (pair,) = (
            (i, j)
            for i, j in combinations(range(count), 2)
            if np.array_equal(np.maximum(options[i], options[j]), goal)
        )
        return f"{pair[0] + 1}-{pair[1] + 1}"
    if "other sheet" in task.question:
        start, goal = read(task, first).astype(int), read(task, third)
        fits = [np.array_equal((start + moved(task.question, o)) == 1, goal) for o in options]
    else:
        ink = read(task, first).astype(int) + moved(task.question, read(task, second))
        goal = ink == 1 if "exactly one sheet" in task.question else ink >= 1
        fits = [np.array_equal(option, goal) for option in options]
    assert sum(fits) == 1, task.task_id
    return "ABCDEFGH"[fits.index(True)]


def option_boxes(task: Task) -> list[tuple[int, int, int, int]]:
    table = Table.of(3, LEVELS[task.metadata["difficulty"] - 1].options)
    return [box_of(task, card) for card in table.options]


def chance(task: Task) -> float:
    count = LEVELS[task.metadata["difficulty"] - 1].options
    return 1 / count if task.grader == "mcqa" else 2 / (count * (count - 1))


def _cells(digits: str, task: Task) -> np.ndarray:
    side = int(re.search(r" (\d+) by", task.question)[1])
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(digits), np.uint8), count=side**2)
    return bits.reshape(side, side).astype(int)


def _by(measure):
    """Choose the option, or the two sheets, for which a measure of all options is least."""

    def attack(task: Task) -> str:
        latents = task.metadata["latents"]
        options = np.array([_cells(digits, task) for digits in latents["options"]])
        known = [_cells(digits, task) for digits in latents["top"] if digits]
        order = np.argsort([measure(i, options, known[0]) for i in range(len(options))])
        if task.grader == "mcqa":
            return "ABCDEFGH"[order[0]]
        return "-".join(str(i + 1) for i in sorted(order[:2].tolist()))

    return attack


def _blind(measure):
    """The same without the top row."""
    return _by(lambda i, options, _: measure(i, options))


def _apart(i: int, options: np.ndarray) -> int:
    return int(abs(options - options[i]).sum())


ATTACKS = {
    "most like the others": _blind(_apart),
    "least like the others": _blind(lambda i, options: -_apart(i, options)),
    "most ink": _blind(lambda i, options: -options[i].sum()),
    "least ink": _blind(lambda i, options: options[i].sum()),
    "most central": _blind(
        lambda i, options: abs(np.argwhere(options[i]) - options.shape[1] / 2).sum()
    ),
    "widest spread": _blind(lambda i, options: -np.argwhere(options[i]).std(axis=0).sum()),
}
