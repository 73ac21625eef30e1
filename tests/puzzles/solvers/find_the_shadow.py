"""FindTheShadow solved by laying the outline of the figure's pixels on that of each shadow."""

from __future__ import annotations

from functools import lru_cache
from math import factorial

import numpy as np
from scipy import ndimage

from gym_imagetools.puzzles.critters.shadow_cards import LETTERS, Box, Layout
from gym_imagetools.puzzles.families.find_the_shadow import LEVELS, lay_out
from gym_imagetools.types import Picture, Task

SPEC_HASHES = {
    (1, 0): "6068ac81dce8dc5c62dd5525787dcc56776d36efc641f87f5effa9b4aba6d363",
    (3, 1): "f63fe86b432f6bd5119e419dbf0ac7bba3c1d6120545edfb771f625e6a8620df",
    (5, 2): "bace18c84c347f0b87db284603b84b11b89d4d7f0402b765347de0220d02eabc",
}

_QUARTERS = {"quarter turn clockwise": -1, "half a turn": 2, "quarter turn counter-clockwise": 1}


def solve(task: Task) -> str:
    layout = _layout(task)
    turn = next((turn for words, turn in _QUARTERS.items() if words in task.question), 0)
    shadows = _masks(task, layout.shadow_boxes)
    places = []
    for figure in _masks(task, layout.figure_boxes):
        away = (np.rot90(figure, turn) != shadows).sum(axis=(1, 2))
        best, second = np.sort(away)[:2]
        assert best < second / 2
        places.append(int(away.argmin()))
    return _answer(task, places)


def _answer(task: Task, places: list[int]) -> str:
    form = task.metadata["form"]
    if form == "letter":
        return LETTERS[places[0]]
    if form == "grid":
        row, column = divmod(places[0], _layout(task).shape[1])
        return f"{row + 1},{column + 1}"
    return ", ".join(f"{number}-{LETTERS[place]}" for number, place in enumerate(places, 1))


def _layout(task: Task) -> Layout:
    return lay_out(LEVELS[task.metadata["difficulty"] - 1], task.metadata["form"])


def _masks(task: Task, boxes: list[Box]) -> np.ndarray:
    return _what_is_not_paper(task.pictures[0], tuple(boxes))


@lru_cache(maxsize=2)
def _what_is_not_paper(picture: Picture, boxes: tuple[Box, ...]) -> np.ndarray:
    """The masks of boxes, holes filled."""
    pixels = picture.load()
    masks = []
    for left, top, right, bottom in boxes:
        box = pixels[top:bottom, left:right].astype(np.int16)
        masks.append(ndimage.binary_fill_holes((abs(box - box[0, 0]) > 90).any(axis=2)))
    return np.stack(masks)


def option_boxes(task: Task) -> list[Box]:
    return _layout(task).shadow_boxes if task.metadata["form"] == "letter" else []


def chance(task: Task) -> float:
    count = len(_layout(task).shadows)
    return 1 / (factorial(count) if task.metadata["form"] == "match" else count)


def _by(score):
    """The shadow of the highest score; where figures are matched, shadows in order of it."""

    def guess(task: Task) -> str:
        shadows = _masks(task, _layout(task).shadow_boxes).astype(np.float64)
        order = np.argsort(-score(shadows.reshape(len(shadows), -1)), kind="stable")
        return _answer(task, order.tolist())

    return guess


def _area(shadows: np.ndarray) -> np.ndarray:
    return shadows.sum(axis=1)


def _loneliness(shadows: np.ndarray) -> np.ndarray:
    areas = shadows.sum(axis=1)
    return (areas[:, None] + areas - 2 * shadows @ shadows.T).sum(axis=1)


def _nearness_to_the_mean(shadows: np.ndarray) -> np.ndarray:
    return -abs(shadows - shadows.mean(axis=0)).sum(axis=1)


ATTACKS = {
    "largest": _by(_area),
    "smallest": _by(lambda shadows: -_area(shadows)),
    "odd one out": _by(_loneliness),
    "most central": _by(lambda shadows: -_loneliness(shadows)),
    "nearest to the mean": _by(_nearness_to_the_mean),
    "first": lambda task: _answer(task, list(range(len(_layout(task).shadows)))),
}
