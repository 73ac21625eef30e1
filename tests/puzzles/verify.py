"""Verify the puzzles on thousands of seeds (``make verify-puzzles``).

What has been measured is kept in shards, so a run goes on where the last one stopped, and after a
change of the code only what depends on it is measured anew. Whenever it stops, it packs what has
been measured for the repository and writes the page.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated

import cv2
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from gym_imagetools.puzzles.families import FAMILIES
from gym_imagetools.puzzles.puzzle import LEVELS
from gym_imagetools.puzzles.registry import check_family_name
from tests.puzzles.archive import ARCHIVE, pack, unpack
from tests.puzzles.shards import ROOT, Shard
from tests.puzzles.verification import Amounts, Cell, look_up
from tests.puzzles.verification_page import page, problems_of

console = Console(stderr=True, highlight=False)
DEFAULTS = Amounts()


def main(
    families: Annotated[str, typer.Option(help="Names with commas between; all if empty.")] = "",
    levels: Annotated[str, typer.Option(help="Levels with commas between.")] = "1,2,3,4,5",
    jobs: Annotated[int, typer.Option(help="Processes; 0 for one a core.")] = 0,
    budget_s: Annotated[float, typer.Option(help="Stop after so many seconds; 0 for never.")] = 0,
    seeds: Annotated[int, typer.Option(help="Seeds a family and level.")] = DEFAULTS.seeds,
    many: Annotated[int, typer.Option(help="Seeds where they are cheap.")] = DEFAULTS.many,
    played: Annotated[int, typer.Option(help="Seeds that the oracle plays.")] = DEFAULTS.played,
    out: Annotated[Path, typer.Option(help="Folder of the shards.")] = ROOT / ".verify",
    archive: Annotated[Path, typer.Option(help="Folder of packed shards.")] = ARCHIVE,
    write: Annotated[Path, typer.Option(help="The page to write.")] = (
        ROOT / "docs" / "puzzles-verification.md"
    ),
) -> None:
    """Measure what is missing, then write the page; exit 1 if anything is wrong."""
    names = [name.strip() for name in families.split(",") if name.strip()] or list(FAMILIES)
    for name in names:
        check_family_name(name)
    unpack(archive, out)
    amounts = Amounts(seeds=seeds, many=many, played=played)
    chosen = [(name, int(level)) for name in names for level in levels.split(",")]
    deadline = time.monotonic() + budget_s if budget_s else None
    while todo := [s for cell in _cells(chosen, amounts, out) for s in cell.missing]:
        if not run(todo, out, jobs or os.cpu_count() or 1, deadline):
            break
    pack(out, archive)
    everything = list(_cells([(n, level) for n in FAMILIES for level in LEVELS], amounts, out))
    write.write_text(page(everything), encoding="utf-8")
    problems = problems_of(everything)
    missing = sum(len(cell.missing) for cell in everything)
    console.print(f"{write}: {len(problems)} problems, {missing} shards still to be measured")
    for problem in problems:
        console.print(f"[red]{problem}")
    raise typer.Exit(1 if problems else 0)


def _cells(chosen: Iterable[tuple[str, int]], amounts: Amounts, out: Path) -> Iterator[Cell]:
    return (look_up(name, level, amounts, out) for name, level in chosen)


def run(todo: list[Shard], out: Path, jobs: int, deadline: float | None) -> bool:
    """Measure shards; return whether all are done when the deadline has come.

    Shards that have begun are finished, so the deadline may be passed by a minute or two.
    """
    # The short ones first: what they cost decides how many seeds follow.
    waiting = sorted(todo, key=lambda shard: (shard.first, shard.check))
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with (
        Progress(*columns, TimeElapsedColumn(), console=console) as bar,
        ProcessPoolExecutor(jobs, get_context("spawn"), _one_thread) as pool,
    ):
        task = bar.add_task("shards", total=len(todo))
        running: dict[Future[None], Shard] = {}
        while waiting or running:
            is_late = deadline is not None and time.monotonic() > deadline
            while waiting and not is_late and len(running) < jobs:
                shard = waiting.pop(0)
                running[pool.submit(shard.measure, out)] = shard
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                shard = running.pop(future)
                future.result()
                name = f"{shard.family} {shard.level} {shard.check}"
                bar.update(task, advance=1, description=f"{name:<40}")
    return not waiting


def _one_thread() -> None:
    """The processes share the cores: none may start threads of its own."""
    cv2.setNumThreads(1)


if __name__ == "__main__":
    typer.run(main)
