"""What every registered family is tested with: its solver, its guesses, a driver of its oracle.

A family is covered by being registered and by a module in ``tests/puzzles/solvers``, named as the
family's own, with

- ``solve(task) -> str``: the answer, found another way than the generator's (from pixels where
  that can be done); it asserts that no other answer is right;
- ``chance(task) -> float``: how often a blind guess is right;
- ``ATTACKS``: blind guesses by name, ``task -> str``, that must stay near chance;
- ``SPEC_HASHES``: ``(difficulty, seed)`` -> spec hash, three of them. A changed hash means that
  the puzzle's id needs a new version;
- ``option_boxes(task)``, where options are pictures: the pixels (left, top, right, bottom) of each
  in the order of the letters; () for a form without.

``measures.py`` says what is measured of a task, ``verdicts.py`` what may come out. The tests ask
that of a few seeds, ``verify.py`` of thousands.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from types import ModuleType

import numpy as np

from gym_imagetools.errors import ToolError
from gym_imagetools.puzzles.eye import BlurryEye, BlurryImage, Oracle, Reply
from gym_imagetools.puzzles.families import FAMILIES
from gym_imagetools.puzzles.puzzle import LEVELS
from gym_imagetools.puzzles.registry import family
from gym_imagetools.tools import TOOLS, run_tool
from gym_imagetools.tools.result import Resample
from gym_imagetools.types import Pixels, Task

MAX_TOOL_CALLS = 20
ALL_TOOLS = tuple(TOOLS)
FAMILY_LEVELS = [(name, level) for name in FAMILIES for level in LEVELS]


_STUMBLES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


@lru_cache
def solver_of(name: str) -> ModuleType:
    module = FAMILIES[name].partition(":")[0].rpartition(".")[2]
    return import_module(f"tests.puzzles.solvers.{module}")


def option_crops(task: Task) -> list[Pixels]:
    """The pictures of the lettered options; none where options are no pictures."""
    boxes = getattr(solver_of(task.family), "option_boxes", lambda _: ())(task)
    pixels = task.pictures[0].load()
    return [pixels[top:bottom, left:right] for left, top, right, bottom in boxes]


@dataclass(frozen=True)
class Played:
    """How an oracle fared; its answer is "" when it could not go on."""

    answer: str
    num_calls: int


@dataclass
class Player:
    """Lets a family's oracle play with the real tools.

    Attributes:
        without: Tools that are refused.
        max_calls: Calls after which every tool is refused.
        eye: What the oracle sees pictures through.
        masters: What the tools work on instead of the task's own pictures.
        resample: How zooms enlarge; ``fast`` where it does not matter.
    """

    without: Sequence[str] = ()
    max_calls: int = 2 * MAX_TOOL_CALLS
    eye: BlurryEye = field(default_factory=BlurryEye)
    masters: Sequence[Pixels] | None = None
    resample: Resample = "exact"

    def play(self, task: Task) -> Played:
        own = [picture.load() for picture in task.pictures]
        store = list(own if self.masters is None else self.masters)
        oracle = family(task.family).oracle(task.question, tuple(map(self.eye.see, own)))
        if self.masters is None:
            return self._run(oracle, store)
        # What tools say of other pictures may make no sense at all to an oracle.
        with warnings.catch_warnings(), suppress(*_STUMBLES):
            warnings.simplefilter("ignore", RuntimeWarning)
            return self._run(oracle, store)
        return Played("", 0)

    def _run(self, oracle: Oracle, store: list[Pixels]) -> Played:
        num_calls = 0
        try:
            call = next(oracle)
            while num_calls < 5 * MAX_TOOL_CALLS:
                num_calls += 1
                call = oracle.send(self._reply(call, store, num_calls))
        except StopIteration as stop:
            return Played(stop.value, num_calls)
        return Played("", num_calls)

    def _reply(self, call: dict, store: list[Pixels], number: int) -> Reply:
        if call["name"] in self.without or number > self.max_calls:
            return Reply(({"ok": False, "error": "no such tool"},))
        try:
            result = run_tool(call["name"], call["arguments"], store, resample=self.resample)
        except ToolError as error:
            return Reply(({"ok": False, "error": str(error)},))
        store.append(result.pixels)
        facts = {"ok": True, **result.result, "new_img_indices": [len(store) - 1]}
        seen: BlurryImage = self.eye.see(result.pixels)
        return Reply((facts,), (seen,))


@dataclass(frozen=True)
class TiredEye(BlurryEye):
    """A blurry eye with noise: of a model that looks, but not well.

    Attributes:
        noise: Standard deviation of the noise on each block and channel, of 255 levels.
        seed: Of the noise.
    """

    noise: float = 10.0
    seed: int = 0

    def see(self, pixels: Pixels) -> BlurryImage:
        seen = super().see(pixels)
        rng = np.random.default_rng([self.seed, *seen.blocks.shape])
        noisy = seen.blocks + rng.normal(0.0, self.noise, seen.blocks.shape)
        return BlurryImage(np.clip(noisy, 0, 255).astype(np.uint8), seen.size)
