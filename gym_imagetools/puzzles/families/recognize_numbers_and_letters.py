"""RecognizeNumbersAndLetters: characters drawn over each other, or hidden in a plate of dots."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import asin, ceil, cos, pi, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.errors import GenerationError
from gym_imagetools.puzzles.drawing.canvas import (
    PALETTES,
    Canvas,
    Color,
    Palette,
    Point,
    lab_to_rgb,
)
from gym_imagetools.puzzles.drawing.strokes import SAFE_ALPHABET, glyph
from gym_imagetools.puzzles.eye import Blocks, BlurryImage, Oracle
from gym_imagetools.puzzles.looking.reading import ASPECT, coverage, read_character
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.types import Pixels


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        asked: Number of characters asked for.
        drawn: Number of characters that lie on each other.
        step: Distance of neighbouring colours in CIELAB.
        stroke: Width of strokes that lie on each other, in pixels.
        dot: From dot to dot of a plate, in pixels.
        size: Side of the picture in pixels.
    """

    asked: int
    drawn: int
    step: float
    stroke: float
    dot: float
    size: int


LEVELS = (
    Level(asked=1, drawn=3, step=36, stroke=16, dot=27, size=1024),
    Level(asked=2, drawn=3, step=28, stroke=13, dot=25, size=1024),
    Level(asked=2, drawn=4, step=16, stroke=10, dot=24, size=1024),
    Level(asked=3, drawn=5, step=10, stroke=10, dot=28, size=1536),
    Level(asked=4, drawn=6, step=6, stroke=10, dot=32, size=2048),
)

_LIGHTNESS, _CHROMA = 62.0, 33.0
_SHADES = (-9.0, 0.0, 9.0)  # added to the lightness of a plate's dots
_CARD = 0.03  # between the picture's edge and the card, of the picture's side
_CARD_BOTTOM = 0.84
_SAMPLES_AT = 0.92  # height of the middle of the samples
_SAMPLE = 0.052  # half the side of a sample
_SAMPLE_PITCH = 0.15
_MIDDLE = (_CARD + _CARD_BOTTOM) / 2
_PILED_HEIGHT = 0.52  # of a character that lies on others
_PILED_SHIFT = 0.09  # how far such a character may be from the middle
_PLATE_WIDTH = 0.80  # of the characters in a plate, all together
_HIDDEN_SHIFT = 0.015
_HIDDEN_STROKE = 0.17  # of the character's height
_DOT_JITTER = 0.11  # of the dots' pitch
_DOT_RADII = (0.26, 0.385)
_SEEN_STROKE = 1.4  # of a piled character, in blocks
_HIDDEN_SHARE = 0.45  # of a straight piece of a stroke
_MAX_PLACES = 60
_DOTS = 12  # a straight piece of a stroke is looked at here
_GRID = 256  # squares along the side of the grid that says what a character covers


class RecognizeNumbersAndLetters(Family):
    """Characters of nearly one colour on each other, or made of dots in a plate of dots."""

    name = "RecognizeNumbersAndLetters"
    group = "visual tracking"
    summary = "Read the characters that have exactly the colours of samples."
    answer_type = "characters"
    useful_tools = ("color_at_tool", "find_color_tool", "image_zoom_in_tool")
    necessary_tools = (("find_color_tool",),)
    tools_needed_from = 3

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw a pile or a plate, each as likely; all characters are independent."""
        level = LEVELS[difficulty - 1]
        is_pile = bool(rngs.latents.integers(2))
        picks = rngs.latents.integers(len(SAFE_ALPHABET), size=level.drawn + level.asked)
        text = "".join(SAFE_ALPHABET[pick] for pick in picks)
        angle = float(rngs.latents.uniform(0, 2 * pi))
        palette = PALETTES[int(rngs.style.integers(len(PALETTES)))]
        if is_pile:
            characters = text[: level.drawn]
            order = rngs.latents.permutation(level.drawn)[: level.asked].tolist()
            answer = "".join(characters[index] for index in order)
            image = _draw_pile(characters, order, angle, level, palette, rngs.layout)
        else:
            characters = answer = text[: level.asked]
            order = list(range(level.asked))
            image = _draw_plate(answer, angle, level, palette, rngs.layout)
        return Puzzle(
            question=_pile_question(level) if is_pile else _plate_question(level),
            images=(image,),
            grader="string_match",
            grading={"expected_answer": answer},
            latents={"characters": characters, "order": order, "angle": round(angle, 6)},
            metadata={"form": "pile" if is_pile else "plate"},
        )

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Read the colour of each sample, paint where it is, and read what has been painted."""
        counts = [int(count) for count in re.findall(r"(\d) character", question)]
        asked = 1 if "the sample below" in question else counts[-1]
        is_pile = "lie on each other" in question
        painted = []
        for x, y in _sample_places(asked if is_pile else len(_SHADES)):
            point = [round(1000 * x), round(1000 * y)]
            reply = yield _call("color_at_tool", point_2d=point)
            color = reply.results[0]["rgb"] if reply.ok else list(images[0].color_at(*point))
            reply = yield _call("find_color_tool", color=color, tolerance=1)
            if not reply.ok:
                return rf"\boxed{{{SAFE_ALPHABET[:asked]}}}"
            painted.append(_magenta(reply.images[0].blocks))
        if is_pile:
            return rf"\boxed{{{''.join(map(_read_piled, painted))}}}"
        return rf"\boxed{{{_read_plate(np.sum(painted, axis=0), asked)}}}"


def _call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": {**arguments, "img_idx": 0}}


def _pile_question(level: Level) -> str:
    intro = (
        f"{level.drawn} characters (capital letters and digits) lie on each other, each in a "
        "colour of its own. "
    )
    if level.asked == 1:
        return (
            f"{intro}Which one has exactly the colour of the sample below? Answer with the "
            "character."
        )
    return (
        f"{intro}Which have exactly the colours of the samples below? Answer with these "
        f"{level.asked} characters in the order of the samples, from left to right, as one word."
    )


def _plate_question(level: Level) -> str:
    plural = "" if level.asked == 1 else "s"
    order = "" if level.asked == 1 else " from left to right, as one word"
    return (
        "The dots that have exactly the colours of the three samples below form "
        f"{level.asked} character{plural} (capital letters and digits), all other dots are of "
        f"other colours. Which character{plural}? Answer with the character{plural}{order}."
    )


def _hue(angle: float, lightness: float) -> Color:
    return lab_to_rgb(lightness, _CHROMA * cos(angle), _CHROMA * sin(angle))


def _turn(step: float) -> float:
    """Return the angle between neighbouring hues that are a step apart."""
    return 2 * asin(step / (2 * _CHROMA))


def _sample_places(count: int) -> list[Point]:
    """Return the middles of the samples, in parts of the picture's side."""
    return [
        (0.5 + (index - (count - 1) / 2) * _SAMPLE_PITCH, _SAMPLES_AT) for index in range(count)
    ]


def _draw_card(colors: Sequence[Color], level: Level, palette: Palette) -> Canvas:
    """Draw the empty card with its samples below."""
    size = level.size
    canvas = Canvas((size, size), palette.ground)
    card = (_CARD * size, _CARD * size, (1 - _CARD) * size, _CARD_BOTTOM * size)
    canvas.rectangle(card, palette.paper, 0.02 * size)
    for (x, y), color in zip(_sample_places(len(colors)), colors, strict=True):
        for half, fill in ((_SAMPLE, palette.paper), (0.8 * _SAMPLE, color)):
            left, top, side = (x - half) * size, (y - half) * size, 2 * half * size
            canvas.rectangle((left, top, left + side, top + side), fill, side / 5)
    return canvas


def _draw_pile(
    characters: str,
    order: Sequence[int],
    angle: float,
    level: Level,
    palette: Palette,
    rng: np.random.Generator,
) -> Pixels:
    colors = [_hue(angle + index * _turn(level.step), _LIGHTNESS) for index in range(level.drawn)]
    canvas = _draw_card([colors[index] for index in order], level, palette)
    centers = _pile(rng, characters, level.stroke / level.size)
    for index in rng.permutation(level.drawn).tolist():
        x, y = (place * level.size for place in centers[index])
        height = _PILED_HEIGHT * level.size
        canvas.glyph(characters[index], (x, y), height, level.stroke, colors[index])
    return canvas.finish()


def _pile(rng: np.random.Generator, characters: str, stroke: float) -> list[Point]:
    """Return where characters lie, in parts of the picture's side; no stroke hides another.

    Raises:
        GenerationError: A character found no place.
    """
    centers: list[Point] = []
    placed: list[NDArray[np.float64]] = []
    for character in characters:
        segments = _segments(character) * _PILED_HEIGHT
        for _ in range(_MAX_PLACES):
            right, down = rng.uniform(-_PILED_SHIFT, _PILED_SHIFT, 2).tolist()
            center = (0.5 + 2 * right, _MIDDLE + down)
            moved = segments + np.array(center)
            if not any(
                _hides(first, second, stroke)
                for other in placed
                for first, second in ((moved, other), (other, moved))
            ):
                break
        else:
            raise GenerationError(f"Expected a place in {_MAX_PLACES} draws, got none")
        centers.append(center)
        placed.append(moved)
    return centers


def _segments(character: str) -> NDArray[np.float64]:
    """Return the straight pieces of a character of height 1, shape (n, 2 ends, 2)."""
    return np.array([ends for stroke in glyph(character) for ends in pairwise(stroke)])


def _hides(above: NDArray[np.float64], below: NDArray[np.float64], stroke: float) -> bool:
    """Whether strokes cover too much of any one straight piece of another character."""
    shares = (np.arange(_DOTS) + 0.5) / _DOTS
    dots = below[:, :1] + (below[:, 1:] - below[:, :1]) * shares[:, None]
    starts, along = above[:, 0], above[:, 1] - above[:, 0]
    away = dots[:, :, None] - starts
    place = np.clip((away * along).sum(axis=3) / (along**2).sum(axis=1), 0, 1)
    distance = np.linalg.norm(away - place[..., None] * along, axis=3).min(axis=2)
    return bool(((distance < 1.2 * stroke).mean(axis=1) > _HIDDEN_SHARE).any())


def _draw_plate(
    characters: str, angle: float, level: Level, palette: Palette, rng: np.random.Generator
) -> Pixels:
    figure, ground = (
        [_hue(angle + turn, _LIGHTNESS + shade) for shade in _SHADES]
        for turn in (0.0, _turn(level.step))
    )
    canvas = _draw_card(figure, level, palette)
    dots = _dots(rng, level)
    is_figure = _hidden(rng, characters)[tuple((dots[:, 1::-1] * _GRID).astype(int).T)]
    shades = rng.integers(len(_SHADES), size=len(dots)).tolist()
    radii = (rng.uniform(*_DOT_RADII, len(dots)) * level.dot).tolist()
    for (x, y), inside, shade, radius in zip(
        (dots * level.size).tolist(), is_figure.tolist(), shades, radii, strict=True
    ):
        canvas.disc((x, y), radius, (figure if inside else ground)[shade])
    return canvas.finish()


def _dots(rng: np.random.Generator, level: Level) -> NDArray[np.float64]:
    """Return the middles of a plate's dots in parts of the picture's side, shape (n, 2)."""
    pitch = level.dot / level.size
    left, right = _CARD + 0.8 * pitch, 1 - _CARD - 0.8 * pitch
    ys = np.arange(left, _CARD_BOTTOM - 0.8 * pitch, pitch * 0.88)
    xs = np.arange(left, right - pitch / 2, pitch)
    y, x = np.meshgrid(ys, xs, indexing="ij")
    x = x + pitch / 2 * (np.arange(len(ys)) % 2)[:, None]
    dots = np.stack([x.ravel(), y.ravel()], axis=1)
    return np.asarray(dots + rng.uniform(-_DOT_JITTER, _DOT_JITTER, dots.shape) * pitch)


def _hidden(rng: np.random.Generator, characters: str) -> NDArray[np.bool_]:
    """Return which squares of a grid over the picture the hidden characters cover."""
    covered = np.zeros((_GRID, _GRID), dtype=bool)
    height = _hidden_height(len(characters)) * _GRID
    stroke = height * _HIDDEN_STROKE
    rows, columns = ceil(height + stroke) + 2, ceil(height * ASPECT + stroke) + 2
    for character, (x, y) in zip(characters, _hidden_places(len(characters)), strict=True):
        right, down = rng.uniform(-_HIDDEN_SHIFT, _HIDDEN_SHIFT, 2).tolist()
        center = (x + right) * _GRID, (y + down) * _GRID
        # To ask only about the squares around a character is several times faster.
        left, top = max(0, int(center[0] - columns / 2)), max(0, int(center[1] - rows / 2))
        near = covered[top : top + rows, left : left + columns]
        inside = center[0] - left, center[1] - top
        near |= coverage(character, near.shape, inside, height, stroke) > 0.5
    return covered


def _hidden_height(count: int) -> float:
    return min(0.55, 0.74 * _PLATE_WIDTH / count / ASPECT)


def _hidden_places(count: int) -> list[Point]:
    pitch = _PLATE_WIDTH / count
    return [(0.5 + (index - (count - 1) / 2) * pitch, _MIDDLE) for index in range(count)]


def _magenta(blocks: Blocks) -> NDArray[np.float64]:
    """Return how much of each block has been painted, about 0..1."""
    red, green, blue = np.moveaxis(blocks.astype(np.float64), 2, 0)
    return np.asarray(np.clip((np.minimum(red, blue) - green) / 255, 0, 1))


def _read_piled(ink: NDArray[np.float64]) -> str:
    side = len(ink)
    ink[round(_CARD_BOTTOM * side) :] = 0
    center = (0.5 * side, _MIDDLE * side)
    height, slack = _PILED_HEIGHT * side, round(2 * _PILED_SHIFT * side) + 2
    return read_character(ink, center, height, _SEEN_STROKE, SAFE_ALPHABET, slack)


def _read_plate(ink: NDArray[np.float64], count: int) -> str:
    side, height = len(ink), _hidden_height(count)
    stroke, slack = height * _HIDDEN_STROKE * side, round(_HIDDEN_SHIFT * side) + 2
    return "".join(
        read_character(ink, (x * side, y * side), height * side, stroke, SAFE_ALPHABET, slack)
        for x, y in _hidden_places(count)
    )
