"""CubeUnfold3D: which cube a net folds to, which net a cube is of, or which faces are opposite."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from gym_imagetools.errors import GenerationError
from gym_imagetools.puzzles.eye import BlurryImage, Oracle
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.puzzles.solids.cube_drawing import GLYPHS
from gym_imagetools.puzzles.solids.cube_nets import (
    CubeView,
    Net,
    Sticker,
    all_nets,
    opposite,
    views,
    without_turns,
)
from gym_imagetools.puzzles.solids.cube_panels import (
    CUBES,
    LARGE_CUBE,
    LARGE_NET,
    LETTERS,
    NETS,
    ONLY_NET,
    Level,
    Panel,
    draw_puzzle,
)
from gym_imagetools.puzzles.solids.cube_reading import Card

MAX_ATTEMPTS = 60


LEVELS = (
    Level(has_colors=True, has_turns=False, pitch=0, width=1024),
    Level(has_colors=False, has_turns=False, pitch=0, width=1024),
    Level(has_colors=False, has_turns=True, pitch=0, width=1024),
    Level(has_colors=False, has_turns=False, pitch=16, width=2048),
    Level(has_colors=False, has_turns=True, pitch=16, width=2048),
)


class CubeUnfold3D(Family):
    """A net and four cubes, a cube and four nets, or a net and the opposite of one face."""

    name = "CubeUnfold3D"
    group = "spatial perception"
    summary = "Fold a net to a cube: choose the cube, choose the net, or name the opposite face."
    answer_type = "letter or character"
    useful_tools = ("image_zoom_in_tool", "image_crop_tool", "image_rotate_tool")
    necessary_tools = (("image_zoom_in_tool", "image_crop_tool"),)
    tools_needed_from = 4

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw a net with one of three questions, each as likely."""
        level = LEVELS[difficulty - 1]
        form = ("cubes", "nets", "opposite")[int(rngs.latents.integers(3))]
        if form == "opposite":
            return _opposite_puzzle(rngs, level)
        return _folding_puzzle(rngs, level, asks_net=form == "nets")

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Zoom in on the faces of nets and cubes, read them, and fold."""
        level = next(level for level in LEVELS if _scene(level) in question)

        def card(panel: Panel) -> Card:
            return Card(images[0], panel, level)

        fits = []
        if "opposite" in question:
            asked = re.findall(r"the one with ([A-Z])", question)[0]
            net, stickers = yield from card(ONLY_NET).read_net(by_square=True)
            glyphs = [sticker.glyph for sticker in stickers]
            found = glyphs.index(asked) if asked in glyphs else 0
            return rf"\boxed{{{glyphs[opposite(net, found)]}}}"
        if "nets A to D" in question:
            view = yield from card(LARGE_CUBE).read_cube()
            for panel in NETS:
                net, stickers = yield from card(panel).read_net(by_square=False)
                fits.append(_fit(view, net, stickers, level))
        else:
            net, stickers = yield from card(LARGE_NET).read_net(by_square=True)
            for panel in CUBES:
                view = yield from card(panel).read_cube()
                fits.append(_fit(view, net, stickers, level))
        return rf"\boxed{{{LETTERS[fits.index(max(fits))]}}}"


def _fit(view: CubeView, net: Net, stickers: Sequence[Sticker], level: Level) -> int:
    """Return how much of a view agrees with the most similar one of a folded net, 0 to 6."""

    def agreement(other: CubeView) -> int:
        pairs = list(zip(view, other, strict=True))
        glyphs = sum(face.glyph == shown.glyph for face, shown in pairs)
        return glyphs + sum(face == shown or not level.has_turns for face, shown in pairs)

    return max(agreement(other) for other in views(net, stickers))


def _folding_puzzle(rngs: Streams, level: Level, *, asks_net: bool) -> Puzzle:
    true = int(rngs.latents.integers(4))
    slots = rngs.layout.permutation(4).tolist()
    net, variants, shown, attempts = _four_cubes(rngs.latents, level)
    letter = LETTERS[slots.index(true)]
    offered_nets = [variants[slot] for slot in slots] if asks_net else [variants[true]]
    offered_cubes = [shown[true]] if asks_net else [shown[slot] for slot in slots]
    thing = "net" if asks_net else "cube"
    asked = (
        "The cube on the left was folded of one of the nets A to D, with the characters outside. "
        "Of which one?"
        if asks_net
        else "The net on the left is folded to a cube, with the characters outside. Which of the "
        "cubes A to D can it become?"
    )
    return Puzzle(
        question=f"{_scene(level)}{asked} Answer with its letter.",
        images=(draw_puzzle(net, offered_nets, offered_cubes, level, rngs.style),),
        grader="mcqa",
        grading={
            "expected_answer": letter,
            "options": [{letter: f"{thing} {letter}"} for letter in LETTERS],
            "grading_mode": "strict_single_letter_boxed",
        },
        latents={
            "net": _as_text(net),
            "stickers": [_stickers_text(stickers) for stickers in offered_nets],
            "views": [_view_text(view) for view in offered_cubes],
        },
        metadata={"form": "nets" if asks_net else "cubes"},
        attempts=attempts,
    )


def _opposite_puzzle(rngs: Streams, level: Level) -> Puzzle:
    # Which two squares, in reading order, are opposite is settled before the net: in most nets
    # they are two or three squares apart.
    asked, other = _OPPOSITES[int(rngs.latents.integers(len(_OPPOSITES)))]
    nets = [net for net in all_nets() if opposite(net, asked) == other]
    net = nets[int(rngs.latents.integers(len(nets)))]
    stickers = _any_stickers(rngs.latents, level)
    answer = stickers[other].glyph
    return Puzzle(
        question=(
            f"{_scene(level)}The net is folded to a cube. Which character is then on the face "
            f"opposite to the one with {stickers[asked].glyph}? Answer with the character."
        ),
        images=(draw_puzzle(net, [stickers], [], level, rngs.style),),
        grader="string_match",
        grading={"expected_answer": answer},
        latents={
            "net": _as_text(net),
            "stickers": [_stickers_text(stickers)],
            "asked": stickers[asked].glyph,
        },
        metadata={"form": "opposite"},
    )


_OPPOSITES = sorted({(i, opposite(net, i)) for net in all_nets() for i in range(6)})
"""The squares of a net, in reading order, that some net has opposite to each other."""


def _scene(level: Level) -> str:
    """Return how a question begins."""
    if level.pitch:
        turns = ", all turned alike; how they are turned matters" if level.has_turns else ""
        return f"Each face of a cube is covered with tiny copies of one character{turns}. "
    if level.has_turns:
        return "Each face of a cube bears a character; how it is turned matters. "
    bears = "has a colour and" if level.has_colors else "bears"
    return f"Each face of a cube {bears} a character of its own. "


def _any_net(rng: np.random.Generator) -> Net:
    nets = all_nets()
    return nets[int(rng.integers(len(nets)))]


def _any_stickers(rng: np.random.Generator, level: Level) -> tuple[Sticker, ...]:
    glyphs = rng.permutation(list(GLYPHS))[:6].tolist()
    turns = rng.integers(4 if level.has_turns else 1, size=6).tolist()
    return tuple(Sticker(glyph, turn) for glyph, turn in zip(glyphs, turns, strict=True))


def _four_cubes(
    rng: np.random.Generator, level: Level
) -> tuple[Net, list[tuple[Sticker, ...]], list[CubeView], int]:
    """Draw a net, four sets of stickers for it, and a view of each that no other one has.

    The sets are all combinations of two changes: two stickers swapped or not, and another one
    turned (or, where turns do not matter, two more swapped) or not. So nothing about four nets
    or four views tells which of them is the true one.
    """
    for attempt in range(1, MAX_ATTEMPTS + 1):
        net = _any_net(rng)
        stickers = _any_stickers(rng, level)
        first, second, third, fourth, *_ = rng.permutation(6).tolist()
        variants = [stickers, _swapped(stickers, first, second)]
        if level.has_turns:
            quarters = int(rng.integers(1, 4))
            variants += [_turned(variant, third, quarters) for variant in variants]
        else:
            variants += [_swapped(variant, third, fourth) for variant in variants]
        shown = _own_views(rng, [views(net, variant) for variant in variants], level)
        if shown:
            return net, variants, shown, attempt
    raise GenerationError(f"Expected four different cubes in {MAX_ATTEMPTS} draws, got none")


def _own_views(
    rng: np.random.Generator, shown: Sequence[Sequence[CubeView]], level: Level
) -> list[CubeView]:
    """Return for each cube a view that none of the others has; nothing if one has none."""

    def kind(view: CubeView) -> Any:
        return view if level.has_turns else without_turns(view)

    chosen = []
    for index, cube in enumerate(shown):
        others = {kind(view) for i, other in enumerate(shown) if i != index for view in other}
        own = [view for view in cube if kind(view) not in others]
        if not own:
            return []
        chosen.append(own[int(rng.integers(len(own)))])
    return chosen


def _swapped(stickers: Sequence[Sticker], first: int, second: int) -> tuple[Sticker, ...]:
    changed = list(stickers)
    changed[first], changed[second] = changed[second], changed[first]
    return tuple(changed)


def _turned(stickers: Sequence[Sticker], index: int, quarters: int) -> tuple[Sticker, ...]:
    changed = list(stickers)
    changed[index] = Sticker(changed[index].glyph, (changed[index].turn + quarters) % 4)
    return tuple(changed)


def _as_text(net: Net) -> str:
    return " ".join(f"{row}{column}" for row, column in net)


def _stickers_text(stickers: Sequence[Sticker]) -> str:
    return " ".join(f"{sticker.glyph}{sticker.turn}" for sticker in stickers)


def _view_text(view: CubeView) -> str:
    """Return characters and where their right leads, such as ``Ax- Fz+ Ky+``."""
    words = []
    for face in view:
        axis, sign = next((i, value) for i, value in enumerate(face.right) if value)
        words.append(f"{face.glyph}{'xyz'[axis]}{'+' if sign > 0 else '-'}")
    return " ".join(words)
