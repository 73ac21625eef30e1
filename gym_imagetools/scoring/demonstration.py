"""The call a pivot row demonstrates, checked when the row is loaded."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gym_imagetools.errors import DataError
from gym_imagetools.scoring.families import ANSWER, family_of
from gym_imagetools.scoring.values import read_box, read_point


@dataclass(frozen=True, slots=True)
class Demonstration:
    """A demonstrated call, or the demonstration that it is time to answer.

    Attributes:
        name: The tool's name, or ``__answer__``.
        arguments: The call's arguments as the row writes them.

    Raises:
        DataError: There is nothing to compare with: no name, arguments that are no object, or a
            region or point tool whose box or point cannot be read.
    """

    name: str
    arguments: Mapping[str, Any]

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise DataError(
                f"Expected the demonstrated call's `name` as text, got {self.name!r}; name a tool "
                f"or {ANSWER!r}."
            )
        if not isinstance(self.arguments, Mapping):
            raise DataError(
                f"Expected the demonstrated call's `arguments` as an object, got "
                f"{self.arguments!r}; write the tool's arguments."
            )
        if self.family == "bbox" and not _is_finite(read_box(self.arguments.get("bbox_2d"))):
            raise self._unreadable("bbox_2d", "four finite numbers")
        if self.family == "point" and not _is_finite(read_point(self.arguments.get("point_2d"))):
            raise self._unreadable("point_2d", "two finite numbers")

    @property
    def family(self) -> str:
        """How the call's arguments are compared, see :mod:`gym_imagetools.scoring.families`."""
        return family_of(self.name)

    @property
    def is_answer(self) -> bool:
        """Whether the row demonstrates that it is time to answer."""
        return self.family == "answer"

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Demonstration:
        """Read the demonstration of a data row.

        The first of these that holds a named call counts: ``expected_action``, the same under
        ``metadata``, and ``expected_answer`` as JSON. Arguments may be JSON text; none mean {}.

        Raises:
            DataError: No field holds a named call, or the call cannot be compared.
        """
        for action in _candidates(row):
            if isinstance(action, Mapping) and action.get("name"):
                return cls(action["name"], _arguments(action))
        raise DataError(
            'Expected `expected_action` as {"name": ..., "arguments": {...}}, there or under '
            "`metadata`, or as JSON in `expected_answer`, got none of them; add the demonstrated "
            "call."
        )

    def _unreadable(self, argument: str, expected: str) -> DataError:
        return DataError(
            f"Expected `{argument}` of the demonstrated {self.name} as {expected}, got "
            f"{self.arguments.get(argument)!r}; mend the row or leave it out."
        )


def _is_finite(numbers: Iterable[float] | None) -> bool:
    return numbers is not None and all(map(math.isfinite, numbers))


def _candidates(row: Mapping[str, Any]) -> Iterator[Any]:
    """Give what may be the demonstrated call, best first."""
    yield row.get("expected_action")
    metadata = row.get("metadata")
    yield metadata.get("expected_action") if isinstance(metadata, Mapping) else None
    answer = row.get("expected_answer")
    if isinstance(answer, str):
        yield _decoded(answer)


def _arguments(action: Mapping[str, Any]) -> Any:
    arguments = action.get("arguments")
    if isinstance(arguments, str):
        return _decoded(arguments)
    return {} if arguments is None else arguments


def _decoded(text: str) -> Any:
    """Return what the JSON text says; other text as it is."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
