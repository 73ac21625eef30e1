"""Rollout records: flat dicts of figures, one for each rollout, under NeMo Gym's index names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

TASK_INDEX = "_ng_task_index"
ROLLOUT_INDEX = "_ng_rollout_index"

MASK = "mask_sample"
"""A record with a true value here is no measurement: it counts under ``coverage/`` alone."""

Record = Mapping[str, Any]


def number(value: object) -> float | None:
    """Return a figure as a float (booleans as 0 or 1), or None for what is no finite number."""
    if not isinstance(value, (bool, int, float)) or not math.isfinite(value):
        return None
    return float(value)


def figures(record: Record) -> dict[str, float]:
    """Return the numeric top-level fields of a record and its ``response.usage``.

    Names that begin with an underscore, the mask, and nested objects are left out.
    """
    response = record.get("response")
    usage = response.get("usage") if isinstance(response, Mapping) else None
    fields = {**record, **(usage if isinstance(usage, Mapping) else {})}
    return {
        name: value
        for name, field in fields.items()
        if not name.startswith("_") and name != MASK and (value := number(field)) is not None
    }


def indexed(rows: Sequence[Record]) -> list[Record]:
    """Return the rows with both indices filled in.

    Rows without any task index are taken as one rollout of one task each; a missing rollout index
    is 0.

    Raises:
        ValueError: If only some rows name their task, or two rows are the same rollout.
    """
    num_named = sum(TASK_INDEX in row for row in rows)
    if num_named not in (0, len(rows)):
        raise ValueError(
            f"Expected {TASK_INDEX} in every row or in none, got it in {num_named} of {len(rows)}."
        )
    filled: list[Record] = [{TASK_INDEX: i, ROLLOUT_INDEX: 0, **row} for i, row in enumerate(rows)]
    seen = set()
    for row in filled:
        key = (row[TASK_INDEX], row[ROLLOUT_INDEX])
        if key in seen:
            raise ValueError(f"Expected each (task, rollout) once, got {key} twice.")
        seen.add(key)
    return filled


def grouped(rows: Iterable[Record], index: str) -> dict[Any, list[Record]]:
    """Return the rows by the value of an index, sorted by it, in their own order within."""
    groups: dict[Any, list[Record]] = {}
    for row in rows:
        groups.setdefault(row[index], []).append(row)
    return dict(sorted(groups.items()))
