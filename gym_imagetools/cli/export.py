"""``gym-imagetools export``: puzzles as data rows of NeMo Gym."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gym_imagetools.export import SolvedPuzzle

_EXPORTED_FACTORIES = ("puzzle", "mixed")


class Split(StrEnum):
    """The halves of the puzzles."""

    TRAIN = "train"
    EVAL = "eval"


def export_puzzles(
    env_id: Annotated[str, typer.Option("--env", help="Id of a puzzle, or ImageTools/Mixed-v0.")],
    out: Annotated[Path, typer.Option(help="Folder of the rows; new or empty.")],
    num_tasks: Annotated[int, typer.Option(help="Puzzles to export.")] = 100,
    split: Annotated[Split, typer.Option(help="Half of the seeds.")] = Split.TRAIN,
    seed: Annotated[int, typer.Option(help="Fixes the puzzles.")] = 0,
    keyword: Annotated[
        list[str] | None, typer.Option("-k", help="One keyword, key=value; may be repeated.")
    ] = None,
    pivots: Annotated[
        bool, typer.Option(help="Write every decision of the oracle as a row of its own.")
    ] = False,
    inline: Annotated[
        bool, typer.Option(help="Hold the pictures in the rows instead of in images/.")
    ] = False,
) -> None:
    """Write rows.jsonl (or pivots.jsonl) that NeMo Gym and this package play."""
    from gym_imagetools.cli.console import progress
    from gym_imagetools.cli.faults import told_to_the_user
    from gym_imagetools.cli.making import entry_of, make_env, read_keywords
    from gym_imagetools.errors import GenerationError
    from gym_imagetools.export import FULL_SIZE, solve
    from gym_imagetools.rollout.assignment import plan
    from gym_imagetools.rollout.run_folder import empty_folder

    with told_to_the_user(ValueError):
        keywords = read_keywords("{}", keyword or [])
        if entry_of(env_id).factory not in _EXPORTED_FACTORIES:
            raise ValueError(f"Expected --env to be a puzzle or ImageTools/Mixed-v0, got {env_id}.")
        plan(seed, num_tasks=num_tasks)
    env = make_env(env_id, {**keywords, "split": split.value, **FULL_SIZE})
    with told_to_the_user(ValueError):
        path = empty_folder(out) / ("pivots.jsonl" if pivots else "rows.jsonl")
    with told_to_the_user(GenerationError), progress() as bar:
        puzzles = bar.track(
            solve(env, num_tasks=num_tasks, seed=seed), total=num_tasks, description="puzzles"
        )
        count = _write(path, _rows(puzzles, pivots=pivots), inline=inline)
    typer.echo(f"{count} rows: {path}")


def _rows(puzzles: Iterable[SolvedPuzzle], *, pivots: bool) -> Iterator[dict[str, Any]]:
    from gym_imagetools.export import pivot_rows, question_row

    for puzzle in puzzles:
        if pivots:
            yield from pivot_rows(puzzle)
        else:
            yield question_row(puzzle)


def _write(path: Path, rows: Iterable[dict[str, Any]], *, inline: bool) -> int:
    """Write rows, with their pictures beside them unless they are to be inline."""
    from gym_imagetools.rollout.pictures import PictureFolder

    pictures = PictureFolder(path.parent)
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            count += 1
            request = row["responses_create_params"]
            if not inline:
                request = {**request, "input": pictures.with_references(request["input"])}
            line = {**row, "responses_create_params": request}
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    return count
