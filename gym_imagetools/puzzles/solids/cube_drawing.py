"""How nets and cubes with characters on their faces are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from gym_imagetools.puzzles.drawing.canvas import Canvas, Color, Point, read_colors
from gym_imagetools.puzzles.solids.blocks import AXES
from gym_imagetools.puzzles.solids.cube_nets import CubeView, Net, Sticker, down_of
from gym_imagetools.types import Pixels

GLYPHS = "AEFGJKPRTY"
"""Characters that none of the others becomes by a turn, and that no turn leaves as it was."""

_SCALE = 2  # faces are drawn at twice the size
_SHADES = (0.86, 0.93, 1.0)  # of the faces towards x, y and z
_INK_SHARE = 0.11  # of the darkness of full ink, that every pattern has on average
_EDGE = 0.012  # width of a face's border, of its side


@dataclass(frozen=True)
class Look:
    """Colours of a picture; a face takes one of ``faces``."""

    ground: Color
    card: Color
    ink: Color
    faces: tuple[Color, ...]


LOOKS = tuple(
    Look(colors[0], colors[1], colors[2], colors[3:])
    for colors in map(
        read_colors,
        (
            "f0eadf fffcf6 24305e f6d27a 9fd0ee f2a7a0 a9dcae d6b6ea f3bd92",
            "e4ecf2 fbfdff 1d4250 a8d8e6 f5c98c c9e2a0 f0aebc d0c2ef f2e08a",
            "ece7f2 fefbff 43245e d9c2f0 f7cf8e a6dcc4 f4aab4 aac9f2 efe392",
            "e6eee6 fbfefa 1c4a3a b7dfb9 f6cd96 a9cdf0 efaeb6 dcc0ea f1e48c",
        ),
    )
)


@dataclass(frozen=True)
class Face:
    """Where a picture lies: its middle, and where its right and its down lead, in pixels."""

    center: Point
    right: Point
    down: Point


def net_faces(net: Net, stickers: Sequence[Sticker], center: Point, side: float) -> list[Face]:
    """Return where the pictures of a net lie, the net being centred."""
    rows, columns = (max(cell[axis] for cell in net) + 1 for axis in (0, 1))
    faces = []
    for (row, column), sticker in zip(net, stickers, strict=True):
        x = center[0] + (column + 0.5 - columns / 2) * side
        y = center[1] + (row + 0.5 - rows / 2) * side
        right, down = (side, 0.0), (0.0, side)
        for _ in range(sticker.turn):
            right, down = down, (-right[0], -right[1])
        faces.append(Face((x, y), right, down))
    return faces


def cube_faces(rights: Sequence[Sequence[int]], center: Point, side: float) -> list[Face]:
    """Return where the pictures on the three visible faces of a cube lie.

    Args:
        rights: Where the right of the pictures leads in space, on the faces towards x, y, z.
        center: The middle of the cube, in pixels.
        side: Its edge in pixels.
    """
    faces = []
    for axis, right in enumerate(rights):
        down = down_of((right[0], right[1], right[2]), axis)
        middle, along, below = (
            (np.array(vector) @ AXES * side).tolist()
            for vector in (np.eye(3)[axis] / 2, right, down)
        )
        place = center[0] + middle[0], center[1] + middle[1]
        faces.append(Face(place, (along[0], along[1]), (below[0], below[1])))
    return faces


def view_faces(view: CubeView, center: Point, side: float) -> list[Face]:
    """Return where the pictures of a view of a cube lie."""
    return cube_faces([face.right for face in view], center, side)


def pattern(glyph: str, side: int, pitch: int, color: Color, ink: Color) -> Pixels:
    """Return the picture of a face, upright.

    Args:
        glyph: The character.
        side: Of the picture in pixels, a multiple of ``pitch``.
        pitch: Side of the tile that is repeated. When there are several, all patterns are
            equally dark on average, so that from afar they look alike.
        color: Under the character.
        ink: Of the character and the border.
    """
    tile = _tile(glyph, pitch, is_one=pitch == side, color=color, ink=ink)
    picture = np.tile(tile, (side // pitch, side // pitch, 1))
    border = max(1, round(_EDGE * side))
    for edge in (np.s_[:border], np.s_[-border:], np.s_[:, :border], np.s_[:, -border:]):
        picture[edge] = ink
    return picture


def _tile(glyph: str, pitch: int, *, is_one: bool, color: Color, ink: Color) -> Pixels:
    canvas = Canvas((pitch, pitch), (0, 0, 0))
    height = (0.56 if is_one else 0.72) * pitch
    canvas.glyph(glyph, (pitch / 2, pitch / 2), height, 0.14 * height, (255, 255, 255))
    darkness = canvas.finish()[:, :, :1] / 255
    if not is_one:
        darkness = darkness * (_INK_SHARE / darkness.mean())
    mixed = np.array(color) + darkness * (np.array(ink) - np.array(color))
    return np.asarray(np.clip(np.rint(mixed), 0, 255), dtype=np.uint8)


def shaded(color: Color, axis: int) -> Color:
    """Return a colour as it is on the face of a cube towards an axis."""
    red, green, blue = (round(channel * _SHADES[axis]) for channel in color)
    return red, green, blue


def draw_faces(target: Pixels, faces: Sequence[tuple[Face, Pixels]]) -> None:
    """Lay pictures of faces, square ones, where they belong in a larger picture."""
    reach = [
        np.array(face.center) + across * np.array(face.right) / 2 + along * np.array(face.down) / 2
        for face, _ in faces
        for across in (1, -1)
        for along in (1, -1)
    ]
    left, top = np.floor(np.min(reach, axis=0)).astype(int).tolist()
    right, bottom = np.ceil(np.max(reach, axis=0)).astype(int).tolist()
    place = target[top:bottom, left:right]
    size = place.shape[1], place.shape[0]
    drawn = np.asarray(
        cv2.resize(place, None, fx=_SCALE, fy=_SCALE, interpolation=cv2.INTER_NEAREST), np.uint8
    )
    for face, picture in faces:
        center = face.center[0] - left, face.center[1] - top
        warp(drawn, picture, Face(center, face.right, face.down), _SCALE)
    place[:] = cv2.resize(drawn, size, interpolation=cv2.INTER_AREA)


def warp(target: NDArray[np.uint8], picture: Pixels, face: Face, scale: float) -> None:
    """Lay a square picture on a face of a larger one, whose pixels are ``1 / scale`` wide."""
    side = len(picture)
    right, down = (np.array(step) * scale / side for step in (face.right, face.down))
    corner = np.array(face.center) * scale - (right + down) * side / 2
    around = corner + np.array([[0, 0], [1, 0], [0, 1], [1, 1]]) @ [right * side, down * side]
    left, top = np.maximum(np.floor(around.min(axis=0)).astype(int) - 1, 0).tolist()
    last_x, last_y = (np.ceil(around.max(axis=0)).astype(int) + 1).tolist()
    near = np.ascontiguousarray(target[top : max(top, last_y), left : max(left, last_x)])
    if near.size == 0:
        return
    first_pixel = corner + (right + down) / 2 - 0.5 - (left, top)
    cv2.warpAffine(
        picture,
        np.column_stack([right, down, first_pixel]),
        (near.shape[1], near.shape[0]),
        dst=near,
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_TRANSPARENT,
    )
    target[top : top + near.shape[0], left : left + near.shape[1]] = near
