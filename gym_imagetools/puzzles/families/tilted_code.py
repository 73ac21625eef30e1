"""TiltedCode: a tiny code on a tag that lies turned, and from level 4 on perhaps mirrored."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass
from math import atan2, ceil, cos, degrees, hypot, radians, sin
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from gym_imagetools.puzzles.drawing.canvas import Canvas, Color, Point
from gym_imagetools.puzzles.eye import BlurryImage, Oracle, Reply
from gym_imagetools.puzzles.looking.reading import Ink, read_character
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.types import Pixels


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        size: Side of the picture in pixels.
        height: Height of a character in pixels.
        tags: How many tags lie there.
        grid: Rows and columns of places for them.
        step: Tags are turned by a multiple of so many degrees, and none is upright. A tag turned
            by single degrees is not nearly upside down either, for flips could set it right.
        may_mirror: Whether every second tag is printed as in a mirror.
    """

    size: int
    height: float
    tags: int
    grid: int
    step: int
    may_mirror: bool


LEVELS = (
    Level(size=1024, height=48, tags=2, grid=2, step=90, may_mirror=False),
    Level(size=1024, height=34, tags=3, grid=2, step=45, may_mirror=False),
    Level(size=1024, height=22, tags=4, grid=3, step=1, may_mirror=False),
    Level(size=1536, height=19, tags=5, grid=3, step=1, may_mirror=True),
    Level(size=2048, height=15, tags=6, grid=4, step=1, may_mirror=True),
)

ALPHABET = "679CLMNUWZ"
"""Turned or mirrored, most of them look like another one."""

_CODE_LENGTH = 5
_LEAST_TURN = 25  # degrees; a tag nearer to upright could be read as it lies, or once flipped

TAG_COLORS: dict[str, Color] = {
    "orange": (240, 148, 52),
    "green": (112, 184, 84),
    "blue": (92, 156, 236),
    "pink": (240, 128, 172),
    "violet": (164, 128, 224),
    "turquoise": (56, 186, 178),
}
_INK: Color = (30, 26, 42)
_WHITE: Color = (255, 255, 255)

# Along a tag, in heights of a character from its middle.
_ARROW_AT = -2.44
_FIRST_AT, _PITCH = -1.29, 0.95
_HALF_STRAIGHT, _RADIUS = 2.6, 0.85
_ARROW_HEIGHT, _ARROW_WIDTH = 0.86, 0.72
_STROKE = 0.16
_REACH = _HALF_STRAIGHT + _RADIUS

_BACKDROPS: tuple[tuple[Color, ...], ...] = (
    ((232, 226, 214), (222, 214, 198), (238, 228, 206), (214, 216, 208)),
    ((220, 228, 226), (208, 220, 220), (230, 232, 220), (216, 214, 224)),
    ((230, 222, 226), (218, 208, 218), (236, 226, 216), (212, 214, 226)),
)
_BACKDROP_SIDE = 512  # it is drawn small and enlarged, which leaves its edges soft


@dataclass(frozen=True)
class Tag:
    """One tag.

    Attributes:
        color: A key of :data:`TAG_COLORS`.
        code: Its characters from the arrow on.
        center: Its middle in pixels.
        turn: Degrees it is turned counter-clockwise.
        is_mirrored: Whether it is printed as in a mirror; then its arrow stands on the right.
    """

    color: str
    code: str
    center: Point
    turn: int
    is_mirrored: bool

    def at(self, along: float, down: float) -> Point:
        """Return an offset in pixels from the middle, given one along and across the text."""
        if self.is_mirrored:
            along = -along
        turn = radians(self.turn)
        return along * cos(turn) + down * sin(turn), down * cos(turn) - along * sin(turn)


class TiltedCode(Family):
    """Tags with codes of characters which look like others when turned or mirrored."""

    name = "TiltedCode"
    group = "visual tracking"
    summary = "Read a tiny code that lies turned, perhaps mirrored, by the arrow beside it."
    answer_type = "characters"
    useful_tools = (
        "image_zoom_in_tool",
        "image_rotate_tool",
        "image_flip_tool",
        "find_color_tool",
    )
    necessary_tools = (("image_zoom_in_tool",), ("image_rotate_tool",))
    tools_needed_from = 3

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw tags of different colours; the question is about any of them."""
        level = LEVELS[difficulty - 1]
        tags = _strew(rngs, level)
        asked = tags[0]
        return Puzzle(
            question=_question(level, asked.color),
            images=(_draw_tags(tags, level, rngs.style),),
            grader="string_match",
            grading={"expected_answer": asked.code},
            latents={
                "asked": asked.color,
                "tags": [[t.color, t.code, t.turn, t.is_mirrored] for t in tags],
            },
            metadata={"form": "mirrored" if asked.is_mirrored else "turned"},
        )

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Zoom in on the tag, turn its arrow to the left, make it point up, and read."""
        color = TAG_COLORS[re.findall(r"on the (\w+) tag", question)[0]]
        seen = yield from _bring_upright(color)
        code = ALPHABET[0] * _CODE_LENGTH if seen is None else _read(seen.blocks)
        return rf"\boxed{{{code}}}"


def _question(level: Level, color: str) -> str:
    mirrored = (
        " Some tags are printed as in a mirror: turned so that the arrow points up, it stands to "
        "the right of the characters. Give the code as it is without the mirror."
        if level.may_mirror
        else ""
    )
    return (
        f"What is the code on the {color} tag? It has {_CODE_LENGTH} characters out of "
        f"{', '.join(ALPHABET[:-1])} and {ALPHABET[-1]}. The tag may lie turned in any way: the "
        "white arrow on it stands before the first character and points to the characters' top."
        f"{mirrored} Answer with the characters alone, in order, without spaces."
    )


def _strew(rngs: Streams, level: Level) -> list[Tag]:
    """Place tags in different cells of a grid; the first is the one that is asked for."""
    colors = rngs.latents.permutation(list(TAG_COLORS))[: level.tags].tolist()
    cells = rngs.layout.choice(level.grid**2, level.tags, replace=False).tolist()
    pitch = level.size / level.grid
    reach = _half_side(level.height) + 1
    upright = 180 if level.step == 1 else 360
    turns = [turn for turn in range(0, 360, level.step) if _is_tilted(turn % upright, upright)]
    tags = []
    for color, cell in zip(colors, cells, strict=True):
        picks = rngs.latents.integers(len(ALPHABET), size=_CODE_LENGTH)
        row, column = divmod(cell, level.grid)
        away = rngs.layout.uniform(reach, pitch - reach, 2)
        tags.append(
            Tag(
                color=color,
                code="".join(ALPHABET[pick] for pick in picks),
                center=(column * pitch + away[0], row * pitch + away[1]),
                turn=turns[int(rngs.latents.integers(len(turns)))],
                is_mirrored=level.may_mirror and bool(rngs.latents.integers(2)),
            )
        )
    return tags


def _is_tilted(turn: int, upright: int) -> bool:
    return _LEAST_TURN <= turn <= upright - _LEAST_TURN


def _draw_tags(tags: list[Tag], level: Level, rng: np.random.Generator) -> Pixels:
    picture = _draw_backdrop(rng, level.size)
    for tag in tags:
        _lay(picture, tag, level.height)
    picture.setflags(write=False)
    return picture


def _draw_backdrop(rng: np.random.Generator, size: int) -> Pixels:
    """Draw large soft shapes, none of them near the colour of a tag, its ink or its arrow."""
    ground, *others = _BACKDROPS[int(rng.integers(len(_BACKDROPS)))]
    side = _BACKDROP_SIDE
    canvas = Canvas((side, side), ground)
    for fill in (*others, *others):
        x, y = rng.uniform(0, side, 2).tolist()
        if rng.integers(2):
            canvas.disc((x, y), side * rng.uniform(0.12, 0.3), fill)
        else:
            end = rng.uniform(0, side, 2).tolist()
            canvas.line([(x, y), (end[0], end[1])], side * rng.uniform(0.05, 0.16), fill)
    enlarged = cv2.resize(canvas.finish(), (size, size), interpolation=cv2.INTER_LINEAR)
    return enlarged.astype(np.uint8, copy=False)


def _half_side(height: float) -> int:
    """Return half the side of a square that holds a tag and its shadow, however it is turned."""
    return ceil((_REACH + 0.4) * height)


def _lay(picture: Pixels, tag: Tag, height: float) -> None:
    """Lay a tag with its shadow on the picture."""
    half = _half_side(height)
    left, top = (int(place) - half for place in tag.center)
    middle = (tag.center[0] - left, tag.center[1] - top)
    side = 2 * half + 1
    ends = [
        (middle[0] + x, middle[1] + y)
        for x, y in (tag.at(sign * _HALF_STRAIGHT * height, 0) for sign in (-1, 1))
    ]
    shape = Canvas((side, side), (0, 0, 0))
    shape.line(ends, 2 * _RADIUS * height, _WHITE)
    mask = shape.finish()[:, :, :1] / np.float32(255)
    face = Canvas((side, side), TAG_COLORS[tag.color])
    _print_face(face, tag, middle, height)
    part = picture[top : top + side, left : left + side]
    drop = round(0.12 * height)
    shadow = cv2.GaussianBlur(np.roll(mask, (drop, drop), axis=(0, 1)), (0, 0), 0.14 * height)
    shaded = part * (1 - 0.28 * shadow[:, :, None])
    part[:] = np.rint(shaded * (1 - mask) + face.finish() * mask)


def _print_face(face: Canvas, tag: Tag, middle: Point, height: float) -> None:
    def place(along: float, down: float = 0.0) -> Point:
        x, y = tag.at(along * height, down * height)
        return middle[0] + x, middle[1] + y

    # The arrow's centroid lies on the middle line.
    tip, foot = -2 / 3 * _ARROW_HEIGHT, _ARROW_HEIGHT / 3
    wings = [place(_ARROW_AT + sign * _ARROW_WIDTH / 2, foot) for sign in (-1, 1)]
    face.polygon([place(_ARROW_AT, tip), *wings], _WHITE)
    for index, character in enumerate(tag.code):
        face.glyph(
            character,
            place(_FIRST_AT + index * _PITCH),
            height,
            _STROKE * height,
            _INK,
            degrees=tag.turn,
            mirrored=tag.is_mirrored,
        )


# The oracle. It reads upright characters only, as in a tag with the arrow on its left.

_HALF_VIEW = (3.2, 0.8)  # what it looks at last, in heights of a character from the tag's middle


def _call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def _find(
    color: Color, tolerance: int, index: int
) -> Generator[dict[str, Any], Reply, dict[str, Any] | None]:
    """Return the largest blob of a colour."""
    reply = yield _call("find_color_tool", color=list(color), tolerance=tolerance, img_idx=index)
    blobs = reply.results[0]["blobs"] if reply.ok else []
    return max(blobs, key=lambda blob: int(blob["pixels"]), default=None)


def _bring_upright(color: Color) -> Generator[dict[str, Any], Reply, BlurryImage | None]:
    """Return the tag upright and filling the view; None when it is not found or not zoomed."""
    tag = yield from _find(color, 8, 0)
    if tag is None:
        return None
    x1, y1, x2, y2 = tag["bbox"]
    reach = 0.6 * hypot(x2 - x1, y2 - y1)
    x, y = (x1 + x2) / 2, (y1 + y2) / 2
    box = [min(max(round(side), 0), 1000) for side in (x - reach, y - reach, x + reach, y + reach)]
    reply = yield _call("image_zoom_in_tool", bbox_2d=box, factor=8, img_idx=0)
    if not reply.ok:
        return None
    index = _new_index(reply)
    tag = yield from _find(color, 40, index)
    arrow = yield from _find(_WHITE, 6, index)
    if tag is None or arrow is None:
        return None
    return (yield from _turn_and_read(tag, arrow, index, reply))


def _turn_and_read(
    tag: dict[str, Any], arrow: dict[str, Any], index: int, zoomed: Reply
) -> Generator[dict[str, Any], Reply, BlurryImage | None]:
    """Turn the zoomed picture, in whose pixels all is reckoned from its middle."""
    size = np.array(zoomed.results[0]["size"])
    x, y = _from_middle(np.reshape(tag["bbox"], (2, 2)).mean(axis=0), size)
    arrow_x, arrow_y = _from_middle(arrow["center"], size)
    height = hypot(arrow_x - x, arrow_y - y) / -_ARROW_AT
    turn = 180 - degrees(atan2(y - arrow_y, arrow_x - x))
    reply = yield _call("image_rotate_tool", degrees=round(turn, 2), img_idx=index)
    if reply.ok:
        index, size = _new_index(reply), np.array(reply.results[0]["size"])
        angle = radians(turn)
        x, y = x * cos(angle) + y * sin(angle), y * cos(angle) - x * sin(angle)
    half = np.multiply(_HALF_VIEW, height)
    corners = [500 + 1000 * (np.array([x, y]) + sign * half) / size for sign in (-1, 1)]
    box = np.clip(np.rint(np.concatenate(corners)), 0, 1000).astype(int).tolist()
    reply = yield _call("image_zoom_in_tool", bbox_2d=box, img_idx=index)
    if not reply.ok:
        return None
    if _points_up(reply.images[0].blocks):
        return reply.images[0]
    flipped = yield _call("image_flip_tool", axis="vertical", img_idx=_new_index(reply))
    return (flipped if flipped.ok else reply).images[0]


def _from_middle(point: Any, size: NDArray[np.int64]) -> tuple[float, float]:
    """Return a point in thousandths of a picture in pixels from its middle."""
    x, y = ((np.asarray(point) / 1000 - 0.5) * size).tolist()
    return x, y


def _new_index(reply: Reply) -> int:
    return int(reply.results[0]["new_img_indices"][0])


def _points_up(blocks: NDArray[np.uint8]) -> bool:
    """Whether the white arrow on the left thins out upwards: by its third moment."""
    white = np.clip(blocks.min(axis=2).astype(np.float64) - 150, 0, None)
    unit = white.shape[1] / (2 * _HALF_VIEW[0])
    first, last = ((_HALF_VIEW[0] + _ARROW_AT + sign * 0.4) * unit for sign in (-1, 1))
    edge = round((_HALF_VIEW[1] - 2 / 3 * _ARROW_HEIGHT) * unit)  # the table may show beyond
    part = white[edge : len(white) - edge, round(first) : round(last)].sum(axis=1)
    rows = np.arange(len(part)) - (part * np.arange(len(part))).sum() / max(part.sum(), 1.0)
    return bool((part * rows**3).sum() <= 0)


def _read(blocks: NDArray[np.uint8]) -> str:
    rows, columns = blocks.shape[:2]
    bright = blocks.max(axis=2).astype(np.float64)
    ink: Ink = np.clip(np.median(bright) - bright, 0, None)
    unit = columns / (2 * _HALF_VIEW[0])  # blocks of a character's height
    return "".join(
        read_character(
            ink,
            ((_HALF_VIEW[0] + _FIRST_AT + index * _PITCH) * unit, rows / 2),
            unit,
            _STROKE * unit,
            ALPHABET,
            slack=2,
        )
        for index in range(_CODE_LENGTH)
    )
