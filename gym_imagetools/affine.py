"""Affine maps between the pixel coordinates of two pictures.

A map is two rows ``((a, b, c), (d, e, f))``: the point (x, y) goes to
(a·x + b·y + c, d·x + e·y + f). Plain tuples: hashable, picklable, and ``np.asarray`` of one has
shape (2, 3).
"""

from __future__ import annotations

from gym_imagetools.coordinates import Box, Point, order_corners

Affine = tuple[tuple[float, float, float], tuple[float, float, float]]

IDENTITY: Affine = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))


def scale_and_shift(scale_x: float, scale_y: float, shift_x: float, shift_y: float) -> Affine:
    """Return the map that scales about the origin, then shifts."""
    return ((scale_x, 0.0, shift_x), (0.0, scale_y, shift_y))


def compose(outer: Affine, inner: Affine) -> Affine:
    """Return the map that applies ``inner`` first and ``outer`` to its result."""
    (a, b, c), (d, e, f) = outer
    (p, q, r), (s, t, u) = inner
    return (
        (a * p + b * s, a * q + b * t, a * r + b * u + c),
        (d * p + e * s, d * q + e * t, d * r + e * u + f),
    )


def invert(affine: Affine) -> Affine:
    """Return the map back.

    Raises:
        ValueError: The map flattens the plane and cannot be undone.
    """
    (a, b, c), (d, e, f) = affine
    determinant = a * e - b * d
    if determinant == 0:
        raise ValueError(f"Expected a map with an inverse, got {affine!r}.")
    a, b, d, e = e / determinant, -b / determinant, -d / determinant, a / determinant
    return ((a, b, -(a * c + b * f)), (d, e, -(d * c + e * f)))


def apply(affine: Affine, point: Point) -> Point:
    """Return where the map takes the point."""
    (a, b, c), (d, e, f) = affine
    x, y = point
    return a * x + b * y + c, d * x + e * y + f


def map_box(affine: Affine, box: Box) -> Box:
    """Return the upright box around the mapped box; exact unless the map turns by odd angles."""
    x1, y1, x2, y2 = order_corners(box)
    corners = [apply(affine, corner) for corner in ((x1, y1), (x2, y1), (x1, y2), (x2, y2))]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return min(xs), min(ys), max(xs), max(ys)
