"""What every registered family is tested with: batches of tasks, its solver, a tool driver.

A family is covered by being registered and by a module in ``tests/puzzles/solvers``, named as the
family's own, with

- ``solve(task) -> str``: the answer, found another way than the generator's (from pixels where
  that can be done);
- ``chance(task) -> float``: how often a blind guess is right;
- ``ATTACKS``: blind guesses by name, ``task -> str``, that must stay near chance;
- ``SPEC_HASHES``: ``(difficulty, seed)`` -> spec hash, three of them. A changed hash means that
  the puzzle's id needs a new version.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from types import ModuleType

from gym_imagetools.errors import ToolError
from gym_imagetools.puzzles.eye import BlurryEye, BlurryImage, Reply
from gym_imagetools.puzzles.families import FAMILIES
from gym_imagetools.puzzles.puzzle import LEVELS
from gym_imagetools.puzzles.registry import family, generate
from gym_imagetools.tools import run_tool
from gym_imagetools.types import Pixels, Task

MAX_TOOL_CALLS = 20
FAMILY_LEVELS = [(name, level) for name in FAMILIES for level in LEVELS]


@dataclass(frozen=True)
class Batch:
    """Tasks of one family and level, with their pixels held so that none is drawn twice."""

    name: str
    level: int
    tasks: tuple[Task, ...]
    pixels: tuple[tuple[Pixels, ...], ...]

    def __iter__(self):
        return iter(self.tasks)


def make_batch(name: str, level: int, seeds: Iterable[int]) -> Batch:
    tasks = tuple(generate(name, seed, level) for seed in seeds)
    pixels = tuple(tuple(picture.load() for picture in task.pictures) for task in tasks)
    return Batch(name, level, tasks, pixels)


@lru_cache
def solver_of(name: str) -> ModuleType:
    module = FAMILIES[name].partition(":")[0].rpartition(".")[2]
    return import_module(f"tests.puzzles.solvers.{module}")


@dataclass(frozen=True)
class Played:
    answer: str
    num_calls: int


def play_oracle(task: Task, without: Sequence[str] = ()) -> Played:
    """Let a family's oracle play with the real tools, but for those it must do without."""
    eye, store = BlurryEye(), [picture.load() for picture in task.pictures]
    oracle = family(task.family).oracle(task.question, tuple(map(eye.see, store)))
    num_calls = 0
    try:
        call = next(oracle)
        while True:
            num_calls += 1
            call = oracle.send(_reply(call, store, eye, without))
    except StopIteration as stop:
        return Played(stop.value, num_calls)


def _reply(call: dict, store: list[Pixels], eye: BlurryEye, without: Sequence[str]) -> Reply:
    if call["name"] in without:
        return Reply(({"ok": False, "error": "no such tool"},))
    try:
        result = run_tool(call["name"], call["arguments"], store)
    except ToolError as error:
        return Reply(({"ok": False, "error": str(error)},))
    store.append(result.pixels)
    facts = {"ok": True, **result.result, "new_img_indices": [len(store) - 1]}
    seen: BlurryImage = eye.see(result.pixels)
    return Reply((facts,), (seen,))


def z_score(hits: Iterable[bool], chances: Iterable[float]) -> float:
    """How many standard deviations more hits than chance."""
    chances = list(chances)
    spread = sum(chance * (1 - chance) for chance in chances) ** 0.5
    return (sum(hits) - sum(chances)) / spread


def attack_score(tasks: Sequence[Task], attack: Callable[[Task], str]) -> float:
    hits = [attack(task) == task.expected_answer for task in tasks]
    return z_score(hits, [solver_of(task.family).chance(task) for task in tasks])
