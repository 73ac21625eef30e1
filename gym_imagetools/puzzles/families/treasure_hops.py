"""TreasureHops: from a tile of an exact colour, follow tiny addresses across a map of tiles."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass
from functools import lru_cache
from math import cos, pi, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.puzzles.drawing.canvas import (
    PALETTES,
    Canvas,
    Color,
    Palette,
    Point,
    lab_to_rgb,
)
from gym_imagetools.puzzles.eye import Blocks, BlurryImage, Oracle, Reply
from gym_imagetools.puzzles.looking.reading import read_character
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.types import Pixels


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        grid: Rows and columns of tiles.
        size: Side of the picture in pixels.
        hops: How many addresses are to be followed.
        digit: Height of an address's digits in pixels.
        step: Least difference of two tiles' colours, in some channel. Steps of 1 leave all tiles
            within what five bits tell.
        shades: Different values of a channel; enough for every tile to have a colour of its own.
    """

    grid: int
    size: int
    hops: int
    digit: int
    step: int
    shades: int

    @property
    def pitch(self) -> int:
        """Pixels from one tile to the next."""
        return int(self.size * (1 - 2 * _LEAST_MARGIN)) // self.grid // 2 * 2

    @property
    def tile(self) -> int:
        """Side of a tile in pixels."""
        return round(self.pitch * (1 - _GAP))

    @property
    def margin(self) -> int:
        """Pixels from the picture's edge to the first tile."""
        return (self.size - self.grid * self.pitch) // 2

    def corner(self, index: int) -> tuple[int, int]:
        """Return left and top of a tile in pixels, counted row by row."""
        row, column = divmod(index, self.grid)
        return self.margin + column * self.pitch, self.margin + row * self.pitch


_LEAST_MARGIN = 0.045  # of the picture's side, for the numbers of rows and columns
_GAP = 0.09  # of the pitch, between tiles

LEVELS = (
    Level(grid=6, size=1024, hops=1, digit=22, step=16, shades=5),
    Level(grid=8, size=1024, hops=2, digit=17, step=8, shades=5),
    Level(grid=12, size=1280, hops=3, digit=13, step=1, shades=6),
    Level(grid=16, size=1536, hops=4, digit=11, step=1, shades=7),
    Level(grid=20, size=2048, hops=6, digit=10, step=1, shades=8),
)

ALPHABET = "ACDFHJKLMNPRTUVXYZ"
_DIGITS = "0123456789"

_LETTER_AT = (0.33, 0.38)  # centre, of the tile's side from its left and top
_LETTER = 0.42  # height, of the tile's side
_LETTER_STROKE, _DIGIT_STROKE = 0.13, 0.14  # of the character's height
_FIELD = (2.25, 3.0)  # width and height of the white field, in heights of a digit
_FIELD_INSET = 0.07  # from the tile's right and bottom, of its side
_DIGITS_AT = ((-0.48, -0.68), (0.48, -0.68), (-0.48, 0.68), (0.48, 0.68))
"""Centres of an address's four digits from the field's middle, in heights of a digit."""

_WHITE: Color = (255, 255, 255)


class TreasureHops(Family):
    """A map of tiles, each with a letter and a tiny address of another tile."""

    name = "TreasureHops"
    group = "visual tracking"
    summary = "Find a tile by its exact colour and follow tiny addresses from tile to tile."
    answer_type = "letter or cell"
    useful_tools = ("find_color_tool", "image_zoom_in_tool", "image_crop_tool", "color_at_tool")
    necessary_tools = (("image_zoom_in_tool",), ("find_color_tool", "count_objects_tool"))
    tools_needed_from = 3

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw a map; asked is the last tile's letter or its place, each as likely."""
        level = LEVELS[difficulty - 1]
        asks_letter = bool(rngs.latents.integers(2))
        num_tiles = level.grid**2
        route = rngs.latents.choice(num_tiles, level.hops + 1, replace=False)
        letters = rngs.latents.integers(len(ALPHABET), size=num_tiles)
        # Every tile names any other one; those on the route name the next.
        addresses = (
            np.arange(num_tiles) + rngs.latents.integers(1, num_tiles, num_tiles)
        ) % num_tiles
        addresses[route[:-1]] = route[1:]
        colors = _near_colors(rngs.latents, level)
        row, column = divmod(int(route[-1]), level.grid)
        letter = ALPHABET[letters[route[-1]]]
        return Puzzle(
            question=_question(level, colors[route[0]].tolist(), asks_letter=asks_letter),
            images=(_draw_map(level, letters, addresses, colors, rngs.style),),
            grader="string_match" if asks_letter else "coord",
            grading={"expected_answer": letter if asks_letter else f"{row + 1},{column + 1}"},
            latents={
                "route": route.tolist(),
                "letters": "".join(ALPHABET[index] for index in letters),
                "addresses": addresses.astype(">u2").tobytes().hex(),
                "start": colors[route[0]].tolist(),
            },
            metadata={"form": "letter" if asks_letter else "tile"},
        )

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Find the start by its colour, then zoom in on one address after the other."""
        grid, hops = (int(re.findall(rf"(\d+) {word}", question)[0]) for word in ("rows", "times?"))
        level = next(level for level in LEVELS if level.grid == grid)
        color = [int(channel) for channel in re.findall(r"rgb\((\d+), (\d+), (\d+)\)", question)[0]]
        tile = yield from _find_start(level, color, images[0])
        for _ in range(hops):
            tile = yield from _next_tile(level, tile)
        if "Which letter" not in question:
            row, column = divmod(tile, grid)
            return rf"\boxed{{{row + 1},{column + 1}}}"
        return rf"\boxed{{{(yield from _letter_of(level, tile))}}}"


def _question(level: Level, start: list[int], *, asks_letter: bool) -> str:
    asked = (
        "Which letter is on the tile where you end? Answer with the letter."
        if asks_letter
        else "On which tile do you end? Answer with row,column."
    )
    times = "1 time" if level.hops == 1 else f"{level.hops} times"
    return (
        f"The map has {level.grid} rows and {level.grid} columns of tiles, numbered along its "
        "edges from the top left. Every tile has a letter, and in a white field the address of "
        "another tile: above its row, below its column, in two digits each. Start on the only tile "
        f"whose colour is exactly rgb({start[0]}, {start[1]}, {start[2]}) and hop {times}: each "
        f"hop goes to the tile whose address is on the tile where you are. {asked}"
    )


def _near_colors(rng: np.random.Generator, level: Level) -> NDArray[np.uint8]:
    """Return a colour for every tile, all different, of shape (tiles, 3)."""
    angle, chroma = rng.uniform(0, 2 * pi), rng.uniform(14, 30)
    common = lab_to_rgb(rng.uniform(70, 78), chroma * cos(angle), chroma * sin(angle))
    base = np.minimum(np.array(common), 230 - level.step * level.shades) & ~7
    picks = rng.choice(level.shades**3, level.grid**2, replace=False)
    shades = np.stack(np.unravel_index(picks, (level.shades,) * 3), axis=1)
    return np.asarray(base + level.step * shades, dtype=np.uint8)


def _draw_map(
    level: Level,
    letters: NDArray[np.int64],
    addresses: NDArray[np.int64],
    colors: NDArray[np.uint8],
    rng: np.random.Generator,
) -> Pixels:
    palette = PALETTES[int(rng.integers(len(PALETTES)))]
    picture = _draw_headings(level, palette).copy()
    end = level.margin + level.grid * level.pitch
    # All tiles at once: a view of shape (rows, pixels, columns, pixels, 3).
    shape = (level.grid, level.pitch, level.grid, level.pitch, 3)
    tiles = picture[level.margin : end, level.margin : end].reshape(shape)
    _fill_tiles(tiles, level, colors.reshape(level.grid, level.grid, 3), palette)
    for index, (letter, address) in enumerate(zip(letters, addresses.tolist(), strict=True)):
        row, column = divmod(index, level.grid)
        tile = tiles[row, : level.tile, column, : level.tile]
        _print_letter(tile, ALPHABET[letter], colors[index], palette.ink)
        _print_address(tile, level, divmod(address, level.grid), palette.ink)
    picture[level.margin : end, level.margin : end] = tiles.reshape(end - level.margin, -1, 3)
    picture.setflags(write=False)
    return picture


@lru_cache(maxsize=8)
def _draw_headings(level: Level, palette: Palette) -> Pixels:
    """Draw the ground with the numbers of rows and columns on all four sides."""
    top = Canvas((level.size, level.margin), palette.ground)
    left = Canvas((level.margin, level.size), palette.ground)
    height = min(0.42 * level.margin, 0.3 * level.pitch)
    for number in range(level.grid):
        along = level.margin + number * level.pitch + level.tile / 2
        top.number(number + 1, (along, level.margin / 2), height, palette.ink)
        left.number(number + 1, (level.margin / 2, along), height, palette.ink)
    picture = np.empty((level.size, level.size, 3), dtype=np.uint8)
    picture[:] = palette.ground
    picture[:, : level.margin] = picture[:, -level.margin :] = left.finish()
    picture[: level.margin] = picture[-level.margin :] = top.finish()
    return picture


def _fill_tiles(tiles: Pixels, level: Level, colors: NDArray[np.uint8], palette: Palette) -> None:
    """Fill rounded tiles, and a white field at the same place of each."""
    side = level.tile
    tiles[:, :side, :, :side] = colors[:, None, :, None]
    cover = _rounded(side)
    for y, x in np.argwhere(cover < 1).tolist():
        edge = cover[y, x] * colors + (1 - cover[y, x]) * np.array(palette.ground)
        tiles[:, y, :, x] = np.rint(edge)
    left, top, right, bottom = _field(level)
    tiles[:, top:bottom, :, left:right] = _WHITE


@lru_cache(maxsize=8)
def _rounded(side: int) -> NDArray[np.float32]:
    """Return how much of each pixel a rounded tile covers."""
    mask = Canvas((side, side), (0, 0, 0))
    mask.rectangle((0, 0, side, side), _WHITE, 0.12 * side)
    return np.asarray(mask.finish()[:, :, 0] / 255, dtype=np.float32)


def _field(level: Level) -> tuple[int, int, int, int]:
    """Return left, top, right and bottom of the white field in a tile, in pixels."""
    width, height = (round(part * level.digit) for part in _FIELD)
    last = level.tile - round(_FIELD_INSET * level.tile)
    return last - width, last - height, last, last


def _print_letter(tile: Pixels, letter: str, color: NDArray[np.uint8], ink: Color) -> None:
    height = round(_LETTER * len(tile))
    weight = _stamp(letter, height, _LETTER_STROKE)
    left, top = (round(place * len(tile)) for place in _LETTER_AT)
    top, left = top - weight.shape[0] // 2, left - weight.shape[1] // 2
    part = tile[top : top + weight.shape[0], left : left + weight.shape[1]]
    part[:] = np.rint(color + weight * np.subtract(ink, color, dtype=np.float32))


def _print_address(tile: Pixels, level: Level, address: tuple[int, int], ink: Color) -> None:
    left, top, right, bottom = _field(level)
    digits = f"{address[0] + 1:02}{address[1] + 1:02}"
    for digit, (x, y) in zip(digits, _DIGITS_AT, strict=True):
        stamp = _inked(digit, level.digit, ink)
        row = round((top + bottom) / 2 + y * level.digit - stamp.shape[0] / 2)
        column = round((left + right) / 2 + x * level.digit - stamp.shape[1] / 2)
        tile[row : row + stamp.shape[0], column : column + stamp.shape[1]] = stamp


@lru_cache(maxsize=512)
def _inked(digit: str, height: int, ink: Color) -> Pixels:
    """Return a digit in ink on white."""
    weight = _stamp(digit, height, _DIGIT_STROKE)
    return np.asarray(np.rint(255 + weight * (np.array(ink) - 255)), dtype=np.uint8)


@lru_cache(maxsize=256)
def _stamp(character: str, height: int, stroke: float) -> NDArray[np.float32]:
    """Return how much of each pixel a character covers, of shape (rows, columns, 1)."""
    width, rows = round(height * 0.9), round(height * (1 + stroke)) + 1
    canvas = Canvas((width, rows), (0, 0, 0))
    canvas.glyph(character, (width / 2, rows / 2), height, stroke * height, _WHITE)
    return np.asarray(canvas.finish()[:, :, :1] / 255, dtype=np.float32)


# The oracle. It knows the plan of the map, and reads what a zoom shows large.


def _find_start(
    level: Level, color: list[int], preview: BlurryImage
) -> Generator[dict[str, Any], Reply, int]:
    """Return the tile of a colour; without tools, the one that looks most like it."""
    for name in ("find_color_tool", "count_objects_tool"):
        arguments = {"color": color, "tolerance": 0, "min_size": 200, "img_idx": 0}
        reply = yield {"name": name, "arguments": arguments}
        if reply.ok and reply.results[0]["blobs"]:
            x, y = reply.results[0]["blobs"][0]["center"]
            column, row = (
                int((place * level.size / 1000 - level.margin) / level.pitch) for place in (x, y)
            )
            return row * level.grid + column
    scale = 1000 / level.size
    corners = [np.multiply(level.corner(tile), scale) for tile in range(level.grid**2)]
    glances = [preview.color_at(x + 12 * scale, y + 12 * scale) for x, y in corners]
    return int(np.argmin(abs(np.array(glances, np.int64) - color).sum(axis=1)))


def _look(
    level: Level, middle: Point, reach: float
) -> Generator[dict[str, Any], Reply, Blocks | None]:
    """Zoom in on a square, given in pixels."""
    box = [
        round(1000 * side / level.size)
        for side in (*np.subtract(middle, reach), *np.add(middle, reach))
    ]
    reply = yield {"name": "image_zoom_in_tool", "arguments": {"bbox_2d": box, "img_idx": 0}}
    return reply.images[0].blocks if reply.ok else None


def _next_tile(level: Level, tile: int) -> Generator[dict[str, Any], Reply, int]:
    """Read a tile's address; without a zoom, stay."""
    left, top, right, bottom = _field(level)
    x, y = level.corner(tile)
    reach = max(2.0 * level.digit, 17.0)
    blocks = yield from _look(level, (x + (left + right) / 2, y + (top + bottom) / 2), reach)
    if blocks is None:
        return tile
    unit = len(blocks) / 2 / reach * level.digit  # blocks of a digit's height
    digits = "".join(
        _read(blocks, (dx * unit, dy * unit), unit, _DIGIT_STROKE, _DIGITS) for dx, dy in _DIGITS_AT
    )
    row, column = int(digits[:2]) - 1, int(digits[2:]) - 1
    return (row * level.grid + column) % level.grid**2


def _letter_of(level: Level, tile: int) -> Generator[dict[str, Any], Reply, str]:
    height = _LETTER * level.tile
    x, y = np.add(level.corner(tile), np.multiply(_LETTER_AT, level.tile)).tolist()
    blocks = yield from _look(level, (x, y), height * 0.75)
    if blocks is None:
        return ALPHABET[0]
    return _read(blocks, (0.0, 0.0), len(blocks) / 1.5, _LETTER_STROKE, ALPHABET)


def _read(blocks: Blocks, away: Point, height: float, stroke: float, alphabet: str) -> str:
    """Read a character at a distance in blocks from the middle."""
    rows, columns = blocks.shape[:2]
    ink = 255.0 - blocks.mean(axis=2)
    center = (columns / 2 + away[0], rows / 2 + away[1])
    return read_character(ink, center, height, stroke * height, alphabet, slack=2)
