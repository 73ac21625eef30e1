"""CountSamePatterns: how many figures of a crowd are exactly like a framed sample."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.errors import GenerationError
from gym_imagetools.puzzles.critters.bodies import Body, draw_body
from gym_imagetools.puzzles.critters.critters import build, draw_values
from gym_imagetools.puzzles.critters.figures import COATS
from gym_imagetools.puzzles.critters.slots import INNER_SLOTS, SLOTS
from gym_imagetools.puzzles.critters.sprites import Sprite, draw_sprite, least_shade
from gym_imagetools.puzzles.drawing.canvas import PALETTES, Canvas, Color, Palette, Point, one_color
from gym_imagetools.puzzles.eye import BLOCK_PX, Blocks, BlurryImage, Oracle, Reply
from gym_imagetools.puzzles.looking.cells import SEEN_BLOCKS, look_at_box
from gym_imagetools.puzzles.looking.template import Template
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.types import Pixels


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        totals: Fewest and most figures in the scene.
        targets: Fewest and most figures like the sample; of each of three samples, a third.
        side: Side of a figure's box in pixels.
        slots: The slots in which the other figures differ from the sample.
        nearest: Least distance of two figures that overlap, of the side; 0 when none overlap.
        size: Side of the picture in pixels.
    """

    totals: tuple[int, int]
    targets: tuple[int, int]
    side: int
    slots: tuple[str, ...]
    nearest: float
    size: int

    @property
    def step(self) -> int:
        """What the figures' places are multiples of, in pixels: a fine block of the oracle."""
        return 2 if self.side <= _CLOSE_UP_PX else 4

    @property
    def core(self) -> float:
        """Radius around its middle in which a figure is never covered, of the side."""
        return _OVERLAPPED_CORE if self.nearest else 0.5


_LARGE = ("ears", "arms", "feet", "belly")
_ALL = tuple(SLOTS)

LEVELS = (
    Level((8, 12), (1, 6), side=184, slots=_LARGE, nearest=0, size=1024),
    Level((12, 18), (2, 10), side=152, slots=_ALL, nearest=0, size=1024),
    Level((24, 36), (4, 18), side=112, slots=INNER_SLOTS, nearest=0, size=1024),
    Level((48, 72), (8, 36), side=112, slots=INNER_SLOTS, nearest=0.86, size=1536),
    Level((96, 144), (16, 72), side=112, slots=INNER_SLOTS, nearest=0.78, size=2048),
)

FORMS = ("upright", "turned", "list")
"""Whether turned figures do not count, count too, or three samples are counted apart."""

VARIANTS = 6
"""Kinds of figures beside the sample's, each different in one slot."""

SAMPLE_LABELS = "ABC"
CARD_INSET = 0.035  # of the picture's side
_CARD = 1.2  # side of a sample's card, of a figure's side
_FRAME = 0.05  # of a figure's side
_CLOSE_UP_PX = 128
_OVERLAPPED_CORE = 0.28
_APART = 1.04  # distance of figures that do not overlap, of the side
_PAIR_SHARE = 0.4  # of figures that are put over an earlier one, where figures overlap
_LEAST_SHADE = 26  # of 255: by which some block of two kinds differs
_MAX_DARTS = 600


@dataclass(frozen=True, eq=False)
class Cast:
    """The kinds of figures, the (first) sample first, and how they are drawn."""

    body: Body
    kinds: tuple[dict[str, str], ...]
    sprites: tuple[Sprite, ...]


@dataclass(frozen=True)
class Crowd:
    """The figures of one scene.

    Attributes:
        kinds: Of each figure its kind, 0 for the (first) sample's.
        turns: Of each figure its quarter turns clockwise.
        places: Of each figure the left and top of its box in pixels.
    """

    kinds: NDArray[np.int64]
    turns: NDArray[np.int64]
    places: NDArray[np.int64]

    def packed(self) -> str:
        """Return all figures in hexadecimal: kind, turn, left and top of each."""
        table = np.column_stack([self.kinds, self.turns, self.places])
        return table.astype(">u2").tobytes().hex()


class CountSamePatterns(Family):
    """A crowd of figures and near variants, to be counted by one sample or by three."""

    name = "CountSamePatterns"
    group = "fine-grained discrimination"
    summary = "Count the figures of a crowd that are exactly like a framed sample."
    answer_type = "integer or integers"
    useful_tools = ("image_zoom_in_tool", "image_crop_tool", "image_side_by_side_tool")
    necessary_tools = (("image_zoom_in_tool", "image_crop_tool"),)
    tools_needed_from = 3

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw a crowd; the counts that are asked for do not depend on how many there are."""
        level = LEVELS[difficulty - 1]
        form = FORMS[int(rngs.latents.integers(len(FORMS)))]
        samples = len(SAMPLE_LABELS) if form == "list" else 1
        fewest, most = (bound // samples for bound in level.targets)
        counts = rngs.latents.integers(max(1, fewest), most + 1, samples).tolist()
        total = int(rngs.latents.integers(level.totals[0], level.totals[1] + 1))
        palette = PALETTES[int(rngs.style.integers(len(PALETTES)))]
        cast = _draw_cast(rngs, level, palette.paper)
        crowd = _draw_crowd(rngs, level, form, counts, total)
        sprites = list(cast.sprites)
        if form == "turned":
            sprites[-1] = sprites[0].mirrored()
        return Puzzle(
            question=_question(form, level),
            images=(_draw_scene(crowd, sprites, samples, level, palette),),
            grader="intlist" if form == "list" else "integer",
            grading={"expected_answer": ", ".join(map(str, counts))},
            latents={
                "form": form,
                "counts": counts,
                "body": list(vars(cast.body).values()),
                "kinds": list(cast.kinds),
                "crowd": crowd.packed(),
            },
            metadata={"form": form, "figures": total},
        )

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Look at the samples closely and at the scene in tiles, then find the samples in it."""
        level, form = _read_question(question)
        samples = len(SAMPLE_LABELS) if form == "list" else 1
        templates = []
        for index in range(samples):
            fine = yield from _look_at_sample(level, index)
            templates.append(fine)
        scene = yield from _look_at_scene(level)
        if scene is None or any(template is None for template in templates):
            guess = _glance(images[0].blocks, level) // samples
            return rf"\boxed{{{', '.join([str(guess)] * samples)}}}"
        counts = [_count(scene, template, form, level) for template in templates if template]
        return rf"\boxed{{{', '.join(map(str, counts))}}}"


def _question(form: str, level: Level) -> str:
    about = "Figures may overlap a little. " if level.nearest else ""
    crowd = f"The scene holds {level.totals[0]} to {level.totals[1]} figures. {about}"
    if form == "list":
        return (
            f"{crowd}How many of them are exactly like each of the framed samples A, B and C: the "
            "same in every part? The samples themselves do not count. Answer with three numbers "
            "in this order, such as 3, 1, 2."
        )
    if form == "turned":
        return (
            f"{crowd}How many of them are exactly like the framed sample, however they are turned? "
            "Mirrored figures do not count, nor does the sample itself. Answer with a number."
        )
    return (
        f"{crowd}How many of them are exactly like the framed sample: the same in every part, and "
        "the same way up? Turned figures do not count, nor does the sample itself. Answer with a "
        "number."
    )


def _read_question(question: str) -> tuple[Level, str]:
    return next(
        (level, form) for level in LEVELS for form in FORMS if _question(form, level) == question
    )


def _draw_cast(rngs: Streams, level: Level, paper: Color) -> Cast:
    """Draw the sample and variants that are told from it and from each other at a look."""
    body, sample = draw_body(rngs.latents), draw_values(rngs.latents)
    # One cheek alone tells the sample from its mirror image.
    sample["cheeks"] = ("left", "right")[int(rngs.latents.integers(2))]
    others = [
        {**sample, slot: value}
        for slot in level.slots
        for value in SLOTS[slot]
        if value != sample[slot]
    ]
    coat = COATS[int(rngs.style.integers(len(COATS)))]
    kinds: list[dict[str, str]] = []
    sprites: list[Sprite] = []
    for values in (sample, *(others[i] for i in rngs.latents.permutation(len(others)).tolist())):
        sprite = draw_sprite(build(body, values), coat, level.side, paper)
        if all(least_shade(s.pixels, sprite.pixels, BLOCK_PX) >= _LEAST_SHADE for s in sprites):
            kinds.append(values)
            sprites.append(sprite)
        if len(kinds) == VARIANTS + 1:
            return Cast(body, tuple(kinds), tuple(sprites))
    raise GenerationError(f"Expected {VARIANTS} variants that are told apart, got {len(kinds) - 1}")


def _draw_crowd(rngs: Streams, level: Level, form: str, counts: Sequence[int], total: int) -> Crowd:
    samples = len(counts)
    rest = total - sum(counts)
    others = rngs.distractors.integers(samples, VARIANTS + 1, rest)
    turns = np.zeros(total, dtype=np.int64)
    if form == "turned":
        turns = rngs.layout.integers(4, size=total)
    elif form == "upright":
        # Some of the others are the sample itself, turned.
        is_turned = rngs.distractors.random(rest) < 0.4
        others[is_turned] = 0
        turns[sum(counts) :][is_turned] = rngs.distractors.integers(1, 4, int(is_turned.sum()))
    kinds = np.concatenate([np.repeat(np.arange(samples), counts), others])
    order = rngs.layout.permutation(total)
    places = _place(rngs.layout, level, total, samples)
    return Crowd(kinds[order], turns[order], places)


def _place(rng: np.random.Generator, level: Level, total: int, samples: int) -> NDArray[np.int64]:
    """Place boxes; where figures may overlap, some come to lie over an earlier lone one."""
    apart = _APART * level.side
    places = np.empty((total, 2))
    is_paired = np.zeros(total, dtype=bool)
    for index in range(total):
        lone = np.flatnonzero(~is_paired[:index])
        mate = None
        if level.nearest and len(lone) and rng.random() < _PAIR_SHARE:
            mate = int(rng.choice(lone))
        limits = np.full(index, apart)
        if mate is not None:
            limits[mate] = level.nearest * level.side
        for place in _darts(rng, level, None if mate is None else places[mate]):
            clear = np.hypot(*(places[:index] - place).T) >= limits
            if clear.all() and not _is_on_card(place, level, samples):
                break
        else:
            raise GenerationError(f"Expected a free place after {_MAX_DARTS} darts, got none")
        places[index] = place
        if mate is not None and np.hypot(*(places[mate] - place)) < apart:
            is_paired[[mate, index]] = True
    return places.astype(np.int64)


def _darts(
    rng: np.random.Generator, level: Level, beside: NDArray[np.float64] | None
) -> Iterator[Point]:
    """Yield places on the raster, the first ones over the given one."""
    last = (level.size - level.side) // level.step
    if beside is not None:
        for angle, away in rng.uniform((0, level.nearest), (2 * pi, 0.95), (12, 2)).tolist():
            x = beside[0] + cos(angle) * away * level.side
            y = beside[1] + sin(angle) * away * level.side
            if min(x, y) >= 0 and max(x, y) <= last * level.step:
                yield x // level.step * level.step, y // level.step * level.step
    for x, y in rng.integers(0, last + 1, (_MAX_DARTS, 2)).tolist():
        yield x * level.step, y * level.step


def _is_on_card(place: Point, level: Level, samples: int) -> bool:
    left, top = card_corner(level, samples - 1)
    beyond = _CARD * level.side + 0.04 * level.side
    return place[0] < left + beyond and place[1] < top + beyond


def card_corner(level: Level, index: int) -> tuple[int, int]:
    """Return left and top of a sample's card in pixels; they are multiples of the step."""
    inset = round(CARD_INSET * level.size / level.step) * level.step
    pitch = round((_CARD + 0.1) * level.side / level.step) * level.step
    return inset + index * pitch, inset


def sample_corner(level: Level, index: int) -> tuple[int, int]:
    """Return left and top of a sample's box in pixels."""
    left, top = card_corner(level, index)
    inset = round((_CARD - 1) / 2 * level.side / level.step) * level.step
    return left + inset, top + inset


def _draw_scene(
    crowd: Crowd, sprites: Sequence[Sprite], samples: int, level: Level, palette: Palette
) -> Pixels:
    picture = one_color((level.size, level.size), palette.paper)
    for index in range(samples):
        left, top = card_corner(level, index)
        card = _draw_card(level, palette, SAMPLE_LABELS[index] if samples > 1 else "")
        picture[top : top + len(card), left : left + len(card)] = card
        sprites[index].paste(picture, *sample_corner(level, index))
    for kind, turn, (x, y) in zip(crowd.kinds, crowd.turns, crowd.places.tolist(), strict=True):
        sprites[kind].turned(turn).paste(picture, x, y)
    picture.setflags(write=False)
    return picture


def _draw_card(level: Level, palette: Palette, label: str) -> Pixels:
    side = round(_CARD * level.side)
    frame, radius = _FRAME * level.side, 0.12 * level.side
    canvas = Canvas((side, side), palette.paper)
    canvas.rectangle((0, 0, side, side), palette.accent, radius)
    canvas.rectangle((frame, frame, side - frame, side - frame), palette.paper, radius - frame)
    if label:
        canvas.badge(label, (1.1 * radius, 1.1 * radius), radius, palette.ink, palette.paper)
    return canvas.finish()


# The oracle. Tiles are delivered at their own size, so blocks of the scene are 8 px; a sample is
# looked at in blocks of the step, of which whole numbers make up a block of the scene.


def _look_at_sample(level: Level, index: int) -> Generator[dict[str, Any], Reply, Template | None]:
    left, top = sample_corner(level, index)
    reach = SEEN_BLOCKS * level.step
    x, y = left + (level.side - reach) // 2, top + (level.side - reach) // 2
    fine = yield from look_at_box((x, y, x + reach, y + reach), (level.size, level.size))
    if fine is None:
        return None
    return Template(fine, BLOCK_PX // level.step, level.core * level.side / level.step)


def _look_at_scene(level: Level) -> Generator[dict[str, Any], Reply, Blocks | None]:
    tile = SEEN_BLOCKS * BLOCK_PX
    bands = []
    for y in range(0, level.size, tile):
        band = []
        for x in range(0, level.size, tile):
            seen = yield from look_at_box((x, y, x + tile, y + tile), (level.size, level.size))
            if seen is None:
                return None
            band.append(seen)
        bands.append(np.concatenate(band, axis=1))
    return np.concatenate(bands, axis=0)


def _count(scene: Blocks, template: Template, form: str, level: Level) -> int:
    """Count the sample in the scene, less the framed one."""
    turns = range(4 if form == "turned" else 1)
    return sum(template.turned(turn).count(scene) for turn in turns) - 1


def _glance(blocks: Blocks, level: Level) -> int:
    """Guess from how much of the preview is not paper."""
    paper = np.median(blocks.reshape(-1, 3), axis=0)
    covered = (abs(blocks - paper).max(axis=2) > 40).mean()
    return round(float(covered) * (level.size / level.side) ** 2)
