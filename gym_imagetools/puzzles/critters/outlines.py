"""Outlines: the polygons that figures are made of, x to the right and y downwards."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, radians, sin

import numpy as np
from numpy.typing import NDArray

Outline = NDArray[np.float64]
"""A polygon of shape (points, 2)."""

_TURN = np.linspace(0, 2 * pi, 32, endpoint=False)
_COSINES, _SINES = np.cos(_TURN), np.sin(_TURN)


def ellipse(x: float, y: float, rx: float, ry: float | None = None, degrees: float = 0) -> Outline:
    """Return an ellipse turned clockwise; a circle without ``ry``."""
    across, down = rx * _COSINES, (rx if ry is None else ry) * _SINES
    c, s = cos(radians(degrees)), sin(radians(degrees))
    return np.stack([x + across * c - down * s, y + across * s + down * c], axis=1)


def band(points: Sequence[tuple[float, float]] | Outline, *widths: float) -> Outline:
    """Return a line along points, as wide as the widths say from its start to its end."""
    line = np.asarray(points, dtype=np.float64)
    ahead = np.concatenate(
        [line[1:2] - line[:1], (line[2:] - line[:-2]) / 2, line[-1:] - line[-2:-1]]
    )
    normal = np.stack([-ahead[:, 1], ahead[:, 0]], axis=1) / np.hypot(*ahead.T)[:, None]
    width = np.interp(np.linspace(0, 1, len(line)), np.linspace(0, 1, len(widths)), widths)
    half = normal * width[:, None] / 2
    return np.concatenate([line + half, (line - half)[::-1]])


def arc(
    x: float, y: float, rx: float, ry: float, start: float, end: float, *widths: float
) -> Outline:
    """Return a band along an ellipse from one angle to another, in degrees clockwise from 3 h."""
    angle = np.radians(np.linspace(start, end, 14))
    return band(np.stack([x + rx * np.cos(angle), y + ry * np.sin(angle)], axis=1), *widths)


def star(x: float, y: float, radius: float, points: int = 5, inner: float = 0.48) -> Outline:
    """Return a star with one point up."""
    angle = np.arange(2 * points) * pi / points - pi / 2
    reach = radius * np.where(np.arange(2 * points) % 2 == 0, 1.0, inner)
    return np.stack([x + reach * np.cos(angle), y + reach * np.sin(angle)], axis=1)
