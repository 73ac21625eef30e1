"""Count objects, find a colour, read the colour at a point."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import cv2
import numpy as np
from PIL import Image

from gym_imagetools.affine import IDENTITY, scale_and_shift
from gym_imagetools.coordinates import point_to_pixel, point_to_thousandths, region_to_box
from gym_imagetools.tools.arguments import ColorAtArgs, CountObjectsArgs, FindColorArgs
from gym_imagetools.tools.components import Components, find_components
from gym_imagetools.tools.drawing import draw_numbered_box
from gym_imagetools.tools.result import ToolResult, ToolSettings, make_result
from gym_imagetools.tools.values import Color
from gym_imagetools.types import Pixels

Pictures = Mapping[int, Pixels]

_PATCH_RADIUS_PX = 12
_PATCH_SHOWN_PX = 150


def count_objects(args: CountObjectsArgs, pictures: Pictures, settings: ToolSettings) -> ToolResult:
    """Count connected objects and number them in a copy of the picture."""
    source = pictures[args.img_idx]
    if args.color is None:
        mask = 255 - _matches(source, _background(source), args.tolerance)
    else:
        mask = _matches(source, args.color, args.tolerance)
    components = find_components(mask, args.min_size)
    numbered = source.copy()
    for number, blob in enumerate(components.blobs, start=1):
        draw_numbered_box(numbered, blob.region, number)
    facts = {
        **_component_facts(components, source),
        "label": args.label,
        "img_idx": args.img_idx,
    }
    return make_result(facts, numbered, args.img_idx, IDENTITY)


def find_color(args: FindColorArgs, pictures: Pictures, settings: ToolSettings) -> ToolResult:
    """Find a colour and paint every match magenta, however small."""
    source = pictures[args.img_idx]
    mask = _matches(source, args.color, args.tolerance)
    facts = {
        "match_fraction": round(cv2.countNonZero(mask) / mask.size, 4),
        **_component_facts(find_components(mask, args.min_size), source),
        "label": args.label,
        "img_idx": args.img_idx,
    }
    return make_result(facts, _painted(source, mask), args.img_idx, IDENTITY)


def color_at(args: ColorAtArgs, pictures: Pictures, settings: ToolSettings) -> ToolResult:
    """Read a pixel, and show the 25 x 25 pixels around it, fewer at the picture's edge."""
    source = pictures[args.img_idx]
    height, width = source.shape[:2]
    column, row = point_to_pixel(args.point_2d, width, height)
    left, top = max(0, column - _PATCH_RADIUS_PX), max(0, row - _PATCH_RADIUS_PX)
    patch = source[top : row + _PATCH_RADIUS_PX + 1, left : column + _PATCH_RADIUS_PX + 1]
    image = Image.fromarray(np.ascontiguousarray(patch))
    shown = image.resize((_PATCH_SHOWN_PX, _PATCH_SHOWN_PX), Image.Resampling.NEAREST)
    facts = {
        "point_2d": [round(value) for value in args.point_2d],
        "rgb": source[row, column].tolist(),
        "label": args.label,
        "img_idx": args.img_idx,
    }
    affine = scale_and_shift(
        patch.shape[1] / _PATCH_SHOWN_PX, patch.shape[0] / _PATCH_SHOWN_PX, left, top
    )
    return make_result(facts, np.asarray(shown), args.img_idx, affine)


def _matches(source: Pixels, color: Color, tolerance: int) -> Pixels:
    """Return a mask of the pixels whose every channel is within the tolerance."""
    lower = np.subtract(color, tolerance)
    upper = np.add(color, tolerance)
    return cv2.inRange(source, lower, upper).astype(np.uint8, copy=False)


def _background(source: Pixels) -> Color:
    """Return the median of the border, channel by channel, halves rounded down."""
    border = np.concatenate([source[0], source[-1], source[:, 0], source[:, -1]])
    red, green, blue = (int(channel) for channel in np.median(border, axis=0))
    return red, green, blue


def _component_facts(components: Components, source: Pixels) -> dict[str, Any]:
    height, width = source.shape[:2]
    blobs = []
    for blob in components.blobs:
        center = point_to_thousandths(blob.center_px, width, height)
        blobs.append(
            {
                "bbox": region_to_box(blob.region, width, height),
                "center": center,
                "centroid": list(center),
                "pixels": blob.pixels,
            }
        )
    facts: dict[str, Any] = {"count": components.count, "blobs": blobs}
    if components.count > len(blobs):
        facts["truncated"] = True
    return facts


def _painted(source: Pixels, mask: Pixels) -> Pixels:
    red, green, blue = cv2.split(source)
    painted = [
        cv2.bitwise_or(red, mask),
        cv2.bitwise_and(green, cv2.bitwise_not(mask)),
        cv2.bitwise_or(blue, mask),
    ]
    return cv2.merge(painted).astype(np.uint8, copy=False)
