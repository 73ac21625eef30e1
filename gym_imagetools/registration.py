"""The ids. To import this module imports no environment: Gymnasium loads them when one is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import gymnasium as gym

from gym_imagetools.puzzles.families import FAMILIES

if TYPE_CHECKING:
    from gym_imagetools.puzzles.puzzle import Family

NAMESPACE = "ImageTools"
_FACTORIES = "gym_imagetools.factories"
_VECTOR_FACTORIES = "gym_imagetools.vector.factories"


@dataclass(frozen=True)
class Entry:
    """What stands behind an id.

    Attributes:
        factory: Name of the function in :mod:`gym_imagetools.factories` that builds it.
        family: The puzzle family it is of; "" for the other ids.
        summary: What it is, in one sentence; "" for puzzles, whose family says it.
    """

    factory: str
    family: str = ""
    summary: str = ""

    @property
    def keywords(self) -> dict[str, str]:
        """The keywords that the id itself sets."""
        return {"family": self.family} if self.family else {}


ENTRIES: dict[str, Entry] = {
    **{f"{NAMESPACE}/{family}-v0": Entry("puzzle", family) for family in FAMILIES},
    f"{NAMESPACE}/Mixed-v0": Entry(
        "mixed", summary="A mixture of the puzzle families, of fixed or adaptive difficulty."
    ),
    f"{NAMESPACE}/Dataset-v0": Entry(
        "dataset", summary="Rows of NeMo Gym JSONL; without `data` a small sample of twelve."
    ),
    f"{NAMESPACE}/Pivot-v0": Entry(
        "pivot", summary="One decision of a transcript, scored against the demonstrated tool call."
    ),
    f"{NAMESPACE}/Weather-v0": Entry(
        "weather", summary="One tool call, scored on correctness, validity and form."
    ),
}
"""Every id of the package, in the order of the tables."""


def register_envs() -> None:
    """Register every id of the package that is not registered yet."""
    for env_id, entry in ENTRIES.items():
        if env_id not in gym.registry:
            gym.register(
                env_id,
                entry_point=f"{_FACTORIES}:{entry.factory}",
                vector_entry_point=f"{_VECTOR_FACTORIES}:{entry.factory}",
                kwargs=entry.keywords,
            )


def add_family(family: type[Family]) -> str:
    """Add a puzzle family of your own and register its id; mixtures of all families hold it, too.

    A family is found by its module and name. One that was written in a notebook is known to this
    process alone; environments on further processes need it in a module that they can import.

    Args:
        family: The class, at the top of a module.

    Returns:
        The id, such as ``ImageTools/Maze-v0``.

    Raises:
        ValueError: The name is taken, or the class stands inside of a function or class.
    """
    if family.name in FAMILIES:
        raise ValueError(f"Expected a new name of a family, got {family.name!r}, which exists.")
    if family.__qualname__ != family.__name__:
        raise ValueError(
            f"Expected a class at the top of a module, got {family.__qualname__}; move it there."
        )
    FAMILIES[family.name] = f"{family.__module__}:{family.__name__}"
    env_id = f"{NAMESPACE}/{family.name}-v0"
    ENTRIES[env_id] = Entry("puzzle", family.name)
    register_envs()
    return env_id
