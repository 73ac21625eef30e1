"""TwinPanels: where two prints of one scene differ, though each alone is nothing but grain."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gym_imagetools.puzzles.drawing.canvas import Canvas, Color
from gym_imagetools.puzzles.drawing.grainy_print import FRAME, make_print
from gym_imagetools.puzzles.eye import BlurryImage, Oracle, Reply
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
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

_BADGE_INK: Color = (84, 82, 104)

_SECTORS = 5  # along a print's side; a sector holds one patch at most

# Edges of tiles, in thousandths, are whole pixels at every level's size (and in binary fractions,
# too), so that crops of two tiles match to the pixel.
_TILE = (170, 340)  # width and height
_SAMPLE_AT = (25, 330)
_TILES_AT = tuple((left, top) for top in (110, 610) for left in (225, 425, 625, 825))
_LETTERS = "ABCDEFGH"
_BADGE = 24  # radius, in thousandths of the picture's height
_BADGE_AT = 38  # distance of its centre from the tile's left and top
_BADGE_REACH = 0.2  # of a tile's side; what differs nearer to the top left corner is a badge

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
    sectors = rngs.latents.choice(_SECTORS**2, count, replace=False).tolist()
    places = _places(rngs.latents, level.height, sectors, _SECTORS, level)
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
    sites = _places(rngs.latents, side, (1, 2, 3), 2, level)  # not under the badge
    width, height = _TILE
    return Puzzle(
        question=(
            "The picture shows nine grainy prints: a sample on the left and eight prints lettered "
            "A to H. In small square patches, what is light grain in one is dark in another, which "
            "no print shows by itself. Which lettered print is, but for its badge, an exact copy "
            "of the sample? "
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
    rng: np.random.Generator, side: int, sectors: Sequence[int], across: int, level: Level
) -> list[list[int]]:
    """Return left and top of patches, each somewhere in its sector of a print.

    Args:
        rng: Draws where in the sector.
        side: Side of the print in pixels.
        sectors: Different sectors, counted row by row.
        across: Sectors along a side.
        level: Tells how large a patch is.
    """
    extent = side * (1 - 2 * FRAME) / across
    chosen = np.array(sectors)
    corners = np.stack([chosen % across, chosen // across], axis=1) * extent + side * FRAME
    away = rng.uniform(0.1 * extent, 0.9 * extent - level.patch, corners.shape)
    return [[round(x), round(y)] for x, y in (corners + away).tolist()]


def _draw_halves(
    rngs: Streams, level: Level, places: Sequence[Sequence[int]], cells: int = 0
) -> Pixels:
    made = make_print(rngs, level.height, level.amplitude, cells)
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
    """Draw the sample and eight prints; bit ``i`` of a variant inverts site ``i``.

    Each has a badge of its own, so that not even the copy's crop equals the sample's.
    """
    per_mille = level.height / 1000
    made = make_print(rngs, round(_TILE[1] * per_mille), level.amplitude)
    canvas = Canvas((2 * level.height, level.height), (246, 244, 240))
    middle = (2 * (_SAMPLE_AT[0] + _TILE[0] / 2) * per_mille, (_SAMPLE_AT[1] - 42) * per_mille)
    canvas.text("Sample", middle, 52 * per_mille, _BADGE_INK)
    picture = canvas.finish().copy()
    places, marks = (_SAMPLE_AT, *_TILES_AT), ("", *_LETTERS)
    for (left, top), mark, variant in zip(places, marks, (true, *variants), strict=True):
        inverted = [site for bit, site in enumerate(sites) if variant >> bit & 1]
        tile = made.develop(inverted, level.patch)
        _pin_badge(tile, mark, per_mille)
        x, y = round(2 * left * per_mille), round(top * per_mille)
        picture[y : y + len(tile), x : x + len(tile)] = tile
    picture.setflags(write=False)
    return picture


def _pin_badge(tile: Pixels, letter: str, per_mille: float) -> None:
    """Draw a badge into the tile's top left corner, a blank one without a letter."""
    middle, radius = _BADGE_AT * per_mille, _BADGE * per_mille
    side = round(2 * middle)
    mask, face = Canvas((side, side), (0, 0, 0)), Canvas((side, side), _BADGE_INK)
    mask.disc((middle, middle), radius, (255, 255, 255))
    if letter:
        face.badge(letter, (middle, middle), radius, _BADGE_INK, (255, 255, 255))
    cover = mask.finish() / 255
    tile[:side, :side] = np.rint(tile[:side, :side] * (1 - cover) + face.finish() * cover)


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
    blobs = yield from _differences(first, second)
    return [blob["center"] for blob in blobs or ()]


def _find_copy() -> Generator[dict[str, Any], Reply, str]:
    """Lay four prints in a row, and the sample four times, and see where the rows differ."""
    width, height = _TILE
    crops = []
    for left, top in (_SAMPLE_AT, *_TILES_AT):
        index = yield from _cut([left, top, left + width, top + height])
        if index is None:
            return _LETTERS[0]
        crops.append(index)
    samples = yield from _in_a_row([crops[0]] * _ROW)
    for first in (0, _ROW):
        row = yield from _in_a_row(crops[1 + first : 1 + first + _ROW])
        blobs = yield from _differences(samples, row)
        if blobs is None:
            return _LETTERS[0]
        unlike = {_print_under(blob["center"]) for blob in blobs}
        alike = [index for index in range(_ROW) if index not in unlike]
        if alike:
            return _LETTERS[first + alike[0]]
    return _LETTERS[0]


_ROW = 4


def _in_a_row(indices: list[int]) -> Generator[dict[str, Any], Reply, int | None]:
    reply = yield _call("image_side_by_side_tool", img_indices=indices)
    return int(reply.results[0]["new_img_indices"][0]) if reply.ok else None


def _differences(
    first: int | None, second: int | None
) -> Generator[dict[str, Any], Reply, list[dict[str, Any]] | None]:
    """Return the blobs of heat in a diff, or None without the tools."""
    if first is None or second is None:
        return None
    reply = yield _call("image_diff_tool", img_idx_a=first, img_idx_b=second)
    if not reply.ok:
        return None
    heat = reply.results[0]["new_img_indices"][0]
    reply = yield _call("find_color_tool", **_HEAT, min_size=20, img_idx=heat)
    return list(reply.results[0]["blobs"]) if reply.ok else None


def _print_under(center: Sequence[int]) -> int:
    """Return which print of a row a blob lies on, -1 for that of a badge.

    The few pixels between prints are less than the margin of a patch in its print.
    """
    place, down = center[0] * _ROW / 1000, center[1] / 1000
    is_badge = place % 1 < _BADGE_REACH and down < _BADGE_REACH
    return -1 if is_badge else int(place)
