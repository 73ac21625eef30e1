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
from gym_imagetools.puzzles.cards.dials import (
    MOST_DOTS,
    PLACES,
    ROW,
    Dial,
    DialPen,
    Layout,
    read_dials,
)
from gym_imagetools.puzzles.cards.rules import (
    MATRICES,
    OPERATIONS,
    SEQUENCES,
    SET_MATRICES,
    Values,
    predictions,
)
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
    Level((0,), False, False, options=4, numbered=6, bead=0, width=1200, height=120),
    Level((0, 2), False, False, options=4, numbered=6, bead=0, width=1200, height=120),
    Level((0, 1), True, True, options=4, numbered=8, bead=0, width=1200, height=120),
    Level((0, 1, 2), False, False, options=8, numbered=8, bead=0.7, width=1600, height=180),
    Level((0, 1, 2), False, True, options=8, numbered=8, bead=0.45, width=1600, height=180),
)

FORMS = ("row", "matrix", "odd")

_OPENINGS = {"row": "continues the row", "matrix": "completes the matrix", "odd": "but two"}
_HOLES = {"row": (0, ROW - 1), "matrix": (2, 2)}


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
            outer, inner = (_numbers(masks, track) for track, masks in enumerate(np.array(seen).T))
            first, second = (_odd_pairs(outer, inner) or [(0, 1)])[0]
            return rf"\boxed{{{first + 1}-{second + 1}}}"
        tracks = [track for track, name in enumerate(_TRACKS) if name in question]
        num_options = 8 if "A to H" in question else 4
        layout = Layout.of(form, num_options, height)
        corners = layout.given + layout.labelled
        seen = yield from read_dials(corners, height, look, tracks, has_beads=has_beads)
        fits = np.zeros(num_options, int)
        for track, masks in zip(tracks, np.array(seen).T, strict=True):
            are_sets = track != 2 and any(int(mask).bit_count() != 1 for mask in masks)
            numbers = masks if are_sets else _numbers(masks, track)
            given, options = np.split(numbers, [len(layout.given)])
            fits += np.isin(options, _predicted(given, form, track, are_sets=are_sets))
        return rf"\boxed{{{LETTERS[int(fits.argmax())]}}}"


_TRACKS = ("the outer circle", "the inner circle", "the number of dots in the middle")
_MODULI = (PLACES, PLACES, MOST_DOTS)


def _numbers(masks: Values, track: int) -> Values:
    """Return what rules speak of: the place of a single mark, or the number of dots less one."""
    if track == 2:
        return np.array([max(0, int(mask).bit_count() - 1) for mask in masks])
    return np.array([max(0, int(mask).bit_length() - 1) for mask in masks])


def _predicted(given: Values, form: str, track: int, *, are_sets: bool) -> list[int]:
    """Return what the rules that fit say of the unknown panel, the last one of a grid."""
    grid = np.append(given, 0).reshape((1, ROW) if form == "row" else (3, 3))
    hole = _HOLES[form]
    if not are_sets:
        language = SEQUENCES if form == "row" else MATRICES
        return predictions(grid, hole, _MODULI[track], language)
    numbers = sorted(set(given.tolist()))
    made = {int(do(a, b)) for do in OPERATIONS.values() for a in numbers for b in numbers}
    return predictions(grid, hole, 1 << PLACES, SET_MATRICES, sorted(made.union(numbers)))


def _odd_pairs(outer: Values, inner: Values) -> list[tuple[int, int]]:
    """Return the pairs of panels that differ from all others, which agree, in some respect.

    Respects are each place, how far one is ahead of the other, and where they mirror each other.
    """
    pairs = set()
    for respect in (outer, inner, (inner - outer) % PLACES, (inner + outer) % PLACES):
        values, counts = np.unique(respect, return_counts=True)
        for value in values[counts == len(respect) - 2].tolist():
            first, second = np.flatnonzero(respect != value).tolist()
            pairs.add((first, second))
    return sorted(pairs)


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
    ways = _ways(rng, level, form)
    for attempt in range(1, MAX_ATTEMPTS + 1):
        grids, offered = {}, {}
        for track, way in zip(level.tracks, ways, strict=True):
            are_sets = form == "matrix" and level.has_sets and track == 0
            values = _set_matrix(rng) if are_sets else _follow(rng, form, track, way)
            true = int(values[_HOLES[form]])
            predicted = _predicted(values.ravel()[:-1], form, track, are_sets=are_sets)
            if predicted != [true] or (are_sets and not values.all()):
                break
            modulus = 1 << PLACES if are_sets else _MODULI[track]
            offered[track] = _offered(
                rng, values, form, modulus, are_sets=are_sets, is_single=len(ways) == 1
            )
            grids[track] = (values if are_sets or track == 2 else 1 << values).ravel()
            if not are_sets and track != 2:
                offered[track] = [1 << value for value in offered[track]]
        else:
            return _assemble(rng, level, grids, offered, slots, attempt)
    raise GenerationError(f"Expected an agreed panel in {MAX_ATTEMPTS} draws, got none")


def _assemble(
    rng: np.random.Generator,
    level: Level,
    grids: dict[int, Values],
    offered: dict[int, list[int]],
    slots: Slots,
    attempt: int,
) -> Plan:
    """Return the panels of the values of all tracks."""

    def dial(values: dict[int, int]) -> Dial:
        dots = int(rng.integers(MOST_DOTS)) if level.has_noise else values.get(2)
        return Dial(values.get(0), values.get(1), None if dots is None else dots + 1)

    def option(bits: tuple[int, ...]) -> Dial:
        if len(offered) == 1:
            wrong = [int(bit != true) for bit, true in zip(bits, slots.true, strict=True)]
            return dial({0: offered[0][2 * wrong[0] + wrong[1]]})
        chosen = zip(offered, bits, slots.true, strict=True)
        return dial({track: offered[track][int(bit != true)] for track, bit, true in chosen})

    count = len(grids[0]) - 1
    given = tuple(
        dial({track: int(grid[i]) for track, grid in grids.items()}) for i in range(count)
    )
    return Plan(given, tuple(option(bits) for bits in slots.shown), attempt)


# How often rules are of which kind. Together with the choice of wrong values below, no copy of a
# panel and no liking for new or for known values is right much more often than by chance.
_ROW_SHARES = (0.08, 0.80, 0.12)  # keeps, steps, every second
_MATRIX_SHARES = (0.2, 0.2, 0.6)  # along rows, along columns, otherwise
_STEPS = {PLACES: (1, 3, 5, 7), MOST_DOTS: (1, 5)}  # after four of them no row is where it began


def _ways(rng: np.random.Generator, level: Level, form: str) -> list[int]:
    """Return the way of each track's rule; not all keep the panel as it is."""
    if form == "row" and len(level.tracks) == 1:
        return [1]
    shares = _ROW_SHARES if form == "row" else _MATRIX_SHARES
    ways = [int(way) for way in rng.choice(3, size=len(level.tracks), p=shares)]
    return ways if form == "matrix" or any(ways) else [1, *ways[1:]]


def _follow(rng: np.random.Generator, form: str, track: int, way: int) -> Values:
    """Return places or numbers of dots that follow a rule."""
    modulus = _MODULI[track]
    distinct = rng.permutation(modulus)[:3]
    step = int(rng.choice(_STEPS[modulus]))
    if form == "row":
        index = np.arange(ROW)
        values = (index * 0, index * step, index % 2 * step)[way] + distinct[0]
        return np.asarray(values % modulus)[None]
    rows, columns = np.indices((3, 3))
    if way < 2:
        return np.asarray(distinct[(rows, columns)[way]])
    if track == 2 or rng.integers(2):
        values = np.asarray(distinct[(columns + int(rng.integers(1, 3)) * rows) % 3])
    else:
        values = np.asarray((distinct[rows] + columns * step) % modulus)
    return values if rng.integers(2) else values.T


def _set_matrix(rng: np.random.Generator) -> Values:
    """Return sets of which the third of a row (or of a column) is made of the other two."""
    operation = list(OPERATIONS.values())[int(rng.integers(2))]
    sets = (1 << np.argsort(rng.random((3, 2, PLACES)), axis=2)[:, :, :3]).sum(axis=2)
    values = np.column_stack([sets, operation(sets[:, 0], sets[:, 1])])
    return values if rng.integers(2) else values.T


def _offered(
    rng: np.random.Generator,
    values: Values,
    form: str,
    modulus: int,
    *,
    are_sets: bool,
    is_single: bool,
) -> list[int]:
    """Return the true value of a track and three wrong ones, the likeliest mistake first."""
    *seen, true = values.ravel().tolist()
    others = _moved(true) if are_sets else [value for value in range(modulus) if value != true]
    order = [others[i] for i in rng.permutation(len(others))]
    if not are_sets:
        mistakes = (_row_mistakes if form == "row" else _matrix_mistakes)(rng, seen, true)
        if is_single and form == "matrix" and rng.random() < 0.75:
            mistakes = seen
        order.sort(key=lambda value: (value in seen) if not mistakes else (value not in mistakes))
    return [true, *order[:3]]


def _row_mistakes(rng: np.random.Generator, seen: Sequence[int], true: int) -> list[int]:
    """Return the known values that are offered wrongly, or none if new ones are to be."""
    if len(set(seen)) <= 2:
        return [value for value in seen if value != true]
    return [[seen[0]], [seen[2]], []][int(rng.choice(3, p=(0.08, 0.08, 0.84)))]


def _matrix_mistakes(rng: np.random.Generator, seen: Sequence[int], true: int) -> list[int]:
    known = sorted(set(seen) - {true})
    is_new = rng.random() < (0.5 if true in seen else 0.8)
    return [] if is_new else rng.permutation(known).tolist()[:1]


def _moved(marks: int) -> list[int]:
    """Return the sets with one mark at another place."""
    taken = [1 << i for i in range(PLACES) if marks >> i & 1]
    free = [1 << i for i in range(PLACES) if not marks >> i & 1]
    return [marks - a + b for a in taken for b in free]


def _plan_odd(rng: np.random.Generator, level: Level, pair: tuple[int, int]) -> Plan:
    """Draw panels with marks on two circles, of which just two differ in just one respect."""
    sign = int(rng.choice([1, -1])) if level.numbered == 8 else 1
    for attempt in range(1, MAX_ATTEMPTS + 1):
        outer = rng.integers(PLACES, size=level.numbered)
        ahead, first, second = rng.permutation(PLACES)[:3]
        away = np.full(level.numbered, ahead)
        away[list(pair)] = first, second
        inner = (away + sign * outer) % PLACES
        if _odd_pairs(outer, inner) == [pair]:
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
