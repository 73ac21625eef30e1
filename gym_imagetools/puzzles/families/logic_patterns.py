"""LogicPatterns: what continues a row, what completes a matrix, which two panels differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from gym_imagetools.errors import GenerationError
from gym_imagetools.puzzles.cards.cards import (
    LETTERS,
    LOOKS,
    NUMBERS,
    UNITS,
    Slots,
    choice_grading,
    look_of,
)
from gym_imagetools.puzzles.cards.dial_rules import HOLES, numbers_of, odd_pairs, predictions_for
from gym_imagetools.puzzles.cards.dial_values import draw_matrix, draw_row, draw_sets
from gym_imagetools.puzzles.cards.dials import MOST_DOTS, PLACES, Dial, DialPen, Layout, read_dials
from gym_imagetools.puzzles.cards.rules import Values
from gym_imagetools.puzzles.drawing.canvas import Canvas
from gym_imagetools.puzzles.eye import BlurryImage, Oracle
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.types import Pixels

MAX_ATTEMPTS = 300


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        tracks: Tracks that follow rules: the outer orbit (0), the inner one (1), the middle (2).
        has_noise: Whether the middle is at random and does not count.
        has_sets: Whether orbits of a matrix may combine like sets.
        options: Panels to choose from.
        numbered: Panels of which two differ.
        bead: Radius of a bead in units; 0 for marks that can be seen from afar.
        width: Of the picture in pixels.
        height: Of the picture in units.
    """

    tracks: tuple[int, ...]
    has_noise: bool
    has_sets: bool
    options: int
    numbered: int
    bead: float
    width: int
    height: int


LEVELS = (
    Level((0, 1), False, False, options=4, numbered=6, bead=0, width=1200, height=120),
    Level((0, 2), False, False, options=4, numbered=6, bead=0, width=1200, height=120),
    Level((0, 1), True, True, options=4, numbered=8, bead=0, width=1200, height=120),
    Level((0, 1, 2), False, False, options=8, numbered=8, bead=0.7, width=1600, height=180),
    Level((0, 1, 2), False, True, options=8, numbered=8, bead=0.45, width=1600, height=180),
)

FORMS = ("row", "matrix", "odd")

_OPENINGS = {"row": "continues the row", "matrix": "completes the matrix", "odd": "but two"}


@dataclass(frozen=True)
class Plan:
    """Dials in the order of the layout."""

    given: tuple[Dial, ...]
    labelled: tuple[Dial, ...]
    attempts: int = 1

    @property
    def latents(self) -> dict[str, Any]:
        """Everything the answer depends on."""
        return {"given": list(map(str, self.given)), "labelled": list(map(str, self.labelled))}


class LogicPatterns(Family):
    """Panels with marks that move, gather and combine by rules."""

    name = "LogicPatterns"
    group = "visual pattern recognition"
    summary = "Find what continues a row or completes a matrix, or the two panels that differ."
    answer_type = "letter or pair"
    useful_tools = (
        "image_zoom_in_tool",
        "image_crop_tool",
        "image_overlay_tool",
        "image_diff_tool",
        "count_objects_tool",
    )
    necessary_tools = (("image_zoom_in_tool", "image_crop_tool"),)
    tools_needed_from = 4

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw one of the three forms, each as likely."""
        level = LEVELS[difficulty - 1]
        form = FORMS[int(rngs.latents.integers(len(FORMS)))]
        return _odd_puzzle(rngs, level) if form == "odd" else _letter_puzzle(rngs, level, form)

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Read the panels by zooms and reason by the languages of rules."""
        form = next(form for form in FORMS if _OPENINGS[form] in question)
        height = round(UNITS * images[0].size[1] / images[0].size[0])
        look, has_beads = look_of(images[0]), "ring" in question
        if form == "odd":
            corners = Layout.of(form, 8 if "1 to 8" in question else 6, height).labelled
            seen = yield from read_dials(corners, height, look, (0, 1), has_beads=has_beads)
            outer, inner = (
                numbers_of(masks, track) for track, masks in enumerate(np.array(seen).T)
            )
            first, second = (odd_pairs(outer, inner) or [(0, 1)])[0]
            return rf"\boxed{{{first + 1}-{second + 1}}}"
        tracks = [track for track, name in enumerate(_TRACKS) if name in question]
        num_options = 8 if "A to H" in question else 4
        layout = Layout.of(form, num_options, height)
        corners = layout.given + layout.labelled
        seen = yield from read_dials(corners, height, look, tracks, has_beads=has_beads)
        fits = np.zeros(num_options, int)
        for track, masks in zip(tracks, np.array(seen).T, strict=True):
            are_sets = track != 2 and any(int(mask).bit_count() != 1 for mask in masks)
            numbers = masks if are_sets else numbers_of(masks, track)
            given, options = np.split(numbers, [len(layout.given)])
            fits += np.isin(options, predictions_for(given, form, are_sets=are_sets))
        return rf"\boxed{{{LETTERS[int(fits.argmax())]}}}"


_TRACKS = ("the outer circle", "the inner circle", "the number of dots in the middle")


def _letter_puzzle(rngs: Streams, level: Level, form: str) -> Puzzle:
    slots = Slots.draw(rngs, 3 if level.options == 8 else 2)
    plan = _plan_letter(rngs.latents, level, form, slots)
    names = [f"{'' if track == 2 else 'the mark on '}{_TRACKS[track]}" for track in level.tracks]
    last = LETTERS[level.options - 1]
    if 2 in level.tracks:
        names[-1] += f" (after {MOST_DOTS} comes 1)"
    where = "From panel to panel" if form == "row" else "Across the rows and columns"
    return Puzzle(
        question=(
            f"{where} {_listed(names)}. {_notes(level)}Which of the panels A to {last} "
            f"{_OPENINGS[form]}? Answer with its letter."
        ),
        images=(_draw(plan, form, level, rngs),),
        grader="mcqa",
        grading=choice_grading(slots.letter, level.options, "panel"),
        latents=plan.latents,
        metadata={"form": form},
        attempts=plan.attempts,
    )


def _odd_puzzle(rngs: Streams, level: Level) -> Puzzle:
    pairs = list(combinations(range(level.numbered), 2))
    pair = pairs[int(rngs.latents.integers(len(pairs)))]
    plan = _plan_odd(rngs.latents, level, pair)
    return Puzzle(
        question=(
            f"In all of the panels 1 to {level.numbered} but two, the place of the mark on the "
            "inner circle follows from the place of the mark on the outer circle by one rule. "
            f"{_notes(level)}Which two of the panels differ? Answer with both numbers, such as "
            "1-2."
        ),
        images=(_draw(plan, "odd", level, rngs),),
        grader="pairs",
        grading={"expected_answer": f"{pair[0] + 1}-{pair[1] + 1}"},
        latents=plan.latents,
        metadata={"form": "odd"},
        attempts=plan.attempts,
    )


def _listed(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"{names[0]} follows a rule"
    return f"{', '.join(names[:-1])} and {names[-1]} follow a rule each"


def _notes(level: Level) -> str:
    beads = "A ring is a mark, a plain dot marks nothing. " if level.bead else ""
    return f"{beads}The dots in the middle do not count. " if level.has_noise else beads


def _plan_letter(rng: np.random.Generator, level: Level, form: str, slots: Slots) -> Plan:
    """Draw the values of every track; the true option is settled before."""
    for attempt in range(1, MAX_ATTEMPTS + 1):
        grids: dict[int, Values] = {}
        wrong: dict[int, int] = {}
        for track in level.tracks:
            are_sets = form == "matrix" and level.has_sets and track == 0
            values, wrong[track] = _draw_values(rng, form, track, are_sets=are_sets)
            true = int(values[HOLES[form]])
            predicted = predictions_for(values.ravel()[:-1], form, are_sets=are_sets)
            if predicted != [true] or (are_sets and not values.all()):
                break
            grids[track] = values.ravel()
            if not are_sets and track != 2:
                grids[track], wrong[track] = 1 << grids[track], 1 << wrong[track]
        else:
            return _assemble(rng, level, grids, wrong, slots, attempt)
    raise GenerationError(f"Expected an agreed panel in {MAX_ATTEMPTS} draws, got none")


def _draw_values(
    rng: np.random.Generator, form: str, track: int, *, are_sets: bool
) -> tuple[Values, int]:
    if form == "row":
        return draw_row(rng)
    return draw_sets(rng) if are_sets else draw_matrix(rng, has_steps=track != 2)


def _assemble(
    rng: np.random.Generator,
    level: Level,
    grids: dict[int, Values],
    wrong: dict[int, int],
    slots: Slots,
    attempt: int,
) -> Plan:
    """Return the panels of the values of all tracks."""

    def dial(values: dict[int, int]) -> Dial:
        dots = int(rng.integers(MOST_DOTS)) if level.has_noise else values.get(2)
        return Dial(values.get(0), values.get(1), None if dots is None else dots + 1)

    *given, last = (
        {track: int(grid[i]) for track, grid in grids.items()} for i in range(len(grids[0]))
    )
    labelled = []
    for bits in slots.shown:
        mistaken = zip(grids, bits, slots.true, strict=True)
        labelled.append(
            {track: (last if bit == true else wrong)[track] for track, bit, true in mistaken}
        )
    return Plan(tuple(map(dial, given)), tuple(map(dial, labelled)), attempt)


def _plan_odd(rng: np.random.Generator, level: Level, pair: tuple[int, int]) -> Plan:
    """Draw panels with marks on two circles, of which just two differ in just one respect."""
    sign = int(rng.choice([1, -1])) if level.numbered == 8 else 1
    for attempt in range(1, MAX_ATTEMPTS + 1):
        outer = rng.integers(PLACES, size=level.numbered)
        ahead, first, second = rng.permutation(PLACES)[:3]
        away = np.full(level.numbered, ahead)
        away[list(pair)] = first, second
        inner = (away + sign * outer) % PLACES
        if odd_pairs(outer, inner) == [pair]:
            dots = rng.integers(1, MOST_DOTS + 1, size=level.numbered).tolist()
            dials = (
                Dial(1 << int(o), 1 << int(i), d if level.has_noise else None)
                for o, i, d in zip(outer, inner, dots, strict=True)
            )
            return Plan((), tuple(dials), attempt)
    raise GenerationError(f"Expected one odd pair in {MAX_ATTEMPTS} draws, got none")


def _draw(plan: Plan, form: str, level: Level, rngs: Streams) -> Pixels:
    look = LOOKS[int(rngs.style.integers(len(LOOKS)))]
    unit = level.width / UNITS
    canvas = Canvas((level.width, level.width * level.height // UNITS), look.ground)
    layout = Layout.of(form, len(plan.labelled), level.height)
    pen = DialPen(canvas, unit, look, level.bead)
    for corner, dial in zip(layout.given, plan.given, strict=True):
        pen.dial(corner, dial)
    if layout.unknown:
        pen.question_mark(layout.unknown)
    labels = NUMBERS if form == "odd" else LETTERS
    for label, corner, dial in zip(labels, layout.labelled, plan.labelled, strict=False):
        pen.dial(corner, dial)
        pen.label(corner, label)
    return canvas.finish()
