"""Pictures about patterns: lines, signs, sameness, counting and completion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from sample_drawings.canvas import (
    AMBER,
    BLUE,
    GREEN,
    HEIGHT,
    INK,
    PALE,
    PAPER,
    RED,
    SMOOTHING,
    VIOLET,
    WHITE,
    WIDTH,
    Canvas,
    Cells,
    Color,
    Drawn,
    Point,
    square,
    turned,
)

TILE = 28
"""The side of a tile of the woven pattern, in pixels."""


def connect_the_lines(rng: np.random.Generator) -> Drawn:
    """Four tangled lines; where does line C end?"""
    canvas = Canvas(WIDTH, HEIGHT)
    columns = [70, 170, 270, 370, 470, 570]
    lanes = [[0, 2, 3, 1, 3, 2], [1, 0, 1, 3, 2, 0], [2, 3, 0, 2, 1, 3], [3, 1, 2, 0, 0, 1]]
    for lane in lanes:
        stops = [(float(x), 80.0 + 105 * y) for x, y in zip(columns, lane, strict=True)]
        path = _smooth(stops)
        canvas.line(path[4:-4], PAPER, 12)
        canvas.line(path, BLUE, 4)
    for i in range(4):
        y = 80.0 + 105 * i
        for x, label, color in ((42, "ABCD"[i], GREEN), (598, str(i + 1), AMBER)):
            canvas.circle((x, y), 22, color)
            canvas.text((x, y), label, 24, WHITE)
    return Drawn(canvas.finished(), str(lanes[2][-1] + 1))


def numbers_and_letters(rng: np.random.Generator) -> Drawn:
    """Signs made of dots of another colour; what do they read?"""
    size, signs = 420, "K74"
    mask = Image.new("L", (size, size))
    font = ImageFont.load_default(165)
    for x, sign in zip((92, 212, 322), signs, strict=True):
        ImageDraw.Draw(mask).text((x, size / 2), sign, 255, font, anchor="mm", stroke_width=8)
    inside = np.asarray(mask) > 127
    canvas = Canvas(size, size)
    canvas.circle((size / 2, size / 2), 205, (240, 236, 226))
    warm: list[Color] = [(219, 112, 72), (229, 140, 84), (203, 92, 74)]
    cool: list[Color] = [(136, 165, 118), (160, 181, 132), (112, 148, 114)]
    for x, y, radius in _packed_dots(rng, size):
        colors = warm if inside[int(y), int(x)] else cool
        canvas.circle((x, y), radius, colors[int(rng.integers(3))])
    return Drawn(canvas.finished(), signs)


def find_the_same(rng: np.random.Generator) -> Drawn:
    """Twenty patterns, of which just two are the same."""
    canvas = Canvas(WIDTH, HEIGHT)
    patterns = _distinct_patterns(rng, 19)
    first, second = 5, 16
    patterns.insert(second, patterns[first])
    for i, pattern in enumerate(patterns):
        row, column = divmod(i, 5)
        center = (76.0 + 122 * column, 70.0 + 117 * row)
        canvas.cells(pattern, center, 18, VIOLET)
        canvas.text((center[0] - 50, center[1] - 34), str(i + 1), 15)
    return Drawn(canvas.finished(), f"{first + 1}, {second + 1}")


def count_same_patterns(rng: np.random.Generator) -> Drawn:
    """A field of turned and mirrored hooks; how many are the same as the one in the frame?"""
    canvas = Canvas(WIDTH, HEIGHT)

    def hook(quarters: int, mirrored: bool, center: Point) -> None:
        sign = -1 if mirrored else 1
        place = partial(turned, angle=quarters * math.pi / 2, origin=center)
        bent = [(-12.0 * sign, -16.0), (-12.0 * sign, 14.0), (10.0 * sign, 14.0)]
        canvas.line([place(point) for point in bent], INK, 6)
        canvas.circle(place((8.0 * sign, -8.0)), 6, AMBER)

    canvas.box((75, 240), 90, WHITE, RED, 3)
    hook(0, False, (75, 240))
    kinds = [(0, False)] * 8 + [(1, False)] * 7 + [(0, True)] * 7 + [(2, False)] * 7
    kinds += [(3, True)] * 7 + [(3, False)] * 6
    for i, index in enumerate(rng.permutation(len(kinds))):
        row, column = divmod(i, 7)
        hook(*kinds[index], (190 + 67.0 * column, 55 + 74.0 * row))
    return Drawn(canvas.finished(), str(kinds.count((0, False))))


def pattern_completion_2d(rng: np.random.Generator) -> Drawn:
    """A woven pattern with a hole; which patch fills it?"""
    canvas = Canvas(WIDTH, HEIGHT)
    pattern = _weave(8, 11)
    left, top = 166, 22
    patch = _tiles(pattern, (4, 2, 7, 5))
    canvas.image.paste(pattern, (left * SMOOTHING, top * SMOOTHING))
    center = (left + TILE * 5.5, top + TILE * 3.5)
    canvas.box(center, 3 * TILE, WHITE, RED, 3)
    canvas.text(center, "?", 44)
    others = [
        patch.transpose(way)
        for way in (
            Image.Transpose.FLIP_LEFT_RIGHT,
            Image.Transpose.ROTATE_90,
            Image.Transpose.FLIP_TOP_BOTTOM,
        )
    ]

    def shown(option: Image.Image, center: Point) -> None:
        x, y = center
        corner = (x - 1.5 * TILE, y - 1.5 * TILE)
        canvas.image.paste(option, (round(corner[0] * SMOOTHING), round(corner[1] * SMOOTHING)))
        canvas.box(center, 3 * TILE, None, INK)

    canvas.options(360, 110, [partial(shown, option) for option in (*others, patch)])
    return Drawn(canvas.finished(), "D")


def pattern_and_color_completion(rng: np.random.Generator) -> Drawn:
    """Nine cells of shapes and colours by a rule, one of them empty; which option belongs there?"""
    canvas = Canvas(WIDTH, HEIGHT)
    colors, sides = (BLUE, AMBER, GREEN), (3, 4, 6)

    def shape(side: int, color: int, dots: int, center: Point) -> None:
        spokes = [
            turned((0.0, -28.0), i * math.tau / sides[side], center) for i in range(sides[side])
        ]
        canvas.polygon(spokes, colors[color], INK)
        for i in range(dots):
            canvas.circle((center[0] + 10 * (i - (dots - 1) / 2), center[1]), 4, WHITE)

    for row in range(3):
        for column in range(3):
            center = (240.0 + 80 * column, 60.0 + 80 * row)
            canvas.box(center, 78, WHITE, PALE)
            if (row, column) == (2, 2):
                canvas.text(center, "?", 44)
            else:
                shape((row + column) % 3, (column - row) % 3, column + 1, center)
    options = [(1, 0, 2), (1, 0, 3), (1, 2, 3), (0, 0, 3)]
    canvas.options(370, 110, [partial(shape, *option) for option in options])
    return Drawn(canvas.finished(), "B")


def _smooth(stops: Sequence[Point]) -> list[Point]:
    """Return a path through all stops that is level at each of them."""
    path: list[Point] = []
    for (x1, y1), (x2, y2) in pairwise(stops):
        for share in np.linspace(0, 1, 24):
            ease = share * share * (3 - 2 * share)
            path.append((x1 + (x2 - x1) * float(share), y1 + (y2 - y1) * float(ease)))
    return path


def _packed_dots(rng: np.random.Generator, size: int) -> list[tuple[float, float, float]]:
    """Return dots (x, y, radius) in a disc that do not touch, the large ones first."""
    dots: list[tuple[float, float, float]] = []
    for radius, tries in ((6.5, 2000), (5.0, 4000), (3.5, 6000)):
        for x, y in rng.uniform(0, size, (tries, 2)).tolist():
            in_disc = math.dist((x, y), (size / 2, size / 2)) < 202 - radius
            if in_disc and all(math.dist((x, y), dot[:2]) > radius + dot[2] + 1 for dot in dots):
                dots.append((x, y, radius))
    return dots


def _distinct_patterns(rng: np.random.Generator, number: int) -> list[Cells]:
    """Return patterns of 4 x 4 cells, half of them filled, that differ in four cells or more."""
    patterns: list[Cells] = []
    while len(patterns) < number:
        pattern = rng.permutation(np.arange(16) < 8).reshape(4, 4)
        if all(int((pattern != other).sum()) >= 4 for other in patterns):
            patterns.append(pattern)
    return patterns


def _weave(rows: int, columns: int) -> Image.Image:
    """Return a pattern that repeats every three columns and two rows, smoothing not yet undone."""
    canvas = Canvas(columns * TILE, rows * TILE)
    for row in range(rows):
        for column in range(columns):
            kind = (column + 2 * (row % 2)) % 3
            center = ((column + 0.5) * TILE, (row + 0.5) * TILE)
            canvas.box(center, TILE, ((232, 240, 250), (250, 238, 214), (230, 242, 230))[kind])
            corners = square(center, TILE)
            if kind == 0:
                canvas.polygon(corners[:3], BLUE)
            elif kind == 1:
                canvas.circle(center, TILE * 0.3, AMBER, INK, 1.5)
            else:
                canvas.line([corners[0], center, corners[3]], GREEN, 5)
    return canvas.image


def _tiles(pattern: Image.Image, tiles: tuple[int, int, int, int]) -> Image.Image:
    """Return the part between tile edges: left, top, right, bottom."""
    left, top, right, bottom = (edge * TILE * SMOOTHING for edge in tiles)
    return pattern.crop((left, top, right, bottom))
