"""Critters: flat little monsters put together from parts, for puzzles that compare figures.

A critter is a body and one value for each slot (ears, eyes, mouth, ...). Its parts are polygons
in a unit box around the origin, x to the right and y downwards, so that a puzzle can move, scale
or recolour one part of it, turn it, mirror it, or draw its shadow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import cos, pi, radians, sin

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.puzzles.drawing.canvas import Color

Outline = NDArray[np.float64]
"""A polygon of shape (points, 2)."""

Figure = tuple["Part", ...]
"""Parts in the order they are painted."""


@dataclass(frozen=True, eq=False)
class Patch:
    """A polygon and its colour: a role, which is a field of :class:`Coat`, or the colour itself."""

    outline: Outline
    role: str | Color


@dataclass(frozen=True, eq=False)
class Part:
    """What a slot's value adds to a critter.

    Attributes:
        slot: The slot, or ``body``.
        patches: Its polygons in the order they are painted.
        is_outer: Whether it is a part of the critter's shadow; inner parts lie on the body.
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
    """The colours of a critter, by role.

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
        return np.stack([self.width * x * (1 + self.pear * y), _MIDDLE + self.height * y], axis=1)

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return the point at parts -1..1 of the half width (at that height) and half height."""
        return self.width * (1 + self.pear * y) * x, _MIDDLE + self.height * y


_MIDDLE = 0.03
_BODIES = ((0.23, 0.25, 2.1, -0.05), (0.28, 0.29, 3.6, 0.18))


def draw_body(rng: np.random.Generator) -> Body:
    """Draw a body."""
    width, height, power, pear = rng.uniform(*_BODIES).tolist()
    return Body(round(width, 4), round(height, 4), round(power, 3), round(pear, 3))


def build(body: Body, values: Mapping[str, str]) -> Figure:
    """Return the parts of a critter.

    Args:
        body: Its body.
        values: A value of :data:`SLOTS` for each slot.
    """

    def part(slot: str) -> Part:
        patches = tuple(Patch(outline, role) for outline, role in SLOTS[slot][values[slot]](body))
        return Part(slot, patches, slot in OUTER_SLOTS)

    trunk = Part("body", (Patch(body.outline, "body"),), True)
    inner = (part(slot) for slot in SLOTS if slot not in OUTER_SLOTS)
    return (*(part(slot) for slot in OUTER_SLOTS), trunk, *inner)


def draw_values(rng: np.random.Generator) -> dict[str, str]:
    """Draw a value for each slot."""
    return {slot: str(rng.choice(list(values))) for slot, values in SLOTS.items()}


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


def ellipse(x: float, y: float, rx: float, ry: float | None = None, degrees: float = 0) -> Outline:
    """Return an ellipse turned clockwise; a circle without ``ry``."""
    angle = np.linspace(0, 2 * pi, 32, endpoint=False)
    across, down = rx * np.cos(angle), (rx if ry is None else ry) * np.sin(angle)
    c, s = cos(radians(degrees)), sin(radians(degrees))
    return np.stack([x + across * c - down * s, y + across * s + down * c], axis=1)


def band(points: Sequence[tuple[float, float]] | Outline, *widths: float) -> Outline:
    """Return a line along points, as wide as the widths say from its start to its end."""
    line = np.asarray(points, dtype=np.float64)
    ahead = np.gradient(line, axis=0)
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


Drawing = list[tuple[Outline, str]]
Value = Callable[[Body], Drawing]


def _both(draw: Callable[[int], Drawing]) -> Drawing:
    return [*draw(-1), *draw(1)]


def _bear(body: Body) -> Drawing:
    x, y = body.at(0.72, -0.84)
    return _both(lambda s: [(ellipse(s * x, y, 0.09), "limb"), (ellipse(s * x, y, 0.048), "belly")])


def _cat(body: Body) -> Drawing:
    x, y = body.at(0.6, -0.72)

    def ear(s: int) -> Drawing:
        tip = (s * (x + 0.06), y - 0.2)
        outer = np.array([(s * (x - 0.11), y - 0.04), tip, (s * (x + 0.1), y + 0.08)])
        return [(outer, "limb"), ((outer - outer.mean(0)) * 0.5 + outer.mean(0), "belly")]

    return _both(ear)


def _bunny(body: Body) -> Drawing:
    x, y = body.at(0.42, -0.95)

    def ear(s: int) -> Drawing:
        middle = (s * (x + 0.02), y - 0.1)
        return [
            (ellipse(*middle, 0.06, 0.145, s * 10), "limb"),
            (ellipse(*middle, 0.028, 0.09, s * 10), "belly"),
        ]

    return _both(ear)


def _antennae(body: Body) -> Drawing:
    x, y = body.at(0.38, -0.85)

    def feeler(s: int) -> Drawing:
        tip = (s * (x + 0.075), y - 0.17)
        return [(band([(s * x, y), tip], 0.034), "limb"), (ellipse(*tip, 0.047), "accent")]

    return _both(feeler)


def _horns(body: Body) -> Drawing:
    x, y = body.at(0.62, -0.72)
    return _both(
        lambda s: [
            (band([(s * x, y), (s * (x + 0.06), y - 0.1), (s * (x + 0.03), y - 0.21)], 0.12, 0.012),
             "belly")
        ]
    )  # fmt: skip


def _tuft(body: Body) -> Drawing:
    _, y = body.at(0, -0.92)
    leaves = ((-0.085, -38), (0.085, 38), (0.0, 0))
    return [(ellipse(x, y - 0.075 + abs(x) / 3, 0.042, 0.11, turn), "limb") for x, turn in leaves]


def _eye(x: float, y: float, radius: float, gaze: float = 0.0, pupil: float = 0.52) -> Drawing:
    look = x + gaze * radius * (1 - pupil) * 0.85
    return [
        (ellipse(x, y, radius), "white"),
        (ellipse(look, y, radius * pupil), "ink"),
        (ellipse(look - radius * 0.16, y - radius * 0.18, radius * 0.15), "white"),
    ]


def _two_eyes(gaze: float) -> Value:
    def draw(body: Body) -> Drawing:
        x, y = body.at(0.38, -0.36)
        return _both(lambda s: _eye(s * x, y, 0.074, gaze))

    return draw


def _one_eye(body: Body) -> Drawing:
    return _eye(*body.at(0, -0.36), 0.11)


def _three_eyes(body: Body) -> Drawing:
    x, y = body.at(0.5, -0.3)
    return [*_both(lambda s: _eye(s * x, y, 0.054)), *_eye(0, y - 0.045, 0.054)]


def _sleepy(body: Body) -> Drawing:
    x, y = body.at(0.4, -0.34)
    return _both(
        lambda s: [(arc(s * x, y - 0.02, 0.066, 0.05, 10, 170, 0.012, 0.03, 0.012), "ink")]
    )


def _smile(body: Body) -> Drawing:
    return [(arc(*body.at(0, 0.0), 0.085, 0.065, 15, 165, 0.014, 0.032, 0.014), "ink")]


def _open(body: Body) -> Drawing:
    x, y = body.at(0, 0.13)
    return [(ellipse(x, y, 0.05, 0.058), "ink"), (ellipse(x, y + 0.026, 0.03, 0.024), "accent")]


def _flat(body: Body) -> Drawing:
    x, y = body.at(0, 0.12)
    return [(band([(x - 0.075, y), (x + 0.075, y)], 0.028), "ink")]


def _grin(body: Body) -> Drawing:
    x, y = body.at(0, 0.12)
    half = np.array([(-0.1, -0.035), (0.1, -0.035), (0.07, 0.04), (-0.07, 0.04)])
    teeth = [
        np.array([(d - 0.02, -0.035), (d + 0.02, -0.035), (d, 0.012)]) for d in (-0.05, 0, 0.05)
    ]
    at = np.array((x, y))
    return [(half + at, "ink"), *((tooth + at, "white") for tooth in teeth)]


def _fang(side: int) -> Value:
    def draw(body: Body) -> Drawing:
        x, y = body.at(0, 0.1)
        fang = np.array([(0.008, 0.008), (0.08, 0.008), (0.044, 0.088)]) * (side, 1) + (x, y)
        return [(fang, "white"), (band([(x - 0.09, y), (x + 0.09, y)], 0.028), "ink")]

    return draw


def _oval(body: Body) -> Drawing:
    return [(ellipse(*body.at(0, 0.62), 0.105, 0.068), "belly")]


def _stripes(body: Body) -> Drawing:
    return [
        (band([body.at(-0.48, level), body.at(0.48, level)], 0.03), "belly")
        for level in (0.45, 0.63, 0.81)
    ]


def _dots(body: Body) -> Drawing:
    places = ((-0.36, 0.52), (0, 0.48), (0.36, 0.52), (-0.2, 0.76), (0.2, 0.76))
    return [(ellipse(*body.at(*place), 0.03), "belly") for place in places]


def _star(body: Body) -> Drawing:
    return [(star(*body.at(0, 0.63), 0.09), "belly")]


def _buttons(*levels: float) -> Value:
    def draw(body: Body) -> Drawing:
        return [(ellipse(*body.at(0, level), 0.03), "accent") for level in levels]

    return draw


def _arms(left: int, right: int) -> Value:
    def draw(body: Body) -> Drawing:
        x, y = body.at(0.86, 0.04)

        def arm(side: int, up: int) -> Drawing:
            hand = (side * (x + 0.14), y - 0.15 if up else y + 0.075)
            elbow = (side * (x + 0.085), y + (-0.01 if up else 0.0))
            line = band([(side * x, y), elbow, hand], 0.085, 0.06, 0.05)
            return [(line, "limb"), (ellipse(*hand, 0.044), "limb")]

        return [*arm(-1, left), *arm(1, right)]

    return draw


def _round_feet(body: Body) -> Drawing:
    x, y = body.at(0.5, 0.97)
    return _both(lambda s: [(ellipse(s * x, y + 0.03, 0.088, 0.056), "limb")])


def _stubs(body: Body) -> Drawing:
    x, y = body.at(0.58, 0.86)
    return [(ellipse(d, y + 0.075, 0.048, 0.085), "limb") for d in (-x, 0.0, x)]


def _boots(body: Body) -> Drawing:
    x, y = body.at(0.42, 0.88)
    return _both(
        lambda s: [
            (band([(s * x, y), (s * x, y + 0.11)], 0.085), "limb"),
            (ellipse(s * (x + 0.035), y + 0.115, 0.09, 0.038), "accent"),
        ]
    )


def _curl(side: int) -> Value:
    def draw(body: Body) -> Drawing:
        x, y = body.at(0.84, 0.7)
        turn = arc(side * (x + 0.05), y - 0.025, side * 0.09, 0.08, 130, -50, 0.06, 0.06, 0.04)
        return [(turn, "limb"), (ellipse(side * (x + 0.108), y - 0.086, 0.026), "limb")]

    return draw


def _spike(side: int) -> Value:
    def draw(body: Body) -> Drawing:
        x, y = body.at(0.72, 0.74)
        line = [(side * x, y), (side * (x + 0.1), y + 0.02), (side * (x + 0.2), y - 0.03)]
        return [(band(line, 0.13, 0.07, 0.012), "limb")]

    return draw


def _cheeks(*sides: int) -> Value:
    def draw(body: Body) -> Drawing:
        x, y = body.at(0.66, 0.04)
        return [(ellipse(side * x, y, 0.04, 0.032), "accent") for side in sides]

    return draw


SLOTS: dict[str, dict[str, Value]] = {
    "tail": {
        "curl left": _curl(-1),
        "curl right": _curl(1),
        "spike left": _spike(-1),
        "spike right": _spike(1),
    },
    "ears": {
        "bear": _bear,
        "cat": _cat,
        "bunny": _bunny,
        "antennae": _antennae,
        "horns": _horns,
        "tuft": _tuft,
    },
    "arms": {
        "down": _arms(0, 0),
        "up": _arms(1, 1),
        "left up": _arms(1, 0),
        "right up": _arms(0, 1),
    },
    "feet": {"round": _round_feet, "stubs": _stubs, "boots": _boots},
    "eyes": {
        "left": _two_eyes(-1),
        "right": _two_eyes(1),
        "ahead": _two_eyes(0),
        "one": _one_eye,
        "three": _three_eyes,
        "sleepy": _sleepy,
    },
    "mouth": {
        "smile": _smile,
        "open": _open,
        "flat": _flat,
        "grin": _grin,
        "left fang": _fang(-1),
        "right fang": _fang(1),
    },
    "belly": {
        "oval": _oval,
        "stripes": _stripes,
        "dots": _dots,
        "star": _star,
        "two buttons": _buttons(0.42, 0.86),
        "three buttons": _buttons(0.42, 0.64, 0.86),
    },
    "cheeks": {"left": _cheeks(-1), "right": _cheeks(1), "both": _cheeks(-1, 1)},
}
"""The values of each slot, in the order parts are painted."""

OUTER_SLOTS = ("tail", "ears", "arms", "feet")
"""Slots whose parts are seen in the shadow; they are painted behind the body."""

INNER_SLOTS = tuple(slot for slot in SLOTS if slot not in OUTER_SLOTS)
"""Slots whose parts lie on the body."""
