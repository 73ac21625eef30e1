"""ConnectTheLines solved by the faces between the lines; letters by drawing them again."""

from __future__ import annotations

import re
from functools import lru_cache

import cv2
import numpy as np

from gym_imagetools.puzzles.drawing.canvas import PALETTES, Canvas
from gym_imagetools.puzzles.families.connect_the_lines import LEVELS
from gym_imagetools.types import Task
from tests.puzzles.solvers.faces import Faces

SPEC_HASHES = {
    (1, 0): "a9476005dc5529bc691f79d451231986bd72bfd4e4ae5a0b6d6da8d54fa2f2a7",
    (3, 1): "e2ba1be9db7062daf5d115c4112177a4b88b438ea74199e1c3423741d84f7769",
    (5, 2): "a66c273d1ac9324245f5b8d4a3d154ccf6310331a7ff2514ec11e31b54c04ecb",
}

LETTERS = "ACDEFGHJKLMNPQRTUVWXYZ"
AMBER = (255, 178, 54)


def solve(task: Task) -> str:
    faces = Faces(task)
    if task.grader == "pairs":
        ends = [faces.end_of(line) for line in range(len(faces.borders[0]))]
        return ", ".join(f"{'ABCDEFGH'[line]}-{end + 1}" for line, end in enumerate(ends))
    line = "ABCDEFGH".index(re.search(r"from ([A-H])\b", task.question)[1])
    return str(faces.end_of(line) + 1) if task.grader == "integer" else _word(task, faces, line)


def _word(task: Task, faces: Faces, line: int) -> str:
    radius = 7 + 1.6 * LEVELS[task.metadata["difficulty"] - 1].stroke
    route, found = faces.follow(line), []
    origin = re.search(r"run from (\w+)", task.question)[1]
    vertical, mirrored = origin in ("top", "bottom"), origin in ("right", "bottom")
    near = cv2.inRange(faces.pixels, np.subtract(AMBER, 24), np.add(AMBER, 24))
    closed = cv2.morphologyEx(near, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
    _, _, stats, centers = cv2.connectedComponentsWithStats(closed)
    for (x, y), area in zip(centers[1:].tolist(), stats[1:, 4].tolist(), strict=True):
        beside = faces.faces_beside(x, y, round(radius) + 12)
        if area > radius**2 and any(
            piece.begin < x < piece.end and piece.faces == beside for piece in route
        ):
            found.append((x, y))
    pixels = task.pictures[0].load()
    word = ""
    for x, y in sorted(found):
        along = faces.side - 1 - x if mirrored else x
        column, row = (y, along) if vertical else (along, y)
        word += _letter(pixels, round(column), round(row), radius)
    return word


def _letter(pixels: np.ndarray, x: int, y: int, radius: float) -> str:
    reach = _reach(radius)
    seen = pixels[y - reach : y + reach + 1, x - reach : x + reach + 1, 0].astype(np.float32)
    scores = {
        letter: cv2.matchTemplate(seen, _template(letter, radius), cv2.TM_CCOEFF_NORMED).max()
        for letter in LETTERS
    }
    return max(scores, key=scores.__getitem__)


@lru_cache(maxsize=len(LETTERS) * len(LEVELS))
def _template(letter: str, radius: float) -> np.ndarray:
    reach = _reach(radius)
    canvas = Canvas((3 * reach, 3 * reach), AMBER)
    canvas.badge(letter, (1.5 * reach, 1.5 * reach), radius, AMBER, PALETTES[0].ink)
    inner = slice(reach // 2 + 1, 3 * reach - reach // 2 - 1)
    return canvas.finish()[inner, inner, 0].astype(np.float32)


def _reach(radius: float) -> int:
    """Return how far from its middle a letter is looked at, in pixels."""
    return round(radius * 0.74)


def chance(task: Task) -> float:
    """Every end, or every order of the ends, is equally likely; a word tells its end."""
    return 1 / task.metadata["choices"]


def _lane_answer(task: Task, end: int) -> str:
    lines = LEVELS[task.metadata["difficulty"] - 1].lines
    latents = task.metadata["latents"]
    end = min(max(end, 0), lines - 1)
    if task.grader == "integer":
        return str(end + 1)
    if task.grader == "pairs":
        return ", ".join(f"{'ABCDEFGH'[line]}-{line + 1}" for line in range(lines))
    return "".join(column[end] for column in latents["letters"].values())


def _start(task: Task) -> int:
    return task.metadata["latents"]["start"]


def _lines(task: Task) -> int:
    return LEVELS[task.metadata["difficulty"] - 1].lines


def _all_crossed(task: Task) -> str:
    """Go straight on at every meeting, as the eye does."""
    latents, here, lanes = task.metadata["latents"], _start(task), []
    pairs = re.findall("..", latents["meetings"])
    ends = list(range(_lines(task)))
    for slot in range(10):
        for upper in (int(pair[1]) for pair in pairs if int(pair[0]) == slot):
            ends[upper], ends[upper + 1] = ends[upper + 1], ends[upper]
            if here in (upper, upper + 1):
                here = 2 * upper + 1 - here
        lanes.append(here)
    if task.grader == "pairs":
        return ", ".join(f"{'ABCDEFGH'[line]}-{ends.index(line) + 1}" for line in range(len(ends)))
    if task.grader == "integer":
        return str(here + 1)
    return "".join(column[lanes[int(slot)]] for slot, column in latents["letters"].items())


ATTACKS = {
    "straight ahead": lambda task: _lane_answer(task, _start(task)),
    "mirrored": lambda task: _lane_answer(task, _lines(task) - 1 - _start(task)),
    "next to straight": lambda task: _lane_answer(task, _start(task) + 1),
    "the middle": lambda task: _lane_answer(task, _lines(task) // 2),
    "all lines cross": _all_crossed,
}
