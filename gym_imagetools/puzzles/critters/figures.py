"""Figures of coloured parts, which can be moved, scaled, turned and recoloured one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import cos, radians, sin

import numpy as np

from gym_imagetools.puzzles.critters.outlines import Outline
from gym_imagetools.puzzles.drawing.canvas import Color

Figure = tuple["Part", ...]
"""Parts in the order they are painted."""


@dataclass(frozen=True, eq=False)
class Patch:
    """A polygon and its colour: a role, which is a field of :class:`Coat`, or the colour itself."""

    outline: Outline
    role: str | Color


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a figure.

    Attributes:
        slot: What it is: a slot of a critter, or ``body``.
        patches: Its polygons in the order they are painted.
        is_outer: Whether it is seen in the figure's shadow; inner parts lie on the body.
    """

    slot: str
    patches: tuple[Patch, ...]
    is_outer: bool

    @property
    def center(self) -> tuple[float, float]:
        """The middle of its box."""
        points = np.concatenate([patch.outline for patch in self.patches])
        x, y = (points.min(axis=0) + points.max(axis=0)) / 2
        return float(x), float(y)

    def moved(
        self,
        shift: tuple[float, float] = (0.0, 0.0),
        scale: float = 1.0,
        degrees: float = 0.0,
        about: tuple[float, float] | None = None,
    ) -> Part:
        """Return the part scaled and turned clockwise about a point (its centre), then shifted."""
        pivot = np.array(self.center if about is None else about)
        x, y = cos(radians(degrees)) * scale, sin(radians(degrees)) * scale
        turn = np.array([[x, y], [-y, x]])
        return replace(
            self,
            patches=tuple(
                Patch((patch.outline - pivot) @ turn + pivot + shift, patch.role)
                for patch in self.patches
            ),
        )


@dataclass(frozen=True)
class Coat:
    """The colours of a figure, by role.

    Attributes:
        body: The body.
        limb: Arms, feet, tail and ears.
        belly: What is painted on the belly, and the insides of ears.
        accent: Marks and balls.
        white: Whites of the eyes, teeth.
        ink: Outlines, pupils, mouths.
    """

    body: Color
    limb: Color
    belly: Color
    accent: Color
    white: Color = (255, 255, 255)
    ink: Color = (40, 34, 58)

    def color(self, role: str | Color) -> Color:
        """Return the colour of a role; a colour is itself."""
        if not isinstance(role, str):
            return role
        found: Color = getattr(self, role)
        return found


COATS: tuple[Coat, ...] = (
    Coat((92, 178, 170), (60, 142, 140), (226, 244, 214), (240, 96, 84)),
    Coat((244, 156, 96), (222, 118, 66), (255, 232, 190), (92, 92, 190)),
    Coat((150, 132, 214), (116, 96, 184), (232, 222, 252), (250, 184, 62)),
    Coat((240, 130, 150), (214, 92, 122), (255, 224, 220), (64, 150, 168)),
    Coat((126, 184, 96), (92, 150, 70), (238, 246, 196), (232, 84, 118)),
    Coat((100, 160, 222), (66, 124, 190), (216, 236, 252), (250, 164, 66)),
    Coat((236, 190, 78), (206, 154, 48), (255, 242, 204), (210, 72, 92)),
    Coat((176, 130, 108), (142, 98, 80), (244, 224, 200), (76, 160, 140)),
)


def with_part(figure: Figure, slot: str, change: Callable[[Part], Part]) -> Figure:
    """Return the figure with the part of one slot changed."""
    return tuple(change(part) if part.slot == slot else part for part in figure)


def recolored(part: Part, coat: Coat, away: Sequence[int]) -> Part:
    """Return the part with red, green and blue of each colour moved by so much, within 0..255."""

    def moved(role: str | Color) -> Color:
        red, green, blue = np.clip(np.add(coat.color(role), away), 0, 255).tolist()
        return red, green, blue

    return replace(
        part, patches=tuple(Patch(patch.outline, moved(patch.role)) for patch in part.patches)
    )
