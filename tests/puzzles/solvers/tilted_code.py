"""TiltedCode solved on the full picture: the tag's axis, its arrow, and strokes laid over it."""

from __future__ import annotations

import re
from functools import lru_cache

import cv2
import numpy as np
from PIL import Image, ImageDraw
from scipy import ndimage

from gym_imagetools.puzzles.drawing.strokes import glyph
from gym_imagetools.puzzles.families.tilted_code import ALPHABET, TAG_COLORS
from gym_imagetools.types import Task

SPEC_HASHES = {
    (1, 0): "aa33fb0f5b1eed92037ff9187066e605f59ee380e65b31831e4771d0df11d77d",
    (3, 1): "56a1d7e46f20ea1ef0711460cd296db39d34888bda0371e3890cb513ba76c321",
    (5, 2): "b2bdd1ccc0bb75522af129d4aa947a014446a1c619f1a852d6e8a7dd053da29f",
}

_UNIT = 40
"""Height in which characters are compared, in pixels."""


def solve(task: Task) -> str:
    pixels = task.pictures[0].load()
    color = np.array(TAG_COLORS[re.search(r"on the (\w+) tag", task.question)[1]])
    alike = (abs(pixels.astype(np.int16) - color) <= 3).all(axis=2)
    y, x = np.nonzero(alike)
    side = max(np.ptp(y), np.ptp(x)) + 6
    top, left = (np.ptp(y) // 2 + y.min() - side // 2, np.ptp(x) // 2 + x.min() - side // 2)
    part = pixels[max(top, 0) : top + side, max(left, 0) : left + side]
    return _read(_upright(part, (abs(part.astype(np.int16) - color) <= 3).all(axis=2)))


def _upright(part: np.ndarray, fill: np.ndarray) -> np.ndarray:
    """The tag with its arrow on the left and pointing up, 7 by 2 heights of a character large."""
    face = ndimage.binary_fill_holes(ndimage.binary_closing(fill, np.ones((3, 3)), iterations=2))
    points = np.argwhere(face)[:, ::-1].astype(float)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    white = (part.min(axis=2) > 225) & face
    arrow = np.argwhere(white)[:, ::-1].mean(axis=0)
    spread = np.linalg.eigh(np.cov((points - points.mean(axis=0)).T))[1][:, 1]
    along = spread * np.sign(spread @ (middle - arrow))
    height = abs((middle - arrow) @ along) / 2.44
    down = np.array([-along[1], along[0]])
    away = (np.argwhere(white)[:, ::-1] - arrow) @ down
    if (away**3).sum() > 0:
        down = -down
    scale = height / _UNIT
    matrix = np.column_stack(
        [along * scale, down * scale, middle - scale * _UNIT * (3.5 * along + down)]
    )
    return cv2.warpAffine(
        part, matrix, (7 * _UNIT, 2 * _UNIT), flags=cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    )


def _read(upright: np.ndarray) -> str:
    ink = 255.0 - upright.max(axis=2)
    return "".join(_nearest(ink, (3.5 - 1.29 + 0.95 * index) * _UNIT) for index in range(5))


def _nearest(ink: np.ndarray, x: float) -> str:
    reach = round(0.55 * _UNIT)
    part = ink[:, round(x) - reach : round(x) + reach].astype(np.float32)
    likeness = {c: cv2.matchTemplate(part, _drawn(c), cv2.TM_CCOEFF_NORMED).max() for c in ALPHABET}
    return max(likeness, key=likeness.get)


@lru_cache
def _drawn(character: str) -> np.ndarray:
    width, height = round(0.86 * _UNIT), round(1.2 * _UNIT)
    image = Image.new("L", (4 * width, 4 * height))
    draw = ImageDraw.Draw(image)
    for stroke in glyph(character):
        points = [(2 * width + 4 * _UNIT * x, 2 * height + 4 * _UNIT * y) for x, y in stroke]
        draw.line(points, 255, round(4 * 0.16 * _UNIT), joint="curve")
    return np.asarray(image.reduce(4), np.float32)


def chance(task: Task) -> float:
    return len(ALPHABET) ** -5


def _of_another_tag(task: Task) -> str:
    return task.metadata["latents"]["tags"][1][1]


ATTACKS = {"another tag": _of_another_tag, "a constant": lambda task: "NNNNN"}
