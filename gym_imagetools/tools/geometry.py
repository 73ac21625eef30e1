"""Zoom, crop, rotate and flip: one picture seen otherwise."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import cv2
import numpy as np
from PIL import Image

from gym_imagetools.affine import Affine, compose, scale_and_shift
from gym_imagetools.coordinates import Box, Region, box_to_region, clamp_box, is_pixel_box
from gym_imagetools.errors import ToolError
from gym_imagetools.images.pillow import rgb_pixels
from gym_imagetools.tools.arguments import CropArgs, FlipArgs, RotateArgs, ZoomArgs
from gym_imagetools.tools.echo import echo
from gym_imagetools.tools.resize import GRID_PX, grid_size, resize_exact, resize_fast, size_of
from gym_imagetools.tools.result import MAX_SIDE_PX, ToolResult, ToolSettings, make_result
from gym_imagetools.types import Pixels

Pictures = Mapping[int, Pixels]

MAX_CANVAS_PX = 64_000_000
"""The largest canvas that a turned picture gets, as large as the largest picture."""

_WHITE = (255, 255, 255)
_LARGEST_FACTOR = 1e6  # far beyond any bound on areas, and safe to square
_QUARTER_TURNS = {
    90.0: cv2.ROTATE_90_COUNTERCLOCKWISE,
    180.0: cv2.ROTATE_180,
    270.0: cv2.ROTATE_90_CLOCKWISE,
}
_FLIP_CODES = {"horizontal": 1, "vertical": 0}


def zoom(args: ZoomArgs, pictures: Pictures, settings: ToolSettings) -> ToolResult:
    """Return a region magnified, its area within the bounds of the settings."""
    source = pictures[args.img_idx]
    height, width = source.shape[:2]
    region = _widen(_region(args.bbox_2d, source), width, height)
    factor = min(args.factor, _LARGEST_FACTOR)
    new_width, new_height = grid_size(
        max(1, round(region.width * factor)),
        max(1, round(region.height * factor)),
        settings.crop_min_pixels,
        settings.crop_max_pixels,
        MAX_SIDE_PX,
    )
    resize = resize_exact if settings.resample == "exact" else resize_fast
    facts = {**_box_facts(args.bbox_2d, source), "factor": args.factor}
    return make_result(
        {**facts, "label": args.label, "img_idx": args.img_idx},
        resize(_cut(source, region), new_width, new_height),
        args.img_idx,
        scale_and_shift(
            region.width / new_width, region.height / new_height, region.left, region.top
        ),
    )


def crop(args: CropArgs, pictures: Pictures, settings: ToolSettings) -> ToolResult:
    """Return a region at its own scale."""
    source = pictures[args.img_idx]
    region = _region(args.bbox_2d, source)
    return make_result(
        {**_box_facts(args.bbox_2d, source), "label": args.label, "img_idx": args.img_idx},
        _cut(source, region),
        args.img_idx,
        scale_and_shift(1.0, 1.0, region.left, region.top),
    )


def rotate(args: RotateArgs, pictures: Pictures, settings: ToolSettings) -> ToolResult:
    """Return a picture rotated counter-clockwise on a canvas that holds all of it."""
    source = pictures[args.img_idx]
    small = _small_enough_to_turn(source, args.degrees)
    rotated = _rotated(small, args.degrees)
    to_source = scale_and_shift(
        source.shape[1] / small.shape[1], source.shape[0] / small.shape[0], 0.0, 0.0
    )
    return make_result(
        {"degrees": args.degrees, "label": args.label, "img_idx": args.img_idx},
        rotated,
        args.img_idx,
        compose(to_source, _rotation(args.degrees, size_of(small), size_of(rotated))),
    )


def flip(args: FlipArgs, pictures: Pictures, settings: ToolSettings) -> ToolResult:
    """Return a picture mirrored."""
    source = pictures[args.img_idx]
    height, width = source.shape[:2]
    mirror: dict[str, Affine] = {
        "horizontal": scale_and_shift(-1.0, 1.0, width, 0.0),
        "vertical": scale_and_shift(1.0, -1.0, 0.0, height),
    }
    return make_result(
        {"axis": args.axis, "label": args.label, "img_idx": args.img_idx},
        cv2.flip(source, _FLIP_CODES[args.axis]).astype(np.uint8, copy=False),
        args.img_idx,
        mirror[args.axis],
    )


def _region(box: Box, source: Pixels) -> Region:
    height, width = source.shape[:2]
    region = box_to_region(box, width, height)
    if region.width <= 0 or region.height <= 0:
        raise ToolError(
            "Expected a region with an area inside the picture, in thousandths (0-1000), "
            f"got {echo(list(box))}."
        )
    return region


def _box_facts(box: Box, source: Pixels) -> dict[str, Any]:
    """Return the box that was used: in pixels it is as written and says so, else clamped."""
    height, width = source.shape[:2]
    if is_pixel_box(box, width, height):
        return {"box": list(box), "box_unit": "pixels"}
    return {"box": list(clamp_box(box))}


def _widen(region: Region, width: int, height: int) -> Region:
    """Scale a region about its centre until its short side is 32 px, as far as there is room."""
    short = min(region.width, region.height)
    if short >= GRID_PX:
        return region
    scale = GRID_PX / short
    half_width = math.ceil(region.width * scale * 0.5)
    half_height = math.ceil(region.height * scale * 0.5)
    center_x, center_y = (region.left + region.right) / 2, (region.top + region.bottom) / 2
    return Region(
        max(0, math.floor(center_x - half_width)),
        max(0, math.floor(center_y - half_height)),
        min(width, math.ceil(center_x + half_width)),
        min(height, math.ceil(center_y + half_height)),
    )


def _cut(source: Pixels, region: Region) -> Pixels:
    """Return a copy, which does not keep the whole source alive."""
    return source[region.top : region.bottom, region.left : region.right].copy()


def _small_enough_to_turn(source: Pixels, degrees: float) -> Pixels:
    """Return the source, shrunk where the canvas that holds it turned would be out of bounds.

    The canvas of a long strip at 45 degrees is a thousand times the strip.
    """
    height, width = source.shape[:2]
    cos, sin = abs(math.cos(math.radians(degrees))), abs(math.sin(math.radians(degrees)))
    turned_width, turned_height = width * cos + height * sin, width * sin + height * cos
    if turned_width * turned_height <= MAX_CANVAS_PX:
        return source
    scale = MAX_SIDE_PX / max(turned_width, turned_height)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return rgb_pixels(Image.fromarray(source).resize(size, Image.Resampling.LANCZOS))


def _rotated(source: Pixels, degrees: float) -> Pixels | Image.Image:
    turn = degrees % 360.0
    if turn == 0.0:
        return source.copy()
    if turn in _QUARTER_TURNS:
        return cv2.rotate(source, _QUARTER_TURNS[turn]).astype(np.uint8, copy=False)
    return Image.fromarray(source).rotate(turn, expand=True, fillcolor=_WHITE)


def _rotation(degrees: float, source: tuple[int, int], rotated: tuple[int, int]) -> Affine:
    """Return the map from the rotated picture back: a clockwise turn about both centres."""
    angle = math.radians(degrees % 360.0)
    cos, sin = round(math.cos(angle), 15), round(math.sin(angle), 15)  # quarter turns are exact
    x, y = source[0] / 2, source[1] / 2
    u, v = rotated[0] / 2, rotated[1] / 2
    return ((cos, -sin, x - cos * u + sin * v), (sin, cos, y - sin * u - cos * v))
