"""Braids: lines that run side by side and meet in pairs, where they cross or only come near.

Lanes lie side by side along the slots, like the courses of a brick wall: in one slot every even
lane may meet the next one, in the next slot every odd lane. At a meeting two lines cross, or each
turns back into its lane. Outside of a small box around the meeting the two look exactly alike, so
where a line ends depends on nothing that a small preview shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2, cos, pi, sin
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.errors import GenerationError
from gym_imagetools.puzzles.drawing.canvas import Point

Points = NDArray[np.float64]
"""Points (x, y), shape (n, 2)."""

DIRECTIONS = ("left to right", "right to left", "top to bottom", "bottom to top")
"""How the lines run from their lettered ends to their other ends."""

MARGIN = 0.105  # of the picture's side, before the first slot and behind the last
_SIDE_MARGIN = 0.05  # beside the outer lanes
_MAX_PATTERNS = 60
_SAMPLES = 17  # points of a piece of line
_TURN_REACH = 0.95  # how far the handles of a turning line reach, of its box's radius
_SLOPES = (0.70, 0.96)  # least and steepest angle of lines at a meeting, in radians
_WARP_SLOPE = 0.13  # of each of the two waves along an axis


class Meeting(NamedTuple):
    """Where the lines in lanes ``lane`` and ``lane + 1`` meet."""

    slot: int
    lane: int


@dataclass(frozen=True)
class Braid:
    """Lines by the lane they start in.

    Attributes:
        lanes: How many lines there are.
        slots: How many slots there are.
        meetings: Where lines meet, slot by slot.
        crossed: Whether the lines of each meeting cross.
    """

    lanes: int
    slots: int
    meetings: tuple[Meeting, ...]
    crossed: tuple[bool, ...]

    def routes(self) -> NDArray[np.int64]:
        """Return the lane of every line before each slot and at the end, (slots + 1, lanes)."""
        lane_of = np.arange(self.lanes)
        routes = [lane_of.copy()]
        for slot in range(self.slots):
            for meeting, crosses in zip(self.meetings, self.crossed, strict=True):
                if meeting.slot == slot and crosses:
                    upper, lower = lane_of == meeting.lane, lane_of == meeting.lane + 1
                    lane_of[upper], lane_of[lower] = meeting.lane + 1, meeting.lane
            routes.append(lane_of.copy())
        return np.array(routes)


def draw_meetings(
    rng: np.random.Generator, lanes: int, slots: int, count: int, *, reach_all: bool = True
) -> tuple[Meeting, ...]:
    """Draw where lines meet: every line somewhere.

    Args:
        rng: Random numbers.
        lanes: How many lines there are.
        slots: Places along a line where it can meet others.
        count: How often two lines meet.
        reach_all: Whether each line must be able to end in any lane.

    Raises:
        GenerationError: No pattern was found.
    """
    for _ in range(_MAX_PATTERNS):
        phase = int(rng.integers(2))
        wall = [
            Meeting(slot, lane)
            for slot in range(slots)
            for lane in range((slot + phase) % 2, lanes - 1, 2)
        ]
        if len(wall) < count:
            continue
        kept = np.sort(rng.choice(len(wall), count, replace=False))
        meetings = tuple(wall[index] for index in kept)
        if len({lane + side for _, lane in meetings for side in (0, 1)}) < lanes:
            continue
        if not reach_all or all(min(_chances(meetings, lanes, end)[0]) > 0 for end in range(lanes)):
            return meetings
    raise GenerationError(f"Expected a pattern of meetings in {_MAX_PATTERNS} draws, got none")


def draw_crossings_to(
    rng: np.random.Generator, meetings: Sequence[Meeting], lanes: int, start: int, end: int
) -> tuple[bool, ...]:
    """Draw uniformly among all crossings that lead one line to its end."""
    chances = _chances(meetings, lanes, end)
    crossed, here = [], start
    for meeting, after in zip(meetings, chances[1:], strict=True):
        crosses = bool(rng.integers(2))
        if here in (meeting.lane, meeting.lane + 1):
            there = 2 * meeting.lane + 1 - here
            crosses = bool(rng.random() * (after[here] + after[there]) < after[there])
            here = there if crosses else here
        crossed.append(crosses)
    return tuple(crossed)


def draw_crossings_of_any_order(
    rng: np.random.Generator, meetings: Sequence[Meeting], lanes: int
) -> tuple[tuple[bool, ...], int]:
    """Draw crossings so that every order in which lines can end is equally likely.

    Returns:
        The crossings, and the number of possible orders.
    """
    bits = (np.arange(2 ** len(meetings))[:, None] >> np.arange(len(meetings))) & 1
    line_at = np.tile(np.arange(lanes), (len(bits), 1))
    for meeting, crosses in zip(meetings, bits.T == 1, strict=True):
        pair = [meeting.lane, meeting.lane + 1]
        line_at[np.ix_(crosses, pair)] = line_at[np.ix_(crosses, pair[::-1])]
    codes = line_at @ (lanes ** np.arange(lanes))
    orders = np.unique(codes)
    chosen = np.flatnonzero(codes == rng.choice(orders))
    return tuple((bits[rng.choice(chosen)] == 1).tolist()), len(orders)


def _chances(meetings: Sequence[Meeting], lanes: int, end: int) -> list[list[float]]:
    """Return for each lane, before each meeting and at last, the chance to end in ``end``.

    Each line crosses or turns at each meeting with equal chances.
    """
    after = [float(lane == end) for lane in range(lanes)]
    chances = [after]
    for meeting in reversed(meetings):
        before = list(chances[-1])
        mean = (before[meeting.lane] + before[meeting.lane + 1]) / 2
        before[meeting.lane] = before[meeting.lane + 1] = mean
        chances.append(before)
    return chances[::-1]


@dataclass(frozen=True)
class Frame:
    """How a braid lies in its picture.

    Attributes:
        size: Side of the picture in pixels.
        lanes: Number of lanes.
        slots: Number of slots.
        stroke: Width of the lines in pixels.
        gap: Least clear space between lines that come near, in pixels.
        direction: One of :data:`DIRECTIONS`.
        waves: Periods and phases, in thousandths, of the four waves that bend the lanes.
    """

    size: int
    lanes: int
    slots: int
    stroke: float
    gap: float
    direction: str
    waves: tuple[tuple[int, int], ...]

    @property
    def pitch(self) -> tuple[float, float]:
        """From slot to slot and from lane to lane, in pixels."""
        along = self.size * (1 - 2 * MARGIN) / (self.slots + 1)
        return along, self.size * (1 - 2 * _SIDE_MARGIN) / self.lanes

    @property
    def slope(self) -> float:
        """The angle of lines at a meeting, in radians."""
        along, across = self.pitch
        return min(max(atan2(across, along), _SLOPES[0]), _SLOPES[1])

    @property
    def box_radius(self) -> float:
        """From a meeting to where crossing and turning lines begin to differ, in pixels."""
        apex = (self.gap * 1.3 + self.stroke) / 2  # the waves may press lines together
        return apex / ((1 - 0.75 * _TURN_REACH) * sin(self.slope))

    def place(self, points: Points) -> Points:
        """Return where points along and across straight lanes, in pixels, lie in the picture."""
        along, across = points[:, 0], points[:, 1]
        inside = np.clip((along / self.size - MARGIN) / (1 - 2 * MARGIN), 0, 1)
        for period, phase in self.waves[:2]:  # the ends of the lines stay on one line
            along = along + np.sin(pi * inside) * self._wave(points[:, 1], period, phase)
        for period, phase in self.waves[2:]:
            across = across + self._wave(points[:, 0], period, phase)
        if self.direction in ("right to left", "bottom to top"):
            along = self.size - along
        is_level = self.direction in DIRECTIONS[:2]
        return np.stack([along, across] if is_level else [across, along], axis=1)

    def _wave(self, places: Points, period: int, phase: int) -> Points:
        """Return the height of a wave at some places, all in pixels."""
        turn = 2 * pi * period / 1000 / self.size
        return np.sin(places * turn + 2 * pi * phase / 1000) * _WARP_SLOPE / turn

    def meeting_at(self, meeting: Meeting) -> Point:
        """Return the middle of a meeting in the picture."""
        x, y = self.place(np.array([self._meeting(meeting)]))[0].tolist()
        return x, y

    def end_at(self, lane: int, *, is_start: bool, outwards: float = 0.0) -> Point:
        """Return the end of a lane in the picture, moved outwards by some pixels."""
        across = self._middle(lane)
        along = MARGIN * self.size if is_start else (1 - MARGIN) * self.size
        (point,) = self.place(np.array([(along, across)]))
        step = outwards * (-1 if is_start else 1)
        step = -step if self.direction in ("right to left", "bottom to top") else step
        shift = (step, 0.0) if self.direction in DIRECTIONS[:2] else (0.0, step)
        return float(point[0] + shift[0]), float(point[1] + shift[1])

    def _meeting(self, meeting: Meeting) -> Point:
        along, across = self.pitch
        return (
            self.size * MARGIN + (meeting.slot + 1) * along,
            self.size * _SIDE_MARGIN + (meeting.lane + 1) * across,
        )

    def _middle(self, lane: int) -> float:
        return self.size * _SIDE_MARGIN + (lane + 0.5) * self.pitch[1]


def draw_waves(rng: np.random.Generator) -> tuple[tuple[int, int], ...]:
    """Draw how the lanes of a frame are bent."""
    return tuple((int(rng.integers(600, 1500)), int(rng.integers(1000))) for _ in range(4))


def straight_lines(braid: Braid, frame: Frame) -> list[Points]:
    """Return the lines as points along and across straight lanes, to be placed by the frame."""
    routes = braid.routes()
    crossed = dict(zip(braid.meetings, braid.crossed, strict=True))
    return [_line(frame, crossed, routes[:, line].tolist()) for line in range(braid.lanes)]


def _line(frame: Frame, crossed: dict[Meeting, bool], route: Sequence[int]) -> Points:
    slope, radius = frame.slope, frame.box_radius
    right, down = cos(slope), sin(slope)
    begin = (frame.size * MARGIN, frame._middle(route[0]))
    pieces, here, heading = [], begin, (1.0, 0.0)
    for slot, lane in enumerate(route[:-1]):
        side = next((s for s in (1, -1) if Meeting(slot, lane - (s < 0)) in crossed), 0)
        if not side:
            continue
        meeting = Meeting(slot, lane - (side < 0))
        x, y = frame._meeting(meeting)
        inwards = (right, side * down)
        port = (x - radius * inwards[0], y - radius * inwards[1])
        out_heading = inwards if crossed[meeting] else (right, -side * down)
        leave = (x + radius * out_heading[0], y + radius * out_heading[1])
        pieces.append(_bend(here, heading, port, inwards, _distance(here, port)))
        pieces.append(_bend(port, inwards, leave, out_heading, 3 * _TURN_REACH * radius))
        here, heading = leave, out_heading
    end = (frame.size * (1 - MARGIN), frame._middle(route[-1]))
    pieces.append(_bend(here, heading, end, (1.0, 0.0), _distance(here, end)))
    return np.concatenate([pieces[0], *(piece[1:] for piece in pieces[1:])])


def _bend(here: Point, heading: Point, there: Point, arriving: Point, pull: float) -> Points:
    """Return a cubic Hermite curve whose tangents at both ends are ``pull`` long."""
    t = np.linspace(0, 1, _SAMPLES)[:, None]
    back = 1 - t
    first, last = np.array([here]), np.array([there])
    leave, arrive = np.array([heading]) * pull, np.array([arriving]) * pull
    return np.asarray(
        first * back**2 * (1 + 2 * t)
        + last * t**2 * (3 - 2 * t)
        + leave * t * back**2
        - arrive * t**2 * back
    )


def _distance(here: Point, there: Point) -> float:
    return float(np.hypot(there[0] - here[0], there[1] - here[1]))
