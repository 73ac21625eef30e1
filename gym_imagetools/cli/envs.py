"""``gym-imagetools envs``: the ids of the package."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer


@dataclass(frozen=True)
class EnvLine:
    """One id in the tables.

    Attributes:
        env_id: The id.
        what: One sentence.
        keywords: The keywords that are its own.
    """

    env_id: str
    what: str
    keywords: tuple[str, ...]


def list_envs(
    markdown: Annotated[bool, typer.Option(help="Write the table of the README.")] = False,
) -> None:
    """List the environment ids."""
    lines = env_lines()
    if markdown:
        typer.echo(markdown_table(lines))
        return
    _print_table(lines)


def env_lines() -> list[EnvLine]:
    """Return what the tables say of every id: from the registration, the families and the code."""
    from gym_imagetools.puzzles.registry import family
    from gym_imagetools.registration import ENTRIES

    return [
        EnvLine(
            env_id,
            family(entry.family).summary if entry.family else entry.summary,
            _own_keywords(entry.factory),
        )
        for env_id, entry in ENTRIES.items()
    ]


def markdown_table(lines: list[EnvLine]) -> str:
    """Return the table of the README.

    Args:
        lines: What :func:`env_lines` returned.
    """
    rows = [
        f"| `{line.env_id}` | {line.what} | {', '.join(f'`{key}`' for key in line.keywords)} |"
        for line in lines
    ]
    return "\n".join(["| id | what | own keywords |", "|---|---|---|", *rows])


def _own_keywords(factory: str) -> tuple[str, ...]:
    """Return the keywords that a factory spells out; the shared ones are in its ``**keywords``."""
    import inspect

    from gym_imagetools import factories

    parameters = inspect.signature(getattr(factories, factory)).parameters.values()
    shared = ("family", "render_mode")
    return tuple(
        parameter.name
        for parameter in parameters
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and parameter.name not in shared
    )


def _print_table(lines: list[EnvLine]) -> None:
    from rich import box
    from rich.table import Table

    from gym_imagetools.cli.console import stdout

    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("id", no_wrap=True, style="bold")
    table.add_column("what")
    table.add_column("own keywords")
    for line in lines:
        table.add_row(line.env_id, line.what, ", ".join(line.keywords))
    stdout().print(table)
