"""The net under a metro map: octilinear lines on a lattice, their stops, and how far it is.

Points of the lattice are (column, row). A line moves by one of eight steps from point to point.
Where two lines share a point both go straight on; they are joined there only at an interchange.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

Place = tuple[int, int]
"""Column and row of a point of the lattice."""

STEPS: tuple[Place, ...] = tuple(
    (right, down) for right in (-1, 0, 1) for down in (-1, 0, 1) if right or down
)
"""The eight steps by which a line may go on."""

_MARGIN = 0.085  # around the lattice, of the picture's side
_STRAIGHT_SHARE = 0.72  # of steps that go on as before
_MAX_LINES_TRIED = 120
_LEAST_MEETINGS = 2  # of a new line with the earlier ones


@dataclass(frozen=True)
class Lattice:
    """Where the points of a square lattice lie in a square picture.

    Attributes:
        side: Points along a side.
        size: Side of the picture, in any unit.
    """

    side: int
    size: float

    @property
    def pitch(self) -> float:
        """The distance of neighbours."""
        return self.size * (1 - 2 * _MARGIN) / (self.side - 1)

    def point(self, column: float, row: float) -> tuple[float, float]:
        """Return x and y of a point of the lattice, or of one between its points."""
        return (
            _MARGIN * self.size + column * self.pitch,
            _MARGIN * self.size + row * self.pitch,
        )

    def nearest(self, x: float, y: float) -> Place:
        """Return the point of the lattice nearest to x and y."""
        margin = _MARGIN * self.size
        return round((x - margin) / self.pitch), round((y - margin) / self.pitch)


@dataclass(frozen=True)
class Net:
    """Lines by the points they run through.

    Attributes:
        lines: The points of each line, from end to end.
        stops: Where trains stop; an interchange is a stop that two lines share.
    """

    lines: tuple[tuple[Place, ...], ...]
    stops: frozenset[Place]

    @property
    def interchanges(self) -> frozenset[Place]:
        """The stops of two lines."""
        return shared(self.lines) & self.stops

    @property
    def is_connected(self) -> bool:
        """Whether every stop can be reached from every other."""
        return len(distances(self.hops(), min(self.stops))) == len(self.stops)

    def hops(self) -> dict[Place, list[Place]]:
        """Return the next stops of every stop."""
        near: dict[Place, list[Place]] = {stop: [] for stop in sorted(self.stops)}
        for line in self.lines:
            served = [place for place in line if place in self.stops]
            for here, there in pairwise(served):
                near[here].append(there)
                near[there].append(here)
        return near

    def rides(self) -> dict[Place, list[Place]]:
        """Return the stops that can be reached from every stop without a change."""
        near: dict[Place, list[Place]] = {stop: [] for stop in sorted(self.stops)}
        for line in self.lines:
            served = [place for place in line if place in self.stops]
            for stop in served:
                near[stop] += [other for other in served if other != stop]
        return near


def distances(near: dict[Place, list[Place]], start: Place) -> dict[Place, int]:
    """Return the fewest steps to every place that can be reached."""
    steps, queue = {start: 0}, deque([start])
    while queue:
        here = queue.popleft()
        for there in near[here]:
            if there not in steps:
                steps[there] = steps[here] + 1
                queue.append(there)
    return steps


def shared(lines: Iterable[Sequence[Place]]) -> frozenset[Place]:
    """Return the points of more than one line."""
    counts = Counter(place for line in lines for place in line)
    return frozenset(place for place, count in counts.items() if count > 1)


def draw_lines(rng: np.random.Generator, side: int, count: int) -> tuple[tuple[Place, ...], ...]:
    """Draw lines across a lattice; fewer than ``count`` when there is no room for another."""
    lines: list[tuple[Place, ...]] = []
    for number in range(count):
        for _ in range(_MAX_LINES_TRIED):
            line = _draw_line(rng, side, is_upright=bool((number + int(rng.random() < 0.2)) % 2))
            if all(_fits(line, other) for other in lines) and _meetings(line, lines) >= min(
                number, _LEAST_MEETINGS
            ):
                lines.append(line)
                break
    return tuple(lines)


def _draw_line(rng: np.random.Generator, side: int, *, is_upright: bool) -> tuple[Place, ...]:
    """Draw a line that goes on by one column, or one row, with every step."""
    draws = iter(rng.random(2 * side + 4).tolist())
    first, last = int(2 * next(draws)), side - 1 - int(2 * next(draws))
    across, turn = int(side * next(draws)), int(3 * next(draws)) - 1
    points = [(first, across)]
    for along in range(first + 1, last + 1):
        if next(draws) > _STRAIGHT_SHARE:
            turn = min(max(turn + (1 if next(draws) < 0.5 else -1), -1), 1)
        if not 0 <= across + turn < side:
            turn = 0
        across += turn
        points.append((along, across))
    return tuple((across, along) if is_upright else (along, across) for along, across in points)


def _meetings(line: Sequence[Place], others: Iterable[Sequence[Place]]) -> int:
    """Return how many points a line shares with others."""
    return sum(len(set(line).intersection(other)) for other in others)


def _fits(line: Sequence[Place], other: Sequence[Place]) -> bool:
    """Whether two lines share only points that both go straight through, and cross nowhere else."""
    for place in set(line).intersection(other):
        headings = [_heading_through(one, place) for one in (line, other)]
        if None in headings or headings[0] == headings[1]:
            return False
    return not _diagonals(line) & _diagonals(other)


def _heading_through(line: Sequence[Place], place: Place) -> frozenset[Place] | None:
    """Return the two opposite steps away from a point, or None where the line bends or ends."""
    index = line.index(place)
    if index in (0, len(line) - 1):
        return None
    steps = [(x - place[0], y - place[1]) for x, y in (line[index - 1], line[index + 1])]
    is_straight = steps[0] == (-steps[1][0], -steps[1][1])
    return frozenset(steps) if is_straight else None


def _diagonals(line: Sequence[Place]) -> set[tuple[float, float]]:
    """Return the middles of the squares that a line crosses."""
    return {
        ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
        for a, b in pairwise(line)
        if a[0] != b[0] and a[1] != b[1]
    }
