"""LogicPatterns solved on marks read off the pixels, by formulas for what comes next."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise

import numpy as np

from gym_imagetools.puzzles.cards.cards import UNITS
from gym_imagetools.puzzles.cards.dials import SIDE, Layout, places
from gym_imagetools.puzzles.families.logic_patterns import LEVELS
from gym_imagetools.types import Task

SPEC_HASHES = {
    (1, 0): "541b4f1ba60aeffa70689eaf17a9fbc782e6656cb410dbdca4a458374dc81c84",
    (3, 1): "a2bf8f5f5b3dbedccc8ee570c798c78cd7becfc3cf815ac2f052cc1b536aca9f",
    (5, 2): "fca085268e1588413dc512fe25c1cce5254ef8a8a1cd080d425e15283d922d75",
}


def marks(task: Task, corner: tuple[float, float], track: int) -> frozenset[int]:
    """Marked places of a track of a panel."""
    pixels = task.pictures[0].load().astype(int)
    unit = pixels.shape[1] / UNITS
    paper = pixels[int((corner[1] + SIDE - 4) * unit), int((corner[0] + 4) * unit)]
    marked = set()
    for index, place in enumerate(places(track)):
        x, y = ((c + (p + 0.5) / 64 * SIDE) * unit for c, p in zip(corner, place, strict=True))
        away = abs(pixels[int(y), int(x)] - paper).sum()
        if (away < 60) if "ring" in task.question else (away > 180):
            marked.add(index)
    return frozenset(marked)


def solve(task: Task) -> str:
    level = LEVELS[task.metadata["difficulty"] - 1]
    form = task.metadata["form"]
    count = level.numbered if form == "odd" else level.options
    layout = Layout.of(form, count, level.height)
    if form == "odd":
        return _odd(*([min(marks(task, c, t)) for c in layout.labelled] for t in (0, 1)))
    names = ("outer circle", "inner circle", "number of dots")
    fits = list(range(count))
    for track in (track for track, name in enumerate(names) if name in task.question):
        shown = [marks(task, corner, track) for corner in layout.given]
        options = [marks(task, corner, track) for corner in layout.labelled]
        if track == 2:
            said = _said([len(m) - 1 for m in shown], form)
            options = [len(m) - 1 for m in options]
        elif all(len(m) == 1 for m in shown):
            said = _said([min(m) for m in shown], form)
            options = [min(m, default=-1) for m in options]
        else:
            said = _sets(shown)
        assert len(said) == 1, (task.task_id, track, said)
        fits = [i for i in fits if options[i] in said]
    (index,) = fits
    return "ABCDEFGH"[index]


def _said(values: list[int], form: str) -> set[int]:
    """What each rule that the given values follow says of the last one; values are below 8."""
    if form == "row":
        a, b, c = values
        said = {b} if a == c else set()
        return said | ({(c + b - a) % 8} if (c - b - b + a) % 8 == 0 else set())
    grid = [values[0:3], values[3:6], values[6:8]]
    return _across(grid) | _across(_flipped(grid))


def _flipped(grid: list[list]) -> list[list]:
    columns = list(zip(*(row[:2] for row in grid), strict=True))
    return [list(columns[0]), list(columns[1]), [grid[0][2], grid[1][2]]]


def _across(grid: list[list[int]]) -> set[int]:
    first, second, (a, b) = grid
    said = set()
    if len(set(first)) == len(set(second)) == 1 and a == b:
        said.add(b)
    steps = {(v - u) % 8 for row in grid for u, v in pairwise(row)}
    if len(steps) == 1:
        said.add((b + steps.pop()) % 8)
    whole = set(first)
    if len(whole) == 3 and whole == set(second) and {a, b} < whole and a != b:
        said |= whole - {a, b}
    return said


def _sets(shown: list[frozenset[int]]) -> set[frozenset[int]]:
    grid = [shown[0:3], shown[3:6], shown[6:8]]
    said = set()
    for rows in (grid, _flipped(grid)):
        *whole, (a, b) = rows
        for combine in (frozenset.__xor__, frozenset.__or__, frozenset.__and__):
            if all(combine(row[0], row[1]) == row[2] for row in whole):
                said.add(combine(a, b))
        if all(len(set(row)) == 1 for row in rows):
            said.add(a)
    return said


def _odd(outer: list[int], inner: list[int]) -> str:
    found = set()
    for weights in ((1, 0), (0, 1), (1, 1), (1, -1)):
        sums = [(weights[0] * o + weights[1] * i) % 8 for o, i in zip(outer, inner, strict=True)]
        for pair in combinations(range(len(sums)), 2):
            rest = {s for i, s in enumerate(sums) if i not in pair}
            if len(rest) == 1 and not rest & {sums[i] for i in pair}:
                found.add(pair)
    ((first, second),) = found
    return f"{first + 1}-{second + 1}"


def option_boxes(task: Task) -> list[tuple[int, int, int, int]]:
    if task.grader != "mcqa":
        return []
    level, unit = LEVELS[task.metadata["difficulty"] - 1], task.pictures[0].size[0] / UNITS
    corners = Layout.of(task.metadata["form"], level.options, level.height).labelled
    edges = (np.array([(x, y, x + SIDE, y + SIDE) for x, y in corners]) * unit).round()
    return [tuple(box) for box in edges.astype(int).tolist()]


def chance(task: Task) -> float:
    level = LEVELS[task.metadata["difficulty"] - 1]
    if task.grader == "mcqa":
        return 1 / level.options
    return 2 / (level.numbered * (level.numbered - 1))


def _by(choose):
    """Choose an option by what the given panels and the options show, as texts of their tracks."""

    def attack(task: Task) -> str:
        latents = task.metadata["latents"]
        if task.grader != "mcqa":
            return "1-2"
        given, options = (
            [(d[:2], d[2:4], d[4:]) for d in latents[k]] for k in ("given", "labelled")
        )
        scores = [choose(option, given, options, task) for option in options]
        return "ABCDEFGH"[int(np.argmax(scores))]

    return attack


def _votes(option, given, options, task) -> int:
    """How many options share the values of this one."""
    return sum(a == b for other in options for a, b in zip(option, other, strict=True))


def _like(panel: int):
    return lambda option, given, options, task: sum(
        a == b for a, b in zip(option, given[panel], strict=True)
    )


def _frequent(option, given, options, task) -> int:
    counts = [Counter(panel[track] for panel in given) for track in range(3)]
    return sum(count[value] for count, value in zip(counts, option, strict=True))


def _above(option, given, options, task) -> int:
    return _like(5 if len(given) == 8 else 0)(option, given, options, task)


ATTACKS = {
    "majority of the options": _by(_votes),
    "minority of the options": _by(lambda *args: -_votes(*args)),
    "copy of the last panel": _by(_like(-1)),
    "copy of the panel above": _by(_above),
    "copy of the first panel": _by(_like(0)),
    "most frequent values": _by(_frequent),
    "rarest values": _by(lambda *args: -_frequent(*args)),
}
