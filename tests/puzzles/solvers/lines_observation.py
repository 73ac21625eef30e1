"""LinesObservation solved by the faces between the lines, with beads found by their colour."""

from __future__ import annotations

import re
from collections import Counter
from math import comb

import cv2
import numpy as np

from gym_imagetools.puzzles.families.lines_observation import LEVELS, Level
from gym_imagetools.types import Task
from tests.puzzles.solvers.faces import Faces

SPEC_HASHES = {
    (1, 0): "9a31e21b3d0562e80c31160f1045e9d89ded640dd9d27523ad803a146cf3c6e8",
    (3, 1): "1040bb1f8b25b481cfd20f5e30419823fdcd6fe1458ad6668a50e1230526b051",
    (5, 2): "8eda8f63a3a11028a5ad9521295ffa4ecf71396ee1c00fc044bb54f2282dff14",
}

AMBER = (255, 178, 54)


def solve(task: Task) -> str:
    faces = Faces(task)
    routes = [faces.follow(line) for line in range(_level(task).lines)]
    if task.metadata["form"] == "crossings":
        return ", ".join(str(len(route) - 1) for route in routes)
    counts = [0] * len(routes)
    near = (abs(faces.pixels.astype(np.int16) - AMBER) < 30).all(axis=2).astype(np.uint8)
    _, _, stats, centers = cv2.connectedComponentsWithStats(near)
    radius = _level(task).bead
    for (x, y), area in zip(centers[1:].tolist(), stats[1:, 4].tolist(), strict=True):
        if area < 2 * radius**2:
            continue
        beside = faces.faces_beside(x, y, round(2 * radius))
        (line,) = (
            line
            for line, route in enumerate(routes)
            if any(piece.begin < x < piece.end and piece.faces == beside for piece in route)
        )
        counts[line] += 1
    if task.metadata["form"] == "largest first":
        counts.sort(reverse=True)
    return ", ".join(map(str, counts))


def _level(task: Task) -> Level:
    return LEVELS[task.metadata["difficulty"] - 1]


def chance(task: Task) -> float:
    level, form = _level(task), task.metadata["form"]
    choices = level.beads[1] - level.beads[0] + 1
    if form == "crossings":
        return _likeliest_crossings(task)[1]
    return 1 / (comb(choices, level.lines) if form == "largest first" else choices**level.lines)


def _crossings(task: Task, crossed: np.ndarray) -> np.ndarray:
    """Return how often each line crosses others, (samples, lines), for samples of crossings."""
    samples, lines = len(crossed), _level(task).lines
    line_at = np.tile(np.arange(lines), (samples, 1))
    counts = np.zeros((samples, lines), dtype=int)
    pairs = re.findall("..", task.metadata["latents"]["meetings"])
    for pair, crosses in zip(pairs, crossed.T, strict=True):
        upper = int(pair[1])
        both = np.ix_(np.flatnonzero(crosses), [upper, upper + 1])
        np.add.at(counts, (both[0], line_at[both]), 1)
        line_at[both] = line_at[both][:, ::-1]
    return counts


def _likeliest_crossings(task: Task) -> tuple[str, float]:
    """Return the list of crossings that most ways of crossing lead to, and their share."""
    meetings = len(task.metadata["latents"]["crossed"])
    samples = np.random.default_rng(0).random((512, meetings)) < 0.5
    lists = Counter(map(tuple, _crossings(task, samples).tolist()))
    (likeliest, times), *_ = lists.most_common(1)
    return ", ".join(map(str, likeliest)), times / len(samples)


def _all_crossed(task: Task) -> str:
    meetings = len(task.metadata["latents"]["crossed"])
    return ", ".join(map(str, _crossings(task, np.ones((1, meetings), dtype=bool))[0].tolist()))


def _beads_guess(task: Task, counts: list[int]) -> str:
    if task.metadata["form"] == "crossings":
        return _all_crossed(task)
    return ", ".join(map(str, sorted(counts, reverse=True)))


def _shared_out(task: Task) -> str:
    """Share all beads out evenly."""
    beads, lines = sum(task.metadata["latents"]["beads"]), _level(task).lines
    return _beads_guess(task, [(beads + line) // lines for line in range(lines)])


def _spread_out(task: Task) -> str:
    """Spread the numbers of beads evenly over their range."""
    (fewest, most), lines = _level(task).beads, _level(task).lines
    return _beads_guess(task, np.linspace(fewest, most, lines).round().astype(int).tolist())


ATTACKS = {
    "all beads shared out": _shared_out,
    "numbers spread evenly": _spread_out,
    "likeliest crossings": lambda task: _likeliest_crossings(task)[0],
}
