"""RotationPatterns: which picture is a sample turned, and which ones are mirrored besides."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from math import cos, hypot, radians, sin
from typing import Any

import numpy as np

from gym_imagetools.errors import GenerationError
from gym_imagetools.puzzles.cards.cards import (
    LETTERS,
    LOOKS,
    NUMBERS,
    Card,
    Look,
    Slots,
    Table,
    Tabletop,
    choice_grading,
    look_of,
)
from gym_imagetools.puzzles.cards.marks import Places, dot_of, find_marks, ring_of
from gym_imagetools.puzzles.eye import BlurryImage, Oracle
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.types import Pixels

MAX_ATTEMPTS = 1000


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        marks: Tiles or rings of the figure.
        step: Turns are multiples of this many degrees.
        options: Pictures below the sample.
        reach: Radius of the round lattice of beads, in its pitches; 0 for figures of tiles.
        bead: Radius of a bead in units; 0 for tiles.
        width: Of the picture in pixels.
    """

    marks: int
    step: int
    options: int
    reach: float
    bead: float
    width: int


LEVELS = (
    Level(marks=7, step=90, options=4, reach=0, bead=0, width=1200),
    Level(marks=9, step=90, options=4, reach=0, bead=0, width=1200),
    Level(marks=12, step=45, options=4, reach=0, bead=0, width=1200),
    Level(marks=14, step=15, options=8, reach=4.3, bead=0.8, width=1600),
    Level(marks=18, step=15, options=8, reach=6.2, bead=0.5, width=1600),
)

FORMS = ("turned", "alike", "mirrored")

Cell = tuple[int, int]
"""x to the right and y downwards."""

_MIRROR_APART = 4  # cells by which a figure must differ from itself turned or mirrored
_RADIUS = 18.6  # of the circle that a figure stays in, in units
_LARGEST_PITCH = 7.0
_SAME = 1.0  # units between places that are one and the same; the smallest pitch is 2.8

_TILE_OUTLINE = np.array(
    [(x, y) for x, y in ((-3, -4), (3, -4), (4, -3), (4, 3), (3, 4), (-3, 4), (-4, 3), (-4, -3))]
) * (0.43 / 4)
"""A square with blunt corners, in pitches."""


@dataclass(frozen=True)
class View:
    """How a figure is shown.

    Attributes:
        figure: Which variant of the figure.
        is_mirrored: Left and right are swapped first.
        degrees: The turn after that, clockwise.
    """

    figure: int
    is_mirrored: bool = False
    degrees: int = 0

    def move(self, places: Places) -> Places:
        """Return where places of the figure are seen."""
        return turn(places * (-1 if self.is_mirrored else 1, 1), self.degrees)


@dataclass(frozen=True)
class Figures:
    """Variants of a figure, and the draws it took."""

    variants: tuple[tuple[Cell, ...], ...]
    attempts: int


@dataclass(frozen=True)
class Plan:
    """Variants of a figure, how the sample shows one, and how the options do."""

    figures: tuple[tuple[Cell, ...], ...]
    sample: View
    options: tuple[View, ...]

    @property
    def latents(self) -> dict[str, Any]:
        """Everything the answer depends on."""
        figures = [" ".join(f"{x},{y}" for x, y in figure) for figure in self.figures]
        views = [f"{v.figure}{'-' if v.is_mirrored else '+'}{v.degrees}" for v in self.views]
        return {"figures": figures, "views": views}

    @property
    def views(self) -> tuple[View, ...]:
        """The sample's view and those of the options."""
        return (self.sample, *self.options)


class RotationPatterns(Family):
    """A sample, and pictures that show it turned, mirrored or changed."""

    name = "RotationPatterns"
    group = "visual pattern recognition"
    summary = "Find the picture that shows a sample turned, or all that show it mirrored."
    answer_type = "letter or set"
    useful_tools = (
        "image_crop_tool",
        "image_rotate_tool",
        "image_diff_tool",
        "image_overlay_tool",
        "find_color_tool",
    )
    necessary_tools = (("image_crop_tool", "image_zoom_in_tool"),)
    tools_needed_from = 4

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw one of the three forms, each as likely."""
        level = LEVELS[difficulty - 1]
        form = FORMS[int(rngs.latents.integers(len(FORMS)))]
        drawers = {"turned": _turned_puzzle, "alike": _alike_puzzle, "mirrored": _mirrored_puzzle}
        return drawers[form](rngs, level)

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Read where the marks of a card are, and turn the sample's marks onto those of others."""
        num_options = 8 if " to H" in question or " to 8" in question else 4
        table = Table.of(1, num_options)
        look, has_beads = look_of(images[0]), "rings" in question
        sample = yield from find_marks(table.subjects[0], look, has_beads=has_beads)
        stated = re.search(r"turned (clockwise|counter-clockwise) by (\d+) degrees", question)
        turns: Iterable[int] = range(0, 360, 15)
        if stated:
            turns = [int(stated[2]) * (1 if stated[1] == "clockwise" else -1)]
        asks_letter, mirrored = "letter" in question, []
        for index, card in enumerate(table.options):
            if asks_letter and index == num_options - 1:
                return rf"\boxed{{{LETTERS[index]}}}"
            seen = yield from find_marks(card, look, has_beads=has_beads)
            if sample is None or seen is None:
                break
            is_turned = any(_coincide(turn(sample, degrees), seen) for degrees in turns)
            if is_turned and asks_letter:
                return rf"\boxed{{{LETTERS[index]}}}"
            mirrored += [] if is_turned else [NUMBERS[index]]
        return rf"\boxed{{{'A' if asks_letter else ', '.join(mirrored or '1')}}}"


def turn(places: Places, degrees: float) -> Places:
    """Return places turned clockwise around the origin."""
    x, y = cos(radians(degrees)), sin(radians(degrees))
    return np.asarray(places @ np.array([[x, y], [-y, x]]))


def _coincide(places: Places, others: Places) -> bool:
    away = np.hypot(*(places[:, None] - others).transpose(2, 0, 1))
    return len(places) == len(others) and bool(away.min(axis=1).max() < _SAME)


def _turned_puzzle(rngs: Streams, level: Level) -> Puzzle:
    slots = Slots.draw(rngs, 3 if level.reach else 2)
    turns = _two_turns(rngs.latents, level)

    def view(bits: tuple[int, ...]) -> View:
        return View(bits[0], len(bits) == 3 and bits[1] == 1, turns[bits[-1]])

    figures = _draw_figures(rngs.latents, level, 1)
    sample = replace(view(slots.true), degrees=0)
    plan = Plan(figures.variants, sample, tuple(view(bits) for bits in slots.shown))
    degrees = turns[slots.true[-1]]
    way, amount = ("clockwise", degrees) if degrees <= 180 else ("counter-clockwise", 360 - degrees)
    last = LETTERS[level.options - 1]
    return Puzzle(
        question=(
            f"{_intro(level)} Which of the pictures A to {last} shows the sample turned {way} by "
            f"{amount} degrees? Answer with its letter."
        ),
        images=(_draw(plan, level, LETTERS, rngs),),
        grader="mcqa",
        grading=choice_grading(slots.letter, level.options),
        latents=plan.latents | {"turn": degrees},
        metadata={"form": "turned"},
        attempts=figures.attempts,
    )


def _alike_puzzle(rngs: Streams, level: Level) -> Puzzle:
    num_changes = 2 if level.reach else 1
    slots = Slots.draw(rngs, num_changes + 1)

    def view(bits: tuple[int, ...]) -> View:
        return View(int("".join(map(str, bits[:-1])), 2), bits[-1] == 1)

    figures = _draw_figures(rngs.latents, level, num_changes)
    options = [
        replace(view(bits), degrees=_some_turn(rngs.distractors, level)) for bits in slots.shown
    ]
    plan = Plan(figures.variants, view(slots.true), tuple(options))
    last = LETTERS[level.options - 1]
    return Puzzle(
        question=(
            f"{_intro(level)} Which of the pictures A to {last} shows the sample merely turned in "
            "its plane, neither mirrored nor changed? Answer with its letter."
        ),
        images=(_draw(plan, level, LETTERS, rngs),),
        grader="mcqa",
        grading=choice_grading(slots.letter, level.options),
        latents=plan.latents,
        metadata={"form": "alike"},
        attempts=figures.attempts,
    )


def _mirrored_puzzle(rngs: Streams, level: Level) -> Puzzle:
    # Any set of numbers but none and all, each as likely.
    chosen = int(rngs.latents.integers(1, 2**level.options - 1))
    mirrored = [bool(chosen >> index & 1) for index in range(level.options)]
    figures = _draw_figures(rngs.latents, level, 0)
    views = (View(0, flag, _some_turn(rngs.distractors, level)) for flag in mirrored)
    plan = Plan(figures.variants, View(0), tuple(views))
    numbers = [number for number, flag in zip(NUMBERS, mirrored, strict=False) if flag]
    return Puzzle(
        question=(
            f"{_intro(level)} Each of the pictures 1 to {level.options} shows the sample turned "
            "in its plane, but some of them are mirrored as well. Which ones are mirrored? Answer "
            "with all their numbers, such as 1, 3."
        ),
        images=(_draw(plan, level, NUMBERS, rngs),),
        grader="set",
        grading={"expected_answer": ", ".join(numbers)},
        latents=plan.latents,
        metadata={"form": "mirrored"},
        attempts=figures.attempts,
    )


def _intro(level: Level) -> str:
    if level.reach:
        return "The picture at the top is the sample: a figure of rings; plain dots do not count."
    return "The picture at the top is the sample: a figure of tiles."


def _two_turns(rng: np.random.Generator, level: Level) -> tuple[int, int]:
    """Return two turns, of lattices of beads such that both lie alike."""
    first = _some_turn(rng, level)
    step = 90 if level.reach else level.step
    others = [turn for turn in range(first + step, first + 360, step) if turn % 360]
    return first, others[int(rng.integers(len(others)))] % 360


def _some_turn(rng: np.random.Generator, level: Level) -> int:
    return level.step * int(rng.integers(1, 360 // level.step))


def _draw_figures(rng: np.random.Generator, level: Level, num_changes: int) -> Figures:
    """Draw a figure and what it becomes when cells of it are exchanged, in every combination.

    No variant is another one turned, and each differs clearly from itself turned and mirrored.
    """
    for attempt in range(1, MAX_ATTEMPTS + 1):
        common = _grow(rng, level.marks - num_changes, level.reach)
        border = _sites(level.reach) - set(common) if level.reach else _border(common)
        spare = [sorted(border)[i] for i in rng.permutation(len(border))[: 2 * num_changes]]
        changes = product(*zip(spare[::2], spare[1::2], strict=True))
        variants = tuple((*common, *change) for change in changes)
        if _is_compact((*common, *spare), level) and _are_told(variants):
            return Figures(variants, attempt)
    raise GenerationError(f"Expected a figure without symmetry in {MAX_ATTEMPTS} draws, got none")


def _grow(rng: np.random.Generator, count: int, reach: float) -> list[Cell]:
    """Return connected cells, or any cells of a round lattice."""
    if reach:
        sites = sorted(_sites(reach))
        return [sites[index] for index in rng.permutation(len(sites))[:count]]
    cells: list[Cell] = [(0, 0)]
    while len(cells) < count:
        border = sorted(_border(cells))
        cells.append(border[int(rng.integers(len(border)))])
    return cells


@cache
def _sites(reach: float) -> frozenset[Cell]:
    around = range(-int(reach), int(reach) + 1)
    return frozenset((x, y) for x in around for y in around if hypot(x, y) <= reach)


def _border(cells: Sequence[Cell]) -> set[Cell]:
    beside = ((x + dx, y + dy) for x, y in cells for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)))
    return set(beside) - set(cells)


def _is_compact(cells: Sequence[Cell], level: Level) -> bool:
    extent = np.ptp(np.array(cells), axis=0).max() + 1
    return bool(level.reach) or extent <= level.marks**0.5 + 2


def _are_told(variants: Sequence[Sequence[Cell]]) -> bool:
    for index, figure in enumerate(variants):
        ways = [_quarter_turns([(-x, y) for x, y in other]) for other in variants]
        if min(_apart(figure, turned) for way in ways for turned in way) < _MIRROR_APART:
            return False
        if min(_apart(figure, turned) for turned in _quarter_turns(figure)[1:]) < _MIRROR_APART:
            return False
        others = (turned for other in variants[:index] for turned in _quarter_turns(other))
        if any(_apart(figure, turned) < 2 for turned in others):
            return False
    return True


def _quarter_turns(cells: Sequence[Cell]) -> list[list[Cell]]:
    turned = [list(cells)]
    for _ in range(3):
        turned.append([(-y, x) for x, y in turned[-1]])
    return turned


def _apart(cells: Sequence[Cell], others: Sequence[Cell]) -> int:
    """Return how many cells of two figures have no partner when one is best shifted."""
    shifts = Counter((x - u, y - v) for x, y in cells for u, v in others)
    return len(cells) + len(others) - 2 * max(shifts.values())


def _draw(plan: Plan, level: Level, labels: str, rngs: Streams) -> Pixels:
    look = LOOKS[int(rngs.style.integers(len(LOOKS)))]
    table = Table.of(1, level.options)
    tabletop = Tabletop(table, level.width, look)
    cards = [*table.subjects, *table.options]
    for card, view, label in zip(cards, plan.views, ["", *labels[: level.options]], strict=True):
        tabletop.card(card, label)
        draw = _draw_beads if level.reach else _draw_tiles
        draw(tabletop, card, view, plan, level, look)
    return tabletop.canvas.finish()


def _draw_tiles(
    tabletop: Tabletop, card: Card, view: View, plan: Plan, level: Level, look: Look
) -> None:
    everything = np.array(sorted({cell for figure in plan.figures for cell in figure}), float)
    middle = (everything.min(axis=0) + everything.max(axis=0)) / 2
    farthest = np.hypot(*(everything - middle).T).max()
    pitch = min(_LARGEST_PITCH, _RADIUS / (farthest + 0.6)) * tabletop.unit
    center = np.array(card.center) * tabletop.unit
    for place in view.move(np.array(plan.figures[view.figure]) - middle) * pitch + center:
        corners = turn(_TILE_OUTLINE * pitch, view.degrees) + place
        tabletop.canvas.polygon([(x, y) for x, y in corners.tolist()], look.ink)


def _draw_beads(
    tabletop: Tabletop, card: Card, view: View, plan: Plan, level: Level, look: Look
) -> None:
    sites = sorted(_sites(level.reach))
    pitch = _RADIUS / (level.reach + 0.5) * tabletop.unit
    center = np.array(card.center) * tabletop.unit
    places = view.move(np.array(sites, float)) * pitch + center
    ring, dot, marked = ring_of(look), dot_of(look), set(plan.figures[view.figure])
    for site, (x, y) in zip(sites, places.tolist(), strict=True):
        bead = ring if site in marked else dot
        bead.draw(tabletop.canvas, (x, y), level.bead * tabletop.unit)
