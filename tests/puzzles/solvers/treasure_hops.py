"""TreasureHops solved on the full picture: every field is read, then the table is followed."""

from __future__ import annotations

import re
from functools import lru_cache

import cv2
import numpy as np
from PIL import Image, ImageDraw
from scipy import ndimage

from gym_imagetools.puzzles.drawing.strokes import glyph
from gym_imagetools.puzzles.families.treasure_hops import ALPHABET, LEVELS
from gym_imagetools.types import Task

SPEC_HASHES = {
    (1, 0): "041cb87d0aad9a2759bbd1129177f14333f7f9ac6be71b6c68c1fd341a988127",
    (3, 1): "344bf6886f0df970641b7d676942672e2c4cf7219a730a9655966e155b7b9ac3",
    (5, 2): "553ccda1713e9b29b31ae7815eb475c35ab58e98ac84ac7c5b712a2e9a1eead4",
}

_UNIT = 32
"""Height in which characters are compared, in pixels."""


def solve(task: Task) -> str:
    level = LEVELS[task.metadata["difficulty"] - 1]
    pixels = task.pictures[0].load()
    (start,) = re.findall(r"rgb\((\d+), (\d+), (\d+)\)", task.question)
    alike = (pixels == np.array(start, dtype=np.uint8)).all(axis=2)
    y, x = np.argwhere(ndimage.binary_erosion(alike, np.ones((3, 3)))).mean(axis=0)
    hops = int(re.search(r"hop (\d+)", task.question)[1])
    row, column = (int((at - level.margin) / level.pitch) for at in (y, x))
    for _ in range(hops):
        row, column = _address(_tile(pixels, level, row, column))
    if task.grader == "coord":
        return f"{row + 1},{column + 1}"
    return _letter(_tile(pixels, level, row, column))


def _tile(pixels: np.ndarray, level, row: int, column: int) -> np.ndarray:
    top, left = (level.margin + index * level.pitch for index in (row, column))
    return pixels[top : top + level.tile, left : left + level.tile]


def _field_box(tile: np.ndarray) -> tuple[slice, slice]:
    rows, columns = np.nonzero((tile == 255).all(axis=2))
    return slice(rows.min(), rows.max() + 1), slice(columns.min(), columns.max() + 1)


def _address(tile: np.ndarray) -> tuple[int, int]:
    dark = 255.0 - tile[_field_box(tile)].mean(axis=2)
    height, width = dark.shape
    lines = [dark[: height // 2], dark[height // 2 :]]
    digits = [
        _nearest(half, height / 3, "0123456789")
        for line in lines
        for half in (line[:, : width // 2 + 1], line[:, width // 2 - 1 :])
    ]
    return int(digits[0] + digits[1]) - 1, int(digits[2] + digits[3]) - 1


def _letter(tile: np.ndarray) -> str:
    side = len(tile)
    part = tile[round(0.08 * side) : round(0.68 * side), round(0.08 * side) : round(0.56 * side)]
    dark = tile[side // 2, 3].mean() - part.mean(axis=2)
    return _nearest(np.clip(dark, 0, None), 0.42 * side, ALPHABET)


def _nearest(dark: np.ndarray, height: float, alphabet: str) -> str:
    scale = _UNIT / height
    large = cv2.resize(
        dark.astype(np.float32), None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC
    )
    large = np.pad(large, _UNIT // 2)
    # Not the normalised measure, which a flat place may meet by rounding.
    likeness = {
        c: cv2.matchTemplate(large, _drawn(c), cv2.TM_CCOEFF).max() / _drawn(c).std()
        for c in alphabet
    }
    return max(likeness, key=likeness.get)


@lru_cache
def _drawn(character: str) -> np.ndarray:
    width, height = round(0.9 * _UNIT), round(1.25 * _UNIT)
    image = Image.new("L", (4 * width, 4 * height))
    draw = ImageDraw.Draw(image)
    for stroke in glyph(character):
        points = [(2 * width + 4 * _UNIT * x, 2 * height + 4 * _UNIT * y) for x, y in stroke]
        draw.line(points, 255, round(4 * 0.14 * _UNIT), joint="curve")
    return np.asarray(image.reduce(4), np.float32)


def chance(task: Task) -> float:
    level = LEVELS[task.metadata["difficulty"] - 1]
    return 1 / len(ALPHABET) if task.grader == "string_match" else 1 / (level.grid**2 - 1)


def _after(task: Task, hops: int) -> str:
    """The answer after a wrong number of hops, counted from the end."""
    latents = task.metadata["latents"]
    grid = LEVELS[task.metadata["difficulty"] - 1].grid
    tile = latents["route"][-1 - hops]
    if task.grader == "string_match":
        return latents["letters"][tile]
    return f"{tile // grid + 1},{tile % grid + 1}"


def _constant(task: Task) -> str:
    return "H" if task.grader == "string_match" else "3,3"


ATTACKS = {
    "the start itself": lambda task: _after(task, len(task.metadata["latents"]["route"]) - 1),
    "one hop short": lambda task: _after(task, 1),
    "a constant": _constant,
}
