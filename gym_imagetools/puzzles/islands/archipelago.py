"""Archipelagos: lobes of land that almost touch, some of which a narrow bridge joins.

Where two lobes meet there is either a channel or a bridge of the same length, so from afar the
number of islands cannot be told from the lobes and the groups they form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.errors import GenerationError
from gym_imagetools.puzzles.drawing.canvas import Point

Discs = NDArray[np.float64]
"""x, y and radius in pixels of the discs that make up land, of shape (discs, 3)."""

Ends = tuple[Point, Point]
"""The centres of the two discs at which lobes meet."""

_BUMPS = (5, 8)
_MAX_DARTS, _MAX_BERTHS = 300, 120


@dataclass(frozen=True)
class Bounds:
    """Left, top, right and bottom in pixels that land stays within."""

    left: float
    top: float
    right: float
    bottom: float

    def hold(self, discs: Discs) -> bool:
        """Return whether all discs lie inside."""
        x, y, radius = discs.T
        return bool(
            (x - radius >= self.left).all()
            and (x + radius <= self.right).all()
            and (y - radius >= self.top).all()
            and (y + radius <= self.bottom).all()
        )


@dataclass(frozen=True)
class Plan:
    """What an archipelago is made of.

    Attributes:
        islands: Islands.
        lobes: Lobes, each of many discs.
        groups: Groups of lobes that almost touch.
    """

    islands: int
    lobes: int
    groups: int

    @classmethod
    def draw(cls, rng: np.random.Generator, islands: int, fewest: int, most: int) -> Plan:
        """Draw lobes and groups, which tell nothing about the number of islands.

        With any of them every number from the fewest to the most islands is possible.
        """
        lobes = int(rng.integers(most, most + max(2, most // 2) + 1))
        groups = int(rng.integers(max(1, fewest // 2), fewest + 1))
        return cls(islands, lobes, groups)


@dataclass(frozen=True, eq=False)
class Contact:
    """The two discs at which lobes meet, and whether a bridge joins them."""

    ends: Ends
    is_bridged: bool


@dataclass(frozen=True, eq=False)
class Archipelago:
    """Land: the discs of each lobe, and how lobes meet."""

    lobes: tuple[Discs, ...]
    contacts: tuple[Contact, ...]

    def packed(self) -> str:
        """Return lobes and bridges in hexadecimal: x, y and radius of the first disc of each."""
        table = np.rint([lobe[0] for lobe in self.lobes]).astype(">u2")
        bridged = np.packbits([contact.is_bridged for contact in self.contacts])
        return f"{table.tobytes().hex()}-{bridged.tobytes().hex()}"


class Sea:
    """Water in which archipelagos are placed.

    Args:
        rng: Draws where they lie.
        radii: Smallest and largest radius of a lobe in pixels.
        gap: Width of a channel where lobes meet, in pixels.
        clear: Least distance of lobes that do not meet, in pixels.
    """

    def __init__(
        self, rng: np.random.Generator, radii: tuple[float, float], gap: float, clear: float
    ) -> None:
        self._rng, self._radii, self._gap, self._clear = rng, radii, gap, clear
        self._discs = np.empty((0, 3))

    def place(self, plan: Plan, bounds: Bounds) -> Archipelago:
        """Place an archipelago clear of those that are there.

        Raises:
            GenerationError: There is no room.
        """
        lobes = [self._lay(self._dart(bounds)) for _ in range(plan.groups)]
        ends: list[Ends] = []
        for _ in range(plan.lobes - plan.groups):
            lobe, where = self._berth(lobes, bounds)
            lobes.append(self._lay(lobe))
            ends.append(where)
        bridged = self._rng.permutation(len(ends)) < plan.lobes - plan.islands
        contacts = map(Contact, ends, bridged.tolist())
        return Archipelago(tuple(self._discs[lobe] for lobe in lobes), tuple(contacts))

    def _lay(self, lobe: Discs) -> slice:
        """Add a lobe and return which of all discs are its own."""
        before = len(self._discs)
        self._discs = np.concatenate([self._discs, lobe])
        return slice(before, len(self._discs))

    def _dart(self, bounds: Bounds) -> Discs:
        """Return a lobe at a free place."""
        lobe = self._draw_lobe()
        places = self._rng.uniform(
            (bounds.left, bounds.top), (bounds.right, bounds.bottom), (_MAX_DARTS, 2)
        )
        for place in places:
            moved = _moved(lobe, place)
            if bounds.hold(moved) and self._is_clear(moved, self._discs):
                return moved
        raise GenerationError(f"Expected room for a lobe after {_MAX_DARTS} darts, got none")

    def _berth(self, lobes: Sequence[slice], bounds: Bounds) -> tuple[Discs, Ends]:
        """Return a lobe that almost touches one of these, and the discs where it does."""
        lobe = self._draw_lobe()
        for _ in range(_MAX_BERTHS):
            own = lobes[int(self._rng.integers(len(lobes)))]
            partner, angle = self._discs[own], self._rng.uniform(0, 2 * pi)
            upon = _moved(lobe, partner[0, :2])
            moved, (mine, other) = _bring_near(upon, partner, angle, self._gap)
            if not bounds.hold(moved):
                continue
            others = np.concatenate([self._discs[: own.start], self._discs[own.stop :]])
            if self._is_clear(moved, others):
                (x, y, _), (other_x, other_y, _) = moved[mine].tolist(), partner[other].tolist()
                return moved, ((x, y), (other_x, other_y))
        raise GenerationError(f"Expected room beside a lobe after {_MAX_BERTHS} tries, got none")

    def _is_clear(self, lobe: Discs, others: Discs) -> bool:
        away = np.hypot(*(lobe[:, None, :2] - others[:, :2]).transpose(2, 0, 1))
        return bool((away - lobe[:, None, 2] - others[:, 2] >= self._clear).all())

    def _draw_lobe(self) -> Discs:
        """Return a lobe about the origin: a disc with bumps all around."""
        rng, radius = self._rng, self._rng.uniform(*self._radii)
        count = int(rng.integers(*_BUMPS))
        angles = rng.uniform(0, 2 * pi) + np.arange(count) * 2 * pi / count
        angles += rng.uniform(-0.25, 0.25, count)
        sizes = radius * rng.uniform(0.32, 0.5, count)
        reach = radius * rng.uniform(0.92, 1.0, count) - sizes
        bumps = np.stack([reach * np.cos(angles), reach * np.sin(angles), sizes], axis=1)
        return np.concatenate([[(0.0, 0.0, 0.72 * radius)], bumps])


def _bring_near(
    lobe: Discs, partner: Discs, angle: float, gap: float
) -> tuple[Discs, tuple[int, int]]:
    """Return a lobe that lies upon its partner moved away until just a gap is between them.

    And the discs of both that are nearest. Two discs are apart by the gap where the vector between
    their centres is as long as their radii and the gap: a quadratic in how far the lobe is moved.
    """
    ahead = np.array((cos(angle), sin(angle)))
    between = lobe[:, None, :2] - partner[:, :2]
    reach = lobe[:, None, 2] + partner[:, 2] + gap
    along = between @ ahead
    under_root = along**2 - (between**2).sum(axis=2) + reach**2
    away = np.where(under_root >= 0, np.sqrt(np.maximum(under_root, 0)) - along, -np.inf)
    mine, other = divmod(int(away.argmax()), len(partner))
    return _moved(lobe, away[mine, other] * ahead), (mine, other)


def _moved(lobe: Discs, shift: NDArray[np.float64]) -> Discs:
    moved: Discs = lobe + np.append(shift, 0.0)
    return moved
