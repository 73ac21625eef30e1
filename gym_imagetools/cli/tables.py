"""Tables of rollouts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from rich import box
from rich.table import Table
from rich.text import Text

from gym_imagetools.render.wording import ENDINGS
from gym_imagetools.rollout.rollout import Rollout
from gym_imagetools.rollout.wording import calls_in_words, ending_in_words


def rollout_table(title: str, rollouts: Sequence[Rollout], *, first_row: int = 0) -> Table:
    """Return a table with a line for each rollout, in the columns of the published smoke run.

    Args:
        title: What stands above it.
        rollouts: The rollouts.
        first_row: The number of the first of them.
    """
    table = _table(title)
    table.add_column("row", justify="right", no_wrap=True)
    table.add_column("family")
    table.add_column("correct", justify="center")
    for name in ("base_\nreward", "image_tools_\naux_reward", "reward"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("tool calls", no_wrap=True)
    table.add_column("how it ended")
    for row, rollout in enumerate(rollouts, start=first_row):
        table.add_row(str(row), _kind(rollout), *_figures(rollout), ending_in_words(rollout))
    return table


def _kind(rollout: Rollout) -> str:
    """Return the family of the task, and its level where it has one."""
    level = rollout.env_kwargs.get("difficulty")
    return rollout.family if level is None else f"{rollout.family}, level {level}"


def _figures(rollout: Rollout) -> list[Text | str]:
    final = rollout.final
    is_right = final["base_reward"] >= 1.0
    return [
        Text("yes", style="green") if is_right else Text("no", style="red"),
        f"{final['base_reward']:.2f}",
        f"{final['image_tools_aux_reward']:+.2f}",
        f"{rollout.reward:.2f}",
        calls_in_words(rollout),
    ]


def summary_table(title: str, rollouts: Sequence[Rollout]) -> Table:
    """Return the means of a run: reward, components, calls, and how the episodes ended.

    Args:
        title: The head of the first column.
        rollouts: At least one rollout; all of one environment.
    """
    table = _table()
    table.add_column(title, no_wrap=True)
    table.add_column("value", justify="right")
    table.add_row("rollouts", str(len(rollouts)))
    table.add_row("tasks", str(len({rollout.assignment.group for rollout in rollouts})))
    table.add_row("mean reward", f"{fmean(rollout.reward for rollout in rollouts):.4f}")
    for name in rollouts[0].final["reward_components"]:
        mean = fmean(rollout.final["reward_components"][name] for rollout in rollouts)
        table.add_row(f"mean {name}", f"{mean:.4f}")
    calls = fmean(rollout.final["tool_call_count"] for rollout in rollouts)
    errors = fmean(rollout.final["tool_error_count"] for rollout in rollouts)
    table.add_row("mean tool calls", f"{calls:.2f}")
    table.add_row("mean tool errors", f"{errors:.2f}")
    for ending, count in Counter(rollout.final["ending"] for rollout in rollouts).most_common():
        table.add_row(ENDINGS[ending], f"{count / len(rollouts):.0%}")
    return table


def _table(title: str | None = None) -> Table:
    return Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        collapse_padding=True,
        pad_edge=False,
    )
