"""Bodies of critters, on which all other parts find their places."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np

from gym_imagetools.puzzles.critters.outlines import Outline


@dataclass(frozen=True)
class Body:
    """The body: a rounded box about ``(0, 0.03)``.

    Attributes:
        width: Half its width.
        height: Half its height.
        power: 2 is an ellipse, larger is boxier.
        pear: How much wider it is at the bottom than at the top.
    """

    width: float
    height: float
    power: float
    pear: float

    @property
    def outline(self) -> Outline:
        """The polygon."""
        angle = np.linspace(0, 2 * pi, 56, endpoint=False)
        x, y = (np.sign(f) * abs(f) ** (2 / self.power) for f in (np.cos(angle), np.sin(angle)))
        return np.stack([self.width * x * (1 + self.pear * y), MIDDLE + self.height * y], axis=1)

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return the point at parts -1..1 of the half width (at that height) and half height."""
        return self.width * (1 + self.pear * y) * x, MIDDLE + self.height * y


MIDDLE = 0.03
"""How far below the origin the middle of every body is."""

_BODIES = ((0.23, 0.25, 2.1, -0.05), (0.28, 0.29, 3.6, 0.18))


def draw_body(rng: np.random.Generator) -> Body:
    """Draw a body."""
    width, height, power, pear = rng.uniform(*_BODIES).tolist()
    return Body(round(width, 4), round(height, 4), round(power, 3), round(pear, 3))
