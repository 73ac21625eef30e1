"""ExactSwatch: which swatches have exactly one colour, where surroundings mislead the eye."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
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
from gym_imagetools.puzzles.eye import BlurryImage, Oracle, Reply
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.types import Pixels


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        rows: Rows of swatches.
        columns: Columns of swatches.
        steps: What may be added to a channel of the common colour; the least difference of two
            steps is that of two swatches. Steps within 0..7 stay within what five bits tell.
        size: Width and height of the picture in pixels.
        contrast: How far a surrounding is from the swatches, in CIELAB.
    """

    rows: int
    columns: int
    steps: tuple[int, ...]
    size: tuple[int, int]
    contrast: float


LEVELS = (
    Level(2, 3, steps=(-24, 0, 24), size=(1024, 768), contrast=10),
    Level(3, 3, steps=(-12, 0, 12), size=(1024, 1024), contrast=14),
    Level(3, 4, steps=(1, 4, 7), size=(1024, 832), contrast=18),
    Level(4, 4, steps=(0, 2, 4, 6), size=(1280, 1280), contrast=22),
    Level(4, 5, steps=(0, 2, 4, 6), size=(1536, 1280), contrast=26),
)

_TILE = 0.7  # side of a tile, of the grid's pitch
_SWATCH = 0.24  # radius of a swatch, of a tile's side
_RIM = 0.055  # width of the noise around it, of a tile's side
_HEADER = 1.1  # height of the sample's band, of what each row would get beside one more
_GRAIN = 3  # pixels, of the rim's noise


class ExactSwatch(Family):
    """Swatches of nearly one colour, of which two are equal, or one equals a sample."""

    name = "ExactSwatch"
    group = "fine-grained discrimination"
    summary = "Find the two swatches of exactly the same colour, or the one like a sample."
    answer_type = "pair or integer"
    useful_tools = ("color_at_tool", "find_color_tool", "image_zoom_in_tool")
    necessary_tools = (("color_at_tool",),)
    tools_needed_from = 3

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw swatches with either question, each as likely."""
        level = LEVELS[difficulty - 1]
        asks_pair = bool(rngs.latents.integers(2))
        return (_pair_puzzle if asks_pair else _sample_puzzle)(rngs, level)

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Read colours swatch by swatch; look for the sample's colour at once."""
        rows, columns = map(int, re.findall(r"(\d+) rows of (\d+)", question)[0])
        preview = images[0]
        if "sample" not in question:
            places = _layout(preview.size, rows, columns, has_sample=False).centers
            return rf"\boxed{{{(yield from _find_pair(places, preview))}}}"
        layout = _layout(preview.size, rows, columns, has_sample=True)
        return rf"\boxed{{{(yield from _find_like_sample(layout, preview))}}}"


def _pair_puzzle(rngs: Streams, level: Level) -> Puzzle:
    count = level.rows * level.columns
    first, second = sorted(rngs.latents.choice(count, 2, replace=False).tolist())
    colors = _near_colors(rngs.latents, level, count - 1)
    colors.insert(second, colors[first])
    return Puzzle(
        question=(
            f"{_intro(level)} Exactly two of the discs have exactly the same colour, equal in red, "
            "green and blue; every other disc differs from all the rest, if only a little. Which "
            "two are the same? Answer as i-j, the smaller number first."
        ),
        images=(_draw_swatches(rngs, level, colors),),
        grader="pairs",
        grading={"expected_answer": f"{first + 1}-{second + 1}"},
        latents={"form": "pair", "pair": [first, second], "colors": _in_hex(colors)},
        metadata={"form": "pair"},
    )


def _sample_puzzle(rngs: Streams, level: Level) -> Puzzle:
    count = level.rows * level.columns
    true = int(rngs.latents.integers(count))
    colors = _near_colors(rngs.latents, level, count)
    return Puzzle(
        question=(
            f"{_intro(level)} Exactly one of these discs has exactly the colour of the sample at "
            "the top, equal in red, green and blue; the others differ from it, if only a little. "
            "Which one? Answer with its number."
        ),
        images=(_draw_swatches(rngs, level, colors, sample=colors[true]),),
        grader="integer",
        grading={"expected_answer": str(true + 1)},
        latents={"form": "sample", "true": true, "colors": _in_hex(colors)},
        metadata={"form": "sample"},
    )


def _intro(level: Level) -> str:
    return (
        f"The picture shows {level.rows} rows of {level.columns} tiles, numbered row by row from "
        "the top left. In the middle of each tile lies a disc of one flat colour; what surrounds "
        "it misleads the eye."
    )


def _in_hex(colors: Sequence[Color]) -> str:
    return " ".join(bytes(color).hex() for color in colors)


def _near_colors(rng: np.random.Generator, level: Level, count: int) -> list[Color]:
    """Return different colours: a common one, whose lowest three bits are 0, and steps."""
    angle, chroma = rng.uniform(0, 2 * pi), rng.uniform(12, 40)
    common = lab_to_rgb(rng.uniform(48, 72), chroma * cos(angle), chroma * sin(angle))
    base = np.clip(common, 40, 216) & ~7
    picks = rng.choice(len(level.steps) ** 3, count, replace=False)
    places = np.stack(np.unravel_index(picks, (len(level.steps),) * 3), axis=1)
    levels = (base + np.array(level.steps)[places]).tolist()
    return [(red, green, blue) for red, green, blue in levels]


@dataclass(frozen=True)
class Layout:
    """Where tiles stand, in pixels of the picture or of its preview.

    Attributes:
        centers: Centres of the tiles, row by row.
        tile: Side of a tile.
        sample: Centre of the sample's tile.
    """

    centers: tuple[Point, ...]
    tile: float
    sample: Point


def _layout(size: tuple[int, int], rows: int, columns: int, *, has_sample: bool) -> Layout:
    width, height = size
    top = height / (rows + 1) * _HEADER if has_sample else 0.0
    across, down = width / columns, (height - top) / rows
    tile = _TILE * min(across, down)
    centers = tuple(
        (across * (column + 0.5), top + down * (row + 0.5) - 0.1 * tile)
        for row in range(rows)
        for column in range(columns)
    )
    return Layout(centers, tile, (width / 2, 0.52 * top))


def _draw_swatches(
    rngs: Streams, level: Level, colors: Sequence[Color], sample: Color | None = None
) -> Pixels:
    palette = PALETTES[int(rngs.style.integers(len(PALETTES)))]
    layout = _layout(level.size, level.rows, level.columns, has_sample=sample is not None)
    canvas = Canvas(level.size, palette.ground)
    for number, (x, y) in enumerate(layout.centers, start=1):
        canvas.number(number, (x, y + 0.64 * layout.tile), 0.14 * layout.tile, palette.ink)
    tiles = list(zip(layout.centers, colors, strict=True))
    if sample is not None:
        _draw_frame(canvas, layout, palette)
        tiles.append((layout.sample, sample))
    picture = canvas.finish().copy()
    side = round(layout.tile)
    for (x, y), color in tiles:
        left, top = round(x - side / 2), round(y - side / 2)
        part = picture[top : top + side, left : left + side]
        _paint_tile(part, color, level.contrast, rngs.style)
    picture.setflags(write=False)
    return picture


def _draw_frame(canvas: Canvas, layout: Layout, palette: Palette) -> None:
    """Draw the frame around the sample, and its caption to the left."""
    (x, y), tile = layout.sample, layout.tile
    for half, fill in ((0.6 * tile, palette.ink), (0.565 * tile, palette.paper)):
        canvas.rectangle((x - half, y - half, x + half, y + half), fill, 0.28 * half)
    canvas.text("Sample", (x - 1.15 * tile, y), 0.2 * tile, palette.ink)


def _paint_tile(part: Pixels, color: Color, contrast: float, rng: np.random.Generator) -> None:
    """Paint a tile over its part of the picture: a slope of colours, a noisy rim, a flat disc."""
    side = len(part)
    inside, distance = _shape_of(side)
    slope = _slope(side, color, contrast, rng)
    np.copyto(part, np.rint(part * (1 - inside) + slope * inside), casting="unsafe")
    rim = (distance >= _SWATCH) & (distance < _SWATCH + _RIM)
    cells = -(-side // _GRAIN)
    noise = rng.integers(-52, 53, (cells, cells, 3)) + np.array(color)
    coarse = noise.clip(0, 255).repeat(_GRAIN, axis=0).repeat(_GRAIN, axis=1)[:side, :side]
    part[rim] = coarse[rim]
    part[distance < _SWATCH] = color


def _slope(
    side: int, color: Color, contrast: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return a linear change between two colours around a common one that is off the swatch's."""
    turn, lean = rng.uniform(0, 2 * pi, 2).tolist()
    light = contrast * float(rng.choice([-1, 1]))
    gap = 1.6 * np.array([light + contrast * cos(turn), light, light + contrast * sin(turn)])
    ramp = np.linspace(-1, 1, side)
    along = (cos(lean) * ramp[None, :] + sin(lean) * ramp[:, None])[:, :, None]
    return np.asarray(np.clip(color + gap + along * 0.8 * contrast, 0, 255))


@lru_cache(maxsize=16)
def _shape_of(side: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how much a rounded tile covers, (side, side, 1), and distances from its middle."""
    mask = Canvas((side, side), (0, 0, 0))
    mask.rectangle((0, 0, side, side), (255, 255, 255), 0.12 * side)
    ramp = (np.arange(side) + 0.5) / side - 0.5
    return mask.finish()[:, :, :1] / 255, np.hypot(ramp[None, :], ramp[:, None])


# The oracle. Without exact colours it has the eye's, which are all the same from level 3 on.


def _point(place: Point, preview: BlurryImage) -> list[int]:
    width, height = preview.size
    return [round(1000 * place[0] / width), round(1000 * place[1] / height)]


def _read(place: Point, preview: BlurryImage) -> Generator[dict[str, Any], Reply, Color | None]:
    arguments = {"point_2d": _point(place, preview), "img_idx": 0}
    reply = yield {"name": "color_at_tool", "arguments": arguments}
    return tuple(reply.results[0]["rgb"]) if reply.ok else None


def _find_pair(
    places: Sequence[Point], preview: BlurryImage
) -> Generator[dict[str, Any], Reply, str]:
    seen: list[Color] = []
    for place in places:
        color = yield from _read(place, preview)
        if color is None:
            break
        if color in seen:
            return f"{seen.index(color) + 1}-{len(seen) + 1}"
        seen.append(color)
    glances = np.array([preview.color_at(*_point(place, preview)) for place in places], np.int64)
    first, second = min(
        combinations(range(len(places)), 2),
        key=lambda pair: abs(np.diff(glances[[*pair]], axis=0)).sum(),
    )
    return f"{first + 1}-{second + 1}"


def _find_like_sample(
    layout: Layout, preview: BlurryImage
) -> Generator[dict[str, Any], Reply, str]:
    sample = yield from _read(layout.sample, preview)
    if sample is None:
        glance = np.array(preview.color_at(*_point(layout.sample, preview)), np.int64)
        return _nearest_number(
            [
                abs(glance - preview.color_at(*_point(place, preview))).sum()
                for place in layout.centers
            ]
        )
    arguments = {"color": list(sample), "tolerance": 0, "min_size": 2000, "img_idx": 0}
    reply = yield {"name": "find_color_tool", "arguments": arguments}
    if reply.ok:
        found = [blob["center"] for blob in reply.results[0]["blobs"]]
        x, y = max(found, key=lambda center: float(center[1]))
        return _nearest_number(
            [np.hypot(*np.subtract(_point(place, preview), (x, y))) for place in layout.centers]
        )
    for number, place in enumerate(layout.centers[:-1], start=1):
        color = yield from _read(place, preview)
        if color == sample:
            return str(number)
    return str(len(layout.centers))


def _nearest_number(distances: Sequence[float]) -> str:
    return str(int(np.argmin(distances)) + 1)
