"""Edits of a figure's outline: ears, arms, feet and tails turned, scaled or slid along the body."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gym_imagetools.puzzles.critters.bodies import MIDDLE
from gym_imagetools.puzzles.critters.figures import Figure, Part, Patch, with_part

KINDS = ("turn", "scale", "slide")
"""Turned or scaled about where it leaves the body, or turned about the body's middle."""

_MOST_TURN, _MOST_SCALE, _MOST_SLIDE = 70.0, 1.9, 30.0


@dataclass(frozen=True)
class Edit:
    """A change of one slot's part.

    Attributes:
        slot: The slot.
        side: -1 for the left half of the part, 1 for the right one, 0 for both alike.
        kind: One of :data:`KINDS`.
        amount: -1..1, of the strongest.
    """

    slot: str
    side: int
    kind: str
    amount: float

    def apply(self, figure: Figure) -> Figure:
        """Return the figure with the change made."""
        return with_part(figure, self.slot, self._changed)

    def _changed(self, part: Part) -> Part:
        sides = (self.side,) if self.side else (-1, 1)
        patches = [patch for side in (-1, 0, 1) for patch in self._half(part, side, side in sides)]
        return replace(part, patches=tuple(patches))

    def _half(self, part: Part, side: int, is_changed: bool) -> tuple[Patch, ...]:
        """Return the patches on one side of the middle; those in the middle are on side 0."""
        half = tuple(patch for patch in part.patches if _side(patch) == side)
        if not half or not is_changed:
            return half
        return self._moved(replace(part, patches=half), side).patches

    def _moved(self, half: Part, side: int) -> Part:
        if self.kind == "scale":
            return half.moved(scale=_MOST_SCALE**self.amount, about=_root(half))
        if self.kind == "turn":
            return half.moved(degrees=side * self.amount * _MOST_TURN, about=_root(half))
        return half.moved(degrees=side * self.amount * _MOST_SLIDE, about=(0.0, MIDDLE))


def _side(patch: Patch) -> int:
    x = float(patch.outline[:, 0].sum())
    return 0 if abs(x) < 1e-6 else 1 if x > 0 else -1


def _root(half: Part) -> tuple[float, float]:
    """Return the point of a part nearest to the body's middle."""
    points = np.concatenate([patch.outline for patch in half.patches])
    x, y = points[np.hypot(points[:, 0], points[:, 1] - MIDDLE).argmin()].tolist()
    return x, y
