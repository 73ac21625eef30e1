"""A run from its first to its last line, with what its user is told on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import typer

from gym_imagetools.cli.console import stdout
from gym_imagetools.cli.faults import CHECK_FAILED_EXIT_CODE, fail, told_to_the_user
from gym_imagetools.cli.run_progress import JsonLog, RunProgress, log_event
from gym_imagetools.cli.tables import summary_table
from gym_imagetools.endpoints import EndpointFailure
from gym_imagetools.errors import DataError, GenerationError
from gym_imagetools.rollout import Assignment, RunFolder, RunSettings, Tally
from gym_imagetools.rollout.engine import Watcher
from gym_imagetools.rollout.run_folder import Progress

INTERRUPTED_EXIT_CODE = 130
_HOW_TO_RESUME = "the same command with --resume goes on"


@dataclass(frozen=True)
class Manner:
    """How a run begins, and what it prints.

    Attributes:
        resume: Whether it goes on with what is in the folder.
        quiet: Whether it prints nothing but errors.
        log_json: Whether it prints JSON lines.
    """

    resume: bool
    quiet: bool
    log_json: bool


class PlayPlan(Protocol):
    """Plays episodes and writes their records, on this machine or on many."""

    def __call__(
        self,
        assignments: Sequence[Assignment],
        folder: RunFolder,
        watcher: Watcher,
        *,
        tasks: Mapping[int, str],
    ) -> None:
        """Play; see :func:`gym_imagetools.rollout.play_plan`."""


def run_in_folder(
    play: PlayPlan,
    player_name: str,
    assignments: list[Assignment],
    settings: RunSettings,
    out: Path,
    manner: Manner,
) -> None:
    """Play a plan in a folder and tell how it went.

    Args:
        play: Plays episodes.
        player_name: Names who plays, for the table.
        assignments: The whole plan.
        settings: The settings, for ``run.json``.
        out: The folder.
        manner: How it begins, and what it prints.

    Raises:
        typer.Exit: The run has come to no good end, or some of its episodes have failed.
    """
    tally = Tally()
    with told_to_the_user(DataError):
        folder, before = _folder(out, settings, tally, resume=manner.resume)
        folder.write_settings(settings)
    _tell_of_repairs(before, manner)
    total = len(assignments)
    progress = (
        JsonLog(tally, total)
        if manner.log_json
        else RunProgress(tally, total, is_shown=not manner.quiet)
    )
    rest = before.rest_of(assignments)
    with progress:
        _play(play, rest, folder, progress, before)
    _tell_the_end(folder, f"{settings.env_id}, {player_name}", tally, progress, manner)


def _folder(
    out: Path, settings: RunSettings, tally: Tally, *, resume: bool
) -> tuple[RunFolder, Progress]:
    if resume:
        return RunFolder.resume(out, settings, tally.add)
    return RunFolder(out), Progress()


def _play(
    play: PlayPlan,
    rest: list[Assignment],
    folder: RunFolder,
    progress: RunProgress,
    before: Progress,
) -> None:
    try:
        play(rest, folder, progress, tasks=before.tasks)
    except (EndpointFailure, DataError, GenerationError, OSError) as error:
        raise fail(f"{error} {_kept(folder)}") from None
    except KeyboardInterrupt:
        typer.echo(f"Interrupted. {_kept(folder) or 'Nothing is written yet.'}", err=True)
        raise typer.Exit(INTERRUPTED_EXIT_CODE) from None


def _kept(folder: RunFolder) -> str:
    if not folder.num_rollouts:
        return ""
    return f"({folder.num_rollouts} complete episodes are written; {_HOW_TO_RESUME}.)"


def _tell_of_repairs(before: Progress, manner: Manner) -> None:
    for repair in before.repairs:
        if manner.log_json:
            log_event("repaired", what=repair)
        else:
            typer.echo(f"Repaired: {repair}", err=True)


def _tell_the_end(
    folder: RunFolder,
    title: str,
    tally: Tally,
    progress: RunProgress,
    manner: Manner,
) -> None:
    if manner.log_json:
        log_event("finished", **progress.figures(), records=str(folder.rollouts_path))
    elif not manner.quiet:
        if tally.num_rollouts:
            stdout().print(summary_table(title, tally))
        typer.echo(f"Records: {folder.rollouts_path}")
    if tally.num_failures:
        typer.echo(
            f"Error: {tally.num_failures} episodes failed and have no record, the last with: "
            f"{tally.last_failure} (all in {folder.failures_path}; {_HOW_TO_RESUME}).",
            err=True,
        )
        raise typer.Exit(CHECK_FAILED_EXIT_CODE)
