"""The arguments of each tool: one frozen model a tool, and the way from JSON into it.

The docstring of a model is the tool's description, and the descriptions of its fields are both
what a model reads in the schema and what an error says was expected.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
)

from gym_imagetools.coordinates import Box, Point
from gym_imagetools.errors import ToolError
from gym_imagetools.tools import values
from gym_imagetools.tools.echo import as_text, echo
from gym_imagetools.tools.values import Color


def _array(kind: str, length: int, maximum: int) -> WithJsonSchema:
    items = {"type": kind, "minimum": 0, "maximum": maximum}
    return WithJsonSchema({"type": "array", "items": items, "minItems": length, "maxItems": length})


Label = Annotated[
    str,
    BeforeValidator(as_text),
    Field(description="Short text that says what the call is for."),
]
ImageIndex = Annotated[
    int,
    Field(
        ge=0,
        description="Index of the picture to work on, from 0: the pictures of the question "
        "first, then the picture of every tool call in order.",
    ),
    BeforeValidator(values.read_integer),
]
FirstIndex = Annotated[
    int,
    Field(ge=0, description="Index of the first picture, from 0."),
    BeforeValidator(values.read_integer),
]
SecondIndex = Annotated[
    int,
    Field(ge=0, description="Index of the second picture, from 0; it is resized to the first."),
    BeforeValidator(values.read_integer),
]
BoxArgument = Annotated[
    Box,
    _array("number", 4, 1000),
    Field(
        description="Region as four numbers [x1, y1, x2, y2] in thousandths of the picture: "
        "0-1000 from its top left, x to the right, y down, x first; corners in any order."
    ),
    BeforeValidator(values.read_box),
]
PointArgument = Annotated[
    Point,
    _array("number", 2, 1000),
    Field(
        description="Point as two numbers [x, y] in thousandths of the picture: 0-1000 from "
        "its top left, x to the right, y down."
    ),
    BeforeValidator(values.read_point),
]
_COLOR = _array("integer", 3, 255)
Tolerance = Annotated[
    int,
    Field(ge=0, le=255, description="Largest difference in each channel, a whole number 0-255."),
    BeforeValidator(values.read_integer),
]
MinSize = Annotated[
    int,
    Field(ge=1, description="Smallest area that counts, in pixels, a whole number from 1."),
    BeforeValidator(values.read_integer),
]


class ToolArgs(BaseModel):
    """What every call carries. Unknown keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    tool: ClassVar[str]
    measures: ClassVar[bool] = False
    """Whether the tool is called for its facts, and not for its picture alone."""

    label: Label = ""

    @property
    def image_indices(self) -> tuple[int, ...]:
        """Indices of the pictures the call reads, in the order it names them."""
        raise NotImplementedError


class OnePicture(ToolArgs):
    """Arguments of a tool that reads one picture."""

    img_idx: ImageIndex = 0

    @property
    def image_indices(self) -> tuple[int, ...]:
        """The one index."""
        return (self.img_idx,)


class TwoPictures(ToolArgs):
    """Arguments of a tool that reads two pictures."""

    img_idx_a: FirstIndex
    img_idx_b: SecondIndex

    @property
    def image_indices(self) -> tuple[int, ...]:
        """The first picture's index and the second's."""
        return (self.img_idx_a, self.img_idx_b)


ARGUMENTS: dict[str, type[ToolArgs]] = {}
"""The argument model of each tool, by the name a model calls it."""

_Model = TypeVar("_Model", bound=type[ToolArgs])


def arguments_of(tool: str) -> Callable[[_Model], _Model]:
    """Make a class the argument model of a tool.

    Args:
        tool: The name a model calls the tool by.

    Raises:
        ValueError: The name is taken.
    """

    def add(model: _Model) -> _Model:
        if tool in ARGUMENTS:
            raise ValueError(f"Expected a new tool name, got {tool!r}, which exists.")
        model.tool = tool
        ARGUMENTS[tool] = model
        return model

    return add


@arguments_of("image_zoom_in_tool")
class ZoomArgs(OnePicture):
    """Cut a region out of a picture and return it magnified, to see fine detail."""

    bbox_2d: BoxArgument
    factor: Annotated[
        float,
        Field(gt=0, description="Magnification, a number above 0: 2 for context, 4-6 for detail."),
        BeforeValidator(values.read_number),
    ] = 3.0


@arguments_of("image_crop_tool")
class CropArgs(OnePicture):
    """Cut a region out of a picture and return it at its own scale."""

    bbox_2d: BoxArgument


@arguments_of("image_rotate_tool")
class RotateArgs(OnePicture):
    """Rotate a picture counter-clockwise; the result is large enough for it, corners white."""

    degrees: Annotated[
        float,
        Field(description="Counter-clockwise angle in degrees, a finite number."),
        BeforeValidator(values.read_number),
    ]


@arguments_of("image_flip_tool")
class FlipArgs(OnePicture):
    """Mirror a picture."""

    axis: Annotated[
        Literal["horizontal", "vertical"],
        Field(description='"horizontal" swaps left and right, "vertical" swaps top and bottom.'),
        BeforeValidator(values.read_axis),
    ]


@arguments_of("image_diff_tool")
class DiffArgs(TwoPictures):
    """Compare two pictures pixel by pixel: how much differs, where, and a heat map."""

    measures = True


@arguments_of("image_side_by_side_tool")
class SideBySideArgs(ToolArgs):
    """Place two to six pictures from left to right at one height, with optional captions."""

    img_indices: Annotated[
        tuple[Annotated[int, Field(ge=0)], ...],
        Field(
            min_length=2,
            max_length=6,
            description="Indices of two to six pictures, from 0, in the order to place them.",
        ),
        BeforeValidator(values.read_indices),
    ]
    labels: Annotated[
        tuple[str, ...],
        Field(description="A list of captions, one a picture; may be left out."),
        BeforeValidator(values.read_captions),
    ] = ()

    @property
    def image_indices(self) -> tuple[int, ...]:
        """The indices from left to right; one may come twice."""
        return self.img_indices


@arguments_of("image_overlay_tool")
class OverlayArgs(TwoPictures):
    """Blend two pictures, to see whether their contents coincide."""

    alpha: Annotated[
        float,
        Field(ge=0, le=1, description="Share of the second picture, a number 0-1."),
        BeforeValidator(values.read_number),
    ] = 0.5


@arguments_of("count_objects_tool")
class CountObjectsArgs(OnePicture):
    """Count connected objects by colour; returns their boxes and a picture that numbers them."""

    measures = True

    color: Annotated[
        Annotated[Color, _COLOR] | None,
        Field(
            description="Colour to count as three whole numbers [red, green, blue], each 0-255; "
            "without it, everything unlike the border is counted."
        ),
        BeforeValidator(values.read_optional_color),
    ] = None
    tolerance: Tolerance = 40
    min_size: MinSize = 30


@arguments_of("find_color_tool")
class FindColorArgs(OnePicture):
    """Find a colour in a picture; returns where it is and a picture with matches in magenta."""

    measures = True

    color: Annotated[
        Color,
        _COLOR,
        Field(description="Colour to find as three whole numbers [red, green, blue], each 0-255."),
        BeforeValidator(values.read_color),
    ]
    tolerance: Tolerance = 40
    min_size: MinSize = 20


@arguments_of("color_at_tool")
class ColorAtArgs(OnePicture):
    """Read the colour of the pixel at a point, with a magnified view around it."""

    measures = True

    point_2d: PointArgument


def parse_arguments(name: object, arguments: object, num_images: int) -> ToolArgs:
    """Check a call and read its arguments.

    Args:
        name: The tool's name as a model wrote it.
        arguments: The arguments as a model wrote them.
        num_images: How many pictures there are; indices are checked against it.

    Returns:
        The arguments as the tool's own model; its ``image_indices`` are the pictures to load.

    Raises:
        ToolError: There is no such tool, or no such picture, or an argument cannot be used.
    """
    model = _model_of(name)
    if not isinstance(arguments, Mapping):
        raise ToolError(f"Expected the arguments as a JSON object, got {echo(arguments)}.")
    known = {key: arguments[key] for key in model.model_fields if key in arguments}
    try:
        args = model.model_validate(known)
    except ValidationError as error:
        raise ToolError(_explain(model, error)) from None
    _check_indices(args.image_indices, num_images)
    return args


def _model_of(name: object) -> type[ToolArgs]:
    if isinstance(name, str) and name in ARGUMENTS:
        return ARGUMENTS[name]
    likely = difflib.get_close_matches(as_text(name, 80), ARGUMENTS, n=1)
    advice = f"Did you mean {likely[0]}?" if likely else f"The tools are {', '.join(ARGUMENTS)}."
    raise ToolError(f"Expected the name of a tool, got {echo(name)}. {advice}")


def _explain(model: type[ToolArgs], error: ValidationError) -> str:
    first: Any = error.errors(include_url=False, include_context=False)[0]
    field = str(first["loc"][0])
    description = model.model_fields[field].description or ""
    expected = description[:1].lower() + description[1:]
    got = "nothing" if first["type"] == "missing" else echo(first["input"])
    return f"Expected {field}: {expected} Got {got}."


def _check_indices(indices: tuple[int, ...], num_images: int) -> None:
    if num_images == 0:
        raise ToolError("Expected a picture to work on, got a question without pictures.")
    for index in indices:
        if index >= num_images:
            raise ToolError(
                f"Expected the index of a picture, 0 to {num_images - 1}, got {echo(index)}."
            )
