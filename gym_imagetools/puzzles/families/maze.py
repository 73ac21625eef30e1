"""Maze: which opening is connected to the dot, or how many pearls lie on the only route."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.errors import GenerationError
from gym_imagetools.puzzles.drawing.canvas import PALETTES, Canvas, Palette
from gym_imagetools.puzzles.eye import Blocks, BlurryImage, Oracle, Reply
from gym_imagetools.puzzles.lines.maze_grid import (
    Forest,
    Walls,
    border_sides,
    grow,
    open_border,
    runs,
    walk,
    walls_of,
)
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.types import Pixels

MAX_ATTEMPTS = 60


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        cells: Cells along a side.
        gates: Lettered openings.
        pearls: Fewest and most pearls on the route.
        size: Side of the picture in pixels.
        wall: Thickness of a wall as a part of the pitch.
    """

    cells: int
    gates: int
    pearls: tuple[int, int]
    size: int
    wall: float


LEVELS = (
    Level(cells=9, gates=3, pearls=(3, 10), size=1024, wall=0.20),
    Level(cells=13, gates=3, pearls=(4, 15), size=1024, wall=0.20),
    Level(cells=19, gates=4, pearls=(5, 24), size=1024, wall=0.18),
    Level(cells=33, gates=4, pearls=(6, 35), size=1024, wall=0.16),
    Level(cells=61, gates=5, pearls=(8, 59), size=2048, wall=0.15),
)

_MARGIN = 0.062  # of the picture's side, around the maze
_BADGE = 0.0205  # radius, of the picture's side


@dataclass(frozen=True)
class Plan:
    """All that is drawn of one maze: openings by label, and either a goal or pearls."""

    forest: Forest
    labels: dict[str, int]
    goal: int | None = None
    pearls: tuple[int, ...] = ()
    attempts: int = 1

    @property
    def walls(self) -> Walls:
        """The walls between the trees' steps, open at the labels."""
        return walls_of(self.forest, self.labels.values())


class Maze(Family):
    """Lettered openings of which one leads to a dot, or pearls to count along a route."""

    name = "Maze"
    group = "visual tracking"
    summary = "Find the opening connected to a dot, or count the pearls on the only route."
    answer_type = "letter or integer"
    useful_tools = ("image_zoom_in_tool", "image_crop_tool", "find_color_tool")
    necessary_tools = (("image_zoom_in_tool", "image_crop_tool"),)
    tools_needed_from = 4

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw a maze with either question, each as likely."""
        level = LEVELS[difficulty - 1]
        asks_gate = bool(rngs.latents.integers(2))
        return (_gate_puzzle if asks_gate else _pearl_puzzle)(rngs, level)

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Zoom in tile by tile until corridors are wide enough to read, then walk them."""
        cells = int(re.findall(r"(\d+) by", question)[0])
        blocks = yield from _look(cells, images[0].blocks)
        walls, marks = _read(blocks, cells)
        openings = open_border(walls)
        asks_gate = "Which" in question
        return rf"\boxed{{{(_find_gate if asks_gate else _count_pearls)(walls, marks, openings)}}}"


def _gate_puzzle(rngs: Streams, level: Level) -> Puzzle:
    # The letter and the rank of its distance are settled before any retry: were they redrawn
    # with the forest, near gates would win, for trees seldom reach far.
    true, rank = (int(value) for value in rngs.latents.integers(level.gates, size=2))
    plan = _plan_gates(rngs.latents, level, true, rank)
    letters = list(plan.labels)
    return Puzzle(
        question=(
            f"This maze has {level.cells} by {level.cells} cells. Its openings are lettered A to "
            f"{letters[-1]}, clockwise from the top left corner. Only one of them is connected "
            "to the coloured dot inside. Which one? Answer with its letter."
        ),
        images=(_draw_maze(plan, level, rngs),),
        grader="mcqa",
        grading={
            "expected_answer": letters[true],
            "options": [{letter: f"opening {letter}"} for letter in letters],
            "grading_mode": "strict_single_letter_boxed",
        },
        latents=_latents(plan) | {"rank": rank},
        metadata={"form": "gates"},
        attempts=plan.attempts,
    )


def _pearl_puzzle(rngs: Streams, level: Level) -> Puzzle:
    fewest, most = level.pearls
    count, density = (int(value) for value in rngs.latents.integers(fewest, most + 1, size=2))
    plan = _plan_pearls(rngs.latents, level, count, density)
    return Puzzle(
        question=(
            f"This maze has {level.cells} by {level.cells} cells. Follow the only route from S "
            "to F. How many pearls lie on it? Answer with a number."
        ),
        images=(_draw_maze(plan, level, rngs),),
        grader="integer",
        grading={"expected_answer": str(count)},
        latents=_latents(plan),
        metadata={"form": "pearls"},
        attempts=plan.attempts,
    )


def _plan_gates(rng: np.random.Generator, level: Level, true: int, rank: int) -> Plan:
    for attempt in range(1, MAX_ATTEMPTS + 1):
        gates = _place_gates(rng, level)
        forest = grow(rng, level.cells, gates)
        goals = _goals(forest, gates, true, rank)
        if len(goals):
            labels = dict(zip("ABCDE", gates, strict=False))
            return Plan(forest, labels, goal=int(rng.choice(goals)), attempts=attempt)
    raise GenerationError(f"Expected a goal in {MAX_ATTEMPTS} mazes, got none")


def _plan_pearls(rng: np.random.Generator, level: Level, count: int, density: int) -> Plan:
    for attempt in range(1, MAX_ATTEMPTS + 1):
        start = _place_gates(rng, level)[0]
        forest = grow(rng, level.cells, [start])
        ends = _far_border(forest, shortest=level.pearls[1] + level.cells // 2)
        if len(ends):
            end = int(rng.choice(ends))
            pearls = _strew_pearls(rng, forest, end, count, density)
            return Plan(forest, {"S": start, "F": end}, pearls=pearls, attempts=attempt)
    raise GenerationError(f"Expected a long route in {MAX_ATTEMPTS} mazes, got none")


def _strew_pearls(
    rng: np.random.Generator, forest: Forest, end: int, count: int, density: int
) -> tuple[int, ...]:
    """Lay ``count`` pearls on the route, and ``density`` on every route's length beside it.

    The two have the same range but nothing else in common, so the total does not tell.
    """
    route = forest.route(end)
    aside = np.setdiff1d(np.arange(len(forest.tree)), route)
    decoys = min(len(aside), round(len(aside) * density / len(route)))
    on_route = rng.choice(route[1:-1], count, replace=False).tolist()
    return tuple(sorted(on_route + rng.choice(aside, decoys, replace=False).tolist()))


def _latents(plan: Plan) -> dict[str, Any]:
    walls = plan.walls
    bits = np.concatenate([walls.upright.ravel(), walls.level.ravel()])
    return {
        "labels": plan.labels,
        "goal": plan.goal,
        "pearls": list(plan.pearls),
        "walls": np.packbits(bits).tobytes().hex(),
    }


def _place_gates(rng: np.random.Generator, level: Level) -> list[int]:
    """Return border cells clockwise from the top left corner, spread out, none in a corner."""
    border = [cell for cell, _ in border_sides(level.cells)]
    spacing = len(border) / level.gates
    places = (np.arange(level.gates) + rng.random() + rng.uniform(-0.3, 0.3, level.gates)) * spacing
    return [border[place] for place in sorted(int(place) % len(border) for place in places)]


def _goals(forest: Forest, gates: Sequence[int], true: int, rank: int) -> NDArray[np.int64]:
    """Return deep central cells of a tree whose gate is the ``rank``-th nearest to them.

    The rank holds for the city-block and the straight distance, without ties; and no tree may be
    a dwarf. Otherwise a glance at the distances would tell.
    """
    cells = forest.cells
    sizes = np.bincount(forest.tree, minlength=len(gates))
    if sizes.min() < 0.45 * cells**2 / len(gates):
        return np.array([], dtype=np.int64)
    row, column = np.divmod(np.arange(cells**2), cells)
    gate_row, gate_column = np.divmod(np.array(gates)[:, None], cells)
    across, down = abs(column - gate_column), abs(row - gate_row)
    fits = (forest.tree == true) & (forest.depth >= forest.depth[forest.tree == true].max() // 2)
    fits &= (np.minimum(row, column) >= cells // 5) & (np.maximum(row, column) < cells - cells // 5)
    for distance in (across + down, across**2 + down**2):
        fits &= (distance < distance[true]).sum(axis=0) == rank
        fits &= (distance == distance[true]).sum(axis=0) == 1
    return np.flatnonzero(fits)


def _far_border(forest: Forest, shortest: int) -> NDArray[np.int64]:
    """Return border cells a long way from the root, none in a corner."""
    border = np.array([cell for cell, _ in border_sides(forest.cells)])
    depths = forest.depth[border]
    far = depths >= max(shortest, 0.6 * depths.max())
    return np.asarray(border[far])


def _draw_maze(plan: Plan, level: Level, rngs: Streams) -> Pixels:
    palette = PALETTES[int(rngs.style.integers(len(PALETTES)))]
    side = level.size * (1 - 2 * _MARGIN)
    left, top = level.size * (_MARGIN + rngs.layout.uniform(-0.006, 0.006, 2))
    pitch = side / level.cells
    canvas = Canvas((level.size, level.size), palette.ground)
    canvas.rectangle((left, top, left + side, top + side), palette.paper)

    def center(cell: int) -> tuple[float, float]:
        row, column = divmod(cell, level.cells)
        return left + (column + 0.5) * pitch, top + (row + 0.5) * pitch

    _draw_walls(canvas, plan.walls, (left, top), pitch, pitch * level.wall, palette)
    for pearl in plan.pearls:
        canvas.disc(center(pearl), 0.25 * pitch, palette.second)
    if plan.goal is not None:
        canvas.disc(center(plan.goal), 0.3 * pitch, palette.accent)
    sides = dict(border_sides(level.cells))
    radius, away = _BADGE * level.size, pitch / 2 + _BADGE * level.size * 1.35
    for label, cell in plan.labels.items():
        x, y = center(cell)
        right, down = _OUTWARDS[sides[cell]]
        canvas.line([(x, y), (x + right * away, y + down * away)], pitch * 0.3, palette.paper)
        canvas.badge(
            label, (x + right * away, y + down * away), radius, palette.accent, palette.paper
        )
    return canvas.finish()


_OUTWARDS = {"top": (0, -1), "right": (1, 0), "bottom": (0, 1), "left": (-1, 0)}


def _draw_walls(
    canvas: Canvas,
    walls: Walls,
    corner: tuple[float, float],
    pitch: float,
    thickness: float,
    palette: Palette,
) -> None:
    """Draw walls as bars, each straight run as one; round the ends where that can be seen."""
    left, top = corner
    half = thickness / 2
    radius = half if half > 3 else 0.0
    for line, first, last in runs(walls.level):
        y = top + line * pitch
        box = (left + first * pitch - half, y - half, left + last * pitch + half, y + half)
        canvas.rectangle(box, palette.ink, radius)
    for line, first, last in runs(walls.upright.T):
        x = left + line * pitch
        box = (x - half, top + first * pitch - half, x + half, top + last * pitch + half)
        canvas.rectangle(box, palette.ink, radius)


# The oracle. In every palette walls alone are dark in the red channel, and goal and pearls are
# dark in the blue one, so two thresholds on block means read the whole picture.

_WALL_DROP = 32  # of 255 in red: a wall may share its darkness between two blocks
_MARK_DROP = 36  # of 255 in blue
_READABLE_CELLS = 17  # a side, in a delivered picture


def _look(cells: int, preview: Blocks) -> Generator[dict[str, Any], Reply, Blocks]:
    """Return blocks of the whole picture, zoomed in by tiles when the preview is too small."""
    tiles = 1
    while cells > tiles * _READABLE_CELLS:
        tiles *= 2
    if tiles == 1:
        return preview
    step, bands = 1000 // tiles, []
    for y in range(0, 1000, step):
        band = []
        for x in range(0, 1000, step):
            box = [x, y, x + step, y + step]
            reply = yield {
                "name": "image_zoom_in_tool",
                "arguments": {"bbox_2d": box, "label": f"part {box}", "img_idx": 0},
            }
            if not reply.ok:
                return preview
            band.append(reply.images[0].blocks)
        bands.append(np.concatenate(band, axis=1))
    return np.concatenate(bands, axis=0)


def _read(blocks: Blocks, cells: int) -> tuple[Walls, NDArray[np.int64]]:
    """Return the walls, and how dark in blue each cell's centre is, shape (cells, cells)."""
    paper = blocks.max(axis=(0, 1)).astype(np.int64)
    drop = paper - blocks
    wall = np.where(drop[:, :, 0] > _WALL_DROP, drop[:, :, 0], 0)
    top, bottom = _outer_walls(wall.sum(axis=1))
    left, right = _outer_walls(wall.sum(axis=0))
    middle = np.arange(cells) + 0.5
    upright, level = np.zeros((cells, cells + 1), bool), np.zeros((cells + 1, cells), bool)

    def at(
        channel: NDArray[np.int64], row: NDArray[np.floating], column: NDArray[np.floating]
    ) -> NDArray[np.int64]:
        y, x = top + row * (bottom - top) / cells, left + column * (right - left) / cells
        return np.asarray(channel[np.ix_(y.astype(int), x.astype(int))])

    for off in np.linspace(-0.2, 0.2, 7):
        line = np.arange(cells + 1) + off
        upright |= at(wall, middle, line) > 0
        level |= at(wall, line, middle) > 0
    return Walls(upright, level), at(drop[:, :, 2], middle, middle)


def _outer_walls(profile: NDArray[np.int64]) -> tuple[float, float]:
    """Return where the first and the last wall lie, in blocks.

    Each is the centre of the weight of three blocks, less what inner walls across add everywhere.
    """
    dark = np.flatnonzero(profile > 0.3 * profile.max())
    weight = np.maximum(profile - np.median(profile), 1)
    ends = []
    for near in (slice(dark[0], dark[0] + 3), slice(dark[-1] - 2, dark[-1] + 1)):
        places = np.arange(len(profile))[near] + 0.5
        ends.append(float((places * weight[near]).sum() / weight[near].sum()))
    return ends[0], ends[1]


def _find_gate(walls: Walls, marks: NDArray[np.int64], openings: list[int]) -> str:
    reached = walk(walls, int(marks.argmax()))
    connected = [index for index, cell in enumerate(openings[:5]) if cell in reached]
    return "ABCDE"[connected[0]] if len(connected) == 1 else "A"


def _count_pearls(walls: Walls, marks: NDArray[np.int64], openings: list[int]) -> str:
    if len(openings) < 2:
        return "9"
    came_from = walk(walls, openings[0])
    cell, count = openings[1] if openings[1] in came_from else -1, 0
    while cell >= 0:
        count += int(marks.flat[cell] > _MARK_DROP)
        cell = came_from[cell]
    return str(count)
