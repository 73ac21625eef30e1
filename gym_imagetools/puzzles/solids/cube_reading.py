"""How an oracle reads nets and cubes off blurry pictures: by trying every character and turn."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.coordinates import Region, box_to_region
from gym_imagetools.puzzles.drawing.canvas import Point
from gym_imagetools.puzzles.eye import BLOCK_PX, BlurryImage, Reply
from gym_imagetools.puzzles.looking.gaze import zoom_call
from gym_imagetools.puzzles.solids.block_reading import Part, zoom_quarters
from gym_imagetools.puzzles.solids.cube_drawing import (
    GLYPHS,
    Face,
    cube_faces,
    net_faces,
    pattern,
)
from gym_imagetools.puzzles.solids.cube_nets import (
    CubeView,
    Net,
    SeenFace,
    Sticker,
    Vector,
    all_nets,
    down_of,
)
from gym_imagetools.puzzles.solids.cube_panels import Level, Panel
from gym_imagetools.types import Pixels

Values = NDArray[np.float64]
T = TypeVar("T")

Zooms = Generator[dict[str, Any], Reply, T]
"""Calls of the zoom tool, and what was learned by them."""

_UNLIKE_CARD = 20
_FEWEST_BLOCKS = 12
_PLAIN = tuple(Sticker("A") for _ in range(6))
_RIGHTS: tuple[Vector, Vector, Vector] = ((0, 1, 0), (0, 0, 1), (1, 0, 0))
"""For the faces towards x, y and z some direction along them."""


@dataclass(frozen=True)
class Card:
    """A card to read.

    Attributes:
        image: What is seen of the whole picture.
        panel: Where the card is.
        level: How it is drawn.
    """

    image: BlurryImage
    panel: Panel
    level: Level

    def read_net(self, *, by_square: bool) -> Zooms[tuple[Net, list[Sticker]]]:
        """Read a net, with a zoom on each square or on each quarter of the card."""
        parts: tuple[Part, ...] = (self._whole,)
        if not by_square:
            parts = yield from zoom_quarters(self.image, self.panel.box, self._size)
        net = _likeliest_net(parts, self.panel, self.level)
        side = self.panel.side_px(self.level)
        stickers = []
        for face in net_faces(net, _PLAIN, self.panel.center_px(self.level), side):
            if by_square:
                parts = yield from self._zoom(face.center, 0.4 * side)
            stickers.append(self._read(parts, face))
        return net, stickers

    def read_cube(self) -> Zooms[CubeView]:
        """Read the three visible faces of a cube, with a zoom on each."""
        side = self.panel.side_px(self.level)
        seen = []
        for axis, face in enumerate(cube_faces(_RIGHTS, self.panel.center_px(self.level), side)):
            parts = yield from self._zoom(face.center, 0.35 * side)
            sticker, right = self._read(parts, face), _RIGHTS[axis]
            for _ in range(sticker.turn):
                right = down_of(right, axis)
            seen.append(SeenFace(sticker.glyph, right))
        return seen[0], seen[1], seen[2]

    @property
    def _size(self) -> tuple[int, int]:
        return self.level.width, self.level.height

    @property
    def _whole(self) -> Part:
        return Part(self.image, Region(0, 0, *self._size))

    def _zoom(self, center: Point, reach: float) -> Zooms[tuple[Part, ...]]:
        """Zoom in on a square around a place; all measures are pixels."""
        (x, y), (width, height) = center, self._size
        left, right = 1000 * (x - reach) / width, 1000 * (x + reach) / width
        top, bottom = 1000 * (y - reach) / height, 1000 * (y + reach) / height
        call = zoom_call((left, top, right, bottom))
        reply = yield call
        if not reply.ok:
            return (self._whole,)
        region = box_to_region(tuple(call["arguments"]["bbox_2d"]), width, height)
        return self._whole, Part(reply.images[0], region)

    def _read(self, parts: Sequence[Part], face: Face) -> Sticker:
        return _likeliest(
            parts, face, self.panel.side_px(self.level), self.panel.pitch_px(self.level)
        )


def _likeliest_net(parts: Sequence[Part], panel: Panel, level: Level) -> Net:
    """Return the net whose squares lie where a card is not empty."""
    center = np.array(panel.center_px(level))
    xs, ys = (
        middle + np.linspace(-0.48, 0.48, 40) * length * level.width
        for middle, length in zip(center, panel.size, strict=True)
    )
    places = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    colors = parts[0].colors_at(places)
    for part in parts[1:]:
        inside = part.holds(places)
        colors[inside] = part.colors_at(places[inside])
    is_face = abs(colors - colors[0]).max(axis=1) > _UNLIKE_CARD

    def misses(net: Net) -> int:
        extent = np.max(net, axis=0) + 1
        rows, columns = np.floor(
            (places - center)[:, ::-1] / panel.side_px(level) + extent / 2
        ).T.astype(int)
        has_square = np.zeros((extent[0] + 2, extent[1] + 2), dtype=bool)  # framed by none
        has_square[tuple(np.transpose(net) + 1)] = True
        on_net = has_square[
            np.clip(rows + 1, 0, extent[0] + 1), np.clip(columns + 1, 0, extent[1] + 1)
        ]
        return int((on_net != is_face).sum())

    return min(all_nets(), key=misses)


def _likeliest(parts: Sequence[Part], face: Face, side: int, pitch: int) -> Sticker:
    """Return the character and the turn whose picture is most like what is seen on a face.

    Args:
        parts: What is seen, the whole picture first.
        face: Where an upright picture lies.
        side: Of the face's picture in pixels.
        pitch: Side of the tile of its pattern in pixels.
    """
    seen: list[Values] = []
    wanted: list[Values] = []
    for part in parts[1:] or parts:
        inside, places = _on_face(part, face)
        if len(places) >= _FEWEST_BLOCKS:
            rows, columns = inside.shape
            seen.append(part.image.blocks[:rows, :columns][inside].mean(axis=1))
            wanted.append(_means(_pictures(side, pitch), places))
    if not seen:
        return Sticker(GLYPHS[0])
    fits = _correlations(np.concatenate(wanted), np.concatenate(seen))
    glyph, turn = divmod(int(fits.argmax()), 4)
    return Sticker(GLYPHS[glyph], turn)


def _correlations(tried: Values, seen: Values) -> Values:
    """Return the correlation of each column with what is seen."""
    tried = tried - tried.mean(axis=0)
    seen = seen - seen.mean()
    return np.asarray(seen @ tried / (np.linalg.norm(tried, axis=0) * np.linalg.norm(seen) + 1e-9))


def _on_face(part: Part, face: Face) -> tuple[NDArray[np.bool_], Values]:
    """Return which whole blocks of a part show nothing but a face, and which places of it.

    Returns:
        Flags of shape (rows, columns), and for each block with a flag places about a pixel of the
        picture apart: how far along the face's right and its down, 0 to 1, of shape (blocks,
        places, 2).
    """
    region, image = part.region, part.image
    step = np.array([region.width, region.height]) * BLOCK_PX / image.size
    columns, rows = (length // BLOCK_PX for length in image.size)
    to_face = np.linalg.inv([face.right, face.down])
    corners = (_lattice(columns + 1, rows + 1) * step + region[:2] - face.center) @ to_face + 0.5
    on_face = np.asarray(((corners >= 0) & (corners <= 1)).all(axis=2))
    inside = on_face[1:, 1:] & on_face[1:, :-1] & on_face[:-1, 1:] & on_face[:-1, :-1]
    number = math.ceil(max(step))
    within = (_lattice(number, number).reshape(-1, 2) + 0.5) / number
    return inside, corners[:-1, :-1][inside][:, None] + (within * step) @ to_face


def _lattice(columns: int, rows: int) -> NDArray[np.int64]:
    """Return whole numbers x and y of shape (rows, columns, 2)."""
    return np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), axis=-1)


def _means(pictures: Pixels, places: Values) -> Values:
    """Return the mean of each picture over sets of places, shape (sets, pictures).

    Args:
        pictures: Square ones of the same side, as channels.
        places: Shape (sets, places, 2), right and down in parts of the side, 0 to 1.
    """
    columns, rows = np.moveaxis((places * len(pictures)).astype(np.intp), -1, 0)
    return np.asarray(pictures[rows, columns].mean(axis=1))


@lru_cache(maxsize=16)
def _pictures(side: int, pitch: int) -> Pixels:
    """Return a face with each character in each of four turns, clockwise, as channels."""
    gray = [pattern(glyph, side, pitch, (255, 255, 255), (0, 0, 0))[:, :, 0] for glyph in GLYPHS]
    return np.stack([np.rot90(upright, -turn) for upright in gray for turn in range(4)], axis=2)
