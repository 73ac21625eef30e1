"""FindTheShadow: which silhouette is the exact shadow of a coloured figure."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log2
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from gym_imagetools.errors import GenerationError
from gym_imagetools.puzzles.critters.bodies import Body, draw_body
from gym_imagetools.puzzles.critters.critters import build, draw_values
from gym_imagetools.puzzles.critters.edits import KINDS, Edit
from gym_imagetools.puzzles.critters.figures import COATS, Coat, Figure
from gym_imagetools.puzzles.critters.shadow_cards import (
    LETTERS,
    Layout,
    draw_cards,
    lay_out_cards,
)
from gym_imagetools.puzzles.critters.slots import OUTER_SLOTS
from gym_imagetools.puzzles.critters.sprites import RIM, Sprite, draw_sprite, outer_mask
from gym_imagetools.puzzles.drawing.canvas import PALETTES, Palette
from gym_imagetools.puzzles.eye import BLOCK_PX, Blocks, BlurryImage, Oracle, Reply
from gym_imagetools.puzzles.looking.cells import look_at_box
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.types import Pixels


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        letters: Lettered shadows of one figure.
        cells: Shadows of one figure in a grid; 0 when that is not asked.
        pairs: Figures to be matched with as many shadows; 0 when that is not asked.
        share: Least difference of two shadows, of a shadow's area.
        mirrors: Whether half of the shadows are mirrored.
        turns: Whether the shadows are turned, all alike.
        box: Side of a figure's box, of the pitch of the cards.
        size: Width and height of the picture in pixels.
    """

    letters: int
    cells: int
    pairs: int
    share: float
    mirrors: bool
    turns: bool
    box: float
    size: tuple[int, int]

    @property
    def forms(self) -> dict[str, int]:
        """The number of shadows by form."""
        forms = {"letter": self.letters, "grid": self.cells, "match": self.pairs}
        return {form: shadows for form, shadows in forms.items() if shadows}


LEVELS = (
    Level(4, 0, 0, share=0.06, mirrors=False, turns=False, box=0.68, size=(1024, 640)),
    Level(4, 8, 0, share=0.03, mirrors=False, turns=False, box=0.68, size=(1024, 640)),
    Level(8, 8, 4, share=0.015, mirrors=False, turns=False, box=0.66, size=(1536, 768)),
    Level(8, 16, 8, share=0.01, mirrors=True, turns=False, box=0.58, size=(2048, 1536)),
    Level(8, 16, 8, share=0.006, mirrors=True, turns=True, box=0.50, size=(2048, 1536)),
)

MAX_ATTEMPTS = 60
_TURNS = ("", "a quarter turn clockwise", "half a turn", "a quarter turn counter-clockwise")
_FIGURE = 0.88  # of its box, so that edits do not lead out of it
_AMOUNTS = tuple(round(0.03 * 1.42**step, 4) for step in range(11))
_MOST_SHARE = 3.0  # of the least difference: a stronger edit is none of this level
_SPOT_PX = 3  # a square of this side lies in what differs
_BOTH_SIDES_FROM = 0.03  # of a shadow's area: smaller differences are on one side


@dataclass(frozen=True)
class Cast:
    """A critter and the edits that all products of are shown.

    A variant is a number: bit ``i`` tells whether edit ``i`` is made, the next bit whether the
    figure is mirrored.

    Attributes:
        body: Its body.
        values: The value of each slot.
        edits: The edits.
        attempts: Draws of the rejection loop.
    """

    body: Body
    values: dict[str, str]
    edits: tuple[Edit, ...]
    attempts: int

    def figure(self, variant: int) -> Figure:
        """Return the parts of a variant, not mirrored."""
        figure = _inside(build(self.body, self.values))
        for index, edit in enumerate(self.edits):
            if variant >> index & 1:
                figure = edit.apply(figure)
        return figure

    def is_mirrored(self, variant: int) -> bool:
        """Return whether a variant is mirrored."""
        return variant >> len(self.edits) == 1


class FindTheShadow(Family):
    """A coloured figure and silhouettes, or as many figures as silhouettes."""

    name = "FindTheShadow"
    group = "fine-grained discrimination"
    summary = "Find the exact shadow of a figure among shadows that differ in small parts."
    answer_type = "letter, row,column or pairs"
    useful_tools = (
        "image_zoom_in_tool",
        "image_crop_tool",
        "image_overlay_tool",
        "image_diff_tool",
        "image_rotate_tool",
        "image_flip_tool",
    )
    necessary_tools = (("image_zoom_in_tool", "image_crop_tool"),)
    tools_needed_from = 5

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw shadows of all variants; which of them the figure is, is settled before."""
        level = LEVELS[difficulty - 1]
        form = str(rngs.latents.choice(list(level.forms)))
        count = level.forms[form]
        figures = rngs.latents.permutation(count)[: count if form == "match" else 1].tolist()
        shadows = rngs.distractors.permutation(count).tolist()
        turn = int(rngs.latents.integers(1, 4)) if level.turns else 0
        layout = lay_out(level, form)
        cast = _draw_cast(rngs.latents, level, int(log2(count)) - level.mirrors, layout.side)
        places = [shadows.index(figure) for figure in figures]
        return Puzzle(
            question=_question(level, form, turn),
            images=(_draw_sheet(cast, figures, shadows, turn, form, level, rngs.style),),
            grader={"letter": "mcqa", "grid": "coord", "match": "pairs"}[form],
            grading=_grading(form, places, layout),
            latents={
                "form": form,
                "body": list(vars(cast.body).values()),
                "values": cast.values,
                "edits": [list(vars(edit).values()) for edit in cast.edits],
                "figures": figures,
                "shadows": shadows,
                "turn": turn,
            },
            metadata={"form": form},
            attempts=cast.attempts,
        )

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Zoom in on every card and compare what is covered, block by block."""
        level, form, turn = _read_question(question, images[0].size)
        layout = lay_out(level, form)
        seen = yield from _look(layout, level)
        if seen is None:
            seen = _glance(images[0].blocks, layout, level)
        covered = np.stack([_coverage(blocks) for blocks in seen])
        figures = np.rot90(covered[: len(layout.figures)], -turn, axes=(1, 2))
        away = abs(figures[:, None] - covered[len(layout.figures) :]).sum(axis=(2, 3))
        answer = _grading(form, away.argmin(axis=1).tolist(), layout)["expected_answer"]
        return rf"\boxed{{{answer}}}"


def lay_out(level: Level, form: str) -> Layout:
    """Return where the cards of a level stand."""
    return lay_out_cards(form, level.forms[form], level.box, level.size)


def _grading(form: str, places: Sequence[int], layout: Layout) -> dict[str, Any]:
    """Return the grader's fields when the figures' shadows stand at these places."""
    if form == "letter":
        letters = LETTERS[: len(layout.shadows)]
        return {
            "expected_answer": letters[places[0]],
            "options": [{letter: f"shadow {letter}"} for letter in letters],
            "grading_mode": "strict_single_letter_boxed",
        }
    if form == "grid":
        row, column = divmod(places[0], layout.shape[1])
        return {"expected_answer": f"{row + 1},{column + 1}"}
    pairs = (f"{number}-{LETTERS[place]}" for number, place in enumerate(places, 1))
    return {"expected_answer": ", ".join(pairs)}


def _question(level: Level, form: str, turn: int) -> str:
    count = level.forms[form]
    last = LETTERS[min(count, len(LETTERS)) - 1]
    remarks = []
    if turn:
        remarks.append(f"All shadows are turned by {_TURNS[turn]}.")
    if level.mirrors:
        remarks.append("A mirrored shadow is not exact.")
    if form == "letter":
        ask = f"Which of the shadows A to {last} is the exact shadow of the coloured figure?"
        answer = "Answer with its letter."
    elif form == "grid":
        ask = f"Which of these {count} shadows is the exact shadow of the coloured figure?"
        answer = (
            "Give its row and column as (row,column). Rows are counted from the top and columns "
            "from the left, both from 1, as numbered along the edges."
        )
    else:
        ask = f"Match each of the figures 1 to {count} with its exact shadow, A to {last}."
        answer = "Answer with all pairs, such as 1-A, 2-B, 3-C and so on."
    return " ".join([ask, *remarks, answer])


def _read_question(question: str, size: tuple[int, int]) -> tuple[Level, str, int]:
    """Return level, form and turn; levels that ask the same and have the same shape look alike."""
    return next(
        (level, form, turn)
        for level in reversed(LEVELS)
        for form in level.forms
        for turn in range(4 if level.turns else 1)
        if _question(level, form, turn) == question
        and level.size[0] * size[1] == level.size[1] * size[0]
    )


def _draw_cast(rng: np.random.Generator, level: Level, edits: int, side: int) -> Cast:
    for attempt in range(1, MAX_ATTEMPTS + 1):
        body, values = draw_body(rng), draw_values(rng)
        figure = _inside(build(body, values))
        usual = outer_mask(figure, side, RIM)
        found: dict[tuple[str, int], Edit] = {}
        for _ in range(4 * edits):
            edit = _draw_edit(rng, figure, usual, level.share)
            if edit is not None:
                found.setdefault((edit.slot, edit.side), edit)
            if len(found) == edits:
                break
        cast = Cast(body, values, tuple(found.values()), attempt)
        if len(found) == edits and _all_differ(cast, level, side):
            return cast
    raise GenerationError(f"Expected visible edits in {MAX_ATTEMPTS} draws, got none")


def _draw_edit(
    rng: np.random.Generator, figure: Figure, usual: NDArray[np.uint8], share: float
) -> Edit | None:
    """Draw an edit, just strong enough to be seen; None when that is too strong or too weak."""
    slot, kind = (str(rng.choice(names)) for names in (OUTER_SLOTS, KINDS))
    side, sign = (int(value) for value in rng.choice([-1, 1], 2))
    if share >= _BOTH_SIDES_FROM:
        side = 0
    area, pixels = cv2.countNonZero(usual), len(usual)
    part = tuple(part for part in figure if part.slot == slot)
    rest = outer_mask(tuple(part for part in figure if part.slot != slot), pixels, RIM)
    for amount in _AMOUNTS:
        edit = Edit(slot, side, kind, sign * amount)
        edited = cv2.bitwise_or(rest, outer_mask(edit.apply(part), pixels, RIM))
        changed = cv2.bitwise_xor(usual, edited)
        share_changed = cv2.countNonZero(changed) / area
        if share_changed > _MOST_SHARE * share:
            return None
        if share_changed >= share and _has_spot(changed):
            return edit
    return None


def _all_differ(cast: Cast, level: Level, side: int) -> bool:
    """Whether any two shadows differ enough, mirrored ones too."""
    variants = [cast.figure(variant) for variant in range(2 ** len(cast.edits))]
    if not all(map(_is_in_box, variants)):
        return False
    masks = [outer_mask(variant, side, RIM) for variant in variants]
    if level.mirrors:
        masks += [mask[:, ::-1] for mask in masks]
    least = level.share * cv2.countNonZero(masks[0])
    changes = (cv2.bitwise_xor(one, other) for one, other in combinations(masks, 2))
    return all(cv2.countNonZero(change) >= least and _has_spot(change) for change in changes)


def _has_spot(changed: cv2.typing.MatLike) -> bool:
    """Whether a spot of what has changed is thick and large enough to be seen."""
    square = np.ones((_SPOT_PX, _SPOT_PX), np.uint8)
    return bool(cv2.erode(changed, square).any())


def _inside(figure: Figure) -> Figure:
    return tuple(part.moved(scale=_FIGURE, about=(0.0, 0.0)) for part in figure)


def _is_in_box(figure: Figure) -> bool:
    farthest = max(float(abs(patch.outline).max()) for part in figure for patch in part.patches)
    return farthest <= 0.5 - 1.5 * RIM


def _draw_sheet(
    cast: Cast,
    figures: Sequence[int],
    shadows: Sequence[int],
    turn: int,
    form: str,
    level: Level,
    rng: np.random.Generator,
) -> Pixels:
    palette = PALETTES[int(rng.integers(len(PALETTES)))]
    coat = COATS[int(rng.integers(len(COATS)))]
    layout = lay_out(level, form)
    picture = draw_cards(layout, level.size, palette)
    sprites = {
        variant: _draw_variant(cast, variant, coat, layout.side, palette) for variant in shadows
    }
    for (left, top, _, _), variant in zip(layout.figure_boxes, figures, strict=True):
        sprites[variant].paste(picture, left, top)
    for (left, top, _, _), variant in zip(layout.shadow_boxes, shadows, strict=True):
        sprites[variant].shadow(palette.ink).turned(turn).paste(picture, left, top)
    picture.setflags(write=False)
    return picture


def _draw_variant(cast: Cast, variant: int, coat: Coat, side: int, palette: Palette) -> Sprite:
    sprite = draw_sprite(cast.figure(variant), coat, side, palette.paper)
    return sprite.mirrored() if cast.is_mirrored(variant) else sprite


def _look(layout: Layout, level: Level) -> Generator[dict[str, Any], Reply, list[Blocks] | None]:
    """Zoom in on the box of every card; None when a zoom fails."""
    seen = []
    for box in (*layout.figure_boxes, *layout.shadow_boxes):
        blocks = yield from look_at_box(box, level.size)
        if blocks is None:
            return None
        seen.append(blocks)
    return seen


def _glance(preview: Blocks, layout: Layout, level: Level) -> list[Blocks]:
    """Return what the preview shows of every box."""
    block = BLOCK_PX * max(level.size) / 512
    side = max(2, round(layout.side / block))
    places = ((np.arange(side) + 0.5) * layout.side / side / block)[None, :]
    seen = []
    for box in (*layout.figure_boxes, *layout.shadow_boxes):
        left, top = (edge / block for edge in box[:2])
        rows, columns = (top + places).astype(int), (left + places).astype(int)
        seen.append(preview[rows.T, columns])
    return seen


_SURELY_COVERED = 100.0  # of 255, from the paper


def _coverage(blocks: Blocks) -> NDArray[np.float64]:
    """Return how much of each block is covered, by how far it is from the paper in a corner."""
    away = abs(blocks.astype(np.float64) - blocks[0, 0]).max(axis=2)
    return np.asarray(np.minimum(away / _SURELY_COVERED, 1))
