"""PatternAndColorCompletion solved on pixels, by rules that say which cells must be alike."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from gym_imagetools.puzzles.cards.cards import UNITS
from gym_imagetools.puzzles.cards.tile_grid import TileGrid
from gym_imagetools.types import Task

SPEC_HASHES = {
    (1, 0): "ec860b71ccd433972d7d30a6c8617f5063bc3c7822c428b340a0a3b9202a1f57",
    (3, 1): "0c06631d99d3e833a1ffcc87783db1a6d81db665f4b6f206f15d57da8f9c8e0b",
    (5, 2): "b9075f645749201245f62e1e7c43cb89fd2411539a3c019a203ed0894103a437",
}

_BEADS = np.array([(9.5, 10.5), (22.5, 10.5), (15.5, 21.5)]) / 32


def tile_at(task: Task, layout: TileGrid, center: tuple[float, float]) -> tuple | None:
    """What is seen of a tile, as hashable values; None for an empty cell."""
    pixels = task.pictures[0].load()
    unit, half = pixels.shape[1] / UNITS, 0.42 * layout.cell
    x, y = center
    top, bottom, left, right = (round(v * unit) for v in (y - half, y + half, x - half, x + half))
    part = pixels[top:bottom, left:right].astype(int)
    if part[2, part.shape[1] // 2].min() < 242:  # no plate
        return None
    if "bead" in task.question:
        corner = np.array(center) - layout.cell / 2
        points = ((corner + _BEADS * layout.cell) * unit).astype(int)
        return tuple(int(np.argmax(pixels[py, px] @ _HUES)) for px, py in points)
    ink = abs(part - part[2, part.shape[1] // 2]).max(axis=2) > 60
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    box = (np.ptp(rows) + 1) * (np.ptp(columns) + 1)
    shape = int(np.digitize(ink.sum() / box, [0.4, 0.65, 0.88]))
    return tuple((part[part.shape[0] // 2, part.shape[1] // 2] // 4).tolist()), shape


_HUES = np.array([(2, -1, -1), (-1, 0, 1), (-1, 2, -1), (1, -2, 1)]).T
"""How orange, blue, green and violet a colour is."""


def read(task: Task) -> tuple[np.ndarray, list[tuple]]:
    """The grid of tiles as objects (None where empty), and the options."""
    n = int(re.search(r"(\d) by", task.question)[1])
    layout = TileGrid(n, len(task.grading.get("options", ())))
    grid = np.empty((n, n), object)
    for place in np.ndindex(n, n):
        grid[place] = tile_at(task, layout, layout.center(place))
    return grid, [tile_at(task, layout, center) for center in layout.option_centers()]


def partitions(n: int, has_mirrors: bool):
    """For each rule, which group a cell belongs to: cells of a group are alike."""
    i, j = np.indices((n, n))
    yield i
    yield j
    if has_mirrors:
        yield i * n + np.minimum(j, n - 1 - j)
        yield np.minimum(i, n - 1 - i) * n + j
    for period in (3, 4):
        for p in range(period):
            for q in range(period):
                yield (p * i + q * j) % period


def implied(values: dict, hole: tuple[int, int], n: int, has_mirrors: bool = True) -> set:
    """What the rules that fit say of a cell."""
    said = set()
    for groups in partitions(n, has_mirrors):
        by_group: dict[int, set] = {}
        for place, value in values.items():
            by_group.setdefault(int(groups[place]), set()).add(value)
        if all(len(seen) == 1 for seen in by_group.values()):
            said |= by_group.get(int(groups[hole]), set())
    return said


def solve(task: Task) -> str:
    grid, options = read(task)
    n = len(grid)
    seen = {place: grid[place] for place in np.ndindex(n, n) if grid[place] is not None}
    num_attributes = len(next(iter(seen.values())))
    attributes = [{place: tile[a] for place, tile in seen.items()} for a in range(num_attributes)]
    if task.grader == "coord":
        (misfit,) = (place for place in seen if _mends(attributes, place, n))
        return f"{misfit[0] + 1},{misfit[1] + 1}"
    hole = tuple(task.metadata["latents"]["hole"])
    said = [implied(values, hole, n) for values in attributes]
    assert all(len(values) == 1 for values in said), (task.task_id, said)
    (index,) = (
        i for i, o in enumerate(options) if all(v in s for v, s in zip(o, said, strict=True))
    )
    return "ABCDEFGH"[index]


def _mends(attributes: list[dict], place: tuple[int, int], n: int) -> bool:
    """Whether without this cell every attribute follows a rule."""
    rest = [{p: v for p, v in values.items() if p != place} for values in attributes]
    return all(implied(values, place, n, has_mirrors=False) for values in rest)


def option_boxes(task: Task) -> list[tuple[int, int, int, int]]:
    n, unit = int(re.search(r"(\d) by", task.question)[1]), task.pictures[0].size[0] / UNITS
    layout = TileGrid(n, len(task.grading.get("options", ())))
    half = layout.cell / 2
    edges = [(x - half, y - half, x + half, y + half) for x, y in layout.option_centers()]
    return [tuple(box) for box in (np.array(edges) * unit).round().astype(int).tolist()]


def chance(task: Task) -> float:
    if task.grader == "mcqa":
        return 1 / len(task.grading["options"])
    return 1 / int(re.search(r"(\d) by", task.question)[1]) ** 2


def _grid(task: Task) -> np.ndarray:
    rows = task.metadata["latents"]["grid"]
    values = np.array([[int(c) if c != "-" else -1 for c in text] for text in rows])
    return values.reshape(len(rows), round(values.shape[1] ** 0.5), -1)


def _by_attribute(choose):
    """Choose the option with most of the values that a guess gives each attribute."""

    def attack(task: Task) -> str:
        grid = _grid(task)
        if task.grader == "coord":
            return "2,2"
        guess = [choose(values, task.metadata["latents"]["hole"]) for values in grid]
        options = task.metadata["latents"]["options"]
        scores = [sum(int(c) == g for c, g in zip(o, guess, strict=True)) for o in options]
        return "ABCDEFGH"[int(np.argmax(scores))]

    return attack


def _rarest(grid: np.ndarray) -> str:
    counts = [Counter(values.ravel().tolist()) for values in grid]
    scores = {
        place: sum(c[int(v[place])] for c, v in zip(counts, grid, strict=True))
        for place in np.ndindex(grid.shape[1:])
    }
    row, column = min(scores, key=scores.get)
    return f"{row + 1},{column + 1}"


def _beside(values: np.ndarray, hole: list[int], down: int, right: int) -> int:
    row, column = (
        min(max(place + step, 0), len(values) - 1)
        for place, step in zip(hole, (down, right), strict=True)
    )
    return int(values[row, column])


def _most_frequent(values: np.ndarray, hole: list[int]) -> int:
    return Counter(values[values >= 0].tolist()).most_common(1)[0][0]


ATTACKS = {
    "left neighbour": _by_attribute(lambda values, hole: _beside(values, hole, 0, -1)),
    "right neighbour": _by_attribute(lambda values, hole: _beside(values, hole, 0, 1)),
    "upper neighbour": _by_attribute(lambda values, hole: _beside(values, hole, -1, 0)),
    "lower neighbour": _by_attribute(lambda values, hole: _beside(values, hole, 1, 0)),
    "most frequent": _by_attribute(_most_frequent),
    "rarest": _by_attribute(
        lambda values, _: Counter(values[values >= 0].tolist()).most_common()[-1][0]
    ),
    "rarest tile of the grid": lambda task: "A" if task.grader == "mcqa" else _rarest(_grid(task)),
}
