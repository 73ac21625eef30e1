"""``gym-imagetools verify``: do recorded episodes still come out as they did?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from gym_imagetools.rollout import RolloutRecord
    from gym_imagetools.rollout.replay import Replay

MAX_LINES = 40
"""Lines of the table; the rest is counted."""


def verify_run(
    run: Annotated[Path, typer.Argument(help="Folder of a run, or a file of records.")],
    regrade: Annotated[
        Path | None,
        typer.Option(
            help="New file for the records with the rewards of today. In the folder of the run "
            "its pictures are found."
        ),
    ] = None,
) -> None:
    """Replay the recorded turns; exit with 1 where an observation, reward or ending differs."""
    from gym_imagetools.cli.console import stdout
    from gym_imagetools.cli.faults import CHECK_FAILED_EXIT_CODE, told_to_the_user
    from gym_imagetools.errors import DataError
    from gym_imagetools.rollout.finished_run import FinishedRun

    with told_to_the_user(DataError):
        found = FinishedRun.find(run)
        records = list(found.records())
    differing: list[Replay] = []
    with told_to_the_user(DataError), _new_file(regrade) as write:
        for replay in _replays(records):
            if not replay.problem:
                write(replay.regraded().line())
            if replay.differences:
                differing.append(replay)
    if regrade is not None:
        typer.echo(_regraded_in_words(regrade, len(records), differing))
    if not differing:
        typer.echo(f"{found.rollouts_path}: {len(records)} episodes come out as recorded.")
        return
    stdout().print(_table(differing))
    typer.echo(_summary(len(records), differing))
    raise typer.Exit(CHECK_FAILED_EXIT_CODE)


@contextmanager
def _new_file(path: Path | None) -> Iterator[Callable[[str], object]]:
    """Open a file that must not be there yet; without a path, lines go nowhere."""
    from gym_imagetools.errors import DataError

    if path is None:
        yield lambda line: None
        return
    try:
        file = path.open("x", encoding="utf-8")
    except FileExistsError:
        raise DataError(f"Expected --regrade to name a new file, got {path}.") from None
    with file:
        yield file.write


def _replays(records: Sequence[RolloutRecord]) -> Iterator[Replay]:
    from gym_imagetools.cli.console import progress
    from gym_imagetools.cli.faults import warnings_on_stderr
    from gym_imagetools.rollout.replay import Replayer

    with progress() as bar, warnings_on_stderr(), Replayer() as replayer:
        yield from bar.track(
            replayer.replay_all(records), total=len(records), description="episodes"
        )


def _table(replays: Sequence[Replay]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("task", overflow="fold")
    table.add_column("rollout", justify="right", no_wrap=True)
    table.add_column("what")
    table.add_column("recorded", style="red", overflow="fold")
    table.add_column("replayed", style="green", overflow="fold")
    lines = [(replay.record, one) for replay in replays for one in replay.differences]
    last = None
    for record, one in lines[:MAX_LINES]:
        is_first = record is not last
        task, rollout = (record.task_id, str(record.rollout_index)) if is_first else ("", "")
        table.add_row(*map(Text, (task, rollout, one.field, one.recorded, one.replayed)))
        last = record
    if len(lines) > MAX_LINES:
        table.add_row("…", "", f"{len(lines) - MAX_LINES} more", "", "")
    return table


def _regraded_in_words(path: Path, count: int, differing: Sequence[Replay]) -> str:
    num_lost = sum(bool(replay.problem) for replay in differing)
    lost = f"; {num_lost} that cannot be played are left out" if num_lost else ""
    return f"Regraded: {path} ({count - num_lost} records{lost})"


def _summary(count: int, differing: Sequence[Replay]) -> str:
    fields = Counter(
        field
        for replay in differing
        for field in {one.field.partition(": ")[2] or one.field for one in replay.differences}
    )
    words = ", ".join(f"{field} {number}" for field, number in fields.most_common())
    return f"{len(differing)} of {count} episodes differ ({words})."
