"""TwoTransparencies: characters that neither of two sheets holds, only both of them together."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from gym_imagetools.puzzles.drawing.canvas import PALETTES, Canvas, Palette
from gym_imagetools.puzzles.eye import BlurryImage, Oracle, Reply
from gym_imagetools.puzzles.looking.reading import ASPECT, Ink, coverage, read_character
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.types import Pixels


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        characters: How many are hidden.
        size: Side of a sheet in pixels.
        grain: Side of a grain in pixels.
        height: Height of a character, of the grainy square's side.
        stray: Share of the grains that tell the opposite.
        turns: Quarter turns that may follow the mirroring of the second sheet.
        is_told: Whether the question says what was done to the second sheet.
    """

    characters: int
    size: int
    grain: int
    height: float
    stray: float
    turns: tuple[int, ...]
    is_told: bool


LEVELS = (
    Level(1, size=1024, grain=16, height=0.66, stray=0.0, turns=(0,), is_told=True),
    Level(2, size=1024, grain=8, height=0.42, stray=0.01, turns=(0, 2), is_told=True),
    Level(3, size=1024, grain=4, height=0.28, stray=0.02, turns=(0, 1, 2, 3), is_told=True),
    Level(4, size=1024, grain=2, height=0.2, stray=0.05, turns=(0, 1, 2, 3), is_told=False),
    Level(4, size=1536, grain=2, height=0.15, stray=0.08, turns=(0, 1, 2, 3), is_told=False),
)

ALPHABET = "ACDFHJKLMNPRTUVXYZ234679"
"""Told apart in coarse grain: of E and F, C and G, M and W, only one each."""

_MARGIN = 80 / 1024  # of the sheet's side, around the grains; marks stand in its corners
_MARK_RADIUS = 0.22  # of the margin
_STROKE = 0.17  # of a character's height
_PITCH = 0.95  # from one character to the next, of the height
_ROOM = 0.96  # of the grainy square, for the characters

_GREY = 128
_LIGHT, _TINT = 45, 60
"""A grain is grey, lighter or darker by the one and tinted by the other, in two channels.

Tints of the two sheets are always opposite, so they cancel in an overlay, and the lights alone
tell: opposite ones leave grey. And two grains differ by more than the diff tool's heat can show,
and by the same sum over the channels, whatever their lights: to the diff tool all places are alike.
"""

_TURNED = {
    0: "it has been mirrored left to right",
    1: "it has been mirrored left to right and then turned by 90 degrees counter-clockwise",
    2: "it has been mirrored top to bottom",
    3: "it has been mirrored left to right and then turned by 90 degrees clockwise",
}


class TwoTransparencies(Family):
    """Two sheets of random grains which show characters when one lies on the other."""

    name = "TwoTransparencies"
    group = "picture comparison"
    summary = "Read the characters that appear when two sheets of grains are overlaid."
    answer_type = "characters"
    useful_tools = (
        "image_flip_tool",
        "image_rotate_tool",
        "image_overlay_tool",
        "find_color_tool",
        "image_zoom_in_tool",
    )
    necessary_tools = (("image_overlay_tool",), ("image_flip_tool",))
    tools_needed_from = 1

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw two sheets; each alone is uniform noise, whatever the characters are."""
        level = LEVELS[difficulty - 1]
        picks = rngs.latents.integers(len(ALPHABET), size=level.characters)
        code = "".join(ALPHABET[pick] for pick in picks)
        turns = level.turns[int(rngs.latents.integers(len(level.turns)))]
        grains = round(level.size * (1 - 2 * _MARGIN)) // level.grain
        place = _place(rngs.layout, level, grains)
        shown = _shown(code, level, grains, place)
        return Puzzle(
            question=_question(level, turns),
            images=_draw_sheets(shown, level, turns, rngs),
            grader="string_match",
            grading={"expected_answer": code},
            latents={"code": code, "turns": turns, "place": list(place)},
            metadata={"form": "told" if level.is_told else "marks"},
        )

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Undo the mirroring, overlay, paint what is grey, and read it in a zoom."""
        characters = int(re.findall(r"(\d) character", question)[0])
        second = yield from _undo(_turns_of(question, images), 1)
        guess = rf"\boxed{{{ALPHABET[0] * characters}}}"
        reply = yield _call("image_overlay_tool", img_idx_a=0, img_idx_b=second)
        if not reply.ok:
            return guess
        reply = yield _call(
            "find_color_tool", color=[_GREY] * 3, tolerance=20, img_idx=_new_index(reply)
        )
        box = _text_box(_grey_share(reply.images[0]), 0.25) if reply.ok else None
        if box is None:
            return guess
        per_block = 8000 / max(reply.images[0].size)
        edges = np.clip(np.array(box) * per_block + [-30, -30, 30, 30], 0, 1000)
        region = [int(edge) for edge in edges]
        zoomed = yield _call("image_zoom_in_tool", bbox_2d=region, img_idx=_new_index(reply))
        seen = zoomed if zoomed.ok else reply
        return rf"\boxed{{{_read(_grey_share(seen.images[0]), characters)}}}"


def _question(level: Level, turns: int) -> str:
    plural = "" if level.characters == 1 else "s, which stand in a row"
    if level.is_told:
        undo = f"First undo what has happened to the second sheet: {_TURNED[turns]}."
    else:
        undo = (
            "First undo what has happened to the second sheet: it has been mirrored, and perhaps "
            "turned by a multiple of 90 degrees as well. It lies right when its marks meet those "
            "of the first sheet, dot on dot and square on square."
        )
    return (
        "The two pictures are transparent sheets with coloured grains. Laid exactly on each other, "
        f"so that their colours mix half and half, they show {level.characters} character{plural}: "
        "strokes of even grey among light and dark grains. Characters are capital letters and "
        f"digits. {undo} What do you read, with the first sheet as it stands? Answer with the "
        "characters alone, from left to right, without spaces."
    )


def _place(rng: np.random.Generator, level: Level, grains: int) -> tuple[int, int]:
    """Return left and top of the characters' box in grains, anywhere it fits."""
    height = level.height * grains
    width = height * ((level.characters - 1) * _PITCH + ASPECT)
    edge = grains * (1 - _ROOM) / 2 + height * _STROKE / 2
    left, top = (rng.uniform(edge, grains - edge - extent) for extent in (width, height))
    return round(left), round(top)


def _shown(code: str, level: Level, grains: int, place: tuple[int, int]) -> NDArray[np.bool_]:
    """Return which grains the characters cover, of shape (grains, grains)."""
    height = level.height * grains
    shown = np.zeros((grains, grains), dtype=bool)
    reach = int(height * 0.6)
    for index, character in enumerate(code):
        x = place[0] + height * (index * _PITCH + ASPECT / 2)
        y = place[1] + height / 2
        left, top = max(0, int(x) - reach), max(0, int(y) - reach)
        part = shown[top : int(y) + reach, left : int(x) + reach]
        center, stroke = (x - left, y - top), height * _STROKE
        part |= coverage(character, part.shape, center, height, stroke) >= 0.5
    return shown


def _draw_sheets(
    shown: NDArray[np.bool_], level: Level, turns: int, rngs: Streams
) -> tuple[Pixels, Pixels]:
    palette = PALETTES[int(rngs.style.integers(len(PALETTES)))]
    colors = _grain_colors(flat_channel=int(rngs.style.integers(3)))
    lights, tints = rngs.layout.integers(2, size=(2, *shown.shape), dtype=np.uint8)
    strays = rngs.layout.random(shown.shape, dtype=np.float32) < level.stray
    first = colors.take(2 * lights + tints, axis=0)
    second = colors.take(2 * (lights ^ shown ^ strays) + (1 - tints), axis=0)
    return (
        _draw_sheet(first, _MARKS, level, palette),
        _draw_sheet(_moved(second, turns), _moved(_MARKS, turns), level, palette),
    )


def _moved(sheet: NDArray[Any], turns: int) -> NDArray[Any]:
    """Mirror left to right, then turn counter-clockwise by quarters."""
    return np.rot90(sheet[:, ::-1], turns)


_NO_MARK, _DOT, _SQUARE = range(3)
_MARKS = np.array([[_DOT, _SQUARE], [_NO_MARK, _NO_MARK]])
"""What stands in the corners of the first sheet."""


def _grain_colors(flat_channel: int) -> Pixels:
    """Return the colour of grain ``2 * light + tint``, of shape (4, 3)."""
    signs = np.array([-1, 1])
    light, tint = np.repeat(signs, 2) * _LIGHT, np.tile(signs, 2) * _TINT
    channels = [_GREY + light + tint, _GREY + light - tint]
    channels.insert(flat_channel, np.full(4, _GREY))
    return np.stack(channels, axis=1).astype(np.uint8)


def _draw_sheet(grains: Pixels, marks: NDArray[np.int64], level: Level, palette: Palette) -> Pixels:
    """Return the grains enlarged, in a margin with marks in its corners."""
    inner, margin = len(grains) * level.grain, round(level.size * _MARGIN)
    enlarged = cv2.resize(
        np.ascontiguousarray(grains), (inner, inner), interpolation=cv2.INTER_NEAREST
    )
    sheet = cv2.copyMakeBorder(
        enlarged, margin, margin, margin, margin, cv2.BORDER_CONSTANT, value=palette.ground
    ).astype(np.uint8, copy=False)
    for row, column in np.argwhere(marks):
        corner = Canvas((margin, margin), palette.ground)
        middle, radius = margin / 2, margin * _MARK_RADIUS
        if marks[row, column] == _DOT:
            corner.disc((middle, middle), radius, palette.accent)
        else:
            low, high = middle - 0.9 * radius, middle + 0.9 * radius
            corner.rectangle((low, low, high, high), palette.ink)
        top, left = (place * (level.size - margin) for place in (row, column))
        sheet[top : top + margin, left : left + margin] = corner.finish()
    sheet.setflags(write=False)
    return sheet


# The oracle. It sees the marks in the preview, and characters where many grains were painted.


def _call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def _new_index(reply: Reply) -> int:
    return int(reply.results[0]["new_img_indices"][0])


def _derive(name: str, otherwise: int, **arguments: Any) -> Generator[dict[str, Any], Reply, int]:
    """Make a picture and return its index; without the tool, return another index."""
    reply = yield _call(name, **arguments)
    return _new_index(reply) if reply.ok else otherwise


def _undo(turns: int, sheet: int) -> Generator[dict[str, Any], Reply, int]:
    """Bring the second sheet back: turn it, then mirror it."""
    if turns:
        sheet = yield from _derive(
            "image_rotate_tool", sheet, degrees=360 - 90 * turns, img_idx=sheet
        )
    return (yield from _derive("image_flip_tool", sheet, axis="horizontal", img_idx=sheet))


def _turns_of(question: str, images: Sequence[BlurryImage]) -> int:
    """Return the quarter turns the question tells, or else those the marks tell."""
    told = [turns for turns, words in _TURNED.items() if f"{words}." in question]
    if told:
        return told[0]
    first, second = (_corners(image) for image in images)
    unlike = [abs(_moved(first, turns) - second).sum() for turns in range(4)]
    return int(np.argmin(unlike))


def _corners(image: BlurryImage) -> NDArray[np.int64]:
    """Return the colours of the four corners where a mark may be, of shape (2, 2, 3)."""
    near, far = 1000 * _MARGIN / 2, 1000 * (1 - _MARGIN / 2)
    return np.array([[image.color_at(x, y) for x in (near, far)] for y in (near, far)], np.int64)


def _grey_share(image: BlurryImage) -> Ink:
    """Return how magenta each block is, which is how much of it was painted."""
    red, green, blue = np.moveaxis(image.blocks.astype(np.float64), 2, 0)
    return np.asarray(np.clip((np.minimum(red, blue) - green) / 255, 0.0, 1.0))


def _text_box(ink: Ink, least: float) -> tuple[int, int, int, int] | None:
    """Return left, top, right and bottom of what is painted, in blocks.

    Strays drop out, for three by three blocks must be painted to a least share.
    """
    solid = cv2.blur(ink, (3, 3), borderType=cv2.BORDER_REPLICATE) > least
    rows, columns = np.flatnonzero(solid.any(axis=1)), np.flatnonzero(solid.any(axis=0))
    if not len(rows):
        return None
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def _read(ink: Ink, characters: int) -> str:
    box = _text_box(ink, 0.42)
    if box is None:
        return ALPHABET[0] * characters
    left, top, right, bottom = box
    height = (bottom - top) / (1 + _STROKE)
    half = height * (ASPECT + _STROKE) / 2
    return "".join(
        read_character(
            ink,
            (x, (top + bottom) / 2),
            height,
            height * _STROKE,
            ALPHABET,
            max(2, int(height / 8)),
        )
        for x in np.linspace(left + half, right - half, characters).tolist()
    )
