"""Maze solved by flood fill and shortest path on the pixels."""

from __future__ import annotations

import re
from dataclasses import dataclass

import cv2
import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from gym_imagetools.puzzles.families.maze import LEVELS
from gym_imagetools.types import Task

SPEC_HASHES = {
    (1, 0): "6f40f665c609a78c5b9c89528259003cca641eb687d51d577305d54c2e44045d",
    (3, 1): "3136f8308317d8374f75a7116f12597545b5998e7615e61fac7c38185067b92e",
    (5, 2): "ca638e85eac4ab09ee2af3601f4e91c380b9b00bb2e0352786ed02333c25ddc7",
}


@dataclass(frozen=True)
class Seen:
    """What is read from the pixels; points are (y, x)."""

    corridor: np.ndarray
    box: tuple[slice, slice]
    badges: list[tuple[float, float]]
    marks: list[tuple[float, float]]


def look(task: Task) -> Seen:
    red, _, blue = np.moveaxis(task.pictures[0].load(), 2, 0)
    wall = red < 150
    box = tuple(_extent(wall.any(axis=axis)) for axis in (1, 0))
    _, _, stats, _ = cv2.connectedComponentsWithStats(((red > 200) & (blue < 170)).astype(np.uint8))
    badges, marks = [], []
    for left, top, width, height, area in stats[1:].tolist():
        middle = (top + (height - 1) / 2, left + (width - 1) / 2)
        inside = all(b.start < m < b.stop for b, m in zip(box, middle, strict=True))
        if inside:
            marks.append(middle)
        elif area > wall.size * 0.0003:  # smaller ones are the insides of letters
            badges.append(middle)
    return Seen(~wall, box, badges, marks)


def _extent(line: np.ndarray) -> slice:
    return slice(int(line.argmax()), int(len(line) - line[::-1].argmax()))


def solve(task: Task) -> str:
    seen = look(task)
    return _gate(task, seen) if task.grader == "mcqa" else _pearls(task, seen)


def _gate(task: Task, seen: Seen) -> str:
    (goal,) = seen.marks
    _, inside = cv2.connectedComponents(seen.corridor[seen.box].astype(np.uint8), connectivity=4)
    offset = np.array([side.start for side in seen.box])
    last = np.array(inside.shape) - 1
    step = inside.shape[0] / _cells(task) / 2

    def component(point: tuple[float, float]) -> int:
        y, x = np.clip(np.subtract(point, offset), step, last - step).round().astype(int)
        return int(inside[y, x])

    center = last / 2 + offset
    clockwise = sorted(seen.badges, key=lambda badge: _turn(np.subtract(badge, center)))
    (true,) = (i for i, badge in enumerate(clockwise) if component(badge) == component(goal))
    return "ABCDE"[true]


def _turn(away: np.ndarray) -> float:
    """Angle clockwise from the top left corner."""
    y, x = away
    return (np.arctan2(y, x) + 3 * np.pi / 4) % (2 * np.pi)


def _pearls(task: Task, seen: Seen) -> str:
    cells = _cells(task)
    top, left = (side.start for side in seen.box)
    half_wall = _wall_thickness(seen) / 2
    pitch = (seen.box[0].stop - top - 2 * half_wall) / cells

    def cell_of(point: tuple[float, float]) -> int:
        y, x = (
            min(max(int((value - start - half_wall) / pitch), 0), cells - 1)
            for value, start in zip(point, (top, left), strict=True)
        )
        return y * cells + x

    centers = (np.arange(cells) + 0.5) * pitch + half_wall
    ys, xs = (centers + top).round().astype(int), (centers + left).round().astype(int)
    edges = []
    for row in range(cells):
        for column in range(cells):
            here = row * cells + column
            if column + 1 < cells and seen.corridor[ys[row], xs[column] : xs[column + 1]].all():
                edges.append((here, here + 1))
            if row + 1 < cells and seen.corridor[ys[row] : ys[row + 1], xs[column]].all():
                edges.append((here, here + cells))
    assert len(edges) == cells**2 - 1, "not a tree"
    start, end = map(cell_of, seen.badges)
    _, before = dijkstra(
        coo_array((np.ones(len(edges)), np.transpose(edges)), shape=(cells**2, cells**2)).tocsr(),
        directed=False,
        indices=start,
        return_predecessors=True,
    )
    route = {end}
    while end != start:
        end = int(before[end])
        route.add(end)
    return str(sum(cell_of(mark) in route for mark in seen.marks))


def _wall_thickness(seen: Seen) -> int:
    rows = (~seen.corridor[seen.box]).mean(axis=1)
    return int(np.argmin(rows > 0.6))


def _cells(task: Task) -> int:
    return int(re.search(r"(\d+) by", task.question)[1])


def chance(task: Task) -> float:
    if task.grader == "mcqa":
        return 1 / len(task.grading["options"])
    fewest, most = LEVELS[task.metadata["difficulty"] - 1].pearls
    return 1 / (most - fewest + 1)


def _nearest(task: Task, power: int) -> str:
    latents = task.metadata["latents"]
    if latents["goal"] is None:
        return str(sum(LEVELS[task.metadata["difficulty"] - 1].pearls) // 2)
    goal, cells = latents["goal"], _cells(task)

    def distance(gate: int) -> float:
        away = np.abs(np.subtract(divmod(gate, cells), divmod(goal, cells)))
        return float((away**power).sum())

    return min(latents["labels"], key=lambda label: distance(latents["labels"][label]))


def _share_of_all_pearls(task: Task) -> str:
    latents = task.metadata["latents"]
    if latents["goal"] is not None:
        return "A"
    return str(round(len(latents["pearls"]) / 3))


ATTACKS = {
    "nearest gate, city block": lambda task: _nearest(task, 1),
    "nearest gate, straight": lambda task: _nearest(task, 2),
    "a third of all pearls": _share_of_all_pearls,
}
