"""Reconstruction: which pieces make up a shape, or which piece is which part of it."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.errors import GenerationError
from gym_imagetools.puzzles.eye import Blocks, BlurryImage, Oracle, Reply
from gym_imagetools.puzzles.jigsaw.jigsaw import (
    FILLED,
    Cell,
    Cells,
    Parts,
    canonical,
    covers,
    cut_up,
    grow_shape,
    place_teeth,
    trimmed,
)
from gym_imagetools.puzzles.jigsaw.sheet import LETTERS, Sheet, Slot, draw_sheet, key_places
from gym_imagetools.puzzles.looking.cells import look_at_box
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        parts: Fewest and most pieces that make up the shape; there are as many false ones.
        part_cells: Cells of a piece, about.
        cell: Side of a cell in pixels.
        size: Side of the picture in pixels.
        may_turn: Whether pieces are turned by quarters.
    """

    parts: tuple[int, int]
    part_cells: int
    cell: int
    size: int
    may_turn: bool

    @property
    def sheet(self) -> Sheet:
        """The measures of the picture."""
        return Sheet(self.size, self.cell)


LEVELS = (
    Level(parts=(2, 3), part_cells=14, cell=32, size=1024, may_turn=False),
    Level(parts=(3, 4), part_cells=52, cell=16, size=1024, may_turn=False),
    Level(parts=(3, 4), part_cells=225, cell=8, size=1024, may_turn=False),
    Level(parts=(4, 5), part_cells=340, cell=8, size=1536, may_turn=True),
    Level(parts=(5, 6), part_cells=460, cell=8, size=2048, may_turn=True),
)

MAX_ATTEMPTS = 80
_MAX_NODES = 400  # partial covers that are looked at


@dataclass(frozen=True)
class Plan:
    """A shape and its pieces.

    A piece and its false twin differ by the place of one tooth, and both were drawn alike, so
    the pieces by themselves do not tell which is false.

    Attributes:
        parts: The parts of the shape.
        teeth: Row and column of the tooth of each true piece, and of its false twin.
        turns: Quarter turns of the true piece of each part, then of the false ones.
        pieces: The true piece of each part as it is shown, then the false ones.
        attempts: Draws of the rejection loop.
    """

    parts: Parts
    teeth: list[list[Cell]]
    turns: list[int]
    pieces: list[Cells]
    attempts: int


class Reconstruction(Family):
    """A shape, the pieces it is made of, and a false twin of each."""

    name = "Reconstruction"
    group = "fine-grained discrimination"
    summary = "Choose the pieces that make up a shape, or the piece for each part of it."
    answer_type = "set or pairs"
    useful_tools = (
        "image_zoom_in_tool",
        "image_crop_tool",
        "image_overlay_tool",
        "image_diff_tool",
        "image_rotate_tool",
    )
    necessary_tools = (("image_zoom_in_tool", "image_crop_tool"),)
    tools_needed_from = 3

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw a shape with either question, each as likely."""
        level = LEVELS[difficulty - 1]
        form = ("set", "parts")[int(rngs.latents.integers(2))]
        count = int(rngs.latents.integers(level.parts[0], level.parts[1] + 1))
        # Where each piece lies, and so the answer, is drawn before any retry.
        order = rngs.latents.permutation(2 * count).tolist()
        plan = _draw_plan(rngs.latents, level, count)
        numbers = [order.index(part) + 1 for part in range(count)]
        pairs = zip(LETTERS, numbers, strict=False)
        answers = {
            "set": ", ".join(map(str, sorted(numbers))),
            "parts": ", ".join(f"{letter}-{number}" for letter, number in pairs),
        }
        pieces = [plan.pieces[index] for index in order]
        return Puzzle(
            question=_question(level, count, form),
            images=(
                draw_sheet(level.sheet, plan.parts, pieces, rngs.style, is_colored=form == "parts"),
            ),
            grader="set" if form == "set" else "pairs",
            grading={"expected_answer": answers[form]},
            latents={
                "form": form,
                "parts": _packed(plan.parts),
                "teeth": [[list(tooth) for tooth in pair] for pair in plan.teeth],
                "turns": plan.turns,
                "order": order,
            },
            metadata={"form": form, "parts": count},
            attempts=plan.attempts,
        )

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Read all cells from tiles, then search for the cover or for equal shapes."""
        shown = int(re.findall(r"(\d+) numbered pieces", question)[0])
        cells = int(re.findall(r"(\d+) of them side by side", question)[0])
        level = next(level for level in LEVELS if level.sheet.cells == cells)
        blocks = yield from _look(images[0].blocks, level.sheet)
        seen = _Seen(blocks, level.sheet)
        pieces = [seen.piece(slot) for slot in level.sheet.slots(shown)]
        if "coloured" in question:
            answer = _match(seen.parts(shown // 2), pieces, may_turn=level.may_turn)
        else:
            found = covers(seen.shape, pieces, may_turn=level.may_turn, max_nodes=_MAX_NODES)
            chosen = found.pop() if found else range(shown // 2)
            answer = ", ".join(str(index + 1) for index in sorted(chosen))
        return rf"\boxed{{{answer}}}"


def _draw_plan(rng: np.random.Generator, level: Level, count: int) -> Plan:
    """Draw a shape, its parts and their false twins, so that just one choice covers the shape.

    Raises:
        GenerationError: None was found.
    """
    for attempt in range(1, MAX_ATTEMPTS + 1):
        parts = cut_up(rng, np.pad(grow_shape(rng, _room(level, count)), 2), count)
        teeth = None if parts is None else place_teeth(rng, parts, count)
        if parts is None or teeth is None:
            continue
        turns = rng.integers(4 if level.may_turn else 1, size=2 * count).tolist()
        upright = [_piece(parts, part, pair[twin]) for twin in (0, 1) for part, pair in _of(teeth)]
        pieces = [np.rot90(piece, turn) for piece, turn in zip(upright, turns, strict=True)]
        for part, (tooth, _) in _of(teeth):
            parts[tooth] = part
        if _are_fit(parts, pieces, level) and _is_unique(parts, pieces, level):
            return Plan(parts, teeth, turns, pieces, attempt)
    raise GenerationError(f"Expected a shape in {MAX_ATTEMPTS} draws, got none")


def _room(level: Level, count: int) -> tuple[int, int]:
    """Return rows and columns to grow a shape in."""
    area = level.part_cells * count / FILLED
    rows = min(level.sheet.shape_rows - 2, round(sqrt(area)))
    return rows, round(area / rows)


def _of(teeth: Sequence[Sequence[Cell]]) -> list[tuple[int, Sequence[Cell]]]:
    return list(enumerate(teeth, start=1))


def _piece(parts: Parts, part: int, tooth: Cell) -> Cells:
    cells = parts == part
    cells[tooth] = True
    return trimmed(cells)


def _are_fit(parts: Parts, pieces: Sequence[Cells], level: Level) -> bool:
    """Whether all pieces differ and fit in their slots, and the shape on its card."""
    places = level.sheet.slots(len(pieces))
    height = min(slot.bottom - slot.top for slot in places)
    width = min(slot.right - slot.left for slot in places)
    return (
        len({canonical(piece) for piece in pieces}) == len(pieces)
        and max(piece.shape[0] for piece in pieces) <= height
        and max(piece.shape[1] for piece in pieces) <= width
        and trimmed(parts > 0).shape[0] <= level.sheet.shape_rows
    )


def _is_unique(parts: Parts, pieces: Sequence[Cells], level: Level) -> bool:
    found = covers(trimmed(parts > 0), pieces, may_turn=level.may_turn, max_nodes=_MAX_NODES)
    return found == {frozenset(range(len(pieces) // 2))}


def _packed(parts: Parts) -> str:
    """Return rows as runs, such as ``3.5A2B``."""
    rows = ("".join("." if cell == 0 else LETTERS[cell - 1] for cell in row) for row in parts)
    return "/".join("".join(f"{len(list(run))}{part}" for part, run in groupby(r)) for r in rows)


def _question(level: Level, count: int, form: str) -> str:
    turning = (
        "Pieces may have been turned by quarters, but never flipped over."
        if level.may_turn
        else "Pieces are shown the way they lie in the shape, neither turned nor flipped over."
    )
    intro = (
        f"All shapes here consist of small squares of one size; {level.sheet.cells} of "
        "them side by side are as wide as the picture. "
        f"Below the large shape there are {2 * count} numbered "
        f"pieces, of which only {count} belong to it. {turning} "
    )
    if form == "set":
        return (
            f"{intro}Which {count} pieces, put together without gap or overlap, make up the large "
            "shape? Answer with their numbers, separated by commas."
        )
    return (
        f"{intro}The large shape is cut into coloured parts, lettered in the key beside it. Which "
        "piece has exactly the form of which part? Answer with all pairs, such as A-3, B-1."
    )


# The oracle knows where shapes lie and how large a cell is; which cells they have it must see.

_DARK = 60  # of 255, in the channel that a shape darkens most


def _look(preview: Blocks, sheet: Sheet) -> Generator[dict[str, Any], Reply, Blocks]:
    """Return blocks of the whole picture that are no larger than a cell, from zoomed tiles."""
    tiles = sheet.cells // len(preview)
    if tiles <= 1:
        return preview
    side, bands = sheet.size // tiles, []
    for top in range(0, sheet.size, side):
        band = []
        for left in range(0, sheet.size, side):
            box = (left, top, left + side, top + side)
            seen = yield from look_at_box(box, (sheet.size, sheet.size))
            if seen is None:
                return preview
            band.append(seen)
        bands.append(np.concatenate(band, axis=1))
    return np.concatenate(bands, axis=0)


class _Seen:
    """Cells read from blocks of the whole picture."""

    def __init__(self, blocks: Blocks, sheet: Sheet) -> None:
        places = ((np.arange(sheet.cells) + 0.5) / sheet.cells * len(blocks)).astype(int)
        self._blocks = blocks.astype(np.int64)
        self._colors = self._blocks[np.ix_(places, places)]
        self._dark = (self._blocks.max(axis=(0, 1)) - self._colors).max(axis=2) > _DARK
        self._zone = sheet.shape_zone

    @property
    def shape(self) -> Cells:
        """The large shape."""
        return _cut_out(self._dark[self._zone])

    def piece(self, slot: Slot) -> Cells:
        """Return the piece in a slot."""
        return _cut_out(self._dark[slot.top : slot.bottom, slot.left : slot.right])

    def parts(self, count: int) -> list[Cells]:
        """Return the parts of the large shape in the order of the key."""
        side = len(self._blocks)
        key = [self._blocks[int(y * side), int(x * side)] for x, y in key_places(count)]
        away = np.stack([abs(self._colors[self._zone] - color).sum(axis=2) for color in key])
        nearest: NDArray[np.int64] = np.where(self._dark[self._zone], away.argmin(axis=0), -1)
        return [_cut_out(nearest == index) for index in range(count)]


def _cut_out(cells: Cells) -> Cells:
    """Return a shape without its empty surroundings; one cell where there is none."""
    return trimmed(cells) if cells.any() else np.ones((1, 1), dtype=bool)


def _match(parts: Sequence[Cells], pieces: Sequence[Cells], *, may_turn: bool) -> str:
    """Return the pairs of equal parts and pieces; for want of one, a piece by the part's place."""

    def looks(cells: Cells) -> object:
        return canonical(cells) if may_turn else (cells.shape, cells.tobytes())

    numbers = {looks(piece): number for number, piece in enumerate(pieces, start=1)}
    found = (numbers.get(looks(part), place) for place, part in enumerate(parts, start=1))
    return ", ".join(f"{letter}-{number}" for letter, number in zip(LETTERS, found, strict=False))
