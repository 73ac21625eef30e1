"""What a puzzle family is, and how a family, a level and a seed become a task."""

from __future__ import annotations

import hashlib
import json
import operator
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar
from zlib import crc32

import numpy as np

from gym_imagetools.errors import GenerationError
from gym_imagetools.images.cache import PIXELS
from gym_imagetools.puzzles.eye import BlurryImage, Oracle
from gym_imagetools.types import Pixels, Task

LEVELS = range(1, 6)
"""The difficulties of every family."""

MAX_DERIVED_SEEDS = 8
"""Draws tried for one seed before generation fails for good."""


@dataclass(frozen=True)
class Streams:
    """Independent random streams of one puzzle, so that new styles never change old answers.

    Attributes:
        latents: What the answer depends on.
        distractors: Wrong options and decoys.
        layout: Where things stand.
        style: Colours and ornament.
    """

    latents: np.random.Generator
    distractors: np.random.Generator
    layout: np.random.Generator
    style: np.random.Generator

    @classmethod
    def of(cls, name: str, difficulty: int, seed: int, derived: int = 0) -> Streams:
        """Return the streams of a puzzle; ``derived`` numbers the further draws of one seed.

        A further draw goes by a name of its own, so it meets no other seed's streams and a seed
        stays in its half of the train/eval split.
        """
        label = f"{name}#{derived}" if derived else name
        root = np.random.SeedSequence([crc32(label.encode()), difficulty, seed])
        return cls(*(np.random.Generator(np.random.PCG64(child)) for child in root.spawn(4)))


@dataclass(frozen=True)
class Puzzle:
    """One drawn puzzle.

    Attributes:
        question: The question as the model reads it.
        images: The pictures at full size, ``uint8`` RGB of shape (height, width, 3).
        grader: A key of :data:`gym_imagetools.graders.GRADERS`.
        grading: The grader's fields: ``expected_answer``, and ``options`` for a choice.
        latents: Everything the answer depends on, as JSON values; hashed into ``spec_hash``.
        metadata: Further facts for people and tests.
        attempts: Draws of the rejection loop, the accepted one included.
    """

    question: str
    images: tuple[Pixels, ...]
    grader: str
    grading: Mapping[str, Any]
    latents: Mapping[str, Any]
    metadata: Mapping[str, Any] = field(default_factory=dict)
    attempts: int = 1


class Family(ABC):
    """A kind of puzzle: one subclass in one file, and one line in the registry.

    A family holds no state, so all instances of a class are equal.

    Attributes:
        name: The name in ids and task ids, ``CamelCase``.
        group: The ability it trains, for tables.
        summary: One sentence for tables.
        answer_type: What an answer is, for tables (``letter``, ``integer``, ...).
        useful_tools: Tools that help.
        necessary_tools: Groups of tools that can stand in for each other. Without every tool of
            any one group the oracle does no better than chance, from ``tools_needed_from`` on.
        tools_needed_from: The lowest level whose previews do not decide the answer.
    """

    name: ClassVar[str]
    group: ClassVar[str]
    summary: ClassVar[str]
    answer_type: ClassVar[str]
    useful_tools: ClassVar[tuple[str, ...]]
    necessary_tools: ClassVar[tuple[tuple[str, ...], ...]]
    tools_needed_from: ClassVar[int]

    @abstractmethod
    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw one puzzle; a pure function of the streams and the level.

        Draw what must be balanced (the true letter, the rank of a distance) once, before any
        rejection loop: redrawing it with the rest lets easy values win.

        Raises:
            GenerationError: The bounded rejection loop found nothing.
        """

    @abstractmethod
    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Solve a puzzle of this family with tools, seeing only what a model sees."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))


@dataclass(frozen=True)
class DrawnPicture:
    """The recipe of a puzzle's picture: it is drawn anew whenever the cache has dropped it."""

    family: Family
    difficulty: int
    seed: int
    index: int
    size: tuple[int, int]

    @property
    def key(self) -> str:
        """Such as ``puzzle:Maze/2/123456#0``."""
        return f"puzzle:{self.family.name}/{self.difficulty}/{self.seed}#{self.index}"

    def load(self) -> Pixels:
        """Return the read-only pixels, from the shared cache or drawn anew."""
        return PIXELS.get(self.key, self._draw)

    def _draw(self) -> Pixels:
        drawn = draw_seed(self.family, self.seed, self.difficulty)
        return drawn.puzzle.images[self.index]


@dataclass(frozen=True)
class DrawnPuzzle:
    """A puzzle and how many draws of its seed had failed before it."""

    puzzle: Puzzle
    failed_draws: int


def generate(family: Family, seed: int, difficulty: int) -> Task:
    """Return the task of a family, a seed and a level: the same arguments, the same task.

    Args:
        family: The kind of puzzle.
        seed: Any integer from 0 on.
        difficulty: 1 to 5.

    Raises:
        ValueError: Seed or difficulty is out of range.
        GenerationError: No draw of the seed succeeded.
    """
    seed, difficulty = checked_seed(seed), checked_difficulty(difficulty)
    drawn = draw_seed(family, seed, difficulty)
    puzzle = drawn.puzzle
    return Task(
        task_id=f"{family.name}/{difficulty}/{seed}",
        question=puzzle.question,
        pictures=tuple(
            _cached_picture(family, difficulty, seed, index, image)
            for index, image in enumerate(puzzle.images)
        ),
        grader=puzzle.grader,
        grading=puzzle.grading,
        family=family.name,
        metadata={
            **puzzle.metadata,
            "difficulty": difficulty,
            "seed": seed,
            "group": family.group,
            "latents": puzzle.latents,
            "spec_hash": spec_hash(puzzle.latents),
            "attempts": puzzle.attempts,
            "failed_draws": drawn.failed_draws,
            "useful_tools": family.useful_tools,
            "preview_decides": difficulty < family.tools_needed_from,
        },
    )


def draw_seed(family: Family, seed: int, difficulty: int) -> DrawnPuzzle:
    """Draw the puzzle of a seed, going on to derived seeds while the family's own loop fails.

    Raises:
        GenerationError: All :data:`MAX_DERIVED_SEEDS` draws failed.
    """
    for failed in range(MAX_DERIVED_SEEDS):
        try:
            puzzle = family.draw(Streams.of(family.name, difficulty, seed, failed), difficulty)
        except GenerationError:
            continue
        return DrawnPuzzle(puzzle, failed)
    raise GenerationError(
        f"Expected a {family.name} puzzle at difficulty {difficulty} for seed {seed}, "
        f"got {MAX_DERIVED_SEEDS} failed draws; choose another seed"
    )


def spec_hash(latents: Mapping[str, Any]) -> str:
    """Return the sha256 of the latents' canonical JSON: names what a puzzle asks, not its look."""
    canonical = json.dumps(latents, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def checked_difficulty(difficulty: object) -> int:
    """Return a difficulty as an ``int``.

    Raises:
        ValueError: It is no integer from 1 to 5.
    """
    return _checked_integer("difficulty", difficulty, "an integer from 1 to 5", LEVELS)


def checked_seed(seed: object) -> int:
    """Return a puzzle's seed as an ``int``.

    Raises:
        ValueError: It is no integer from 0 on.
    """
    return _checked_integer("seed", seed, "an integer from 0 on", None)


def _checked_integer(keyword: str, value: object, expected: str, allowed: range | None) -> int:
    message = f"Expected {keyword} to be {expected}, got {value!r}"
    if isinstance(value, bool | np.bool_):
        raise ValueError(message)
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise ValueError(message) from None
    if number < 0 or (allowed is not None and number not in allowed):
        raise ValueError(message)
    return number


def _cached_picture(
    family: Family, difficulty: int, seed: int, index: int, image: Pixels
) -> DrawnPicture:
    """Return the recipe of a picture that was just drawn, its pixels already in the cache."""
    height, width = image.shape[:2]
    picture = DrawnPicture(family, difficulty, seed, index, (width, height))
    PIXELS.get(picture.key, lambda: image)
    return picture
