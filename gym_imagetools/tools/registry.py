"""The tools: each a name, a description, its argument model and a pure function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

from gym_imagetools.images.decode import to_pixels
from gym_imagetools.tools import arguments as models
from gym_imagetools.tools import color, compare, geometry
from gym_imagetools.tools.arguments import ARGUMENTS, ToolArgs, arguments_of, parse_arguments
from gym_imagetools.tools.result import Resample, ToolResult, ToolSettings
from gym_imagetools.tools.schemas import (
    FUNCTION_TOOLS,
    PARAMETERS,
    describe,
    function_tool,
    parameters_of,
)
from gym_imagetools.types import Pixels

Kernel = Callable[[Any, Mapping[int, Pixels], ToolSettings], ToolResult]
"""Takes the tool's arguments, the pictures they name by index, and the settings."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    Attributes:
        name: What a model calls it by.
        description: What it does, for a model.
        arguments: The model of its arguments.
        run: The function that does it.
    """

    name: str
    description: str
    arguments: type[ToolArgs]
    run: Kernel


_KERNELS: dict[type[ToolArgs], Kernel] = {
    models.ZoomArgs: geometry.zoom,
    models.CropArgs: geometry.crop,
    models.RotateArgs: geometry.rotate,
    models.FlipArgs: geometry.flip,
    models.DiffArgs: compare.diff,
    models.SideBySideArgs: compare.side_by_side,
    models.OverlayArgs: compare.overlay,
    models.CountObjectsArgs: color.count_objects,
    models.FindColorArgs: color.find_color,
    models.ColorAtArgs: color.color_at,
}

TOOLS: dict[str, Tool] = {
    name: Tool(name, describe(model), model, _KERNELS[model]) for name, model in ARGUMENTS.items()
}
"""Every tool by the name a model calls it."""


def add_tool(name: str, arguments: type[ToolArgs], kernel: Kernel) -> Tool:
    """Add a tool of your own; from then on every environment offers it.

    Args:
        name: What a model calls it by.
        arguments: The model of its arguments; its docstring and the descriptions of its fields
            are what a model reads.
        kernel: The function that does it: pure, on read-only pictures.

    Raises:
        ValueError: The name is taken, or the model has no docstring.
    """
    if not arguments.__doc__:
        raise ValueError(
            f"Expected {arguments.__name__} to have a docstring, got none; it describes "
            f"{name!r} to models."
        )
    arguments_of(name)(arguments)
    PARAMETERS[name] = parameters_of(arguments)
    FUNCTION_TOOLS.append(function_tool(name, arguments))
    TOOLS[name] = Tool(name, describe(arguments), arguments, kernel)
    return TOOLS[name]


def run(args: ToolArgs, pictures: Mapping[int, Pixels], settings: ToolSettings) -> ToolResult:
    """Run a call whose arguments have been read.

    Args:
        args: What :func:`parse_arguments` returned.
        pictures: Pixels of the pictures that ``args.image_indices`` names, by index.
        settings: The environment's settings.

    Raises:
        ToolError: The call has no meaning on this picture, such as an empty region.
    """
    return TOOLS[args.tool].run(args, pictures, settings)


def run_tool(
    name: str,
    arguments: Mapping[str, Any],
    images: Sequence[Image.Image | np.ndarray[Any, Any]],
    *,
    crop_min_pixels: int = ToolSettings.crop_min_pixels,
    crop_max_pixels: int = ToolSettings.crop_max_pixels,
    resample: Resample = ToolSettings.resample,
) -> ToolResult:
    """Run one call of a tool on pictures at hand.

    Args:
        name: The tool's name, a key of :data:`TOOLS`.
        arguments: Its arguments as a model writes them.
        images: PIL images or arrays; the arguments name them by index, from 0.
        crop_min_pixels: Least area of a zoomed picture.
        crop_max_pixels: Largest area of a zoomed picture.
        resample: How zoom enlarges, ``exact`` or ``fast``.

    Returns:
        The facts and the new picture. The images are left as they are.

    Raises:
        ToolError: The call cannot be run; the message is for the model that wrote it.
        ValueError: A setting is outside of its range.
    """
    settings = ToolSettings(crop_min_pixels, crop_max_pixels, resample)
    args = parse_arguments(name, arguments, len(images))
    pictures = {index: to_pixels(images[index]) for index in args.image_indices}
    return run(args, pictures, settings)
