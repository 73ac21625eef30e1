"""TwinPanels: where two prints of one scene differ, though each alone is nothing but grain."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.tasks.canvas import Canvas, Color, Point
from gym_imagetools.tasks.eye import BlurryImage, Oracle, Reply
from gym_imagetools.tasks.puzzle import Family, Puzzle, Streams
from gym_imagetools.types import Pixels


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        height: Height of the picture in pixels; it is twice as wide.
        amplitude: How much lighter or darker a pixel is by its grain, of 255.
        patch: Side of a patch that differs, in pixels.
        most: Most patches to count; one is the fewest.
        cells: Rows and columns of cells, where the cell is asked for.
    """

    height: int
    amplitude: int
    patch: int
    most: int
    cells: int


LEVELS = (
    Level(height=600, amplitude=24, patch=44, most=5, cells=4),
    Level(height=600, amplitude=16, patch=26, most=7, cells=5),
    Level(height=600, amplitude=11, patch=12, most=9, cells=6),
    Level(height=800, amplitude=9, patch=12, most=9, cells=8),
    Level(height=1000, amplitude=8, patch=8, most=9, cells=8),
)
"""Heights of which a multiple of five thousandths is a whole pixel, so crops fit each other."""

_INKS: tuple[Color, ...] = (
    (228, 190, 180),
    (226, 208, 164),
    (204, 224, 184),
    (196, 212, 226),
    (212, 196, 226),
    (228, 178, 192),
    (198, 222, 210),
)
_PAPERS: tuple[Color, ...] = ((228, 224, 214), (222, 226, 220), (226, 220, 226))
"""All alike in red, so that red is free to tell what a diff has found."""

_FRAME = 0.05  # of a print's side
_FEATURES = 14
_SECTORS = 5  # along a print's side; a sector holds one patch at most

# Edges of tiles, in thousandths, are whole pixels at every level's size (and in binary fractions,
# too), so that crops of two tiles match to the pixel.
_TILE = (170, 340)  # width and height
_SAMPLE_AT = (25, 330)
_TILES_AT = tuple((left, top) for top in (110, 610) for left in (225, 425, 625, 825))
_LETTERS = "ABCDEFGH"
_CAPTION_ABOVE = 50  # from a tile's top to the middle of its badge, in thousandths

_HALVES = ([0, 0, 500, 1000], [500, 0, 1000, 1000])
_SAME_PRINT = (
    "of the picture show the same grainy print. In small square patches, though, what is light "
    "grain in one is dark in the other, which neither half shows by itself."
)


class TwinPanels(Family):
    """Two prints that differ in a few patches of grain, or nine of which two are equal."""

    name = "TwinPanels"
    group = "picture comparison"
    summary = "Find where two grainy prints differ, or which print is an exact copy."
    answer_type = "integer, cell or letter"
    useful_tools = (
        "image_crop_tool",
        "image_diff_tool",
        "image_side_by_side_tool",
        "find_color_tool",
        "count_objects_tool",
    )
    necessary_tools = (("image_crop_tool", "image_zoom_in_tool"), ("image_diff_tool",))
    tools_needed_from = 3

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw one of three questions, each as likely; every print alone is random grain."""
        level = LEVELS[difficulty - 1]
        form = (_count_puzzle, _cell_puzzle, _copy_puzzle)[int(rngs.latents.integers(3))]
        return form(rngs, level)

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Crop what is to be compared, and let the diff tool compare it."""
        if "copy" in question:
            return rf"\boxed{{{(yield from _find_copy())}}}"
        blobs = yield from _find_changes()
        if "how many places" in question:
            return rf"\boxed{{{len(blobs) or 3}}}"
        cells = int(re.findall(r"(\d+) rows", question)[0])
        x, y = blobs[0] if blobs else (500, 500)
        return rf"\boxed{{{int(y * cells / 1000) + 1},{int(x * cells / 1000) + 1}}}"


def _count_puzzle(rngs: Streams, level: Level) -> Puzzle:
    count = int(rngs.latents.integers(1, level.most + 1))
    places = _places(rngs.latents, count, level)
    return Puzzle(
        question=(
            f"The left half and the right half {_SAME_PRINT} In how many places do the halves "
            "differ? Answer with a number."
        ),
        images=(_draw_halves(rngs, level, places),),
        grader="integer",
        grading={"expected_answer": str(count)},
        latents={"form": "count", "places": places},
        metadata={"form": "count"},
    )


def _cell_puzzle(rngs: Streams, level: Level) -> Puzzle:
    row, column = (int(place) for place in rngs.latents.integers(level.cells, size=2))
    side = level.height / level.cells
    edge = max(3.0, 0.14 * side)
    away = rngs.latents.uniform(edge, side - edge - level.patch, 2)
    place = [round(column * side + away[0]), round(row * side + away[1])]
    return Puzzle(
        question=(
            f"The left half and the right half {_SAME_PRINT} They differ in one place. Divide a "
            f"half into {level.cells} rows and {level.cells} columns of equal cells, as the thin "
            "lines do: in which cell does the place lie? Answer with row,column, both counted "
            "from 1 at the top left of the half."
        ),
        images=(_draw_halves(rngs, level, [place], level.cells),),
        grader="coord",
        grading={"expected_answer": f"{row + 1},{column + 1}"},
        latents={"form": "cell", "places": [place]},
        metadata={"form": "cell"},
    )


def _copy_puzzle(rngs: Streams, level: Level) -> Puzzle:
    """Three patches, each inverted or not, make eight prints; any of them may be the sample.

    So the eight options are the same whichever of them is right.
    """
    true = int(rngs.latents.integers(8))
    variants = rngs.latents.permutation(8).tolist()
    side = round(_TILE[1] * level.height / 1000)
    sites = _places(rngs.latents, 3, level, side=side, sectors=2)
    width, height = _TILE
    return Puzzle(
        question=(
            "The picture shows nine grainy prints: a sample on the left and eight prints lettered "
            "A to H. In small square patches, what is light grain in one is dark in another, which "
            "no print shows by itself. Which lettered print is an exact copy of the sample? "
            f"In thousandths of the picture, every print is {width} wide and {height} high. The "
            f"sample's top left corner is at {_SAMPLE_AT[0]},{_SAMPLE_AT[1]}; those of A to D are "
            "at 225, 425, 625 and 825 across and 110 down, and E to H stand below them at 610 "
            "down. Answer with one letter."
        ),
        images=(_draw_tiles(rngs, level, sites, variants, variants[true]),),
        grader="mcqa",
        grading={
            "expected_answer": _LETTERS[true],
            "options": [{letter: f"print {letter}"} for letter in _LETTERS],
            "grading_mode": "strict_single_letter_boxed",
        },
        latents={"form": "copy", "places": sites, "variants": variants, "true": true},
        metadata={"form": "copy"},
    )


def _places(
    rng: np.random.Generator,
    count: int,
    level: Level,
    *,
    side: int | None = None,
    sectors: int = _SECTORS,
) -> list[list[int]]:
    """Return left and top of patches in a print, no two of them in one sector."""
    side = level.height if side is None else side
    sector = side * (1 - 2 * _FRAME) / sectors
    chosen = rng.choice(sectors**2, count, replace=False)
    corners = np.stack([chosen % sectors, chosen // sectors], axis=1) * sector + side * _FRAME
    away = rng.uniform(0.1 * sector, 0.9 * sector - level.patch, (count, 2))
    return [[round(x), round(y)] for x, y in (corners + away).tolist()]


@dataclass(frozen=True)
class Print:
    """A scene in grain: every pixel is its light or its dark tone, by a fair coin.

    Attributes:
        light: Pixels of the light grains.
        dark: Pixels of the dark grains.
        grain: Where it is light, of shape (height, width, 1).
    """

    light: Pixels
    dark: Pixels
    grain: NDArray[np.bool_]

    def develop(self, places: Sequence[Sequence[int]], patch: int) -> Pixels:
        """Return the pixels, with the grain inverted in square patches."""
        pixels = np.where(self.grain, self.light, self.dark)
        for left, top in places:
            part = np.s_[top : top + patch, left : left + patch]
            pixels[part] = np.where(self.grain[part], self.dark[part], self.light[part])
        return pixels


def _make_print(rngs: Streams, side: int, amplitude: int, cells: int = 0) -> Print:
    scene = _draw_scene(rngs.style, side, cells)
    coins = rngs.layout.integers(2, size=(side, side, 1), dtype=np.uint8).astype(bool)
    # No ink or paper is nearer to black or white than the largest amplitude.
    return Print(scene + np.uint8(amplitude), scene - np.uint8(amplitude), coins)


def _draw_halves(
    rngs: Streams, level: Level, places: Sequence[Sequence[int]], cells: int = 0
) -> Pixels:
    made = _make_print(rngs, level.height, level.amplitude, cells)
    halves = [made.develop((), level.patch), made.develop(places, level.patch)]
    if rngs.style.integers(2):
        halves.reverse()
    picture = np.concatenate(halves, axis=1)
    picture.setflags(write=False)
    return picture


def _draw_tiles(
    rngs: Streams,
    level: Level,
    sites: Sequence[Sequence[int]],
    variants: Sequence[int],
    true: int,
) -> Pixels:
    """Draw the sample and eight prints; bit ``i`` of a variant inverts site ``i``."""
    per_mille = level.height / 1000
    made = _make_print(rngs, round(_TILE[1] * per_mille), level.amplitude)
    canvas = Canvas((2 * level.height, level.height), (246, 244, 240))
    for letter, (left, top) in zip(_LETTERS, _TILES_AT, strict=True):
        middle = (2 * (left + _TILE[0] / 2) * per_mille, (top - _CAPTION_ABOVE) * per_mille)
        canvas.badge(letter, middle, 36 * per_mille, (84, 82, 104), (255, 255, 255))
    middle = (2 * (_SAMPLE_AT[0] + _TILE[0] / 2) * per_mille, (_SAMPLE_AT[1] - 42) * per_mille)
    canvas.text("Sample", middle, 52 * per_mille, (84, 82, 104))
    picture = canvas.finish().copy()
    for (left, top), variant in zip((_SAMPLE_AT, *_TILES_AT), (true, *variants), strict=True):
        inverted = [site for bit, site in enumerate(sites) if variant >> bit & 1]
        tile = made.develop(inverted, level.patch)
        x, y = round(2 * left * per_mille), round(top * per_mille)
        picture[y : y + len(tile), x : x + len(tile)] = tile
    picture.setflags(write=False)
    return picture


def _draw_scene(rng: np.random.Generator, side: int, cells: int) -> Pixels:
    """Draw overlapping discs, petals and bands in pale inks on a paper with a border."""
    paper = _PAPERS[int(rng.integers(len(_PAPERS)))]
    ground, *inks = (_INKS[index] for index in rng.permutation(len(_INKS)))
    canvas = Canvas((side, side), ground)
    for _ in range(_FEATURES):
        ink = inks[int(rng.integers(len(inks)))]
        center: Point = (rng.uniform(0, side), rng.uniform(0, side))
        radius = side * rng.uniform(0.06, 0.2)
        kind = int(rng.integers(3))
        if kind == 0:
            canvas.disc(center, radius, ink)
            canvas.disc(center, 0.6 * radius, paper)
        elif kind == 1:
            canvas.polygon(
                _petals(center, radius, int(rng.integers(4, 8)), rng.uniform(0, pi)), ink
            )
        else:
            canvas.line(_band(rng, side), 0.5 * radius, ink)
    for line in range(1, cells):
        at = line * side / cells
        canvas.line([(at, 0), (at, side)], 2, paper)
        canvas.line([(0, at), (side, at)], 2, paper)
    _draw_border(canvas, side, paper)
    return canvas.finish()


def _draw_border(canvas: Canvas, side: int, paper: Color) -> None:
    width = side * _FRAME * 0.6
    canvas.rectangle((0, 0, side, width), paper)
    canvas.rectangle((0, side - width, side, side), paper)
    canvas.rectangle((0, 0, width, side), paper)
    canvas.rectangle((side - width, 0, side, side), paper)


def _petals(center: Point, radius: float, count: int, turn: float) -> list[Point]:
    angles = np.linspace(0, 2 * pi, 90, endpoint=False).tolist()
    reaches = [radius * (0.75 + 0.25 * cos(count * angle)) for angle in angles]
    return [
        (center[0] + reach * cos(angle + turn), center[1] + reach * sin(angle + turn))
        for angle, reach in zip(angles, reaches, strict=True)
    ]


def _band(rng: np.random.Generator, side: int) -> list[Point]:
    """Return a wavy line across the print."""
    level, swing, phase = rng.uniform(0, side), side * rng.uniform(0.03, 0.1), rng.uniform(0, 6)
    xs = np.linspace(0, side, 40).tolist()
    points = [(x, level + swing * sin(phase + 9 * x / side)) for x in xs]
    return [(y, x) for x, y in points] if rng.integers(2) else points


# The oracle. A diff keeps two fifths of the first picture's colours and adds three fifths of the
# heat to red, which lifts the red of a changed pixel above that of any other.

_HEAT = {"color": [163, 80, 80], "tolerance": 60}
"""Red above 102, green and blue as two fifths of a print's."""


def _call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def _cut(box: Sequence[int]) -> Generator[dict[str, Any], Reply, int | None]:
    """Crop a box and return the new picture's index, or None."""
    reply = yield _call("image_crop_tool", bbox_2d=list(box), img_idx=0)
    if not reply.ok:
        reply = yield _call("image_zoom_in_tool", bbox_2d=list(box), factor=1.0, img_idx=0)
    return int(reply.results[0]["new_img_indices"][0]) if reply.ok else None


def _find_changes() -> Generator[dict[str, Any], Reply, list[list[int]]]:
    """Return the centres of what differs between the halves, in thousandths of a half."""
    first = yield from _cut(_HALVES[0])
    second = yield from _cut(_HALVES[1])
    if first is None or second is None:
        return []
    reply = yield _call("image_diff_tool", img_idx_a=first, img_idx_b=second)
    if not reply.ok:
        return []
    heat = reply.results[0]["new_img_indices"][0]
    reply = yield _call("find_color_tool", **_HEAT, min_size=20, img_idx=heat)
    return [blob["center"] for blob in reply.results[0]["blobs"]] if reply.ok else []


def _find_copy() -> Generator[dict[str, Any], Reply, str]:
    """Compare print by print with the sample until nothing differs."""
    width, height = _TILE
    sample = yield from _cut([*_SAMPLE_AT, _SAMPLE_AT[0] + width, _SAMPLE_AT[1] + height])
    for letter, (left, top) in zip(_LETTERS, _TILES_AT, strict=True):
        tile = yield from _cut([left, top, left + width, top + height])
        if sample is None or tile is None:
            break
        reply = yield _call("image_diff_tool", img_idx_a=sample, img_idx_b=tile)
        if not reply.ok:
            break
        if reply.results[0]["mean_abs_diff"] == 0:
            return letter
    return _LETTERS[0]
