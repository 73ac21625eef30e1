"""Views3D: which flat outline a stack of cubes shows from the arrow, or which stack has which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.errors import GenerationError
from gym_imagetools.puzzles.drawing.canvas import Canvas, one_color
from gym_imagetools.puzzles.eye import BlurryImage, Oracle
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.puzzles.solids.block_drawing import TONES, Tones, draw_cubes, draw_floor
from gym_imagetools.puzzles.solids.block_reading import Sight, look, read_heights
from gym_imagetools.puzzles.solids.blocks import (
    Heights,
    Vectors,
    View,
    cells_of,
    corners,
    draw_stack,
    is_all_visible,
)
from gym_imagetools.puzzles.solids.shelf import Place, Shelf
from gym_imagetools.types import Pixels

MAX_ATTEMPTS = 300


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        side: Columns along a side of the floor.
        most: Cubes of the highest column.
        edits: Columns in which the two stacks differ whose views are offered.
        shelf: Rows and columns of stacks in the picture.
        size: Side of the picture in pixels.
    """

    side: int
    most: int
    edits: int
    shelf: tuple[int, int]
    size: int


LEVELS = (
    Level(side=3, most=2, edits=3, shelf=(1, 1), size=1024),
    Level(side=3, most=3, edits=2, shelf=(1, 1), size=1024),
    Level(side=4, most=4, edits=2, shelf=(2, 3), size=1024),
    Level(side=4, most=4, edits=1, shelf=(6, 9), size=2048),
    Level(side=5, most=4, edits=1, shelf=(8, 12), size=2048),
)

_SHELF_SHARE = 0.7  # of the picture's height
_POOL = 8  # other stacks drawn, of which the shelf is filled
_LETTERS = "ABCD"

Profile = tuple[int, ...]
"""Heights of an outline from left to right."""

SIDES = ("left front", "right front", "left back", "right back")
"""Where an arrow may lie; it points at the stack."""


def profile_of(heights: Heights, side: str) -> Profile:
    """Return the outline of a stack as it is seen from a side."""
    lower_left = heights.max(axis=0)  # over x, with y from left to right
    lower_right = heights.max(axis=1)[::-1]
    seen = {
        "left front": lower_left,
        "right front": lower_right,
        "left back": lower_right[::-1],
        "right back": lower_left[::-1],
    }[side]
    return tuple(seen.tolist())


@dataclass(frozen=True)
class Scene:
    """A stack, and the side its arrow lies on."""

    heights: Heights
    side: str

    @property
    def profile(self) -> Profile:
        """The outline seen from the arrow."""
        return profile_of(self.heights, self.side)


class Views3D(Family):
    """A stack with an arrow and four outlines, or four stacks and the outlines of all of them."""

    name = "Views3D"
    group = "spatial perception"
    summary = "Choose the outline that a stack of cubes shows from an arrow, or match four of them."
    answer_type = "letter or pairs"
    useful_tools = ("image_zoom_in_tool", "image_crop_tool", "image_flip_tool")
    necessary_tools = (("image_zoom_in_tool", "image_crop_tool"),)
    tools_needed_from = 4

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw stacks with either question, each as likely."""
        level = LEVELS[difficulty - 1]
        asks_outline = bool(rngs.latents.integers(2))
        return (_outline_puzzle if asks_outline else _matching_puzzle)(rngs, level)

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Zoom in on each stack, read its columns and the arrow, and compare the outlines."""
        asks_outline = "Which" in question
        shelves = [(level, shelf_for(level, asks_outline=asks_outline)) for level in LEVELS]
        level, shelf = next(pair for pair in shelves if _scene(*pair) in question)
        offered = _read_outlines(images[0], level)
        misses = []
        for place in shelf.named_in(question):
            sight = yield from look(images[0], shelf.box(place), shelf.size)
            view = view_for(level, shelf.cell).moved(shelf.corner(place))
            heights = read_heights(sight, view, level.side, level.most)
            seen = np.array(Scene(heights, _read_side(sight, view, level)).profile)
            misses.append([int(abs(seen - profile).sum()) for profile in offered])
        if asks_outline:
            return rf"\boxed{{{_LETTERS[int(np.argmin(misses[0]))]}}}"
        return rf"\boxed{{{_pairs(_best_matching(misses))}}}"


def _outline_puzzle(rngs: Streams, level: Level) -> Puzzle:
    true_stack, true_side = (int(value) for value in rngs.latents.integers(2, size=2))
    sides = [("left front", "right back"), ("right front", "left back")][
        int(rngs.latents.integers(2))
    ]
    slots = rngs.layout.permutation(4).tolist()
    stacks, attempts = _two_stacks(rngs.latents, level, sides)
    views = [profile_of(stack, side) for stack in stacks for side in sides]
    offered = [views[slot] for slot in slots]
    scene = Scene(stacks[true_stack], sides[true_side])
    letter = _LETTERS[slots.index(2 * true_stack + true_side)]
    shelf = shelf_for(level, asks_outline=True)
    place = shelf.any_places(rngs.layout, 1)[0]
    which = f"the stack in {shelf.name(place)}" if shelf.has_names else "the stack"
    return Puzzle(
        question=(
            f"{_scene(level, shelf)}Look at {which} from the side of its arrow, level and "
            "straight in the direction of the arrow. Which of the outlines A to D do you see? "
            "Answer with its letter."
        ),
        images=(_draw({place: scene}, offered, shelf, level, rngs),),
        grader="mcqa",
        grading={
            "expected_answer": letter,
            "options": [{letter: f"outline {letter}"} for letter in _LETTERS],
            "grading_mode": "strict_single_letter_boxed",
        },
        latents=_latents([scene], offered),
        metadata={"form": "outline", "places": [list(place)]},
        attempts=attempts,
    )


def _matching_puzzle(rngs: Streams, level: Level) -> Puzzle:
    order = rngs.latents.permutation(4).tolist()
    sides = [SIDES[int(index)] for index in rngs.latents.integers(4, size=4)]
    scenes, attempts = _four_scenes(rngs.latents, level, sides)
    shelf = shelf_for(level, asks_outline=False)
    places = shelf.any_places(rngs.layout, 4)
    numbered = "; ".join(
        f"{'Stack' if number == 1 else 'stack'} {number} is in {shelf.name(place)}"
        for number, place in enumerate(places, 1)
    )
    return Puzzle(
        question=(
            f"{_scene(level, shelf)}{numbered}. Look at each of these four from the side of its "
            "arrow, level and straight in the direction of the arrow: they show the outlines A "
            "to D. Match them. Answer with pairs of number and letter, as in 1-A, 2-B, 3-C, 4-D."
        ),
        images=(
            _draw(
                dict(zip(places, scenes, strict=True)),
                [scenes[index].profile for index in order],
                shelf,
                level,
                rngs,
            ),
        ),
        grader="pairs",
        grading={"expected_answer": _pairs([order.index(index) for index in range(4)])},
        latents=_latents(scenes, [scenes[index].profile for index in order]),
        metadata={"form": "matching", "places": [list(place) for place in places]},
        attempts=attempts,
    )


def _scene(level: Level, shelf: Shelf) -> str:
    """Return how a question begins."""
    stands = (
        f"The picture shows {shelf.rows} rows of {shelf.columns} stacks of cubes; rows are "
        "counted from the top, columns from the left, both from 1. Each stack stands"
        if shelf.has_names
        else "The stack of cubes stands"
    )
    return (
        f"{stands} on a floor of {level.side} by {level.side} tiles, is at most {level.most} "
        "cubes high, and no cube floats. "
    )


def _pairs(letters: Sequence[int]) -> str:
    return ", ".join(f"{number}-{_LETTERS[index]}" for number, index in enumerate(letters, 1))


def _latents(scenes: Sequence[Scene], offered: Sequence[Profile]) -> dict[str, Any]:
    return {
        "stacks": ["/".join("".join(map(str, x)) for x in s.heights.tolist()) for s in scenes],
        "sides": [scene.side for scene in scenes],
        "outlines": ["".join(map(str, profile)) for profile in offered],
    }


def _two_stacks(
    rng: np.random.Generator, level: Level, sides: Sequence[str]
) -> tuple[tuple[Heights, Heights], int]:
    """Draw stacks alike but for a few columns, with four different views from the two sides."""
    for attempt in range(1, MAX_ATTEMPTS + 1):
        first = draw_stack(rng, level.side, level.most)
        second = first.copy()
        for x, y in rng.integers(level.side, size=(level.edits, 2)).tolist():
            second[x, y] = int(rng.integers(level.most + 1))
        views = {profile_of(stack, side) for stack in (first, second) for side in sides}
        if len(views) == 4 and min(map(min, views)) > 0 and is_all_visible(second):
            return (first, second), attempt
    raise GenerationError(f"Expected four different views in {MAX_ATTEMPTS} draws, got fewer")


def _four_scenes(
    rng: np.random.Generator, level: Level, sides: Sequence[str]
) -> tuple[list[Scene], int]:
    """Draw four stacks that show four different outlines."""
    for attempt in range(1, MAX_ATTEMPTS + 1):
        scenes = [Scene(draw_stack(rng, level.side, level.most), side) for side in sides]
        views = {scene.profile for scene in scenes}
        if len(views) == 4 and min(map(min, views)) > 0:
            return scenes, attempt
    raise GenerationError(f"Expected four different views in {MAX_ATTEMPTS} draws, got fewer")


def shelf_for(level: Level, *, asks_outline: bool) -> Shelf:
    """Return the shelf of a picture; a matching needs four stacks."""
    rows, columns = level.shelf if asks_outline or level.shelf != (1, 1) else (2, 2)
    return Shelf(rows, columns, (level.size, level.size), round(_SHELF_SHARE * level.size))


# Arrows lie flat: those before the stack on the floor, those behind it at the height of the
# highest cubes, where nothing can hide them.

_ARROW_AWAY = np.array([0.5, 1.15, 1.15, 2.0, 2.0, 1.15, 1.15])
_ARROW_ACROSS = np.array([0.0, 0.6, 0.24, 0.24, -0.24, -0.24, -0.6])
"""Its outline: how far from the stack, and how far to the side."""


def _arrow(side: str, level: Level) -> Vectors:
    """Return the corners of the arrow on a side, shape (7, 3)."""
    is_front = side.endswith("front")
    along = level.side + _ARROW_AWAY if is_front else -_ARROW_AWAY
    beside = level.side / 2 + _ARROW_ACROSS
    z = np.full(len(along), 0.0 if is_front else float(level.most))
    on_x = side in ("left front", "right back")
    return np.stack([along, beside, z] if on_x else [beside, along, z], axis=1)


def view_for(level: Level, cell: int) -> View:
    """Return where a stack is in its cell; all arrows have room."""
    block = corners((0, 0, 0), (level.side, level.side, level.most))
    arrows = [_arrow(side, level) for side in SIDES]
    return View.fitting(
        np.concatenate([block, *arrows]), (cell / 2, cell / 2), (0.86 * cell, 0.86 * cell)
    )


def _draw(
    named: dict[Place, Scene],
    offered: Sequence[Profile],
    shelf: Shelf,
    level: Level,
    rngs: Streams,
) -> Pixels:
    tones = TONES[int(rngs.style.integers(len(TONES)))]
    pool = []
    for _ in range(min(_POOL, shelf.rows * shelf.columns - len(named))):
        heights = draw_stack(rngs.distractors, level.side, level.most)
        scene = Scene(heights, SIDES[int(rngs.distractors.integers(4))])
        pool.append(_draw_cell(scene, level, shelf.cell, tones))
    picture = one_color((level.size, level.size), tones.ground)
    cells = {place: _draw_cell(scene, level, shelf.cell, tones) for place, scene in named.items()}
    shelf.draw(picture, pool, cells, tones.ink, rngs.layout)
    strip = _draw_outlines(offered, level, tones)
    picture[-len(strip) :] = strip
    picture.setflags(write=False)
    return picture


def _draw_cell(scene: Scene, level: Level, cell: int, tones: Tones) -> Pixels:
    canvas, view = tones.card(cell), view_for(level, cell)
    draw_floor(canvas, level.side, view, tones)
    draw_cubes(canvas, cells_of(scene.heights), view, tones)
    canvas.polygon(view.place(_arrow(scene.side, level)).tolist(), tones.accent)
    return canvas.finish()


def outline_corner(index: int, level: Level) -> tuple[float, float, float]:
    """Return left and bottom of an outline and the side of its squares, in parts of the size."""
    square = 0.168 / max(level.side, level.most)
    middle = 0.5 + (index - 1.5) * 0.243
    return middle - square * level.side / 2, 0.927, square


def _draw_outlines(offered: Sequence[Profile], level: Level, tones: Tones) -> Pixels:
    size = level.size
    top = round(_SHELF_SHARE * size)
    canvas = Canvas((size, size - top), tones.ground)
    for index, (letter, profile) in enumerate(zip(_LETTERS, offered, strict=True)):
        left, bottom, square = (value * size for value in outline_corner(index, level))
        bottom -= top
        middle = left + square * level.side / 2
        half = 0.115 * size
        canvas.rectangle(
            (middle - half, 0.012 * size, middle + half, 0.288 * size), tones.paper, 0.015 * size
        )
        for column, height in enumerate(profile):
            for row in range(height):
                x, y = left + column * square, bottom - (row + 1) * square
                canvas.rectangle((x, y, x + square, y + square), tones.seam)
                seam = 0.045 * square
                inner = (x + seam, y + seam, x + square - seam, y + square - seam)
                canvas.rectangle(inner, tones.faces[1])
        canvas.badge(letter, (middle, 0.258 * size), 0.021 * size, tones.ink, tones.paper)
    return canvas.finish()


# The oracle.


def _read_side(sight: Sight, view: View, level: Level) -> str:
    """Return the side on which the arrow's colour is."""
    middles = [_arrow(side, level)[2:6].mean(axis=0) for side in SIDES]
    colors = sight.colors_at(view.place(np.array(middles)))
    return SIDES[int(abs(colors - sight.tones.accent).sum(axis=1).argmin())]


def _read_outlines(image: BlurryImage, level: Level) -> list[NDArray[np.int64]]:
    """Return the outlines offered: heights are counted up from the bottom."""
    sight = Sight.of(image, (level.size, level.size))
    outlines = []
    for index in range(len(_LETTERS)):
        left, bottom, square = outline_corner(index, level)
        columns, rows = np.meshgrid(np.arange(level.side) + 0.5, np.arange(level.most) + 0.5)
        places = np.stack([left + columns * square, bottom - rows * square], axis=-1)
        faces = sight.faces_at(places.reshape(-1, 2) * level.size)
        outlines.append((faces >= 0).reshape(level.most, level.side).sum(axis=0))
    return outlines


def _best_matching(misses: Sequence[Sequence[int]]) -> tuple[int, ...]:
    return min(
        permutations(range(len(_LETTERS))),
        key=lambda letters: sum(row[letter] for row, letter in zip(misses, letters, strict=True)),
    )
