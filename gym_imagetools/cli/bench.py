"""``gym-imagetools bench``: what the package costs on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from gym_imagetools.bench.peer import Peer
    from gym_imagetools.bench.table import Figure

SECTIONS = ("tools", "turns", "episodes", "parts", "puzzles", "vector", "memory")


def measure_costs(
    sections: Annotated[
        list[str] | None, typer.Argument(help=f"Some of: {', '.join(SECTIONS)}. None: all.")
    ] = None,
    peer: Annotated[
        bool, typer.Option("--peer", help="Measure the reference side by side.")
    ] = False,
    runs: Annotated[int, typer.Option(min=1, help="Counted runs of everything.")] = 7,
    json_out: Annotated[
        Path | None, typer.Option("--json", help="Write the figures to this file, too.")
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="Fill in the tables of this page, too."),
    ] = None,
) -> None:
    """Measure tools, turns, episodes, puzzles, threads and memory; medians with their spread."""
    chosen = sections or list(SECTIONS)
    if unknown := sorted(set(chosen) - set(SECTIONS)):
        raise typer.BadParameter(f"{', '.join(unknown)}: no section of {', '.join(SECTIONS)}")
    reference, folder = _open_peer() if peer else (None, None)
    try:
        figures = _print_as_measured(_measure(chosen, reference, runs))
    finally:
        if folder is not None:
            folder.cleanup()
    if json_out is not None:
        from gym_imagetools.bench.table import as_json

        json_out.write_text(json.dumps(as_json(figures), indent=1) + "\n", encoding="utf-8")
    if page is not None:
        from gym_imagetools.bench.page import fill_page

        page.write_text(fill_page(page.read_text("utf-8"), figures), encoding="utf-8")


def _open_peer() -> tuple[Peer | None, Any]:
    from gym_imagetools.bench.peer import PeerUnavailable, open_peer

    try:
        return open_peer()
    except PeerUnavailable as error:
        typer.echo(f"The reference is left out: {error}", err=True)
        return None, None


def _measure(sections: list[str], peer: Peer | None, runs: int) -> Iterator[Figure]:
    from gym_imagetools.bench import episodes, parts, puzzles, scaling, tools, turns

    measures = {
        "tools": lambda: tools.measure(peer, num_runs=runs),
        "turns": lambda: turns.measure(peer, num_runs=runs),
        "episodes": lambda: episodes.measure(peer, num_runs=runs),
        "parts": lambda: parts.measure(num_runs=runs),
        "puzzles": lambda: puzzles.measure(num_runs=runs),
        "vector": lambda: scaling.measure_vector(num_runs=runs),
        "memory": lambda: scaling.measure_memory(),
    }
    for section in sections:
        yield from measures[section]()


def _print_as_measured(figures: Iterator[Figure]) -> list[Figure]:
    """Print each figure when it is there: the whole takes minutes."""
    from gym_imagetools.bench.table import number

    kept = []
    for figure in figures:
        kept.append(figure)
        line = f"{figure.section:9} {figure.name:42} {number(figure):>12} ±{figure.spread:4.0%}"
        typer.echo(f"{line}  {figure.ask:26} {figure.verdict}".rstrip())
    return kept
