"""Sprites: figures drawn once and pasted many times, bit for bit alike."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from gym_imagetools.puzzles.critters.figures import Coat, Figure
from gym_imagetools.puzzles.critters.outlines import Outline
from gym_imagetools.puzzles.drawing.canvas import Color, one_color
from gym_imagetools.types import Pixels

RIM = 0.012
"""Width of the line around a figure, of its box."""

_SMALL_PX = 160
"""Boxes up to this side are drawn at four times their size, larger ones at twice."""


@dataclass(frozen=True, eq=False)
class Sprite:
    """A figure on a ground of one colour.

    Attributes:
        pixels: ``uint8`` of shape (side, side, 3).
        cover: How much of each pixel the figure covers, 0 to 255, of shape (side, side).
        ground: The ground's colour.
    """

    pixels: Pixels
    cover: NDArray[np.uint8]
    ground: Color

    def turned(self, quarters: int) -> Sprite:
        """Return the sprite turned clockwise by quarter turns."""
        return Sprite(
            np.rot90(self.pixels, -quarters), np.rot90(self.cover, -quarters), self.ground
        )

    def mirrored(self) -> Sprite:
        """Return the sprite with left and right swapped."""
        return Sprite(self.pixels[:, ::-1], self.cover[:, ::-1], self.ground)

    def shadow(self, color: Color) -> Sprite:
        """Return its shadow in one colour."""
        share = np.arange(256)[:, None]
        mixed = (share * color + (255 - share) * self.ground + 127) // 255
        return Sprite(mixed.astype(np.uint8)[self.cover], self.cover, self.ground)

    def paste(self, picture: Pixels, left: int, top: int) -> None:
        """Paint the figure, without its ground, into a picture that holds its whole box."""
        side = len(self.cover)
        place = picture[top : top + side, left : left + side]
        away = np.subtract(place, one_color((side, side), self.ground), dtype=np.float32)
        if not away.any():
            place[:] = self.pixels
            return
        # Where the figure covers a pixel in part, the ground it was drawn on is taken out again.
        bare = cv2.merge([255 - self.cover] * 3)
        place[:] = np.clip(self.pixels + np.rint(away * bare / 255), 0, 255)


def draw_sprite(figure: Figure, coat: Coat, side: int, ground: Color) -> Sprite:
    """Draw a figure with a line around it, larger and reduced once, which smooths its edges.

    Args:
        figure: Its parts, in a unit box.
        coat: Its colours.
        side: Side of the box in pixels.
        ground: Colour around it.
    """
    scale = 4 if side <= _SMALL_PX else 2
    mask = Image.fromarray(outer_mask(figure, side * scale, RIM))
    # One byte a pixel, its colour looked up at last: the mask's 0 and 255 are ground and ink.
    image = mask.copy()
    draw = ImageDraw.Draw(image)
    palette: list[Color] = [ground]
    for part in figure:
        for patch in part.patches:
            color = coat.color(patch.role)
            if color not in palette:
                palette.append(color)
            draw.polygon(_ring(patch.outline, side * scale), palette.index(color))
    palette += [coat.ink] * (256 - len(palette))
    image.putpalette([level for color in palette for level in color])
    pixels = np.asarray(image.convert("RGB").reduce(scale))
    return Sprite(pixels, np.asarray(mask.reduce(scale)), ground)


def least_shade(one: Pixels, other: Pixels, block: int) -> float:
    """Return how much blocks of two drawings differ at the least favourable raster, of 255.

    What moves a little inside of a block leaves its mean as it is; wherever the raster begins,
    some channel of some block differs by this.

    Args:
        one: ``uint8`` of shape (height, width, 3).
        other: Of the same shape.
        block: Side of a block in pixels.
    """
    away = np.subtract(one, other, dtype=np.float32)
    shades = abs(cv2.blur(away, (block, block)))
    height, width, channels = shades.shape
    rows, columns = (-(-side // block) * block for side in (height, width))
    whole = np.zeros((rows, columns, channels), dtype=np.float32)
    whole[:height, :width] = shades
    rasters = whole.reshape(rows // block, block, columns // block, block, channels).max(axis=0)
    return float(rasters.max(axis=(1, 3)).min())


def outer_mask(figure: Figure, side: int, rim: float = 0.0) -> NDArray[np.uint8]:
    """Return the shadow of a figure, 255 inside and 0 outside, widened by a rim.

    Args:
        figure: Its parts, in a unit box.
        side: Side of the box in pixels.
        rim: Width that is added all around, of the box.
    """
    image = Image.new("L", (side, side))
    draw = ImageDraw.Draw(image)
    for part in figure:
        if part.is_outer:
            for patch in part.patches:
                draw.polygon(_ring(patch.outline, side), 255)
    mask = np.array(image)
    reach = round(rim * side)
    if reach:
        disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
        mask = np.asarray(cv2.dilate(mask, disc), dtype=np.uint8)
    return mask


def _ring(outline: Outline, side: int) -> list[float]:
    ring: list[float] = ((outline + 0.5) * side).ravel().tolist()
    return ring
