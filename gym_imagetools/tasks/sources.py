"""Where an environment's tasks come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.puzzles.families import FAMILIES
from gym_imagetools.puzzles.puzzle import checked_difficulty
from gym_imagetools.puzzles.registry import check_family_name, generate
from gym_imagetools.tasks.curriculum import AdaptiveDifficulty
from gym_imagetools.tasks.split import Split, check_split, draw_seed, seed_of_split
from gym_imagetools.types import Task


class TaskSource(Protocol):
    """Gives an environment its tasks; can be pickled and deep-copied."""

    @property
    def num_tasks(self) -> int | None:
        """The number of tasks; None when they never end."""

    def reset(self, rng: np.random.Generator) -> None:
        """Start sequences anew; called when the environment is seeded."""

    def next(self, rng: np.random.Generator) -> Task:
        """Return the next task; all that is random in the choice comes from ``rng``."""

    def task(self, index: int | str) -> Task:
        """Return one certain task: by its number, or by the ``task_id`` that names it for ever.

        Raises:
            ValueError: There is no task of this index.
        """

    def observe(self, task: Task, score: float) -> None:
        """Be told the score, 0 to 1, of a finished episode."""


class PuzzleSource:
    """Puzzles of one family.

    ``task(i)`` plays seed ``i``, in the half of the split (:mod:`gym_imagetools.tasks.split`).

    Args:
        family: A name of :data:`gym_imagetools.puzzles.families.FAMILIES`.
        difficulty: 1 to 5.
        split: ``train``, ``eval``, or None for all seeds.

    Raises:
        ValueError: Unknown family or split, or difficulty out of range.
    """

    num_tasks: int | None = None

    def __init__(self, family: str, difficulty: int = 1, split: Split | None = "train") -> None:
        check_family_name(family)
        check_split(split)
        self._family = family
        self._difficulty = checked_difficulty(difficulty)
        self._split = split

    def reset(self, rng: np.random.Generator) -> None:
        """Do nothing: every task is drawn by itself."""

    def next(self, rng: np.random.Generator) -> Task:
        """Return a random puzzle of this split."""
        return self.task(draw_seed(rng, self._split))

    def task(self, index: int | str) -> Task:
        """Return the puzzle of a seed, or the one that a task id names.

        Raises:
            ValueError: The seed is no integer from 0 on, or the id is of another family.
        """
        if isinstance(index, str):
            return _named_puzzle(index, (self._family,))
        return generate(self._family, seed_of_split(index, self._split), self._difficulty)

    def observe(self, task: Task, score: float) -> None:
        """Do nothing: the difficulty is fixed."""


class MixedSource:
    """Puzzles of several families.

    ``task(i)`` plays seed ``i`` of the family that the seed alone (with families and weights)
    determines; the halves of the split are those of :class:`PuzzleSource`.

    Args:
        families: Names of families; None for all.
        weights: How often each family comes, >= 0, in the order of ``families`` or by name; they
            need not sum to 1. None for equal weights.
        difficulty: 1 to 5; ``adaptive`` for a controller of its own; or a controller, which may
            be shared with other sources.
        split: ``train``, ``eval``, or None for all seeds.

    Raises:
        ValueError: An argument is out of range, or weights and families do not fit together.
    """

    num_tasks: int | None = None

    def __init__(
        self,
        families: Sequence[str] | None = None,
        weights: Sequence[float] | Mapping[str, float] | None = None,
        difficulty: int | Literal["adaptive"] | AdaptiveDifficulty = 1,
        split: Split | None = "train",
    ) -> None:
        check_split(split)
        self._families = _checked_families(families)
        self._probabilities = _probabilities(self._families, weights)
        self._split = split
        self._difficulty = _fixed_or_adaptive(difficulty)

    @property
    def controller(self) -> AdaptiveDifficulty | None:
        """The controller of the difficulty; None when it is fixed."""
        return None if isinstance(self._difficulty, int) else self._difficulty

    def reset(self, rng: np.random.Generator) -> None:
        """Do nothing: every task is drawn by itself, and what was learnt of the levels stays."""

    def next(self, rng: np.random.Generator) -> Task:
        """Return a random puzzle of a random family."""
        return self.task(draw_seed(rng, self._split))

    def task(self, index: int | str) -> Task:
        """Return the puzzle of a seed at the present level of its family, or one by its task id.

        Raises:
            ValueError: The seed is no integer from 0 on, or the id is of another family.
        """
        if isinstance(index, str):
            return _named_puzzle(index, self._families)
        seed = seed_of_split(index, self._split)
        family = self._draw_family(np.random.default_rng([crc32(b"Mixed"), seed]))
        return generate(family, seed, self._level(family))

    def observe(self, task: Task, score: float) -> None:
        """Tell the controller, if there is one; only a full score is a success."""
        if self.controller is not None:
            self.controller.observe(task, score >= 1.0)

    def _level(self, family: str) -> int:
        if isinstance(self._difficulty, int):
            return self._difficulty
        return self._difficulty.level(family)

    def _draw_family(self, rng: np.random.Generator) -> str:
        return self._families[int(rng.choice(len(self._families), p=self._probabilities))]


def _named_puzzle(task_id: str, families: Sequence[str]) -> Task:
    """Return the puzzle that an id such as ``Maze/2/123456`` names."""
    family, _, place = task_id.partition("/")
    difficulty, _, seed = place.partition("/")
    if family not in families or not (difficulty.isdecimal() and seed.isdecimal()):
        raise ValueError(
            f"Expected a task id as family/difficulty/seed with a family out of "
            f"{', '.join(families)}, got {task_id!r}."
        )
    return generate(family, int(seed), int(difficulty))


def _checked_families(families: Sequence[str] | None) -> tuple[str, ...]:
    if isinstance(families, str):
        raise ValueError(f"Expected families to be a sequence of names, got {families!r}")
    names = tuple(FAMILIES if families is None else families)
    for name in names:
        check_family_name(name)
    if not names or len(set(names)) < len(names):
        raise ValueError(f"Expected families to be different names, at least one, got {families!r}")
    return names


def _probabilities(
    families: tuple[str, ...], weights: Sequence[float] | Mapping[str, float] | None
) -> NDArray[np.float64]:
    if weights is None:
        weights = [1.0] * len(families)
    if isinstance(weights, Mapping):
        if set(weights) != set(families):
            raise ValueError(
                f"Expected weights for exactly {', '.join(families)}, got {', '.join(weights)}"
            )
        weights = [weights[family] for family in families]
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (len(families),):
        raise ValueError(f"Expected {len(families)} weights, one a family, got {weights!r}")
    if not np.isfinite(values).all() or (values < 0).any() or not values.any():
        raise ValueError(f"Expected weights >= 0, at least one above 0, got {weights!r}")
    return np.asarray(values / values.sum())


def _fixed_or_adaptive(
    difficulty: int | Literal["adaptive"] | AdaptiveDifficulty,
) -> int | AdaptiveDifficulty:
    if isinstance(difficulty, AdaptiveDifficulty):
        return difficulty
    if isinstance(difficulty, str):
        if difficulty == "adaptive":
            return AdaptiveDifficulty()
        raise ValueError(
            f"Expected difficulty to be an integer from 1 to 5 or 'adaptive', got {difficulty!r}"
        )
    return checked_difficulty(difficulty)
