"""The puzzle families by name, loaded when one is asked for."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib import import_module

from gym_imagetools.puzzles.families import FAMILIES
from gym_imagetools.puzzles.puzzle import Family
from gym_imagetools.puzzles.puzzle import generate as generate_puzzle
from gym_imagetools.types import Task


@cache
def family(name: str) -> Family:
    """Return a family by its name.

    Raises:
        ValueError: There is no such family.
    """
    check_family_name(name)
    module, class_name = FAMILIES[name].split(":")
    found = getattr(import_module(module), class_name)()
    if not isinstance(found, Family):
        raise TypeError(f"Expected a Family under the name {name!r}, got {found!r}")
    return found


def generate(name: str, seed: int, difficulty: int) -> Task:
    """Return the task ``name/difficulty/seed``.

    Raises:
        ValueError: Unknown family, or seed or difficulty out of range.
        GenerationError: No draw of the seed succeeded.
    """
    return generate_puzzle(family(name), seed, difficulty)


def check_family_name(name: str) -> None:
    """Raise ``ValueError`` with the closest known name unless ``name`` is a family."""
    if name in FAMILIES:
        return
    close = get_close_matches(str(name), FAMILIES, n=1, cutoff=0.4)
    hint = f"did you mean {close[0]!r}?" if close else f"choose one of {', '.join(FAMILIES)}"
    raise ValueError(f"Expected the name of a puzzle family, got {name!r}; {hint}")
