"""MirroringPatterns solved on cells: each takes the colour of its middle and is moved by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from gym_imagetools.puzzles.cards.cards import Table
from gym_imagetools.puzzles.families.mirroring_patterns import LEVELS
from gym_imagetools.types import Task
from tests.puzzles.solvers.overlay_patterns import box_of, cut

SPEC_HASHES = {
    (1, 0): "01659b5ed46f40067382806fa92eb52a80a047ac4dcab80e23fc511edf7fb820",
    (3, 1): "93886f30c0718c12da8ff82d1a8e2261c0cefd41ebaad21baa1e75d9f615da89",
    (5, 2): "ad4f78084c023eb1523b5ec1e44dc6b54d211dae030f1a52144762ce100e3132",
}


def read(task: Task, card) -> np.ndarray:
    """Colours of the middles, shape (n, n, 3)."""
    level = LEVELS[task.metadata["difficulty"] - 1]
    pixels = cut(task, card)
    middles = ((np.arange(level.cells) + 0.7) / (level.cells + 0.4) * len(pixels)).astype(int)
    return pixels[np.ix_(middles, middles)]


def is_image(picture: np.ndarray, other: np.ndarray, line: str) -> bool:
    """Whether every cell of one picture has the colour of the cell opposite in the other."""
    rows, columns = np.indices(picture.shape[:2])
    last = len(picture) - 1
    opposite = {
        "vertical": (rows, last - columns),
        "horizontal": (last - rows, columns),
        "falling": (columns, rows),
        "rising": (last - columns, last - rows),
    }[line]
    return bool((abs(picture - other[opposite]) <= 12).all())


def line_of(question: str) -> str:
    words = {
        "bottom left corner": "falling",
        "bottom right corner": "rising",
        "below": "horizontal",
        "horizontal": "horizontal",
    }
    return next((line for word, line in words.items() if word in question), "vertical")


def solve(task: Task) -> str:
    table = Table.of(1, num_cards(task))
    cards = [read(task, card) for card in table.options]
    line = line_of(task.question)
    if task.grader == "mcqa":
        top = read(task, table.subjects[0])
        (index,) = (i for i, card in enumerate(cards) if is_image(top, card, line))
        return "ABCDEFGH"[index]
    if task.grader == "integer":
        (index,) = (i for i, card in enumerate(cards) if not is_image(card, card, line))
        return str(index + 1)
    pairs = [
        p for p in combinations(range(len(cards)), 2) if is_image(*(cards[i] for i in p), line)
    ]
    assert len(pairs) == len(cards) // 2, task.task_id
    return ", ".join(f"{i + 1}-{j + 1}" for i, j in pairs)


def num_cards(task: Task) -> int:
    level = LEVELS[task.metadata["difficulty"] - 1]
    return level.options if task.grader == "mcqa" else level.numbered


def option_boxes(task: Task) -> list[tuple[int, int, int, int]]:
    return [box_of(task, card) for card in Table.of(1, num_cards(task)).options]


def chance(task: Task) -> float:
    if task.grader == "pairs":
        return {4: 1 / 3, 6: 1 / 15}[num_cards(task)]
    return 1 / num_cards(task)


def _cells(digits: str) -> np.ndarray:
    side = round(len(digits) ** 0.5)
    return np.array([int(digit) for digit in digits]).reshape(side, side)


def _by(measure):
    """Choose the card for which a measure is least; of pairs no measure but reflecting tells."""

    def attack(task: Task) -> str:
        if task.grader == "pairs":
            return _alike(task)
        cards = np.array([_cells(digits) for digits in task.metadata["latents"]["cards"]])
        scores = [measure(card, cards) for card in cards]
        order = np.argsort(scores, kind="stable").tolist()
        if task.grader == "mcqa":
            return "ABCDEFGH"[order[0]]
        return str(order[0] + 1)

    return attack


def _pair(first: int, second: int) -> str:
    return f"{min(first, second) + 1}-{max(first, second) + 1}"


def _alike(task: Task) -> str:
    """Pair the cards that have most cells in common as they stand."""
    if task.grader != "pairs":
        return "A" if task.grader == "mcqa" else "1"
    cards = [_cells(digits) for digits in task.metadata["latents"]["cards"]]
    rest, pairs = list(range(len(cards))), []
    while rest:
        first = rest.pop(0)
        partner = max(rest, key=lambda other: (cards[first] == cards[other]).sum())
        rest.remove(partner)
        pairs.append(_pair(first, partner))
    return ", ".join(pairs)


def _like_the_top(task: Task) -> str:
    latents = task.metadata["latents"]
    if task.grader != "mcqa":
        return "1" if task.grader == "integer" else _alike(task)
    top = _cells(latents["top"])
    return "ABCDEFGH"[int(np.argmax([(top == _cells(card)).sum() for card in latents["cards"]]))]


ATTACKS = {
    "most like the others": _by(lambda card, cards: (card != cards).sum()),
    "least like the others": _by(lambda card, cards: -(card != cards).sum()),
    "most empty": _by(lambda card, _: -(card == 0).sum()),
    "least empty": _by(lambda card, _: (card == 0).sum()),
    "heaviest on the left": _by(lambda card, _: (card * np.arange(len(card))).sum()),
    "pairs as they stand": _alike,
    "most like the top": _like_the_top,
}
