"""PatternCompletion3D: which piece fills the gap of a block, or which block a piece completes."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

import numpy as np

from gym_imagetools.errors import GenerationError
from gym_imagetools.puzzles.drawing.canvas import Canvas, Point
from gym_imagetools.puzzles.eye import BlurryImage, Oracle, Reply
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.puzzles.solids.block_drawing import TONES, Tones
from gym_imagetools.puzzles.solids.block_reading import Sight, zoom_once
from gym_imagetools.puzzles.solids.polycube_cards import Card
from gym_imagetools.puzzles.solids.polycubes import (
    Cell,
    Filled,
    Shape,
    beside,
    canonical,
    filled_of,
    grow,
    is_joined,
    mirrored,
    most_shared,
    shape_of,
    size_of,
    turned,
    with_one_moved,
)
from gym_imagetools.puzzles.solids.shelf import Place, Shelf
from gym_imagetools.puzzles.solids.sight_rays import outlook_on, rays_through
from gym_imagetools.types import Pixels

MAX_ATTEMPTS = 200


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        side: Cubes along a side of a block.
        cubes: Cubes of a piece.
        has_mirrors: Whether two options are mirror images of the other two.
        has_turns: Whether the right piece has to be turned.
        shelf: Rows and columns of blocks or pieces in the picture's upper part.
        size: Side of the picture in pixels.
    """

    side: int
    cubes: int
    has_mirrors: bool
    has_turns: bool
    shelf: tuple[int, int]
    size: int


LEVELS = (
    Level(side=3, cubes=4, has_mirrors=False, has_turns=False, shelf=(1, 1), size=1024),
    Level(side=3, cubes=5, has_mirrors=True, has_turns=False, shelf=(1, 1), size=1024),
    Level(side=3, cubes=5, has_mirrors=True, has_turns=True, shelf=(1, 1), size=1024),
    Level(side=4, cubes=6, has_mirrors=True, has_turns=True, shelf=(6, 9), size=2048),
    Level(side=4, cubes=8, has_mirrors=True, has_turns=True, shelf=(8, 12), size=2048),
)

REACH = 3
"""Most cubes of a piece along an axis."""

_LETTERS = "ABCD"
_SHELF_SHARE, _OPTION = 0.7, 0.235  # of the picture's size: the shelf's height, a card's side
_POOL = 5  # other blocks or pieces drawn, of which the shelf is filled
_LINES = 5  # of sight through a cube's face, along an edge
_SHOWN, _REACHED = 0.25, 0.4  # least part of a piece's cube, and of a missing one, that is open
_CONTRAST = 0.4  # least part of an empty place that would look otherwise with a cube in it


@dataclass(frozen=True)
class Variant:
    """A piece as it is drawn, and a block that it completes."""

    piece: Filled
    block: Filled


class PatternCompletion3D(Family):
    """A block with a gap and four pieces, or a piece and four blocks with gaps."""

    name = "PatternCompletion3D"
    group = "spatial perception"
    summary = "Choose the piece that completes a block of cubes, or the block that a piece does."
    answer_type = "letter"
    useful_tools = ("image_zoom_in_tool", "image_crop_tool", "image_side_by_side_tool")
    necessary_tools = (("image_zoom_in_tool", "image_crop_tool"),)
    tools_needed_from = 4

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw four pieces and their blocks, with either question, each as likely."""
        level = LEVELS[difficulty - 1]
        asks_piece, true = bool(rngs.latents.integers(2)), int(rngs.latents.integers(4))
        slots = rngs.layout.permutation(4).tolist()
        variants, attempts = _four_variants(rngs.latents, level)
        offered = [variants[slot] for slot in slots]
        place = shelf_for(level).any_places(rngs.layout, 1)[0]
        form = "pieces" if asks_piece else "blocks"
        return Puzzle(
            question=_question(level, place, asks_piece=asks_piece),
            images=(_draw(variants[true], offered, place, form, level, rngs),),
            grader="mcqa",
            grading={
                "expected_answer": _LETTERS[slots.index(true)],
                "options": [{letter: f"{form[:-1]} {letter}"} for letter in _LETTERS],
                "grading_mode": "strict_single_letter_boxed",
            },
            latents={
                "true": _as_text(variants[true].block if asks_piece else ~variants[true].piece),
                "offered": [_as_text(~v.piece if asks_piece else v.block) for v in offered],
            },
            metadata={"form": form, "place": list(place)},
            attempts=attempts,
        )

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Zoom in on the solid that is asked about and on each option, and read their cubes."""
        level = next(level for level in LEVELS if _scene(level) in question)
        shelf, asks_piece = shelf_for(level), "pieces A to D" in question
        (place,) = shelf.named_in(question)
        side = option_side(level)
        named = yield from _look(
            images[0], shelf.corner(place), shelf.cell, level, is_block=asks_piece
        )
        fits = []
        for index in range(len(_LETTERS)):
            corner = option_corner(index, level)
            option = yield from _look(images[0], corner, side, level, is_block=not asks_piece)
            spare = abs(len(named) - len(option))
            fits.append(most_shared(named, option) - spare if named and option else -1)
        return rf"\boxed{{{_LETTERS[fits.index(max(fits))]}}}"


def _question(level: Level, place: Place, *, asks_piece: bool) -> str:
    shelf = shelf_for(level)
    if asks_piece:
        which = f"the block in {shelf.name(place)}" if shelf.has_names else "the block"
        asked = f"Which of the pieces A to D completes {which}?"
    else:
        which = f"the piece in {shelf.name(place)}" if shelf.has_names else "the piece"
        asked = f"Which of the blocks A to D does {which} complete?"
    what = "blocks" if asks_piece else "pieces"
    rows = (
        f"The upper part of the picture shows {shelf.rows} rows of {shelf.columns} {what}; rows "
        "are counted from the top, columns from the left, both from 1. "
        if shelf.has_names
        else ""
    )
    return f"{rows}{_scene(level)}{asked} Answer with its letter."


def _scene(level: Level) -> str:
    """Return what a question tells of blocks and pieces."""
    turns = (
        "A piece may be turned in space to fit, but it is never mirrored. "
        if level.has_turns
        else "A piece is put in as it is drawn, without turning it. "
    )
    return (
        f"A block of {level.side} by {level.side} by {level.side} cubes lacks {level.cubes} of "
        f"them, and a piece of {level.cubes} cubes completes it if it fills the gap exactly. Every "
        "cube of a piece, and the place of every missing cube, can be seen at least in part. "
        f"{turns}"
    )


def _as_text(filled: Filled) -> str:
    """Return the size of a grid and the cells that are missing."""
    size = "x".join(map(str, filled.shape))
    return f"{size} " + " ".join("".join(map(str, c)) for c in np.argwhere(~filled).tolist())


def _four_variants(rng: np.random.Generator, level: Level) -> tuple[list[Variant], int]:
    """Draw four different pieces of the same number of cubes, and a block for each.

    They are all combinations of two changes: a cube moved or not, and a mirror image or not
    (at the first level: another cube moved or not). Each has a block, and which is the true one
    was settled before. So nothing about four pieces or four blocks tells which one it is.
    """
    for attempt in range(1, MAX_ATTEMPTS + 1):
        shapes = (_mirror_images if level.has_mirrors else _two_cubes_moved)(rng, level)
        if len(shapes) < 4:
            continue
        variants: list[Variant] = []
        for shape in shapes:
            variant = _variant(rng, shape, level)
            if variant is None:
                break
            variants.append(variant)
        if len(variants) == 4:
            return variants, attempt
    raise GenerationError(f"Expected four pieces in {MAX_ATTEMPTS} draws, got fewer")


def _mirror_images(rng: np.random.Generator, level: Level) -> list[Shape]:
    """Return two pieces of the same extent and their mirror images; none if some are alike."""
    first = grow(rng, level.cubes, REACH)
    second = with_one_moved(rng, first, REACH)
    shapes = [first, second, mirrored(first), mirrored(second)]
    is_same_size = sorted(size_of(first)) == sorted(size_of(second))
    return shapes if is_same_size and len(set(map(canonical, shapes))) == 4 else []


def _two_cubes_moved(rng: np.random.Generator, level: Level) -> list[Shape]:
    """Return pieces alike but for two cubes; none if some are alike or mirror images."""
    core = list(grow(rng, level.cubes - 2, REACH))
    free = beside(core, REACH)
    a, b, c, d = (free[index] for index in rng.choice(len(free), 4, replace=False).tolist())
    shapes = [shape_of([*core, first, second]) for first in (a, b) for second in (c, d)]
    kinds = {min(canonical(shape), canonical(mirrored(shape))) for shape in shapes}
    return shapes if len(kinds) == 4 and max(map(max, map(size_of, shapes))) <= REACH else []


def _variant(rng: np.random.Generator, shape: Shape, level: Level) -> Variant | None:
    """Return a piece as it is drawn and a block with its gap, both clear to see; or None."""
    positions = sorted(set(turned(shape)))
    positions = [positions[index] for index in rng.permutation(len(positions)).tolist()]
    clear = filter(_is_clear_piece, positions)
    pairs = (
        ((drawn, positions[::-1]) for drawn in islice(clear, 1))  # so that it has to be turned
        if level.has_turns
        else ((drawn, [drawn]) for drawn in clear)
    )
    for drawn, gaps in pairs:
        block = _block_around(rng, gaps, level)
        if block is not None:
            return Variant(filled_of(drawn, size_of(drawn)), block)
    return None


def _block_around(rng: np.random.Generator, gaps: Sequence[Shape], level: Level) -> Filled | None:
    """Return a block that lacks the first of some gaps for which there is a clear place."""
    for gap in gaps:
        moves = list(product(*(range(level.side - length + 1) for length in size_of(gap))))
        for index in rng.permutation(len(moves)).tolist():
            dx, dy, dz = moves[index]
            moved = [(x + dx, y + dy, z + dz) for x, y, z in gap]
            if _is_clear_gap(moved, level.side):
                block = ~filled_of(moved, (level.side, level.side, level.side))
                if _is_plain(block) and is_joined(cells_of(block)):
                    return block
    return None


def _is_clear_piece(shape: Shape) -> bool:
    """Whether enough of every cube can be seen."""
    outlook = outlook_on(size_of(shape), _LINES)
    filled = outlook.set_of(shape)
    return all(outlook.is_open(cell, filled, _SHOWN) for cell in shape) and _is_plain(
        filled_of(shape, size_of(shape))
    )


def _is_clear_gap(gap: Sequence[Cell], side: int) -> bool:
    """Whether one looks into every place that a block lacks."""
    outlook = outlook_on((side, side, side), _LINES)
    filled = ~outlook.set_of(gap)
    return all(outlook.is_open(cell, filled, _REACHED) for cell in gap)


def _is_plain(filled: Filled) -> bool:
    """Whether no empty place looks as if there was a cube in it."""
    rays = rays_through((filled.shape[0], filled.shape[1], filled.shape[2]), _LINES)
    return bool(rays.contrasts(filled).min() >= _CONTRAST)


def cells_of(filled: Filled) -> list[Cell]:
    """Return the filled cells."""
    return [(x, y, z) for x, y, z in np.argwhere(filled).tolist()]


def shelf_for(level: Level) -> Shelf:
    """Return the shelf in the upper part of a picture."""
    return Shelf(*level.shelf, (level.size, level.size), round(_SHELF_SHARE * level.size))


def card_for(level: Level, side: int, *, is_block: bool) -> Card:
    """Return a card, ``side`` pixels wide, for a block or for a piece."""
    return Card(level.side if is_block else REACH, side)


def option_side(level: Level) -> int:
    """Return the side of an option's card in pixels."""
    return round(_OPTION * level.size)


def option_corner(index: int, level: Level) -> tuple[int, int]:
    """Return the left and top pixel of an option's card."""
    left = 0.5 + (index - 1.5) * (_OPTION + 0.006) - _OPTION / 2
    return round(left * level.size), round((_SHELF_SHARE + 0.03) * level.size)


def _draw(
    named: Variant,
    offered: Sequence[Variant],
    place: Place,
    form: str,
    level: Level,
    rngs: Streams,
) -> Pixels:
    tones = TONES[int(rngs.style.integers(len(TONES)))]
    shelf, side, asks_piece = shelf_for(level), option_side(level), form == "pieces"

    def card(variant: Variant, side: int, *, is_block: bool) -> Pixels:
        solid = variant.block if is_block else variant.piece
        return card_for(level, side, is_block=is_block).draw(solid, tones)

    pool = [
        card(variant, shelf.cell, is_block=asks_piece)
        for variant in _others(rngs.distractors, level, shelf.rows * shelf.columns - 1)
    ]
    picture = np.empty((level.size, level.size, 3), dtype=np.uint8)
    picture[:] = np.tile(np.array(tones.ground, dtype=np.uint8), (level.size, 1))
    drawn = {place: card(named, shelf.cell, is_block=asks_piece)}
    shelf.draw(picture, pool, drawn, tones.ink, rngs.layout)
    for index, variant in enumerate(offered):
        left, top = option_corner(index, level)
        option = picture[top : top + side, left : left + side]
        option[:] = card(variant, side, is_block=not asks_piece)
        _draw_label(option, _LETTERS[index], tones)
    picture.setflags(write=False)
    return picture


def _others(rng: np.random.Generator, level: Level, room: int) -> list[Variant]:
    """Draw other pieces and blocks, fewer than there is room for where that is a lot."""
    found: list[Variant] = []
    for _ in range(MAX_ATTEMPTS):
        if len(found) >= min(_POOL, room):
            break
        variant = _variant(rng, grow(rng, level.cubes, REACH), level)
        found += [variant] if variant else []
    return found


def _draw_label(card: Pixels, letter: str, tones: Tones) -> None:
    """Draw a letter into the upper left of a card."""
    radius, off = 0.055 * len(card), round(0.07 * len(card))
    side = round(2 * radius) + 2
    canvas = Canvas((side, side), tones.paper)
    canvas.badge(letter, (side / 2, side / 2), radius, tones.ink, tones.paper)
    card[off : off + side, off : off + side] = canvas.finish()


# The oracle.


def _look(
    image: BlurryImage, corner: Point, side: int, level: Level, *, is_block: bool
) -> Generator[dict[str, Any], Reply, list[Cell]]:
    """Zoom in on a card and return the cubes of its piece, or those that its block lacks."""
    (left, top), size = corner, level.size
    box = [round(1000 * x / size) for x in (left, top, left + side, top + side)]
    sight: Sight = yield from zoom_once(image, box, (size, size))
    card = card_for(level, side, is_block=is_block)
    if is_block:
        return cells_of(~card.read_block(sight, corner, level.cubes))
    return cells_of(card.read_piece(sight, corner, level.cubes))
