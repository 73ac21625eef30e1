"""Where commands print."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


def stdout() -> Console:
    """Return a console for results, made anew so that it follows a redirected stdout."""
    return Console(highlight=False)


def progress() -> Progress:
    """Return a progress bar on stderr that leaves nothing behind; none where no one looks."""
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
