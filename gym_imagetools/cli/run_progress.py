"""How a run tells of its progress: a bar for people, JSON lines for jobs, or nothing."""

from __future__ import annotations

import json
import time
from types import TracebackType
from typing import Any, Self

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from gym_imagetools.rollout import FailureRecord, RolloutRecord, Tally

LOG_EVERY_S = 10.0
"""Seconds between two lines of the JSON log."""


class RunProgress:
    """Watches a run, adds its figures up, and shows them in a bar on stderr.

    Args:
        tally: The figures so far; it is added to.
        total: Episodes of the whole run.
        is_shown: Whether there is a bar; without a terminal there is none either way.
    """

    def __init__(self, tally: Tally, total: int, *, is_shown: bool = True) -> None:
        self._tally = tally
        self._started_s = time.monotonic()
        self._num_before = tally.num_rollouts
        self._total = total
        console = Console(stderr=True)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[figures]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not (is_shown and console.is_terminal),
        )
        self._task = self._bar.add_task(
            "rollouts", total=total, completed=tally.num_rollouts, figures=""
        )

    def __enter__(self) -> Self:
        """Show the bar."""
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Take the bar away."""
        self._bar.stop()

    def add(self, record: RolloutRecord) -> None:
        """Be told of an episode."""
        self._tally.add(record)
        self._show()

    def add_failure(self, failure: FailureRecord) -> None:
        """Be told of a failure."""
        self._tally.add_failure(failure)
        self._show()

    def figures(self) -> dict[str, Any]:
        """Return the figures so far, as JSON values."""
        tally = self._tally
        rate = self._rate_per_s()
        ended = tally.num_rollouts + tally.num_failures
        return {
            "rollouts": tally.num_rollouts,
            "total": self._total,
            "failures": tally.num_failures,
            "refusals": tally.num_refusals,
            "mean_reward": round(tally.mean("reward"), 6),
            "rollouts_per_s": round(rate, 3),
            "seconds_left": round((self._total - ended) / rate, 1) if rate else None,
        }

    def _show(self) -> None:
        tally = self._tally
        texts = [f"{self._rate_per_s():.1f}/s", f"mean reward {tally.mean('reward'):.3f}"]
        if tally.num_failures:
            texts.append(f"[red]{tally.num_failures} failed[/red]")
        self._bar.update(
            self._task,
            completed=tally.num_rollouts + tally.num_failures,
            figures="  ".join(texts),
        )

    def _rate_per_s(self) -> float:
        passed_s = time.monotonic() - self._started_s
        return (self._tally.num_rollouts - self._num_before) / passed_s if passed_s else 0.0


class JsonLog(RunProgress):
    """Watches a run and prints its figures as JSON lines on stdout.

    Args:
        tally: The figures so far; it is added to.
        total: Episodes of the whole run.
    """

    def __init__(self, tally: Tally, total: int) -> None:
        super().__init__(tally, total, is_shown=False)
        self._logged_s = time.monotonic()
        log_event("started", **self.figures())

    def _show(self) -> None:
        if time.monotonic() - self._logged_s >= LOG_EVERY_S:
            self._logged_s = time.monotonic()
            log_event("progress", **self.figures())


def log_event(event: str, **fields: Any) -> None:
    """Print one line of the JSON log.

    Args:
        event: What happened.
        fields: More about it, as JSON values.
    """
    typer.echo(json.dumps({"event": event, **fields}, ensure_ascii=False))
