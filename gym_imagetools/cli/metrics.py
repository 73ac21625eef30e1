"""``gym-imagetools metrics``: what a run came to, and which of two is better."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from gym_imagetools.monitor import EpisodeFigures
    from gym_imagetools.rollout.finished_run import FinishedRun

NO_FIGURE = frozenset({"seed"})
"""Numbers of a record that measure nothing."""


def show_metrics(
    runs: Annotated[list[Path], typer.Argument(help="Folder of a run, or a file of records.")],
    compare: Annotated[
        bool, typer.Option("--compare", help="Compare two runs on the tasks they share.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON in place of tables.")] = False,
    seed: Annotated[int, typer.Option(help="Seeds the bootstrap of the intervals.")] = 0,
) -> None:
    """Show rewards, pass@k, majority@k and the use of the tools; or compare two runs."""
    from gym_imagetools.cli.faults import told_to_the_user
    from gym_imagetools.rollout.finished_run import FinishedRun

    with told_to_the_user(ValueError):
        if len(runs) != 1 + compare:
            expected = "two runs with --compare" if compare else "one run"
            raise ValueError(f"Expected {expected}, got {len(runs)}.")
        if seed < 0:
            raise ValueError(f"Expected --seed >= 0, got {seed}.")
        found = [FinishedRun.find(run) for run in runs]
        if compare:
            _compare(found[0], found[1], seed, as_json)
        else:
            _summarise(found[0], seed, as_json)


def _summarise(run: FinishedRun, seed: int, as_json: bool) -> None:
    import numpy as np

    from gym_imagetools.cli.console import stdout
    from gym_imagetools.cli.figures import summary_tables
    from gym_imagetools.monitor import summarise

    summary = summarise(_figures(run), np.random.default_rng(seed))
    num_failures = run.num_failures()
    if as_json:
        plain = {"num_failures": num_failures, **_plain(summary), "aggregate": _aggregate(run)}
        _print_json(plain)
        return
    for table in summary_tables(str(run.folder), summary, num_failures):
        stdout().print(table)


def _compare(first: FinishedRun, second: FinishedRun, seed: int, as_json: bool) -> None:
    import numpy as np

    from gym_imagetools.cli.console import stdout
    from gym_imagetools.cli.figures import comparison_tables
    from gym_imagetools.monitor import compare

    result = compare(_figures(first), _figures(second), np.random.default_rng(seed))
    if as_json:
        _print_json(_plain(result))
        return
    for table in comparison_tables(str(first.folder), str(second.folder), result):
        stdout().print(table)


def _figures(run: FinishedRun) -> list[EpisodeFigures]:
    from gym_imagetools.monitor import read_figures

    return [read_figures(record) for record in run.records()]


def _aggregate(run: FinishedRun) -> dict[str, Any]:
    """Return the figures under NeMo Gym's names."""
    from gym_imagetools.metrics import aggregate

    rows = []
    for record in run.records():
        row = record.model_dump(by_alias=True, exclude=set(NO_FIGURE))
        rows.append({**row, "extracted_answer": record.extracted_answer or None})
    return aggregate(rows, answer_key="extracted_answer")


def _plain(figures: Any) -> dict[str, Any]:
    """Return nested dataclasses as JSON values; a share with its value."""
    from dataclasses import fields, is_dataclass

    from gym_imagetools.monitor.estimates import Share

    def plain(value: Any) -> Any:
        if is_dataclass(value):
            own = {one.name: plain(getattr(value, one.name)) for one in fields(value)}
            return {"value": value.value, **own} if isinstance(value, Share) else own
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        return [plain(item) for item in value] if isinstance(value, tuple) else value

    whole: dict[str, Any] = plain(figures)
    return whole


def _print_json(figures: dict[str, Any]) -> None:
    import json

    typer.echo(json.dumps(figures, indent=2, ensure_ascii=False, allow_nan=False))
