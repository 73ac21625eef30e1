"""Pictures about space: folding, solids, turning, mirrors and a maze."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sample_drawings.canvas import (
    AMBER,
    BLUE,
    GREEN,
    HEIGHT,
    INK,
    PALE,
    RED,
    VIOLET,
    WHITE,
    WIDTH,
    Canvas,
    Cube,
    Drawn,
    Point,
    turned,
)

Place = tuple[int, int]
"""A cell of the maze: column and row."""


def paper_folding(rng: np.random.Generator) -> Drawn:
    """A sheet folded twice and punched; which option shows it unfolded?"""
    canvas = Canvas(WIDTH, HEIGHT)
    holes = [(0.14, 0.66), (0.38, 0.86)]
    for center, (corner, label) in zip(
        [(120.0, 110.0), (320.0, 110.0), (520.0, 110.0)],
        [((1.0, 0.0), "fold left"), ((0.5, 0.0), "fold down"), ((0.5, 0.5), "punch")],
        strict=True,
    ):
        place = partial(_on_sheet, center, 130.0)
        canvas.box(center, 130, None, PALE)
        right, top = corner
        sheet = [place((0, top)), place((right, top)), place((right, 1)), place((0, 1))]
        canvas.polygon(sheet, (226, 236, 248), INK)
        if label == "fold left":
            canvas.dashes(place((0.5, 0)), place((0.5, 1)))
            canvas.arrow(place((0.8, 0.5)), place((0.25, 0.5)))
        elif label == "fold down":
            canvas.dashes(place((0, 0.5)), place((0.5, 0.5)))
            canvas.arrow(place((0.25, 0.2)), place((0.25, 0.75)))
        else:
            for hole in holes:
                canvas.circle(place(hole), 6, WHITE, INK)
        canvas.text((center[0], 205), label, 18)

    def unfolded(mirrors_x: bool, mirrors_y: bool) -> list[Point]:
        ys = [(x, y, (1 - y) if mirrors_y else y - 0.5) for x, y in holes]
        half = [point for x, y, upper in ys for point in ((x, y), (x, upper))]
        return half + [((1 - x) if mirrors_x else x + 0.5, y) for x, y in half]

    def sheet_with(points: list[Point], center: Point) -> None:
        canvas.box(center, 110, (226, 236, 248), INK)
        for point in points:
            canvas.circle(_on_sheet(center, 110.0, point), 5, WHITE, INK)

    variants = [(False, True), (False, False), (True, False), (True, True)]
    canvas.options(340, 130, [partial(sheet_with, unfolded(*variant)) for variant in variants])
    return Drawn(canvas.finished(), "D")


def pattern_completion_3d(rng: np.random.Generator) -> Drawn:
    """A cube with a piece missing; which piece completes it?"""
    canvas = Canvas(WIDTH, HEIGHT)
    whole: set[Cube] = {(x, y, z) for x in range(3) for y in range(3) for z in range(3)}
    top_edge: set[Cube] = {(2, 0, 2), (2, 1, 2), (2, 2, 2)}
    missing = top_edge | {(2, 2, 1)}
    other_edge: set[Cube] = {(y, x, z) for x, y, z in missing}
    pieces = [top_edge | {(2, 0, 1)}, missing, other_edge, top_edge | {(2, 1, 1)}]
    canvas.cubes(whole - missing, (320, 150), 44, (150, 186, 226))

    def piece(cells: set[Cube], center: Point) -> None:
        canvas.cubes(cells, _centered(cells, center, 24), 24, (247, 205, 128))

    canvas.options(380, 130, [partial(piece, cells) for cells in pieces])
    return Drawn(canvas.finished(), "B")


def views_3d(rng: np.random.Generator) -> Drawn:
    """A stack of cubes; which option is its front view?"""
    canvas = Canvas(WIDTH, HEIGHT)
    heights = np.array([[1, 1, 2], [3, 3, 1], [1, 1, 1]])  # [x, y]
    stack: set[Cube] = {
        (x, y, z) for (x, y), height in np.ndenumerate(heights) for z in range(height)
    }
    canvas.cubes(stack, (320, 126), 42, (170, 212, 178))
    canvas.arrow((186, 262), (231, 232))
    canvas.text((156, 278), "front", 20, RED)
    front = [int(height) for height in heights.max(axis=1)]
    side = [int(height) for height in heights.max(axis=0)[::-1]]
    views = [front[::-1], side, front, [front[0], front[1] - 1, front[2]]]

    def view(columns: list[int], center: Point) -> None:
        for x, height in enumerate(columns):
            for z in range(height):
                canvas.box(
                    (center[0] + 32 * (x - 1), center[1] - 32 * (z - 1)), 32, (136, 176, 146), INK
                )

    canvas.options(380, 130, [partial(view, columns) for columns in views])
    return Drawn(canvas.finished(), "C")


def rotation_patterns(rng: np.random.Generator) -> Drawn:
    """A figure that turns by the same angle each step; what comes next?"""
    canvas = Canvas(WIDTH, HEIGHT)

    def figure(eighths: int, mirrored: bool, center: Point) -> None:
        angle, sign = eighths * math.pi / 4, -1 if mirrored else 1
        place = partial(turned, angle=angle, origin=center)
        canvas.circle(center, 46, (238, 233, 246), VIOLET, 2.5)
        canvas.line([place((0.0, 30.0)), place((0.0, -34.0))], INK, 4)
        flag = [place((0.0, -34.0)), place((sign * 26.0, -22.0)), place((0.0, -10.0))]
        canvas.polygon(flag, RED)
        canvas.circle(place((-sign * 16.0, 14.0)), 7, BLUE)

    for step in range(4):
        center = (70.0 + 125 * step, 130.0)
        figure(3 * step, False, center)
        canvas.arrow((center[0] + 52, 130), (center[0] + 66, 130), INK, 2)
    canvas.box((570, 130), 96, WHITE, PALE)
    canvas.text((570, 130), "?", 52)
    options = [(12, True), (13, False), (12, False), (10, False)]
    canvas.options(340, 120, [partial(figure, *option) for option in options])
    return Drawn(canvas.finished(), "C")


def maze(rng: np.random.Generator) -> Drawn:
    """A maze with four gates; which one leads to the dot?"""
    canvas = Canvas(WIDTH, HEIGHT)
    columns, rows, cell = 16, 11, 36.0
    gates = {"A": (0, 3), "B": (11, 0), "C": (15, 7), "D": (5, 10)}
    owner, passages = _grown_trees(rng, columns, rows, gates)
    led_to = [place for place in owner if owner[place] == "B"]
    dot = max(led_to, key=lambda place: (place[1], -place[0]))  # far down, then far left
    left, top = (WIDTH - columns * cell) / 2, (HEIGHT - rows * cell) / 2

    def corner(x: float, y: float) -> Point:
        return (left + x * cell, top + y * cell)

    outside = {(-1, 3): "A", (11, -1): "B", (16, 7): "C", (5, 11): "D"}
    passages |= {frozenset((place, gates[gate])) for place, gate in outside.items()}
    for x in range(columns + 1):
        for y in range(rows + 1):
            if y < rows and frozenset(((x - 1, y), (x, y))) not in passages:
                canvas.line([corner(x, y), corner(x, y + 1)], INK, 3)
            if x < columns and frozenset(((x, y - 1), (x, y))) not in passages:
                canvas.line([corner(x, y), corner(x + 1, y)], INK, 3)
    for (x, y), gate in outside.items():
        canvas.text(corner(x + 0.5, y + 0.5), gate, 24, BLUE)
    canvas.circle(corner(dot[0] + 0.5, dot[1] + 0.5), 9, RED)
    return Drawn(canvas.finished(), owner[dot])


def mirroring_patterns(rng: np.random.Generator) -> Drawn:
    """A pattern beside a mirror; which option is its mirror image?"""
    canvas = Canvas(WIDTH, HEIGHT)
    cells = np.array(
        [[1, 1, 0, 0, 2], [0, 1, 0, 3, 2], [0, 1, 1, 0, 0], [3, 0, 1, 2, 0], [3, 0, 0, 2, 2]]
    )

    def pattern(values: NDArray[np.int_], step: float, center: Point) -> None:
        for kind, color in enumerate((GREEN, AMBER, RED), start=1):
            canvas.cells(values == kind, center, step, color)
        canvas.box(center, 5 * step, None, INK)

    pattern(cells, 36, (200, 130))
    canvas.line([(320, 20), (320, 240)], BLUE, 5)
    for i in range(12):
        canvas.line([(324, 30 + 18 * i), (334, 22 + 18 * i)], BLUE, 2)
    canvas.box((440, 130), 180, WHITE, PALE)
    canvas.text((440, 130), "?", 60)
    options = [np.fliplr(cells), np.flipud(cells), np.rot90(cells, 2), cells.T]
    canvas.options(350, 130, [partial(pattern, option, 21.0) for option in options])
    return Drawn(canvas.finished(), "A")


def _on_sheet(center: Point, size: float, place: Point) -> Point:
    return (center[0] + (place[0] - 0.5) * size, center[1] + (place[1] - 0.5) * size)


def _centered(cells: set[Cube], center: Point, edge: float) -> Point:
    """Return the origin that brings the middle of some cubes to a point."""
    x, y, z = (sum(cell[axis] + 0.5 for cell in cells) / len(cells) for axis in range(3))
    return (center[0] - (x - y) * edge * 0.866, center[1] - (x + y) * edge / 2 + z * edge)


def _grown_trees(
    rng: np.random.Generator, columns: int, rows: int, roots: dict[str, Place]
) -> tuple[dict[Place, str], set[frozenset[Place]]]:
    """Grow a tree of passages from each gate until every cell belongs to just one of them."""
    owner = {place: gate for gate, place in roots.items()}
    passages: set[frozenset[Place]] = set()
    tips = [[place] for place in roots.values()]
    while any(tips):
        for stack in tips:
            if not stack:
                continue
            x, y = stack[-1]
            free = [
                (x + dx, y + dy)
                for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1))
                if (x + dx, y + dy) not in owner and 0 <= x + dx < columns and 0 <= y + dy < rows
            ]
            if not free:
                stack.pop()
                continue
            place = free[int(rng.integers(len(free)))]
            owner[place] = owner[x, y]
            passages.add(frozenset(((x, y), place)))
            stack.append(place)
    return owner, passages
