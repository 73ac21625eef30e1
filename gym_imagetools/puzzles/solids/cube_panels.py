"""The pictures of CubeUnfold3D: cards with nets and cubes, and where they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gym_imagetools.puzzles.drawing.canvas import Canvas, Point, one_color
from gym_imagetools.puzzles.solids.cube_drawing import (
    LOOKS,
    Face,
    Look,
    draw_faces,
    net_faces,
    pattern,
    shaded,
    view_faces,
)
from gym_imagetools.puzzles.solids.cube_nets import CubeView, Net, Sticker
from gym_imagetools.types import Pixels

LETTERS = "ABCD"


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        has_colors: Whether every face has a colour of its own.
        has_turns: Whether it matters how a character is turned.
        pitch: Side of the tile that a pattern repeats, in pixels; 0 for one large character.
        width: Of the picture in pixels; its height is three quarters of that.
    """

    has_colors: bool
    has_turns: bool
    pitch: int
    width: int

    @property
    def height(self) -> int:
        """Of the picture in pixels."""
        return self.width * 3 // 4


@dataclass(frozen=True)
class Panel:
    """A card of the picture with a net or a cube, in parts of the picture's width.

    Attributes:
        center: Of the card.
        size: Width and height of the card.
        side: Of a square of the net, or the edge of the cube.
    """

    center: Point
    size: tuple[float, float]
    side: float

    def side_px(self, level: Level) -> int:
        """Return the side in pixels: a whole number of tiles."""
        pitch = level.pitch or 1
        return round(self.side * level.width / pitch) * pitch

    def pitch_px(self, level: Level) -> int:
        """Return the side of the tile that is repeated, in pixels."""
        return level.pitch or self.side_px(level)

    def center_px(self, level: Level) -> Point:
        """Return the middle in pixels."""
        return self.center[0] * level.width, self.center[1] * level.width

    @property
    def box(self) -> list[int]:
        """The card as a box of a picture of 4 to 3, in thousandths."""
        (x, y), (width, height) = self.center, self.size
        left, top, right, bottom = x - width / 2, y - height / 2, x + width / 2, y + height / 2
        return [round(1000 * v) for v in (left, top * 4 / 3, right, bottom * 4 / 3)]


LARGE_NET = Panel((0.27, 0.375), (0.5, 0.72), 0.094)  # a net
LARGE_CUBE = Panel((0.175, 0.375), (0.31, 0.72), 0.18)
ONLY_NET = Panel((0.5, 0.375), (0.97, 0.72), 0.13)
CUBES = tuple(Panel((x, y), (0.215, 0.353), 0.13) for y in (0.19, 0.56) for x in (0.643, 0.873))
NETS = tuple(Panel((x, y), (0.315, 0.353), 0.056) for y in (0.19, 0.56) for x in (0.503, 0.827))


def draw_puzzle(
    net: Net,
    nets: Sequence[Sequence[Sticker]],
    cubes: Sequence[CubeView],
    level: Level,
    rng: np.random.Generator,
) -> Pixels:
    """Return the picture of a puzzle.

    Args:
        net: The shape of all nets.
        nets: What is on the squares of each net; one or four of them.
        cubes: What is seen of each cube; none, one or four of them.
        level: How it is drawn.
        rng: Chooses the colours.
    """
    look = LOOKS[int(rng.integers(len(LOOKS)))]
    order = tuple(rng.permutation(len(look.faces)).tolist())
    paint = _Paint(look, level, order, nets[0])
    picture = one_color((level.width, level.height), look.ground)
    net_panels = NETS if len(nets) > 1 else (LARGE_NET,) if cubes else (ONLY_NET,)
    cube_panels = CUBES if len(cubes) > 1 else (LARGE_CUBE,)
    for index, (stickers, panel) in enumerate(zip(nets, net_panels, strict=True)):
        faces = net_faces(net, stickers, panel.center_px(level), panel.side_px(level))
        pictures = [paint.picture(s.glyph, panel, None) for s in stickers]
        label = LETTERS[index] if len(nets) > 1 else ""
        paint.panel(picture, panel, list(zip(faces, pictures, strict=True)), label)
    for index, (view, panel) in enumerate(zip(cubes, cube_panels, strict=False)):
        faces = view_faces(view, panel.center_px(level), panel.side_px(level))
        pictures = [paint.picture(face.glyph, panel, axis) for axis, face in enumerate(view)]
        label = LETTERS[index] if len(cubes) > 1 else ""
        paint.panel(picture, panel, list(zip(faces, pictures, strict=True)), label)
    picture.setflags(write=False)
    return picture


@dataclass(frozen=True)
class _Paint:
    """Draws panels in one look."""

    look: Look
    level: Level
    order: tuple[int, ...]
    stickers: Sequence[Sticker]

    def picture(self, glyph: str, panel: Panel, axis: int | None) -> Pixels:
        """Return the picture of a face, shaded if it is a cube's face towards an axis."""
        glyphs = [sticker.glyph for sticker in self.stickers]
        number = glyphs.index(glyph) if self.level.has_colors else 0
        color, ink = self.look.faces[self.order[number]], self.look.ink
        if axis is not None:
            color, ink = shaded(color, axis), shaded(ink, axis)
        return pattern(glyph, panel.side_px(self.level), panel.pitch_px(self.level), color, ink)

    def panel(
        self, picture: Pixels, panel: Panel, faces: Sequence[tuple[Face, Pixels]], label: str
    ) -> None:
        """Draw a card with faces and, unless it is empty, a label into the picture."""
        width = self.level.width
        x, y = panel.center_px(self.level)
        card_size = round(panel.size[0] * width), round(panel.size[1] * width)
        left, top = round(x - card_size[0] / 2), round(y - card_size[1] / 2)
        radius = round(0.015 * width)
        self._card(picture[top : top + card_size[1], left : left + card_size[0]], radius)
        draw_faces(picture, faces)
        if label:
            side = round(0.05 * width)
            badge = Canvas((side, side), self.look.card)
            badge.badge(label, (side / 2, side / 2), 0.019 * width, self.look.ink, self.look.card)
            y, x = top + radius // 2, left + radius // 2
            picture[y : y + side, x : x + side] = badge.finish()

    def _card(self, place: Pixels, radius: int) -> None:
        """Fill a part of the picture with a card, its corners rounded."""
        disc = Canvas((2 * radius, 2 * radius), self.look.ground)
        disc.disc((radius, radius), radius, self.look.card)
        corners = disc.finish()
        place[:] = one_color((place.shape[1], place.shape[0]), self.look.card)
        place[:radius, :radius] = corners[:radius, :radius]
        place[:radius, -radius:] = corners[:radius, radius:]
        place[-radius:, :radius] = corners[radius:, :radius]
        place[-radius:, -radius:] = corners[radius:, radius:]
