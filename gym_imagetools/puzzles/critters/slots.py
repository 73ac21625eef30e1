"""Slots of critters and their values: what a part looks like on a body."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gym_imagetools.puzzles.critters.bodies import Body
from gym_imagetools.puzzles.critters.outlines import Outline, arc, band, ellipse, star

Drawing = list[tuple[Outline, str]]
"""Polygons and their roles in the order they are painted."""

Value = Callable[[Body], Drawing]
"""Draws a value of a slot on a body."""


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
