"""``gym-imagetools check``: can these rows be played?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from gym_imagetools.rows import RowProblem
    from gym_imagetools.rows.source import ReadRow


class Kind(StrEnum):
    """What the rows are for."""

    DATASET = "dataset"
    PIVOT = "pivot"
    WEATHER = "weather"


def check_file(
    rows: Annotated[Path, typer.Argument(help="A JSONL file of rows.")],
    kind: Annotated[Kind, typer.Option(help="Which environment they are for.")] = Kind.DATASET,
    data_root: Annotated[
        Path | None, typer.Option(help="Folder of the pictures; by default that of the rows.")
    ] = None,
) -> None:
    """Check every row and decode every picture; exit with 1 when a row cannot be played."""
    from gym_imagetools.cli.console import stdout
    from gym_imagetools.cli.faults import CHECK_FAILED_EXIT_CODE, told_to_the_user
    from gym_imagetools.errors import DataError
    from gym_imagetools.rows import check_rows

    counts = Counter({"rows": 0, "pictures": 0, "demonstrations": 0})
    unread: dict[str, str | None] = {}
    with told_to_the_user(DataError):
        problems = check_rows(str(rows), data_root, _counting(_reader(kind), counts, unread))
    _print_unread(unread)
    if problems:
        _print_problems(problems, counts["rows"])
        raise typer.Exit(CHECK_FAILED_EXIT_CODE)
    words = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    stdout().print(f"{rows}: every row can be played ({words}).", soft_wrap=True)


def _reader(kind: Kind) -> ReadRow[Any]:
    from gym_imagetools.rows import read_row
    from gym_imagetools.rows.pivot import read_pivot_row
    from gym_imagetools.rows.weather import read_weather_row

    readers: dict[Kind, ReadRow[Any]] = {
        Kind.DATASET: read_row,
        Kind.PIVOT: read_pivot_row,
        Kind.WEATHER: read_weather_row,
    }
    return readers[kind]


def _counting(
    read: ReadRow[Any], counts: Counter[str], unread: dict[str, str | None]
) -> ReadRow[Any]:
    """Return a reader that decodes the pictures too, and notes what is used and what is not."""
    from gym_imagetools.graders import unread_fields

    def read_all(row: Mapping[str, Any], name: str, root: Path | None) -> Any:
        task = read(row, name, root)
        pictures = getattr(task, "pictures", ())
        for picture in pictures:
            picture.load()
        counts["rows"] += 1
        counts["pictures"] += len(pictures)
        if grader := getattr(task, "grader", None):
            counts[f"graded by {grader}" if isinstance(grader, str) else "answers"] += 1
            if isinstance(grader, str):
                unread.update(unread_fields(grader, task.grading))
        if getattr(task, "demonstration", None):
            counts["demonstrations"] += 1
        return task

    return read_all


def _print_unread(unread: Mapping[str, str | None]) -> None:
    from gym_imagetools.cli.console import stdout

    if unread:
        names = ", ".join(
            f"`{field}` (did you mean `{meant}`?)" if meant else f"`{field}`"
            for field, meant in unread.items()
        )
        stdout().print(f"Fields that no grader reads: {names}.", soft_wrap=True)


def _print_problems(problems: list[RowProblem], num_good: int) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from gym_imagetools.cli.console import stdout

    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("row", justify="right", no_wrap=True)
    table.add_column("problem", overflow="fold")
    for problem in problems:
        table.add_row(str(problem.row), Text(problem.message))
    stdout().print(table)
    typer.echo(f"{len(problems)} of {len(problems) + num_good} rows cannot be played.")
