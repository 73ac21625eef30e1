"""PaperFolding: a sheet is folded, punched and unfolded; how does it look now."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gym_imagetools.errors import GenerationError
from gym_imagetools.puzzles.drawing.canvas import Canvas
from gym_imagetools.puzzles.eye import BLOCK_PX, BlurryImage, Oracle, Reply
from gym_imagetools.puzzles.paper.paper import (
    FLAT,
    MIDDLES,
    Fold,
    Sheet,
    Vectors,
    contains,
    legal_folds,
    middle_at,
    middles_of,
)
from gym_imagetools.puzzles.paper.paper_diagram import (
    LETTERS,
    LOOKS,
    REACH,
    Pen,
    Square,
    option_squares,
    step_squares,
)
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.types import Pixels

MAX_ATTEMPTS = 80


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        folds: How often the sheet is folded.
        diagonals: Creases at 45 degrees: none, through corners alone, or anywhere.
        punches: Punches when the sheets are to be told apart.
        holes: Fewest and most holes when they are to be counted.
        ring: Radius of a ring, of the sheet's side.
        has_dots: Whether decoys are printed that a small picture does not tell from rings.
        width: Of the picture in pixels; its height is three quarters of that.
    """

    folds: int
    diagonals: str
    punches: int
    holes: tuple[int, int]
    ring: float
    has_dots: bool
    width: int


LEVELS = (
    Level(1, "none", 1, (3, 8), ring=0.040, has_dots=False, width=1024),
    Level(2, "corners", 2, (3, 10), ring=0.036, has_dots=False, width=1024),
    Level(2, "all", 2, (4, 14), ring=0.032, has_dots=False, width=1024),
    Level(3, "all", 2, (5, 18), ring=0.020, has_dots=True, width=2048),
    Level(3, "all", 3, (6, 24), ring=0.013, has_dots=True, width=2048),
)

_CLEARANCE = 0.06  # of a punch from edges and creases: 1.5 times the largest ring
_MAX_PUNCHES = 6


@dataclass(frozen=True)
class Plan:
    """What is drawn: the folded sheet, and the marks on it and on each flat sheet offered."""

    sheet: Sheet
    punches: int
    decoys: int
    options: tuple[int, ...] = ()
    attempts: int = 1


class PaperFolding(Family):
    """A folded and punched sheet, with four unfolded ones to choose from or holes to count."""

    name = "PaperFolding"
    group = "spatial perception"
    summary = "Choose how a folded and punched sheet looks unfolded, or count its holes."
    answer_type = "letter or integer"
    useful_tools = (
        "image_zoom_in_tool",
        "find_color_tool",
        "image_flip_tool",
        "image_overlay_tool",
    )
    necessary_tools = (
        ("image_zoom_in_tool", "image_crop_tool", "find_color_tool", "count_objects_tool"),
    )
    tools_needed_from = 4

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw a sheet with either question, each as likely."""
        level = LEVELS[difficulty - 1]
        asks_sheet = bool(rngs.latents.integers(2))
        return (_sheets_puzzle if asks_sheet else _holes_puzzle)(rngs, level)

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Read each fold off the outlines, find rings by their open middles, and unfold."""
        num_folds = int(re.findall(r"folded (\d)", question)[0])
        asks_sheet = "Which" in question
        sheet = FLAT
        for square in step_squares(num_folds, asks_sheet)[1:]:
            seen = yield from _zoom(square)
            sheet = sheet.fold(_likeliest_fold(sheet, seen)) if seen else sheet
        punches = yield from _read_rings(seen)
        if punches is None:
            return rf"\boxed{{{'A' if asks_sheet else 9}}}"
        effect = sheet.holes(clearance=0)
        holes = _unite(effect.get(punch, 0) for punch in middles_of(punches))
        if not asks_sheet:
            return rf"\boxed{{{holes.bit_count()}}}"
        misses = []
        for square in option_squares():
            seen = yield from _zoom(square)
            rings = yield from _read_rings(seen)
            misses.append(len(MIDDLES) if rings is None else (rings ^ holes).bit_count())
        return rf"\boxed{{{LETTERS[misses.index(min(misses))]}}}"


def _sheets_puzzle(rngs: Streams, level: Level) -> Puzzle:
    true_fold, true_punch = (int(value) for value in rngs.latents.integers(2, size=2))
    slots = rngs.layout.permutation(4).tolist()
    plan = _plan_sheets(rngs.latents, level, true_fold, true_punch)
    offered = tuple(plan.options[slot] for slot in slots)
    letter = LETTERS[slots.index(2 * true_fold + true_punch)]
    return Puzzle(
        question=(
            f"{_story(level)}Which of the sheets A to D at the bottom shows it unfolded again, "
            "lying as it lay at first? Answer with its letter."
        ),
        images=(_draw(plan, offered, level, rngs),),
        grader="mcqa",
        grading={
            "expected_answer": letter,
            "options": [{letter: f"sheet {letter}"} for letter in LETTERS],
            "grading_mode": "strict_single_letter_boxed",
        },
        latents=_latents(plan) | {"options": [f"{mask:016x}" for mask in offered]},
        metadata={"form": "sheets"},
        attempts=plan.attempts,
    )


def _holes_puzzle(rngs: Streams, level: Level) -> Puzzle:
    fewest, most = level.holes
    count = int(rngs.latents.integers(fewest, most + 1))
    plan = _plan_holes(rngs.latents, level, count)
    return Puzzle(
        question=(
            f"{_story(level)}How many holes does the sheet have when it is unfolded again? "
            "Answer with a number."
        ),
        images=(_draw(plan, (), level, rngs),),
        grader="integer",
        grading={"expected_answer": str(count)},
        latents=_latents(plan),
        metadata={"form": "holes"},
        attempts=plan.attempts,
    )


def _story(level: Level) -> str:
    times = "time" if level.folds == 1 else "times"
    dots = "Solid dots are no holes, they are only printed. " if level.has_dots else ""
    return (
        f"A square sheet is folded {level.folds} {times}: pictures 1 to {level.folds + 1} show "
        "it from start to end. Each time the part beyond the dashed line is turned over in front "
        "along this line, as the arrow shows. Then the folded sheet is punched through all "
        f"layers at each ring of picture {level.folds + 1}. {dots}"
    )


def _latents(plan: Plan) -> dict[str, Any]:
    folds = [f"{f.along[0]:+d}{f.along[1]:+d}{f.offset:+.3f}" for f in plan.sheet.folds]
    return {"folds": folds, "punches": middles_of(plan.punches), "decoys": middles_of(plan.decoys)}


def _plan_sheets(rng: np.random.Generator, level: Level, true_fold: int, true_punch: int) -> Plan:
    """Draw two sequences of folds and two sets of punches; any pair of them may be the true one.

    Every punch goes through as many layers in both sequences, and both sets make as many holes.
    """
    for attempt in range(1, MAX_ATTEMPTS + 1):
        sheets = _two_sheets(rng, level)
        if sheets is None:
            continue
        holes = [sheet.holes(_CLEARANCE) for sheet in sheets]
        punches = _two_punches(rng, level, *holes)
        if punches is None:
            continue
        options = tuple(_unite(h[p] for p in punch) for h in holes for punch in punches)
        apart = [(a ^ b).bit_count() for i, a in enumerate(options) for b in options[:i]]
        if min(apart) >= 2:
            true, other = (_unite(1 << p for p in punches[i]) for i in (true_punch, 1 - true_punch))
            return Plan(sheets[true_fold], true, other & ~true, options, attempt)
    raise GenerationError(f"Expected four different sheets in {MAX_ATTEMPTS} draws, got none")


def _plan_holes(rng: np.random.Generator, level: Level, count: int) -> Plan:
    for attempt in range(1, MAX_ATTEMPTS + 1):
        sheet = _folded(rng, level, FLAT, level.folds)
        if sheet is None:
            continue
        layers = {p: mask.bit_count() for p, mask in sheet.holes(_CLEARANCE).items()}
        places = rng.permutation(sorted(layers)).tolist()
        punches = _summing_to(layers, places[: 2 * _MAX_PUNCHES], count)
        # Did all punches go through as many layers, one multiplication would do.
        if len({layers[punch] for punch in punches}) > 1:
            spare = [p for p in places if p not in punches][: int(rng.integers(1, 5))]
            return Plan(
                sheet, _unite(1 << p for p in punches), _unite(1 << p for p in spare), (), attempt
            )
    raise GenerationError(f"Expected {count} holes in {MAX_ATTEMPTS} draws, got none")


def _summing_to(layers: Mapping[int, int], places: Sequence[int], count: int) -> list[int]:
    """Return the first of the places, greedily, that make just ``count`` holes; or none."""
    chosen: list[int] = []
    for place in places:
        if layers[place] <= count and len(chosen) < _MAX_PUNCHES:
            chosen.append(place)
            count -= layers[place]
    return chosen if count == 0 else []


def _two_sheets(rng: np.random.Generator, level: Level) -> tuple[Sheet, Sheet] | None:
    """Return sheets that were folded otherwise from some fold on, in either order."""
    common = _folded(rng, level, FLAT, int(rng.integers(level.folds)))
    if common is None:
        return None
    rest = level.folds - len(common.folds)
    first, second = (_folded(rng, level, common, rest) for _ in range(2))
    if first is None or second is None or first.outline == second.outline:
        return None
    return first, second


def _folded(rng: np.random.Generator, level: Level, sheet: Sheet, times: int) -> Sheet | None:
    for _ in range(times):
        folds = [fold for fold in legal_folds(sheet.outline) if _suits(fold, sheet, level)]
        if not folds:
            return None
        sheet = sheet.fold(folds[int(rng.integers(len(folds)))])
    return sheet


def _suits(fold: Fold, sheet: Sheet, level: Level) -> bool:
    if not fold.is_diagonal or level.diagonals == "all":
        return True
    on_crease = [x * fold.along[0] + y * fold.along[1] == fold.offset for x, y in sheet.outline]
    return level.diagonals == "corners" and sum(on_crease) == 2


def _two_punches(
    rng: np.random.Generator, level: Level, first: Mapping[int, int], second: Mapping[int, int]
) -> tuple[list[int], list[int]] | None:
    """Return two sets that differ in one punch and make as many holes in both sheets."""
    layers = {
        p: first[p].bit_count()
        for p in sorted(first.keys() & second.keys())
        if first[p].bit_count() == second[p].bit_count() > 1
    }
    if len(layers) <= level.punches:
        return None
    places = rng.permutation(list(layers)).tolist()
    chosen, spare = places[: level.punches], places[level.punches :]
    twins = [place for place in spare if layers[place] == layers[chosen[-1]]]
    return (chosen, [*chosen[:-1], twins[0]]) if twins else None


def _unite(masks: Iterable[int]) -> int:
    united = 0
    for mask in masks:
        united |= mask
    return united


def _draw(plan: Plan, options: Sequence[int], level: Level, rngs: Streams) -> Pixels:
    look = LOOKS[int(rngs.style.integers(len(LOOKS)))]
    width = level.width
    canvas = Canvas((width, width * 3 // 4), look.ground)
    edge = 0.335 if options else 0.735
    canvas.rectangle([v * width for v in (0.015, 0.015, 0.985, edge)], look.card, 0.02 * width)
    sheet = FLAT
    squares = step_squares(level.folds, bool(options))
    for number, (square, fold) in enumerate(
        zip(squares, (*plan.sheet.folds, None), strict=True), 1
    ):
        pen = Pen(canvas, square, look, width, level.ring)
        pen.sheet(sheet)
        pen.number(number)
        if fold is None:
            pen.marks(plan.punches, plan.decoys if level.has_dots else 0)
        else:
            pen.fold(fold, sheet)
            sheet = sheet.fold(fold)
    if options:
        canvas.rectangle([v * width for v in (0.015, 0.35, 0.985, 0.735)], look.card, 0.02 * width)
    everywhere = _unite(options) if level.has_dots else 0
    for letter, square, holes in zip(LETTERS, option_squares(), options, strict=False):
        pen = Pen(canvas, square, look, width, level.ring)
        pen.sheet(FLAT)
        pen.marks(holes, everywhere & ~holes)
        center = (square.x * width, (square.y + square.side / 2 + 0.045) * width)
        canvas.badge(letter, center, 0.021 * width, look.ink, look.card)
    return canvas.finish()


# The oracle. A flap always lands inside, so the outline after a fold tells the crease; and the
# card shows through a ring's middle, so rings are the small spots of the card's colour.

_SHEET_UNLIKE_CARD = 24
_CARD_TOLERANCE = 20
_LARGEST_CORE = 60  # thousandths of a zoomed square


@dataclass(frozen=True)
class _Seen:
    """A zoomed square: what the eye keeps of it, and its index for further calls."""

    image: BlurryImage
    index: int

    @staticmethod
    def on_sheet(points: Vectors) -> Vectors:
        """Return which points of the flat sheet points in thousandths, shape (n, 2), show."""
        return (points / 1000 - 0.5) * 2 * REACH + 0.5


def _zoom(square: Square) -> Generator[dict[str, Any], Reply, _Seen | None]:
    reply = yield {
        "name": "image_zoom_in_tool",
        "arguments": {"bbox_2d": square.box, "img_idx": 0},
    }
    return _Seen(reply.images[0], reply.results[0]["new_img_indices"][0]) if reply.ok else None


def _read_rings(seen: _Seen | None) -> Generator[dict[str, Any], Reply, int | None]:
    """Return the middles of the grid at which there are rings."""
    if seen is None:
        return None
    card = seen.image.blocks[-1, -1].tolist()
    reply = yield {
        "name": "find_color_tool",
        "arguments": {"color": card, "tolerance": _CARD_TOLERANCE, "img_idx": seen.index},
    }
    if not reply.ok:
        return None
    rings = 0
    for blob in reply.results[0]["blobs"]:
        left, _, right, _ = blob["bbox"]
        (point,) = seen.on_sheet(np.array([blob["centroid"]]))
        if right - left < _LARGEST_CORE and point.min() > 0 and point.max() < 1:
            rings |= 1 << middle_at(point)
    return rings


def _likeliest_fold(sheet: Sheet, seen: _Seen) -> Fold:
    """Return the fold after which the outline is most like the one seen."""
    blocks = seen.image.blocks.astype(np.int64)
    rows, columns = np.indices(blocks.shape[:2])
    width, height = (size / BLOCK_PX for size in seen.image.size)
    x, y = (columns.ravel() + 0.5) / width * 1000, (rows.ravel() + 0.5) / height * 1000
    points = seen.on_sheet(np.stack([x, y], axis=1))
    is_sheet = (abs(blocks - blocks[-1, -1]).max(axis=2) > _SHEET_UNLIKE_CARD).ravel()

    def misses(fold: Fold) -> int:
        outline = fold.cut(sheet.outline, beyond=False)
        return int((contains(outline, points) != is_sheet).sum())

    return min(legal_folds(sheet.outline), key=misses)
