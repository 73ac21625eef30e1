"""Difference, side by side and overlay: several pictures in one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import cv2
import numpy as np
from PIL import Image

from gym_imagetools.affine import IDENTITY
from gym_imagetools.coordinates import Region, region_to_box
from gym_imagetools.tools.arguments import DiffArgs, OverlayArgs, SideBySideArgs
from gym_imagetools.tools.drawing import RED, draw_text
from gym_imagetools.tools.resize import resize_exact
from gym_imagetools.tools.result import MAX_SIDE_PX, ToolResult, ToolSettings, make_result
from gym_imagetools.types import Pixels

Pictures = Mapping[int, Pixels]

CHANGED_ABOVE = 30
"""A pixel has changed when a channel differs by more than this."""

_HEAT_GAIN = 3
_HEAT_SHARE = 0.6
_GAP_PX = 8
_CAPTION_AT_PX = 4
_LARGEST_CANVAS_PX = MAX_SIDE_PX * MAX_SIDE_PX


def diff(args: DiffArgs, pictures: Pictures, settings: ToolSettings) -> ToolResult:
    """Return how much two pictures differ, and the first with the differences glowing red."""
    first, second = _alike(args, pictures)
    difference = cv2.absdiff(first, second)
    red, green, blue = cv2.split(difference)
    largest = cv2.max(cv2.max(red, green), blue)
    _, mask = cv2.threshold(largest, CHANGED_ABOVE, 255, cv2.THRESH_BINARY)
    changed = mask.astype(np.uint8, copy=False)
    num_pixels = largest.shape[0] * largest.shape[1]
    facts: dict[str, Any] = {
        "mean_abs_diff": round(sum(cv2.sumElems(difference)) / (3 * num_pixels), 2),
        "changed_pixel_fraction": round(cv2.countNonZero(changed) / num_pixels, 4),
        "label": args.label,
        "img_idx_a": args.img_idx_a,
        "img_idx_b": args.img_idx_b,
        **_changed_facts(changed),
    }
    heat = cv2.convertScaleAbs(largest, alpha=_HEAT_GAIN)  # saturates at 255
    nothing = np.zeros_like(heat)
    glow = cv2.merge([heat, nothing, nothing]).astype(np.uint8, copy=False)
    return make_result(facts, _blend(first, glow, _HEAT_SHARE), args.img_idx_a, IDENTITY)


def overlay(args: OverlayArgs, pictures: Pictures, settings: ToolSettings) -> ToolResult:
    """Return two pictures blended."""
    first, second = _alike(args, pictures)
    facts = {
        "alpha": args.alpha,
        "label": args.label,
        "img_idx_a": args.img_idx_a,
        "img_idx_b": args.img_idx_b,
    }
    return make_result(facts, _blend(first, second, args.alpha), args.img_idx_a, IDENTITY)


def side_by_side(args: SideBySideArgs, pictures: Pictures, settings: ToolSettings) -> ToolResult:
    """Return pictures from left to right at one height, with captions."""
    sources = [pictures[index] for index in args.img_indices]
    height, widths = _layout(sources)
    canvas = np.full((height, _total(widths), 3), 255, dtype=np.uint8)
    left = 0
    for position, (source, width) in enumerate(zip(sources, widths, strict=True)):
        place = canvas[:, left : left + width]
        place[:] = resize_exact(source, width, height)
        if position < len(args.labels):
            draw_text(place, _CAPTION_AT_PX, _CAPTION_AT_PX, args.labels[position], RED)
        left += width + _GAP_PX
    return make_result({"img_indices": list(args.img_indices), "label": args.label}, canvas)


def _alike(args: DiffArgs | OverlayArgs, pictures: Pictures) -> tuple[Pixels, Pixels]:
    first, second = pictures[args.img_idx_a], pictures[args.img_idx_b]
    return first, resize_exact(second, first.shape[1], first.shape[0])


def _changed_facts(changed: Pixels) -> dict[str, list[int]]:
    left, top, width, height = cv2.boundingRect(changed)
    if width == 0:
        return {}
    region = Region(left, top, left + width, top + height)
    return {"changed_bbox": region_to_box(region, changed.shape[1], changed.shape[0])}


def _blend(first: Pixels, second: Pixels, share: float) -> Pixels:
    """Return Pillow's blend of two pictures of one size.

    Rows of bytes pass as one grey picture each: blending knows no channels, and a grey picture
    wraps an array without the copy that packing RGB takes.
    """
    blended = Image.blend(_as_bytes(first), _as_bytes(second), share)
    return np.asarray(blended).reshape(first.shape)


def _as_bytes(pixels: Pixels) -> Image.Image:
    height, width, channels = pixels.shape
    data = np.ascontiguousarray(pixels)
    return Image.frombuffer("L", (width * channels, height), data, "raw", "L", 0, 1)


def _layout(sources: list[Pixels]) -> tuple[int, list[int]]:
    """Return the common height and the widths, bounded before a pixel is made.

    Scaling to the tallest picture multiplies the width of a flat one, so a canvas too large to
    make is laid out at the height at which it fits the longest side allowed.
    """
    height = max(source.shape[0] for source in sources)
    widths = _widths_at(height, sources)
    total = _total(widths)
    if total * height > _LARGEST_CANVAS_PX:
        height = max(1, height * MAX_SIDE_PX // max(total, height))
        widths = _widths_at(height, sources)
    return height, widths


def _widths_at(height: int, sources: list[Pixels]) -> list[int]:
    return [max(1, round(source.shape[1] * height / source.shape[0])) for source in sources]


def _total(widths: list[int]) -> int:
    return sum(widths) + _GAP_PX * (len(widths) - 1)
