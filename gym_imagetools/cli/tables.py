"""Tables of rollouts."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from gym_imagetools.contract import is_right
from gym_imagetools.render.wording import ENDINGS
from gym_imagetools.rollout.rollout import Rollout
from gym_imagetools.rollout.tally import Tally
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
    return [
        _yes_or_no(is_right(final["reward_scores"])),
        f"{final['base_reward']:.2f}",
        f"{final['image_tools_aux_reward']:+.2f}",
        f"{rollout.reward:.2f}",
        calls_in_words(rollout),
    ]


def _yes_or_no(is_so: bool) -> Text:
    return Text("yes", style="green") if is_so else Text("no", style="red")


def summary_table(title: str, tally: Tally) -> Table:
    """Return the means of a run: reward, components, calls, and how the episodes ended.

    Args:
        title: The head of the first column.
        tally: The figures of at least one rollout; all of one environment.
    """
    table = _table()
    table.add_column(title, no_wrap=True)
    table.add_column("value", justify="right")
    table.add_row("rollouts", str(tally.num_rollouts))
    table.add_row("tasks", str(len(tally.tasks)))
    for name in ("reward", *tally.components):
        table.add_row(f"mean {name}", f"{tally.mean(name):.4f}")
    table.add_row("mean tool calls", f"{tally.mean('tool calls'):.2f}")
    table.add_row("mean tool errors", f"{tally.mean('tool errors'):.2f}")
    for name in ("input_tokens", "output_tokens"):
        if name in tally.sums:
            table.add_row(f"mean {name.replace('_', ' ')}", f"{tally.mean(name):.0f}")
    for ending, count in tally.endings.most_common():
        table.add_row(ENDINGS[ending], f"{count / tally.num_rollouts:.0%}")
    for name, count in (("refusals", tally.num_refusals), ("failures", tally.num_failures)):
        if count:
            table.add_row(name, str(count))
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
