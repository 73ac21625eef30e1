"""A controller that moves each family's difficulty by how often it is solved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gym_imagetools.puzzles.puzzle import LEVELS, checked_difficulty
from gym_imagetools.types import Task


class AdaptiveDifficulty:
    """Raises a family's level when it is mostly solved and lowers it when it is mostly not.

    A family's level is judged by its last ``window`` episodes at that level; a move starts a new
    window. The decisions depend on the history alone. One controller may serve several
    environments; its state is a JSON object.

    Args:
        window: Episodes at one level before it may move, >= 1.
        raise_at: Success rate from which on the level goes up, above ``lower_at``, <= 1.
        lower_at: Success rate up to which the level goes down, >= 0.
        start: Level of a family that has not been seen yet, 1 to 5.

    Raises:
        ValueError: An argument is out of range.
    """

    def __init__(
        self,
        *,
        window: int = 20,
        raise_at: float = 0.8,
        lower_at: float = 0.4,
        start: int = 1,
    ) -> None:
        if window < 1:
            raise ValueError(f"Expected window to be an integer from 1 on, got {window!r}")
        if not 0.0 <= lower_at < raise_at <= 1.0:
            raise ValueError(
                f"Expected 0 <= lower_at < raise_at <= 1, got lower_at={lower_at!r} and "
                f"raise_at={raise_at!r}"
            )
        self._window = window
        self._raise_at = raise_at
        self._lower_at = lower_at
        self._start = checked_difficulty(start)
        self._levels: dict[str, int] = {}
        self._recent: dict[str, list[bool]] = {}

    def level(self, family: str) -> int:
        """Return the level at which a family is played now, 1 to 5."""
        return self._levels.get(family, self._start)

    def observe(self, task: Task, success: bool) -> None:
        """Take note of a finished episode.

        A task of another level than the family's present one (begun before a move, or chosen by
        hand) is passed over: it says nothing about the present level.
        """
        level = self.level(task.family)
        if task.metadata["difficulty"] != level:
            return
        recent = self._recent.setdefault(task.family, [])
        recent.append(success)
        if len(recent) > self._window:
            recent.pop(0)
        if len(recent) == self._window:
            self._move(task.family, level, sum(recent) / self._window)

    def state(self) -> dict[str, Any]:
        """Return the state as JSON values, for :meth:`restore`."""
        return {
            "levels": dict(self._levels),
            "recent": {family: list(recent) for family, recent in self._recent.items()},
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a saved state.

        Raises:
            ValueError: A level is not 1 to 5.
        """
        self._levels = {
            family: checked_difficulty(level) for family, level in state["levels"].items()
        }
        self._recent = {
            family: [bool(success) for success in recent]
            for family, recent in state["recent"].items()
        }

    def _move(self, family: str, level: int, rate: float) -> None:
        step = (rate >= self._raise_at) - (rate <= self._lower_at)
        if step and level + step in LEVELS:
            self._levels[family] = level + step
            self._recent[family] = []
