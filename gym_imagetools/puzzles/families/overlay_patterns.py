"""OverlayPatterns: two transparent sheets on each other, of which one or two are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from gym_imagetools.errors import GenerationError
from gym_imagetools.puzzles.cards.cards import (
    LETTERS,
    LOOKS,
    NUMBERS,
    Card,
    Slots,
    Table,
    Tabletop,
    choice_grading,
    look_of,
)
from gym_imagetools.puzzles.cards.marks import (
    SHAPES,
    Cells,
    MarkReader,
    draw_beads,
    draw_tiles,
    packed,
)
from gym_imagetools.puzzles.eye import BlurryImage, Oracle
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.types import Pixels

MAX_ATTEMPTS = 2000


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        cells: Cells along the side of a sheet.
        marks: Marked cells of a sheet.
        options: Lettered pictures or numbered sheets; with 8 a sheet is moved before it is laid.
        bead: Radius of a bead in units; 0 for tiles.
        width: Of the picture in pixels.
    """

    cells: int
    marks: int
    options: int
    bead: float
    width: int


LEVELS = (
    Level(cells=4, marks=5, options=4, bead=0.0, width=1200),
    Level(cells=5, marks=8, options=4, bead=0.0, width=1200),
    Level(cells=7, marks=14, options=4, bead=0.0, width=1200),
    Level(cells=10, marks=14, options=8, bead=0.8, width=1600),
    Level(cells=12, marks=18, options=8, bead=0.5, width=1600),
)

FORMS = ("result", "added", "parts")

Motion = Callable[[Cells], Cells]

MOTIONS: dict[str, Motion] = {
    "is turned clockwise by a quarter turn": lambda cells: np.rot90(cells, -1),
    "is turned counter-clockwise by a quarter turn": lambda cells: np.rot90(cells, 1),
    "is turned upside down by a half turn": lambda cells: np.rot90(cells, 2),
    "is flipped so that left and right change places": np.fliplr,
    "is flipped so that top and bottom change places": np.flipud,
}
"""What is done to the second sheet -> how its cells move."""

OPERATIONS: dict[str, tuple[str, Callable[[Cells, Cells], Cells]]] = {
    "or": ("that is marked on at least one sheet", np.logical_or),
    "xor": (
        "that is marked on exactly one sheet: two marks on each other cancel out",
        np.logical_xor,
    ),
}
"""Which cells the result marks, in words and as a function."""


@dataclass(frozen=True)
class Plan:
    """What is drawn: the top row, where None stands for what is asked, and the options."""

    top: tuple[Cells | None, Cells | None, Cells | None]
    options: tuple[Cells, ...]
    attempts: int = 1


class OverlayPatterns(Family):
    """Two sheets and what they give together, of which one or two are to be chosen."""

    name = "OverlayPatterns"
    group = "visual pattern recognition"
    summary = "Tell what two transparent sheets give on each other, or which sheets they were."
    answer_type = "letter or pair"
    useful_tools = (
        "image_crop_tool",
        "image_overlay_tool",
        "image_diff_tool",
        "image_rotate_tool",
        "image_flip_tool",
        "find_color_tool",
    )
    necessary_tools = (("image_crop_tool", "image_zoom_in_tool"),)
    tools_needed_from = 4

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw one of the three forms, each as likely."""
        level = LEVELS[difficulty - 1]
        form = FORMS[int(rngs.latents.integers(len(FORMS)))]
        return _parts_puzzle(rngs, level) if form == "parts" else _letter_puzzle(rngs, level, form)

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Read the cells of one card after the other until those that fit are found."""
        level = next(level for level in LEVELS if f" {level.cells} by" in question)
        table = Table.of(3, level.options)
        reader = MarkReader(level.cells, look_of(images[0]), has_beads=level.bead > 0)
        asks_pair, asks_sheet = "Which two" in question, "Another sheet" in question
        asked = (2,) if asks_pair else (0, 2) if asks_sheet else (0, 1)
        top = yield from reader.read([table.subjects[index] for index in asked])
        if not top:
            return rf"\boxed{{{'1-2' if asks_pair else 'A'}}}"
        if asks_pair:
            parts = yield from _find_parts(reader, table.options, top[0])
            return rf"\boxed{{{parts}}}"
        goal = _wanted(question, *top)
        letter = yield from reader.find(table.options, goal)
        return rf"\boxed{{{letter}}}"


def _find_parts(reader: MarkReader, cards: Sequence[Card], union: Cells) -> Oracle:
    """Return the numbers of the first two sheets that lie within a union."""
    parts: list[str] = []
    for number, card in zip(NUMBERS, cards, strict=False):
        for sheet in (yield from reader.read([card])):
            if not (sheet & ~union).any():
                parts.append(number)
        if len(parts) == 2:
            return "-".join(parts)
    return "1-2"


def _wanted(question: str, first: Cells, other: Cells) -> Cells:
    """Return the result of two sheets, or the sheet that leads from the first to the result."""
    motion = next((move for words, move in MOTIONS.items() if words in question), _stay)
    if "Another sheet" in question:
        return _undo(motion, first ^ other)
    _, operation = next(pair for pair in OPERATIONS.values() if pair[0] in question)
    return operation(first, motion(other))


def _letter_puzzle(rngs: Streams, level: Level, form: str) -> Puzzle:
    # The operation and the true option are settled before any retry.
    operation = "or" if form == "result" and rngs.latents.integers(2) else "xor"
    moved = level.options == 8
    motions = [list(MOTIONS)[i] for i in rngs.latents.permutation(len(MOTIONS))[:2]]
    slots = Slots.draw(rngs, 3 if moved else 2)
    motion = motions[slots.true[-1]] if moved else ""
    plan = _plan_letter(rngs.latents, level, form, operation, motions, slots)
    rule, _ = OPERATIONS[operation]
    last = LETTERS[level.options - 1]
    if form == "result":
        task = (
            f"In the top row the second sheet {f'{motion} and then ' if moved else 'is '}laid "
            f"exactly on the first one. The result marks every cell {rule}. Which of the "
            f"pictures A to {last} is the result?"
        )
    else:
        task = (
            f"Another sheet {f'{motion} and then ' if moved else 'is '}laid exactly on the first "
            "one of the top row. The result, at the end of the row, marks every cell "
            f"{rule}. Which of the pictures A to {last} is this other sheet"
            f"{', as it was before it was moved' if moved else ''}?"
        )
    return Puzzle(
        question=f"{_intro(level)} {task} Answer with its letter.",
        images=(_draw(plan, level, LETTERS, rngs),),
        grader="mcqa",
        grading=choice_grading(slots.letter, level.options),
        latents=_latents(plan) | {"operation": operation, "motion": motion},
        metadata={"form": form},
        attempts=plan.attempts,
    )


def _parts_puzzle(rngs: Streams, level: Level) -> Puzzle:
    pairs = list(combinations(range(level.options), 2))
    first, second = pairs[int(rngs.latents.integers(len(pairs)))]
    plan = _plan_parts(rngs.latents, level, first, second)
    rule, _ = OPERATIONS["or"]
    return Puzzle(
        question=(
            f"{_intro(level)} Two of the sheets 1 to {level.options} are laid exactly on each "
            "other, without turning or flipping them. The result, at the end of the top row, "
            f"marks every cell {rule}. Which two sheets are they? Answer with both numbers, such "
            "as 1-2."
        ),
        images=(_draw(plan, level, NUMBERS, rngs),),
        grader="pairs",
        grading={"expected_answer": f"{first + 1}-{second + 1}"},
        latents=_latents(plan),
        metadata={"form": "parts"},
        attempts=plan.attempts,
    )


def _intro(level: Level) -> str:
    marks = (
        "a ring marks a cell, a plain dot leaves it empty"
        if level.bead
        else "a dark shape marks a cell"
    )
    return f"Each sheet is transparent and has {level.cells} by {level.cells} cells; {marks}."


def _latents(plan: Plan) -> dict[str, object]:
    return {
        "top": [None if cells is None else packed(cells) for cells in plan.top],
        "options": [packed(cells) for cells in plan.options],
    }


def _plan_letter(
    rng: np.random.Generator,
    level: Level,
    form: str,
    operation: str,
    motions: Sequence[str],
    slots: Slots,
) -> Plan:
    """Draw two sheets with a twin each; every choice of twins (and motions) makes an option.

    All options mark as many cells, and any two of them differ in at least two.
    """
    moves = [MOTIONS[words] for words in motions] if level.options == 8 else [_stay]
    _, combine = OPERATIONS[operation]
    for attempt in range(1, MAX_ATTEMPTS + 1):
        firsts, seconds = _twins(rng, level), _twins(rng, level)
        if form == "result":
            made = [combine(a, move(b)) for a in firsts for b in seconds for move in moves]
        else:
            made = [_undo(move, a ^ b) for a in firsts for b in seconds for move in moves]
        if len({int(cells.sum()) for cells in made}) == 1 and _all_differ(made):
            first, second = firsts[slots.true[0]], seconds[slots.true[1]]
            top = (first, second, None) if form == "result" else (first, None, second)
            options = (made[int("".join(map(str, bits)), 2)] for bits in slots.shown)
            return Plan(top, tuple(options), attempt)
    raise GenerationError(f"Expected different pictures in {MAX_ATTEMPTS} draws, got none")


def _plan_parts(rng: np.random.Generator, level: Level, first: int, second: int) -> Plan:
    """Draw sheets in pairs of twins, so that no two others ever lie within the union of two."""
    for attempt in range(1, MAX_ATTEMPTS + 1):
        twins = [sheet for _ in range(level.options // 2) for sheet in _twins(rng, level)]
        sheets = [twins[index] for index in rng.permutation(len(twins))]
        if _all_differ(sheets) and all(_is_told(sheets, *pair) for pair in _pairs(level)):
            return Plan((None, None, sheets[first] | sheets[second]), tuple(sheets), attempt)
    raise GenerationError(f"Expected different unions in {MAX_ATTEMPTS} draws, got none")


def _pairs(level: Level) -> Iterable[tuple[int, int]]:
    return combinations(range(level.options), 2)


def _is_told(sheets: Sequence[Cells], first: int, second: int) -> bool:
    """Whether no other sheet lies within the union of two."""
    union = sheets[first] | sheets[second]
    others = (sheet for i, sheet in enumerate(sheets) if i not in (first, second))
    return all((other & ~union).any() for other in others)


def _twins(rng: np.random.Generator, level: Level) -> tuple[Cells, Cells]:
    """Return two sheets that differ in the place of one mark, in either order."""
    places = rng.permutation(level.cells**2)[: level.marks + 1]
    sheets = np.zeros((2, level.cells**2), bool)
    sheets[0, places[:-1]] = sheets[1, places[1:]] = True
    first, second = sheets.reshape(2, level.cells, level.cells)
    return first, second


def _all_differ(pictures: Sequence[Cells]) -> bool:
    return all(int((a ^ b).sum()) >= 2 for a, b in combinations(pictures, 2))


def _stay(cells: Cells) -> Cells:
    return cells


def _undo(motion: Motion, cells: Cells) -> Cells:
    """Undo a motion: four times a quarter turn, or twice any other, is none."""
    return motion(motion(motion(cells)))


def _draw(plan: Plan, level: Level, labels: str, rngs: Streams) -> Pixels:
    look = LOOKS[int(rngs.style.integers(len(LOOKS)))]
    shape = SHAPES[int(rngs.style.integers(len(SHAPES)))]
    table = Table.of(3, level.options)
    tabletop = Tabletop(table, level.width, look)

    def show(card: Card, cells: Cells, label: str = "") -> None:
        tabletop.card(card, label)
        if level.bead:
            draw_beads(tabletop, card, cells, level.bead, look)
        else:
            draw_tiles(tabletop, card, cells, shape, look)

    for card, cells in zip(table.subjects, plan.top, strict=True):
        if cells is None:
            tabletop.unknown(card)
        else:
            show(card, cells)
    tabletop.sign("+", *table.subjects[:2])
    tabletop.sign("=", *table.subjects[1:])
    for label, card, cells in zip(labels, table.options, plan.options, strict=False):
        show(card, cells, label)
    return tabletop.canvas.finish()
