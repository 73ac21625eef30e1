"""The plan of the verification: which shards a family and level needs, and what they show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gym_imagetools.tasks.split import EVAL_BIT
from tests.puzzles.harness import solver_of
from tests.puzzles.measures import MEASURES, Row
from tests.puzzles.shards import Shard
from tests.puzzles.verdicts import Verdict, judge

FRESH = 1 << 24
"""Where fresh seeds begin, that no first look has seen."""

_SHARD_SEEDS = {"answers": 250, "tools": 50}


@dataclass(frozen=True)
class Amounts:
    """How many seeds a family and level is verified on.

    Attributes:
        seeds: For answers, and for what is learned from options.
        many: For answers where a seed costs less than ``cheap_ms``.
        cheap_ms: Of drawing and solving, processor time.
        played: For the oracle and its tools.
        again: For drawing again in another process.
    """

    seeds: int = 1000
    many: int = 10_000
    cheap_ms: float = 15.0
    played: int = 200
    again: int = 20


@dataclass
class Cell:
    """All that is known of a family and level.

    Attributes:
        missing: Shards that are still to be measured, as far as can be told now.
        problems: What is wrong, confirmed on fresh seeds where it could be chance.
        figures: For tables.
    """

    family: str
    level: int
    missing: list[Shard] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)


def look_up(name: str, level: int, amounts: Amounts, folder: Path) -> Cell:
    """Gather what the shards say of a family and level."""
    cell = Cell(name, level)
    for check in MEASURES:
        first = Gathered.of(list(_shards(name, level, check, amounts, folder)), folder)
        cell.missing += first.missing
        if not first.rows and first.missing:
            continue
        verdict = judge(check, name, level, first.rows)
        cell.figures |= verdict.figures
        cell.problems += verdict.problems
        if verdict.suspicions and not first.missing:
            fresh = Gathered.of([_fresh(shard) for shard in first.shards], folder)
            cell.missing += fresh.missing
            if not fresh.missing:
                again = judge(check, name, level, fresh.rows)
                cell.problems += verdict.confirmed_by(again)[len(verdict.problems) :]
                _keep_nearer_to_chance(cell.figures, again)
    return cell


def _keep_nearer_to_chance(figures: dict[str, float], fresh: Verdict) -> None:
    """Show of a suspicion what the fresh seeds say."""
    for name in ("worst_guess", "learned", "balance_p", "bytes_p"):
        if name in figures and name in fresh.figures:
            figures[name] = fresh.figures[name]


@dataclass
class Gathered:
    """Shards that belong together: those that are missing, and the rows of the others."""

    shards: list[Shard]
    missing: list[Shard]
    rows: list[Row]

    @classmethod
    def of(cls, shards: list[Shard], folder: Path) -> Gathered:
        found = cls(shards, [], [])
        for shard in shards:
            rows = shard.read(folder)
            if rows is None:
                found.missing.append(shard)
            else:
                found.rows += rows
        return found


def _shards(name: str, level: int, check: str, amounts: Amounts, folder: Path) -> Iterator[Shard]:
    if check == "answers":
        yield from _answer_shards(name, level, amounts, folder)
    elif check == "tools":
        yield from _split(name, level, check, 0, amounts.played)
    elif check == "again":
        yield Shard(name, level, check, 0, amounts.again)
    elif hasattr(solver_of(name), "option_boxes"):
        yield Shard(name, level, check, 0, amounts.seeds)


def _answer_shards(name: str, level: int, amounts: Amounts, folder: Path) -> Iterator[Shard]:
    """Half of the seeds are for training and half for evaluation; many where they are cheap."""
    total = amounts.seeds
    rows = next(_split(name, level, "answers", 0, total // 2)).read(folder)
    if rows and amounts.many > total:
        cost_ms = sum(row["cpu_ms"] + row["solve_ms"] for row in rows) / len(rows)
        total = amounts.many if cost_ms < amounts.cheap_ms else total
    yield from _split(name, level, "answers", 0, total // 2)
    yield from _split(name, level, "answers", EVAL_BIT, total - total // 2)


def _split(name: str, level: int, check: str, first: int, total: int) -> Iterator[Shard]:
    step = _SHARD_SEEDS[check]
    for start in range(0, total, step):
        yield Shard(name, level, check, first + start, min(step, total - start))


def _fresh(shard: Shard) -> Shard:
    return Shard(shard.family, shard.level, shard.check, shard.first + FRESH, shard.count)


def falls_with_difficulty(cells: Iterable[Cell]) -> list[str]:
    """Return what is wrong with how a weak agent fares from level 1 to level 5 of one family."""
    weak = {
        cell.level: (cell.figures["weak"], cell.figures["played"])
        for cell in cells
        if "weak" in cell.figures
    }
    if not {1, 5} <= set(weak):
        return []
    (easy, n), (hard, m) = weak[1], weak[5]
    pooled = (easy * n + hard * m) / (n + m)
    spread = (pooled * (1 - pooled) * (1 / n + 1 / m)) ** 0.5
    if hard - easy <= 3.5 * spread:
        return []
    return [f"a weak agent solves {hard:.0%} at level 5, only {easy:.0%} at level 1"]
