"""What a benchmark says: rows of figures, printed, as Markdown, or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Figure:
    """One measured thing.

    Attributes:
        section: ``tools``, ``turns``, ``episodes``, ``parts``, ``puzzles``, ``vector`` or
            ``memory``.
        name: What was measured.
        value: The figure.
        unit: Such as ``ms``, ``MB`` or ``x``.
        spread: Largest less smallest run over the median; 0 where there is one run.
        ask: What we ask of it in words; "" where nothing is asked.
        is_met: Whether the ask is met; None where nothing is asked.
    """

    section: str
    name: str
    value: float
    unit: str
    spread: float = 0.0
    ask: str = ""
    is_met: bool | None = None

    @property
    def verdict(self) -> str:
        """``met``, ``not met``, or "" where nothing is asked."""
        return {None: "", True: "met", False: "not met"}[self.is_met]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def number(figure: Figure) -> str:
    """Return value and unit with three digits that count."""
    return f"{figure.value:.3g} {figure.unit}"


def as_json(figures: Sequence[Figure]) -> list[dict[str, Any]]:
    """Return the figures as JSON values."""
    return [asdict(figure) for figure in figures]
