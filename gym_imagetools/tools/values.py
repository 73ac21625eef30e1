"""Readers of the values a model writes: lenient in notation, strict in meaning.

Digit strings and integral floats are integers, numeric strings are numbers; booleans are neither,
fractions are no integers, and no number is picked out of a sentence. Each reader raises
``ValueError`` for what it cannot read; the sentence the model gets is made where all errors are.
"""

from __future__ import annotations

import math
import re

from gym_imagetools.coordinates import Box, Point, is_box_of_fractions, order_corners
from gym_imagetools.errors import ToolError
from gym_imagetools.tools.echo import as_text, echo

Color = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""

CAPTION_LIMIT = 80

_INTEGER = re.compile(r"\s*[-+]?[0-9]{1,18}\s*")
_NUMBER = re.compile(r"\s*[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\s*")
_SEPARATOR = re.compile(r"\s*,\s*|\s+")
_LONGEST_LIST = 200


def read_integer(value: object) -> int:
    """Read an integer, a float without a fraction, or a string of digits."""
    if isinstance(value, str) and _INTEGER.fullmatch(value):
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    raise ValueError("not an integer")


def read_number(value: object) -> float:
    """Read a finite number or a string that is just one."""
    if isinstance(value, str):
        number = float(value) if _NUMBER.fullmatch(value) else math.nan
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        number = float(value) if abs(value) < 1e308 else math.inf
    else:
        raise ValueError("not a number")
    if not math.isfinite(number):
        raise ValueError("not a finite number")
    return number


def read_box(value: object) -> Box:
    """Read four numbers, as a list or as the text of one, and order the corners.

    Raises:
        ValueError: The value is not four numbers.
        ToolError: The box is in fractions of the picture.
    """
    items = _split_list(value) if isinstance(value, str) else _items(value)
    if len(items) != 4:
        raise ValueError("not four numbers")
    x1, y1, x2, y2 = (read_number(item) for item in items)
    if is_box_of_fractions((x1, y1, x2, y2)):
        raise ToolError(
            "Expected the box in thousandths of the picture (0-1000), got fractions between 0 "
            f"and 1 {echo([round(v, 4) for v in (x1, y1, x2, y2)])}, multiply each by 1000."
        )
    return order_corners((x1, y1, x2, y2))


def read_point(value: object) -> Point:
    """Read a list of two numbers within 0..1000."""
    x, y = (read_number(item) for item in _items(value))
    if not (0 <= x <= 1000 and 0 <= y <= 1000):
        raise ValueError("outside of the picture")
    return x, y


def read_color(value: object) -> Color:
    """Read a list of three integers within 0..255."""
    red, green, blue = (read_integer(item) for item in _items(value))
    if not all(0 <= channel <= 255 for channel in (red, green, blue)):
        raise ValueError("outside of 0-255")
    return red, green, blue


def read_optional_color(value: object) -> Color | None:
    """Read a colour, or null for none."""
    return None if value is None else read_color(value)


def read_indices(value: object) -> tuple[int, ...]:
    """Read a list of integers."""
    return tuple(read_integer(item) for item in _items(value))


def read_captions(value: object) -> tuple[str, ...]:
    """Read a list of texts; anything empty means no captions."""
    if not value:
        return ()
    return tuple(as_text(item, CAPTION_LIMIT) for item in _items(value))


def read_axis(value: object) -> str:
    """Read ``horizontal`` or ``vertical``, spelled just so."""
    if value not in ("horizontal", "vertical"):
        raise ValueError("not an axis")
    return str(value)


def _items(value: object) -> list[object]:
    if not isinstance(value, (list, tuple)):
        raise ValueError("not a list")
    return list(value)


def _split_list(text: str) -> list[object]:
    if len(text) > _LONGEST_LIST:
        raise ValueError("too long for a list of four numbers")
    inner = text.strip()
    if inner[:1] + inner[-1:] in ("[]", "()"):
        inner = inner[1:-1].strip()
    return [*_SEPARATOR.split(inner)]
