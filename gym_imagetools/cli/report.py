"""``gym-imagetools report``: one page to see how a run went."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def make_report(
    run: Annotated[Path, typer.Argument(help="Folder of a run, or a file of records.")],
    out: Annotated[
        Path | None, typer.Option(help="The page; by default report.html in the run's folder.")
    ] = None,
    inline: Annotated[
        bool, typer.Option("--inline", help="Hold the pictures in the page, to send it alone.")
    ] = False,
) -> None:
    """Write one HTML page with every episode, its pictures, boxes and rewards."""
    from gym_imagetools.cli.faults import told_to_the_user
    from gym_imagetools.report import write_report
    from gym_imagetools.rollout.finished_run import FinishedRun

    with told_to_the_user(ValueError):
        path = write_report(FinishedRun.find(run), out, inline=inline)
    typer.echo(f"Report: {path}")
