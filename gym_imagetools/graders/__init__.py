"""Graders: exact scores for answers, one grader a kind of answer.

A grader is made from the fields of a data row and checks them once; its one method ``grade``
never raises on what a model wrote.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from gym_imagetools.errors import DataError
from gym_imagetools.graders.exact import Compare, Coord, Integer, IntList, LabelSet, Pairs
from gym_imagetools.graders.fields import FieldLog, GoldError
from gym_imagetools.graders.grader import Grader
from gym_imagetools.graders.gui_coordinate import GuiCoordinate
from gym_imagetools.graders.math import Math
from gym_imagetools.graders.mcqa import Mcqa
from gym_imagetools.graders.string_match import StringMatch
from gym_imagetools.types import Score, Task

__all__ = ["GRADERS", "GoldError", "Grader", "add_grader", "grade", "make_grader", "unread_fields"]

GRADERS: dict[str, type[Grader]] = {
    "string_match": StringMatch,
    "mcqa": Mcqa,
    "math": Math,
    "gui_coordinate": GuiCoordinate,
    "integer": Integer,
    "coord": Coord,
    "pairs": Pairs,
    "set": LabelSet,
    "intlist": IntList,
    "compare": Compare,
}
"""The graders by the name that rows and tasks choose them by."""


def add_grader(name: str, grader: type[Grader]) -> None:
    """Add a grader of your own; from then on rows and puzzles can name it.

    Args:
        name: What they name it by.
        grader: The class.

    Raises:
        ValueError: The name is taken.
    """
    if name in GRADERS:
        raise ValueError(f"Expected a new name of a grader, got {name!r}, which exists.")
    GRADERS[name] = grader


def make_grader(name: str, fields: Mapping[str, Any]) -> Grader:
    """Make the grader of a row.

    Args:
        name: A key of :data:`GRADERS`.
        fields: The row's grading fields, ``expected_answer`` among them.

    Raises:
        DataError: If there is no such grader, or a field cannot be used.
    """
    if name not in GRADERS:
        near = difflib.get_close_matches(str(name), GRADERS, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise DataError(f"Expected a grader out of {', '.join(GRADERS)}, got {name!r}{hint}")
    return GRADERS[name].from_fields(fields)


def unread_fields(name: str, fields: Mapping[str, Any]) -> dict[str, str | None]:
    """Return the fields that a grader does not read: facts of the row, or misspelt ones.

    Args:
        name: A key of :data:`GRADERS`.
        fields: Grading fields that :func:`make_grader` accepts.

    Returns:
        The name of each unread field -> the field the grader looked for that is spelt nearly so.
    """
    log = FieldLog(fields)
    make_grader(name, log)
    missing = log.asked_for - fields.keys()
    return {
        field: next(iter(difflib.get_close_matches(field, sorted(missing), n=1, cutoff=0.8)), None)
        for field in fields
        if field not in log.asked_for
    }


def grade(grader: str, text: str, task: Task | Mapping[str, Any]) -> Score:
    """Grade one text.

    Args:
        grader: A key of :data:`GRADERS`.
        text: The last assistant text of an episode.
        task: The task, or just its grading fields.

    Returns:
        The score. A task whose expected answer cannot be used scores 0 here; loaders refuse it
        earlier, by :func:`make_grader`.

    Raises:
        DataError: If there is no such grader, or another field cannot be used.
        RuntimeError: If the process that checks mathematics cannot be started.
    """
    fields = task.grading if isinstance(task, Task) else task
    try:
        made = make_grader(grader, fields)
    except GoldError as error:
        return Score(0.0, "", str(error))
    return made.grade(text)
