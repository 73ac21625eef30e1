"""RecognizeNumbersAndLetters solved by masks of the samples' colours and drawn templates."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from math import perm

import cv2
import numpy as np

from gym_imagetools.puzzles.drawing.canvas import Canvas
from gym_imagetools.puzzles.drawing.strokes import SAFE_ALPHABET
from gym_imagetools.types import Task

SPEC_HASHES = {
    (1, 0): "a1cad7d19629250ed5ea1e50bda0bcf2bf06eadfe05834bd8bc83c3ee418274e",
    (3, 1): "c76cb087fecfc48cb32b0dfcd4bf584a36c5a22f8f39875af5bb356ffa8c4837",
    (5, 2): "9dafa7a99a2743aa751bd9d7240d005dffb4555cb028cc7b34f6e604b2bccace",
}

FIELD = 0.84  # of the height, above the samples
SIDE = 96  # of a template
GLYPH = 72  # height of a character in it


def solve(task: Task) -> str:
    pixels = task.pictures[0].load()
    field = pixels[: round(FIELD * len(pixels))]
    masks = [cv2.inRange(field, color, color) for color in _samples(pixels)]
    if task.metadata["form"] == "pile":
        kernel = np.ones((5, 5), np.uint8)  # where strokes meet, specks may mix to any colour
        opened = [cv2.morphologyEx(mask, cv2.MORPH_OPEN, kernel) for mask in masks]
        return "".join(_read(_trimmed(mask), stroke=3) for mask in opened)
    count = int(re.search(r"form (\d)", task.question)[1])
    size, width = 512, 0.8 / count
    mask = np.bitwise_or.reduce(masks)
    small = cv2.resize(mask, (size, round(FIELD * size)), interpolation=cv2.INTER_AREA)
    dots = cv2.threshold(small, 0.3 * 255, 255, cv2.THRESH_BINARY)[1]
    closed = cv2.morphologyEx(dots, cv2.MORPH_CLOSE, _disc(11))
    lefts = [round((0.1 + index * width) * size) for index in range(count)]
    parts = [closed[:, left : left + round(width * size)] for left in lefts]
    return "".join(_read(_trimmed(part), stroke=0.17 * GLYPH) for part in parts)


def _samples(pixels: np.ndarray) -> list[np.ndarray]:
    """The colours in the row of the samples, as wide runs between the paper of their frames."""
    row = pixels[round(0.92 * len(pixels))]
    changes = np.flatnonzero((row[1:] != row[:-1]).any(axis=1))
    starts = [
        left + 1 for left, right in pairwise(changes.tolist()) if right - left > 0.06 * len(row)
    ]
    return [row[start] for start in starts]


def _disc(radius: int) -> np.ndarray:
    return cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1))


def _trimmed(mask: np.ndarray) -> np.ndarray:
    """Cut a mask of 0 and 255 down to the rows and columns that hold more than a speck."""
    rows, columns = (
        cv2.reduce(mask, axis, cv2.REDUCE_SUM, dtype=cv2.CV_32S).ravel() >= 3 * 255
        for axis in (1, 0)
    )
    top, bottom = np.flatnonzero(rows)[[0, -1]]
    left, right = np.flatnonzero(columns)[[0, -1]]
    return mask[top : bottom + 1, left : right + 1]


def _read(mask: np.ndarray, stroke: float) -> str:
    """Return the character whose picture of the same height overlaps most."""
    seen: dict[tuple[int, int], np.ndarray | None] = {}  # by the sizes of pictures, which are few
    scores = {}
    for character in SAFE_ALPHABET:
        template = _template(character, stroke)
        if template.shape not in seen:
            seen[template.shape] = _seen_as(mask, *template.shape)
        shown = seen[template.shape]
        if shown is not None:
            scores[character] = float((shown * template).sum())
    return max(scores, key=scores.__getitem__)


def _seen_as(mask: np.ndarray, height: int, width: int) -> np.ndarray | None:
    """Return a mask in the size of a template, blurred like it; None if it is not as wide."""
    own_width = round(mask.shape[1] * height / len(mask))
    if abs(own_width - width) > 0.2 * height:
        return None
    seen = cv2.resize(mask.astype(np.float32), (own_width, height), interpolation=cv2.INTER_AREA)
    return _standardised(cv2.GaussianBlur(cv2.resize(seen, (width, height)), (0, 0), 1.5))


def _standardised(shades: np.ndarray) -> np.ndarray:
    centred = shades - shades.mean(dtype=np.float64)
    return centred / np.linalg.norm(centred)


@lru_cache
def _template(character: str, stroke: float) -> np.ndarray:
    canvas = Canvas((SIDE, SIDE), (0, 0, 0))
    canvas.glyph(character, (SIDE / 2, SIDE / 2), GLYPH, stroke, (255, 255, 255))
    drawn = canvas.finish()[:, :, 0]
    rows, columns = np.flatnonzero(drawn.any(axis=1)), np.flatnonzero(drawn.any(axis=0))
    cut = drawn[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].astype(np.float32)
    return _standardised(cv2.GaussianBlur(cut, (0, 0), 1.5))


def chance(task: Task) -> float:
    """Piled characters may be read without their colours; which are asked for may not."""
    characters, asked = _characters(task), len(task.expected_answer)
    if task.metadata["form"] == "pile":
        return 1 / perm(len(characters), asked)
    return len(SAFE_ALPHABET) ** -float(asked)


def _characters(task: Task) -> str:
    return task.metadata["latents"]["characters"]


ATTACKS = {
    "characters in the order they were drawn": lambda task: (
        _characters(task)[: len(task.expected_answer)]
        if task.metadata["form"] == "pile"
        else "A" * len(task.expected_answer)
    ),
    "one character": lambda task: "H" * len(task.expected_answer),
}
