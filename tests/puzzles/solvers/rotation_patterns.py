"""RotationPatterns solved by turning the pixels of the sample and comparing them with others."""

from __future__ import annotations

import re

import cv2
import numpy as np

from gym_imagetools.puzzles.cards.cards import UNITS, Table
from gym_imagetools.puzzles.families.rotation_patterns import LEVELS
from gym_imagetools.types import Task
from tests.puzzles.solvers.overlay_patterns import box_of, cut

SPEC_HASHES = {
    (1, 0): "180ec90dba6a5a18a3b8907c5ab70e35d0cc9fd399ba118f73b818bf33f8cd59",
    (3, 1): "040fdab5ce55ac36d232d4129e39850ea33559d334ebc4c12b76686ec59a690e",
    (5, 2): "ebff64f2a6eb426f41e62c50f66ca78b237b45c0ab8daca804f7e8fd8012cf50",
}


def marks(task: Task, card) -> np.ndarray:
    """Tiles are what is dark, rings what is light and lies within dark; smoothed."""
    dark = 255 - cut(task, card).mean(axis=2).astype(np.float32)
    bead = LEVELS[task.metadata["difficulty"] - 1].bead
    if bead:
        across = 2 * round(bead * task.pictures[0].size[0] / UNITS) + 1
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (across, across))
        dark = cv2.morphologyEx(dark, cv2.MORPH_BLACKHAT, kernel)
    half = cv2.resize(dark, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return cv2.GaussianBlur(half, (0, 0), 0.8)


def turned(picture: np.ndarray, clockwise: int) -> np.ndarray:
    middle = (len(picture) - 1) / 2
    matrix = cv2.getRotationMatrix2D((middle, middle), -clockwise, 1.0)
    return cv2.warpAffine(picture, matrix, picture.shape, borderValue=float(picture[0, 0]))


def least_difference(picture: np.ndarray, others: list[np.ndarray]) -> float:
    return min(float(((picture - other) ** 2).mean()) for other in others)


def solve(task: Task) -> str:
    count = LEVELS[task.metadata["difficulty"] - 1].options
    table = Table.of(1, count)
    sample = marks(task, table.subjects[0])
    options = [marks(task, card) for card in table.options]
    told = re.search(r"turned (\S+) by (\d+) degrees", task.question)
    if told:
        turns = [int(told[2]) if told[1] == "clockwise" else -int(told[2])]
    else:
        turns = range(0, 360, LEVELS[task.metadata["difficulty"] - 1].step)
    plain = [turned(sample, degrees) for degrees in turns]
    mirrored = [np.fliplr(picture) for picture in plain]
    misses = [least_difference(option, plain) for option in options]
    if task.grader == "mcqa":
        best, second = sorted(misses)[:2]
        assert best < 0.8 * second, (task.task_id, misses)
        return "ABCDEFGH"[int(np.argmin(misses))]
    others = [least_difference(option, mirrored) for option in options]
    return ", ".join(
        str(i + 1) for i, (a, b) in enumerate(zip(misses, others, strict=True)) if b < a
    )


def option_boxes(task: Task) -> list[tuple[int, int, int, int]]:
    table = Table.of(1, LEVELS[task.metadata["difficulty"] - 1].options)
    return [box_of(task, card) for card in table.options]


def chance(task: Task) -> float:
    count = LEVELS[task.metadata["difficulty"] - 1].options
    return 1 / count if task.grader == "mcqa" else 1 / (2**count - 2)


def _figures(task: Task) -> list[np.ndarray]:
    """The cells of each option, turned upright again or not mirrored when it is not."""
    latents = task.metadata["latents"]
    variants = [
        np.array([[int(v) for v in cell.split(",")] for cell in figure.split()])
        for figure in latents["figures"]
    ]
    shown = []
    for view in latents["views"][1:]:
        figure, sign, degrees = re.fullmatch(r"(\d)([+-])(\d+)", view).groups()
        x, y = (variants[int(figure)] * ((-1 if sign == "-" else 1), 1)).T
        angle = np.deg2rad(int(degrees))
        turn = np.cos(angle), np.sin(angle)
        shown.append(np.stack([x * turn[0] - y * turn[1], x * turn[1] + y * turn[0]], axis=1))
    return shown


def _by(measure):
    def attack(task: Task) -> str:
        figures = _figures(task)
        order = np.argsort(
            [round(measure(figure, figures), 6) for figure in figures], kind="stable"
        )
        if task.grader == "mcqa":
            return "ABCDEFGH"[order[0]]
        return ", ".join(str(i + 1) for i in sorted(order[: len(order) // 2].tolist()))

    return attack


def _apart(figure: np.ndarray, figures: list[np.ndarray]) -> float:
    """How far the marks of other options are from the nearest of this one."""
    away = [
        np.hypot(*(figure[:, None] - other).transpose(2, 0, 1)).min(axis=1) for other in figures
    ]
    return float(np.sum(away))


def _upright(task: Task) -> str:
    degrees = [int(re.search(r"\d+$", view)[0]) for view in task.metadata["latents"]["views"][1:]]
    index = int(np.argmin([min(d, 360 - d) for d in degrees]))
    return "ABCDEFGH"[index] if task.grader == "mcqa" else str(index + 1)


ATTACKS = {
    "most like the others": _by(_apart),
    "least like the others": _by(lambda figure, figures: -_apart(figure, figures)),
    "most compact": _by(lambda figure, _: figure.std(axis=0).sum()),
    "least compact": _by(lambda figure, _: -figure.std(axis=0).sum()),
    "heaviest below": _by(lambda figure, _: -figure[:, 1].mean()),
    "nearest to upright": _upright,
}
