"""Where commands print."""

from __future__ import annotations

import os

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

FILE_COLUMNS = 160
"""Width of tables that go into a file or a pipe, where no terminal sets one."""


def stdout() -> Console:
    """Return a console for results, made anew so that it follows a redirected stdout.

    Tables take as much of a terminal's width as they need; ``COLUMNS`` overrules it.
    """
    console = Console(highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        return Console(highlight=False, width=FILE_COLUMNS)
    return console


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
