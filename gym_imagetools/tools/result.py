"""What a tool takes beside its arguments, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from PIL import Image

from gym_imagetools.affine import Affine, compose, scale_and_shift
from gym_imagetools.tools.resize import shrink_to, size_of
from gym_imagetools.types import Pixels

Resample = Literal["exact", "fast"]

MAX_SIDE_PX = 4096
"""No picture of a tool is longer or higher than this."""


@dataclass(frozen=True)
class ToolSettings:
    """What an environment sets about its tools.

    Attributes:
        crop_min_pixels: Least area of a zoomed picture, in pixels.
        crop_max_pixels: Largest area of a zoomed picture, in pixels.
        resample: How zoom enlarges: ``exact`` (Pillow's bicubic) or ``fast`` (OpenCV's).

    Raises:
        ValueError: A value is outside of its range.
    """

    crop_min_pixels: int = 262144
    crop_max_pixels: int = 1048576
    resample: Resample = "exact"

    def __post_init__(self) -> None:
        if not 0 < self.crop_min_pixels <= self.crop_max_pixels:
            raise ValueError(
                "Expected 0 < crop_min_pixels <= crop_max_pixels, got "
                f"{self.crop_min_pixels!r} and {self.crop_max_pixels!r}."
            )
        if self.resample not in get_args(Resample):
            raise ValueError(
                f"Expected resample to be one of {get_args(Resample)}, got {self.resample!r}."
            )


@dataclass(frozen=True, eq=False)
class ToolResult:
    """A tool's reply.

    Attributes:
        result: Facts as plain JSON values; ``size`` is the new picture's width and height.
        pixels: The new picture: ``uint8`` of shape (height, width, 3), read-only.
        source_index: The picture that ``affine`` leads to; None where there is no such picture.
        affine: Map from pixel coordinates of the new picture to those of that picture.
    """

    result: dict[str, Any]
    pixels: Pixels
    source_index: int | None = None
    affine: Affine | None = None

    @property
    def image(self) -> Image.Image:
        """The new picture as a PIL image."""
        return Image.fromarray(self.pixels)


def make_result(
    facts: dict[str, Any],
    picture: Pixels | Image.Image,
    source_index: int | None = None,
    affine: Affine | None = None,
) -> ToolResult:
    """Bound the picture's sides, add its size to the facts, and lock its pixels.

    Args:
        facts: The result without ``size``.
        picture: The new picture, of any size; owned by the result from here on.
        source_index: The picture ``affine`` leads to.
        affine: Map from ``picture`` to that picture, before the sides are bounded.
    """
    full_width, full_height = size_of(picture)
    bounded = np.ascontiguousarray(shrink_to(picture, MAX_SIDE_PX))
    height, width = bounded.shape[:2]
    if affine is not None and (width, height) != (full_width, full_height):
        affine = compose(
            affine, scale_and_shift(full_width / width, full_height / height, 0.0, 0.0)
        )
    bounded.setflags(write=False)
    return ToolResult({**facts, "size": [width, height]}, bounded, source_index, affine)
