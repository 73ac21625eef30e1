"""CrowdCensus: how many shapes of a crowd have exactly the colour of a framed sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import asin, cos, pi, sin
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from gym_imagetools.errors import GenerationError
from gym_imagetools.puzzles.drawing.canvas import Canvas, Color, Point, lab_to_rgb
from gym_imagetools.puzzles.eye import Blocks, BlurryImage, Oracle
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.types import Pixels


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        counts: Fewest and most shapes of a hue.
        step: Distance of neighbouring hues in CIELAB.
        radii: Smallest and largest radius in pixels.
        size: Side of the picture in pixels.
    """

    counts: tuple[int, int]
    step: float
    radii: tuple[float, float]
    size: int


LEVELS = (
    Level(counts=(3, 10), step=30, radii=(24, 38), size=1024),
    Level(counts=(6, 20), step=24, radii=(18, 30), size=1024),
    Level(counts=(12, 36), step=18, radii=(13, 22), size=1024),
    Level(counts=(20, 60), step=12, radii=(14, 26), size=1536),
    Level(counts=(31, 90), step=6, radii=(13, 27), size=2048),
)

HUES = 5
_LIGHTNESS, _CHROMA = 68.0, 36.0
_GROUNDS: tuple[tuple[Color, Color, Color], ...] = (
    ((250, 247, 240), (255, 255, 255), (62, 58, 74)),
    ((240, 244, 248), (255, 255, 255), (44, 58, 82)),
    ((31, 35, 48), (44, 49, 66), (222, 226, 236)),
    ((38, 32, 44), (53, 45, 60), (232, 224, 234)),
)
"""Ground, card of the sample and ink; none of them near a hue's lightness."""

_GAP = 2.5  # pixels between shapes that almost touch; none is left in the preview
_CLEAR = 7.0  # pixels between the others
_PAIR_SHARE = 0.3
_CORNERS = {"top left": (0, 0), "top right": (1, 0), "bottom left": (0, 1), "bottom right": (1, 1)}
_CARD = 0.13  # side of the sample's card, of the picture's side
_CARD_INSET = 0.02
_MAX_DARTS = 400

_SIDES = {"triangle": 3, "square": 4, "pentagon": 5, "hexagon": 6}
KINDS = ("disc", *_SIDES)


@dataclass(frozen=True)
class Shape:
    """One shape of the crowd; ``turn`` in radians."""

    kind: str
    center: Point
    radius: float
    turn: float
    hue: int


class CrowdCensus(Family):
    """A crowd of shapes in five near hues, of which one is to be counted."""

    name = "CrowdCensus"
    group = "fine-grained discrimination"
    summary = "Count the shapes of a crowd that have exactly the colour of a sample."
    answer_type = "integer"
    useful_tools = ("color_at_tool", "find_color_tool", "count_objects_tool")
    necessary_tools = (("count_objects_tool", "find_color_tool"),)
    tools_needed_from = 3

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw a crowd; the numbers of the five hues are independent."""
        level = LEVELS[difficulty - 1]
        fewest, most = level.counts
        counts = rngs.latents.integers(fewest, most + 1, HUES).tolist()
        target = int(rngs.latents.integers(HUES))
        colors = _near_hues(rngs.latents.uniform(0, 2 * pi), level.step)
        corner = list(_CORNERS)[int(rngs.layout.integers(len(_CORNERS)))]
        shapes = _crowd(rngs.layout, level, counts, corner)
        return Puzzle(
            question=(
                "How many shapes of the crowd have exactly the colour of the framed sample in "
                f"the {corner} corner? Shapes that almost touch count one by one; the sample "
                "itself does not count. Answer with a number."
            ),
            images=(_draw_crowd(shapes, colors, colors[target], corner, level, rngs.style),),
            grader="integer",
            grading={"expected_answer": str(counts[target])},
            latents={"counts": counts, "target": target, "colors": [list(c) for c in colors]},
            metadata={"shapes": len(shapes)},
        )

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Ask for the sample's colour, then for the number of blobs of this colour."""
        corner = next(corner for corner in _CORNERS if f"the {corner} corner" in question)
        x, y = (round(1000 * place) for place in _card_center(corner))
        reply = yield _call("color_at_tool", point_2d=[x, y])
        color = reply.results[0]["rgb"] if reply.ok else list(images[0].color_at(x, y))
        for counter in ("count_objects_tool", "find_color_tool"):
            reply = yield _call(counter, color=color, tolerance=_TOLERANCE, min_size=30)
            if reply.ok:
                return rf"\boxed{{{reply.results[0]['count'] - 1}}}"
        return rf"\boxed{{{_glance(images[0].blocks, color) - 1}}}"


_TOLERANCE = 3
"""Of 255: the shapes have one flat colour each, and the nearest other hue is further away."""


def _call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": {**arguments, "img_idx": 0}}


def _glance(blocks: Blocks, color: Sequence[int]) -> int:
    """Count by eye: patches of blocks that look more or less like the colour."""
    alike = np.array((abs(blocks.astype(np.int64) - color) <= 12).all(axis=2), dtype=np.uint8)
    return int(cv2.connectedComponents(alike, connectivity=4)[0]) - 1


def _near_hues(angle: float, step: float) -> list[Color]:
    """Return five colours of one lightness and chroma, neighbours ``step`` apart in CIELAB."""
    turn = 2 * asin(step / (2 * _CHROMA))
    angles = (angle + index * turn for index in range(HUES))
    return [lab_to_rgb(_LIGHTNESS, _CHROMA * cos(a), _CHROMA * sin(a)) for a in angles]


def _crowd(
    rng: np.random.Generator, level: Level, counts: Sequence[int], corner: str
) -> list[Shape]:
    """Place shapes, large ones first; some discs almost touch an earlier one of their hue."""
    hues = rng.permutation(np.repeat(np.arange(HUES), counts))
    radii = -np.sort(-rng.uniform(*level.radii, len(hues)))
    centers = np.empty((len(hues), 2))
    shapes: list[Shape] = []
    for index, (hue, radius) in enumerate(zip(hues.tolist(), radii.tolist(), strict=True)):
        kind, turn = KINDS[int(rng.integers(len(KINDS)))], rng.uniform(0, 2 * pi)
        reach = radii[:index] + radius + _CLEAR
        beside = _partner(rng, shapes, hue) if kind == "disc" else None
        if beside is not None:
            reach[beside] += _GAP - _CLEAR - 1e-6
        darts = _darts(rng, level.size, radius, None if beside is None else shapes[beside])
        free = (dart for dart in darts if not _is_on_card(dart, radius, level.size, corner))
        center = _first_clear(free, centers[:index], reach)
        centers[index] = center
        shapes.append(Shape(kind, center, radius, turn, hue))
    return shapes


def _partner(rng: np.random.Generator, shapes: Sequence[Shape], hue: int) -> int | None:
    """Return the index of a disc to stand next to, or None."""
    if rng.random() >= _PAIR_SHARE:
        return None
    discs = [i for i, other in enumerate(shapes) if other.kind == "disc" and other.hue == hue]
    return discs[int(rng.integers(len(discs)))] if discs else None


def _first_clear(
    darts: Iterable[Point], centers: NDArray[np.float64], reach: NDArray[np.float64]
) -> Point:
    """Return the first dart that is beyond ``reach`` of every centre.

    Raises:
        GenerationError: There is none.
    """
    for dart in darts:
        if (np.hypot(*(centers - dart).T) >= reach).all():
            return dart
    raise GenerationError(f"Expected a free place after {_MAX_DARTS} darts, got none")


def _darts(
    rng: np.random.Generator, size: int, radius: float, beside: Shape | None
) -> Iterator[Point]:
    """Yield random places inside the picture, the first ones next to the given disc."""
    low, high = radius + _CLEAR, size - radius - _CLEAR
    if beside is not None:
        away = beside.radius + radius + _GAP
        for angle in rng.uniform(0, 2 * pi, 12).tolist():
            x, y = beside.center[0] + away * cos(angle), beside.center[1] + away * sin(angle)
            if low <= min(x, y) and max(x, y) <= high:
                yield x, y
    for _ in range(_MAX_DARTS):
        yield rng.uniform(low, high), rng.uniform(low, high)


def _card_center(corner: str) -> Point:
    """Return the centre of the sample's card, in parts of the picture's side."""
    near = _CARD_INSET + _CARD / 2
    right, down = _CORNERS[corner]
    return (1 - near if right else near), (1 - near if down else near)


def _is_on_card(point: Point, radius: float, size: int, corner: str) -> bool:
    x, y = _card_center(corner)
    away = max(abs(point[0] - x * size), abs(point[1] - y * size))
    return away < _CARD * size / 2 + radius + 2 * _CLEAR


def _draw_crowd(
    shapes: Sequence[Shape],
    colors: Sequence[Color],
    sample: Color,
    corner: str,
    level: Level,
    rng: np.random.Generator,
) -> Pixels:
    ground, card, ink = _GROUNDS[int(rng.integers(len(_GROUNDS)))]
    canvas = Canvas((level.size, level.size), ground)
    x, y = (place * level.size for place in _card_center(corner))
    for part, fill in ((1.0, ink), (0.94, card), (0.6, sample)):
        half = part * _CARD * level.size / 2
        canvas.rectangle((x - half, y - half, x + half, y + half), fill, half / 4)
    for shape in shapes:
        if shape.kind == "disc":
            canvas.disc(shape.center, shape.radius, colors[shape.hue])
        else:
            canvas.polygon(_corners(shape), colors[shape.hue])
    return canvas.finish()


def _corners(shape: Shape) -> list[Point]:
    sides = _SIDES[shape.kind]
    angles = (shape.turn + 2 * pi * index / sides for index in range(sides))
    x, y = shape.center
    return [(x + shape.radius * cos(angle), y + shape.radius * sin(angle)) for angle in angles]
