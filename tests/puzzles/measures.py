"""What is measured of a puzzle, seed by seed: facts as JSON values, without any judgement.

The rows of a measure can be gathered from any number of runs; ``verdicts.py`` judges them.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from gym_imagetools.graders import grade
from gym_imagetools.images.encode import encode
from gym_imagetools.puzzles.registry import family, generate
from gym_imagetools.types import Task
from tests.puzzles.harness import (
    ALL_TOOLS,
    MAX_TOOL_CALLS,
    Played,
    Player,
    TiredEye,
    option_crops,
    solver_of,
)
from tests.puzzles.learned import guesses, look

Row = dict[str, Any]

FEW_CALLS = 3
"""What a weak agent may call."""

MIN_LEARNED = 100
"""Fewest tasks that something can be learned from."""


def measure_answers(name: str, level: int, seeds: Iterable[int]) -> Iterator[Row]:
    """Solve puzzles, guess at them blindly, and note what their balance is judged by."""
    for seed in seeds:
        start = time.process_time()
        task = generate(name, seed, level)
        yield answer_row(task, cpu_ms=1000 * (time.process_time() - start))


def answer_row(task: Task, cpu_ms: float = 0.0) -> Row:
    solver = solver_of(task.family)
    start = time.process_time()
    solved = _solved(task)
    solve_ms = 1000 * (time.process_time() - start)
    pixels = [picture.load() for picture in task.pictures]
    return {
        "seed": task.metadata["seed"],
        "form": _form(task),
        "question": task.question,
        "answer": task.expected_answer,
        "options": len(task.grading.get("options", ())),
        "chance": solver.chance(task),
        "problem": "" if solved == task.expected_answer else f"solver: {solved}",
        "right_options": _right_options(task),
        "equal_options": _equal_options(task),
        "hits": {
            attack: guess(task) == task.expected_answer for attack, guess in solver.ATTACKS.items()
        },
        "spec": task.metadata["spec_hash"][:24],
        "sizes": [list(picture.size) for picture in task.pictures],
        "plain": all(p.dtype == np.uint8 and p.ndim == 3 and p.shape[2] == 3 for p in pixels),
        "bytes": sum(len(encode(p, "png")) for p in pixels),
        "failed_draws": task.metadata["failed_draws"],
        "cpu_ms": round(cpu_ms, 2),
        "solve_ms": round(solve_ms, 2),
    }


def measure_tools(name: str, level: int, seeds: Iterable[int]) -> Iterator[Row]:
    """Let the oracle play with all tools, without those it needs, and with deceitful ones."""
    for seed in seeds:
        yield tool_row(generate(name, seed, level))


def tool_row(task: Task) -> Row:
    own = [picture.load() for picture in task.pictures]
    tired = TiredEye(seed=task.metadata["seed"])
    return {
        **oracle_row(task),
        **needs_row(task),
        "black": _fares(task, masters=[np.zeros_like(p) for p in own]),
        "shuffled": _fares(task, masters=_masters_of_another(task)),
        "weak": _fares(task, max_calls=FEW_CALLS, eye=tired),
    }


def oracle_row(task: Task) -> Row:
    """Whether the oracle is right with all its tools, and the calls it makes."""
    played = Player().play(task)
    return {
        "seed": task.metadata["seed"],
        "oracle": _is_right(task, played),
        "calls": played.num_calls,
    }


def needs_row(task: Task) -> Row:
    """Whether the oracle is right without each group of tools it needs, and without any tool."""
    groups = family(task.family).necessary_tools
    return {
        "chance": solver_of(task.family).chance(task),
        "without": {" or ".join(group): _fares(task, without=group) for group in groups},
        "preview": _fares(task, without=ALL_TOOLS),
    }


def measure_learned(name: str, level: int, seeds: Iterable[int]) -> Iterator[Row]:
    """Guess at options by what the looks of the others teach; nothing where they are too few."""
    seen: dict[int, list[tuple[int, np.ndarray, int]]] = defaultdict(list)
    for seed in seeds:
        task = generate(name, seed, level)
        crops = option_crops(task) if task.grader == "mcqa" else []
        if crops:
            right = _letters(task).index(task.expected_answer)
            seen[len(crops)].append((seed, look(crops), right))
    for count, options in seen.items():
        if len(options) >= MIN_LEARNED:
            found = guesses([looks for _, looks, _ in options], [right for *_, right in options])
            for (seed, _, right), guess in zip(options, found, strict=True):
                yield {"seed": seed, "hit": guess == right, "chance": 1 / count}


def measure_again(name: str, level: int, seeds: Iterable[int]) -> Iterator[Row]:
    """Draw puzzles here and in a new process with another hash seed; compare every pixel."""
    seeds = list(seeds)
    here = [digest(name, level, seed) for seed in seeds]
    code = f"from tests.puzzles.measures import digest\nfor seed in {seeds}:\n"
    code += f"    print(digest({name!r}, {level}, seed))"
    there = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "12345"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    for seed, mine, other in zip(seeds, here, there, strict=True):
        yield {"seed": seed, "same": mine == other}


def digest(name: str, level: int, seed: int) -> str:
    """Name all that a task is: its words, its grading, its latents, its pixels."""
    task = generate(name, seed, level)
    found = hashlib.sha256(repr((task.question, task.grader, dict(task.grading))).encode())
    found.update(task.metadata["spec_hash"].encode())
    for picture in task.pictures:
        found.update(picture.load().tobytes())
    return found.hexdigest()


MEASURES = {
    "answers": measure_answers,
    "learned": measure_learned,
    "tools": measure_tools,
    "again": measure_again,
}
"""By the names of the checks."""


def _solved(task: Task) -> str:
    """The solver's answer, or what it stumbled over: another right answer, an odd picture."""
    try:
        return solver_of(task.family).solve(task)
    except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError) as error:
        return f"{type(error).__name__} {error}"[:200]


def _form(task: Task) -> str:
    return f"{task.metadata.get('form', '')} {task.grader}".strip()


def _right_options(task: Task) -> int:
    """How many of the lettered options are graded as right; 1 where there are none."""
    letters = _letters(task)
    scores = [grade(task.grader, rf"\boxed{{{letter}}}", task).value for letter in letters]
    return sum(score == 1.0 for score in scores) if letters else 1


def _letters(task: Task) -> list[str]:
    return [letter for option in task.grading.get("options", ()) for letter in option]


def _equal_options(task: Task) -> int:
    """How many pairs of options are drawn alike, pixel by pixel."""
    crops = option_crops(task) if task.grader == "mcqa" else []
    return len(crops) - len({crop.tobytes() for crop in crops})


def _masters_of_another(task: Task) -> list[np.ndarray]:
    """The pictures of another puzzle of the same level and form; black ones if none is near."""
    name, seed, level = task.family, task.metadata["seed"], task.metadata["difficulty"]
    for other_seed in range(seed + 1_000_000, seed + 1_000_012):
        other = generate(name, other_seed, level)
        if _form(other) == _form(task):
            return [picture.load() for picture in other.pictures]
    return [np.zeros_like(picture.load()) for picture in task.pictures]


def _fares(task: Task, **hindrances: Any) -> bool:
    return _is_right(task, Player(**hindrances, resample="fast").play(task))


def _is_right(task: Task, played: Played) -> bool:
    is_within = played.num_calls <= MAX_TOOL_CALLS
    return is_within and grade(task.grader, played.answer, task).value == 1.0
