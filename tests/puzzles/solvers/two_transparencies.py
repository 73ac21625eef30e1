"""TwoTransparencies solved on whole grains: which lights differ, and whose strokes they fill."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw
from scipy import ndimage

from gym_imagetools.puzzles.drawing.strokes import glyph
from gym_imagetools.puzzles.families.two_transparencies import ALPHABET, LEVELS
from gym_imagetools.types import Task

SPEC_HASHES = {
    (1, 0): "735e5ffea6c2c230743dee985fb4690560fffb58d387a59a5500bdb8a4feeddb",
    (3, 1): "cb28afa66b52905dd0aa82c824512f5affa738a0c92ab9a26ed1e2cfd3dcbe65",
    (5, 2): "f3b650810b99dea38591b9d8381a43cd663534104fddb75f750991081b3d7cf4",
}

_SIDE = 48
"""Height in which characters are compared, in pixels."""


def solve(task: Task) -> str:
    """Lay the second sheet in all eight ways: only one of them has much in common."""
    first, second = lights_of(task, 0), lights_of(task, 1)
    ways = [np.rot90(side, turns) for side in (second, second[:, ::-1]) for turns in range(4)]
    return read(min((first ^ way for way in ways), key=np.mean), len(task.expected_answer))


def lights_of(task: Task, index: int) -> np.ndarray:
    """Whether each grain is light, as the sheet lies in its picture."""
    level = LEVELS[task.metadata["difficulty"] - 1]
    sheet = task.pictures[index].load()
    margin = round(level.size * 80 / 1024)
    grains = sheet[margin:-margin, margin:-margin][level.grain // 2 :: level.grain]
    return grains[:, level.grain // 2 :: level.grain].astype(int).sum(axis=2) > 3 * 128


def read(unlike: np.ndarray, characters: int) -> str:
    solid = ndimage.median_filter(unlike, 3) & ndimage.binary_opening(unlike, np.ones((3, 3)))
    rows, columns = (np.flatnonzero(solid.any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return ALPHABET[0] * characters
    text = solid[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    width = len(text) * (4 / 6 + 0.17) / 1.17
    lefts = np.linspace(0, max(text.shape[1] - width, 0), characters)
    return "".join(_nearest(text[:, round(x) : round(x + width) + 1]) for x in lefts)


def _nearest(part: np.ndarray) -> str:
    shape = (round(_SIDE * (4 / 6 + 0.17)), round(_SIDE * 1.17))
    seen = np.asarray(Image.fromarray(part.astype(np.uint8) * 255).resize(shape)) > 127
    return max(ALPHABET, key=lambda c: (seen & _drawn(c)).sum() / (seen | _drawn(c)).sum())


@lru_cache
def _drawn(character: str) -> np.ndarray:
    radius = 0.17 * _SIDE / 2
    image = Image.new("1", (round(_SIDE * (4 / 6 + 0.17)), round(_SIDE * 1.17)))
    draw = ImageDraw.Draw(image)
    for stroke in glyph(character):
        points = [((x + 1 / 3) * _SIDE + radius, (y + 0.5) * _SIDE + radius) for x, y in stroke]
        draw.line(points, 1, round(2 * radius))
        for x, y in points:
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), 1)
    return np.asarray(image)


def chance(task: Task) -> float:
    return len(ALPHABET) ** -len(task.expected_answer)


def _by_place(task: Task) -> str:
    left, top = task.metadata["latents"]["place"]
    return ALPHABET[(left + top) % len(ALPHABET)] * len(task.expected_answer)


ATTACKS = {"the place of the text": _by_place}
