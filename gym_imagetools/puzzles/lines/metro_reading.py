"""How the oracle reads a metro map from blocks.

It knows the lattice. What runs from point to point, and where trains stop, it must see.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from gym_imagetools.puzzles.eye import Blocks
from gym_imagetools.puzzles.lines.metro_net import STEPS, Lattice, Net, Place

_COLORED = 28  # of 255, between the channels: paper, ink and labels have hardly any colour
_SEEN_AT = (0.35, 0.65)  # of a step: between what is drawn around its ends


def read_net(blocks: Blocks, lattice: Lattice) -> Net:
    """Read all lines and stops from blocks of the whole picture."""
    color = np.ptp(blocks, axis=2).astype(np.float32)
    seen = Lattice(lattice.side, len(blocks))
    places = [(x, y) for x in range(lattice.side) for y in range(lattice.side)]
    steps = {
        (place, step)
        for place in places
        for step in STEPS
        if all(_is_colored(color, seen, place, step, share) for share in _SEEN_AT)
    }
    served = {place for place, _ in steps}
    stops = (place for place in served if not _is_colored(color, seen, place, (0, 0), 0))
    return Net(_trace(steps), frozenset(stops))


def _is_colored(
    color: NDArray[np.float32], seen: Lattice, place: Place, step: Place, share: float
) -> bool:
    """Whether there is colour at a share of a step from a point."""
    x, y = seen.point(place[0] + share * step[0], place[1] + share * step[1])
    return float(cv2.getRectSubPix(color, (1, 1), (x - 0.5, y - 0.5))[0, 0]) > _COLORED


def _trace(steps: set[tuple[Place, Place]]) -> tuple[tuple[Place, ...], ...]:
    """Return lines from end to end; where lines cross, they go straight on."""
    leaving: dict[Place, list[Place]] = {}
    for place, step in sorted(steps):
        leaving.setdefault(place, []).append(step)
    ends = [place for place, away in leaving.items() if len(away) == 1]
    lines = [_follow(leaving, end) for end in ends]
    return tuple(line for line in lines if line[0] < line[-1])


def _follow(leaving: dict[Place, list[Place]], end: Place) -> tuple[Place, ...]:
    line, step = [end], leaving[end][0]
    while len(line) <= len(leaving):
        here = (line[-1][0] + step[0], line[-1][1] + step[1])
        line.append(here)
        onward = [s for s in leaving.get(here, []) if s != (-step[0], -step[1])]
        if not onward:
            break
        step = step if step in onward else onward[0]
    return tuple(line)
