"""Arguments of a call as the pivot scorer reads them: leniently, for it only compares.

A tool refuses more than this does; whether a call can run is not asked here. Nothing raises,
whatever a model wrote. What cannot be read is None.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any, TypeVar

from gym_imagetools.coordinates import Box, Point, order_corners

_Number = TypeVar("_Number", int, float)


def read_float(value: Any) -> float | None:
    """Read a number or its text as a float, which may be NaN or infinite."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def read_int(value: Any) -> int | None:
    """Read a number or its text as an integer; a fraction is cut towards 0."""
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return None


def read_box(value: Any) -> Box | None:
    """Read four numbers as a box with ordered corners: a list, its JSON text, or bare numbers.

    One number that is not finite makes all four NaN, and the box meets no other.
    """
    parts = value
    if isinstance(value, str):
        parts = _decode(value)
        if parts is None:
            parts = value.strip("[]() \t\r\n").replace(",", " ").split()
    numbers = _read_list(parts, read_float)
    if numbers is None or len(numbers) != 4:
        return None
    if not all(map(math.isfinite, numbers)):
        return math.nan, math.nan, math.nan, math.nan
    x1, y1, x2, y2 = numbers
    return order_corners((x1, y1, x2, y2))


def read_point(value: Any) -> Point | None:
    """Read two numbers as a point: a list or its JSON text."""
    numbers = _read_list(_decode(value) if isinstance(value, str) else value, read_float)
    return (numbers[0], numbers[1]) if numbers is not None and len(numbers) == 2 else None


def read_color(value: Any) -> tuple[int, int, int] | None:
    """Read three whole numbers as a colour: a list or its JSON text. No names, no hex digits."""
    channels = _read_list(_decode(value) if isinstance(value, str) else value, read_int)
    if channels is None or len(channels) != 3:
        return None
    return channels[0], channels[1], channels[2]


def read_indices(value: Any) -> list[int] | None:
    """Read the indices of pictures: a list or its JSON text, or one index alone."""
    decoded = _decode(value) if isinstance(value, str) else value
    return [decoded] if isinstance(decoded, int) else _read_list(decoded, read_int)


def _read_list(value: Any, read: Callable[[Any], _Number | None]) -> list[_Number] | None:
    if not isinstance(value, (list, tuple)):
        return None
    numbers = [number for item in value if (number := read(item)) is not None]
    return numbers if len(numbers) == len(value) else None


def _decode(text: str) -> Any:
    """Return what the JSON text says, None when it is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
