"""A stroke font of our own, A-Z and 0-9, for characters that carry an answer.

Fonts differ between machines; these polylines do not. Each character lies in a box 4 wide and 6
high, x to the right and y downwards. ``|`` lifts the pen.
"""

from __future__ import annotations

from functools import cache

Polyline = tuple[tuple[float, float], ...]
"""Points (x, y) of one stroke, each within -0.5..0.5 of the character's centre."""

SAFE_ALPHABET = "ACDEFGHJKLMNPQRTUVWXYZ234679"
"""Characters that cannot be taken for one another: without O/0, I/1, S/5 and B/8."""

_BOX_WIDTH, _BOX_HEIGHT = 4.0, 6.0

_STROKES: dict[str, str] = {
    "A": "0,6 2,0 4,6|.8,3.8 3.2,3.8",
    "B": "0,3 0,0 2.8,0 3.7,.8 3.7,2.2 2.8,3 0,3 0,6 3,6 4,5.1 4,3.9 3,3",
    "C": "4,1 3,0 1,0 0,1 0,5 1,6 3,6 4,5",
    "D": "0,0 2.6,0 4,1.4 4,4.6 2.6,6 0,6 0,0",
    "E": "4,0 0,0 0,6 4,6|0,3 3.2,3",
    "F": "4,0 0,0 0,6|0,3 3.2,3",
    "G": "4,1 3,0 1,0 0,1 0,5 1,6 3,6 4,5 4,3.2 2.4,3.2",
    "H": "0,0 0,6|4,0 4,6|0,3 4,3",
    "I": "2,0 2,6|1,0 3,0|1,6 3,6",
    "J": "4,0 4,5 3,6 1,6 0,5",
    "K": "0,0 0,6|4,0 0,3.7|1.5,2.3 4,6",
    "L": "0,0 0,6 4,6",
    "M": "0,6 0,0 2,3.5 4,0 4,6",
    "N": "0,6 0,0 4,6 4,0",
    "O": "1,0 3,0 4,1 4,5 3,6 1,6 0,5 0,1 1,0",
    "P": "0,6 0,0 3,0 4,.9 4,2.4 3,3.3 0,3.3",
    "Q": "1,0 3,0 4,1 4,5 3,6 1,6 0,5 0,1 1,0|2.4,4.4 4,6",
    "R": "0,6 0,0 3,0 4,.9 4,2.4 3,3.3 0,3.3|2,3.3 4,6",
    "S": "4,.9 3,0 1,0 0,.9 0,2.1 1,3 3,3 4,3.9 4,5.1 3,6 1,6 0,5.1",
    "T": "0,0 4,0|2,0 2,6",
    "U": "0,0 0,5 1,6 3,6 4,5 4,0",
    "V": "0,0 2,6 4,0",
    "W": "0,0 1,6 2,2.5 3,6 4,0",
    "X": "0,0 4,6|4,0 0,6",
    "Y": "0,0 2,3 4,0|2,3 2,6",
    "Z": "0,0 4,0 0,6 4,6",
    "0": "1,0 3,0 4,1 4,5 3,6 1,6 0,5 0,1 1,0|.5,5.5 3.5,.5",
    "1": ".7,1.4 2,0 2,6|.7,6 3.3,6",
    "2": "0,1 1,0 3,0 4,1 4,2.2 0,6 4,6",
    "3": "0,.9 1,0 3,0 4,.9 4,2.1 3,3 1.5,3|3,3 4,3.9 4,5.1 3,6 1,6 0,5.1",
    "4": "3.1,6 3.1,0 0,4.2 4,4.2",
    "5": "3.8,0 .4,0 0,2.9 1,2.4 3,2.4 4,3.3 4,5 3,6 1,6 0,5.1",
    "6": "3.6,.6 2.8,0 1.2,0 0,1.2 0,5 1,6 3,6 4,5 4,3.7 3,2.8 1,2.8 0,3.7",
    "7": "0,0 4,0 1.4,6",
    "8": "1,3 .2,2.2 .2,.9 1,0 3,0 3.8,.9 3.8,2.2 3,3 1,3 0,3.9 0,5.1 1,6 3,6 4,5.1 4,3.9 3,3",
    "9": ".4,5.4 1.2,6 2.8,6 4,4.8 4,1 3,0 1,0 0,1 0,2.3 1,3.2 3,3.2 4,2.3",
}

CHARACTERS = "".join(_STROKES)
"""Every character the font has."""


@cache
def glyph(character: str) -> tuple[Polyline, ...]:
    """Return the strokes of a character of height 1 around the origin, y downwards.

    Raises:
        ValueError: The font has no such character.
    """
    if character not in _STROKES:
        raise ValueError(f"Expected one of {CHARACTERS}, got {character!r}")
    return tuple(_polyline(stroke) for stroke in _STROKES[character].split("|"))


def _polyline(stroke: str) -> Polyline:
    points = (point.split(",") for point in stroke.split())
    return tuple(
        ((float(x) - _BOX_WIDTH / 2) / _BOX_HEIGHT, (float(y) - _BOX_HEIGHT / 2) / _BOX_HEIGHT)
        for x, y in points
    )
