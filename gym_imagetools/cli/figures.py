"""Tables of a run's figures, for a terminal of 100 columns."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from gym_imagetools.monitor.comparison import Comparison, PairedDifference
from gym_imagetools.monitor.estimates import Interval, Mean, Share
from gym_imagetools.monitor.summary import RunSummary, Slice
from gym_imagetools.monitor.tool_use import ToolUse
from gym_imagetools.render.wording import ENDINGS

NONE = "-"
_BAR_CELLS = 20
_NAME_CELLS = 12


def summary_tables(title: str, summary: RunSummary, num_failures: int) -> Iterator[RenderableType]:
    """Yield the tables of a run.

    Args:
        title: The name of the run.
        summary: Its figures.
        num_failures: Episodes that failed and have no record.
    """
    yield _headline(title, summary, num_failures)
    yield _rewards(summary)
    yield _at_k(summary)
    yield _families(summary)
    yield _monitors(summary.tools)
    if summary.tools.tools:
        yield _tools(summary.tools)
    yield _endings(summary)
    if summary.usage:
        yield _usage(summary)


def comparison_tables(first: str, second: str, result: Comparison) -> Iterator[RenderableType]:
    """Yield the tables of a comparison.

    Args:
        first: The name of the first run, A.
        second: The name of the second run, B.
        result: The figures.
    """
    left_out = (
        f"; left out: {result.num_only_first} of A alone, {result.num_only_second} of B alone"
        if result.num_only_first or result.num_only_second
        else ""
    )
    yield Text(f"A  {first}\nB  {second}\n{result.num_tasks} shared tasks{left_out}")
    yield _differences("All shared tasks", result.figures)
    if len(result.families) > 1:
        yield _differences("Accuracy by family", result.families)


def _headline(title: str, summary: RunSummary, num_failures: int) -> Text:
    failures = f", {num_failures} failed without a record" if num_failures else ""
    return Text.assemble(
        (title, "bold"),
        f"\n{summary.num_episodes} episodes, {summary.num_tasks} tasks x up to "
        f"{summary.group_size}{failures}",
    )


def _rewards(summary: RunSummary) -> Table:
    table = _table("Rewards", "mean", "± s.e.")
    for name, mean in {
        "reward": summary.reward,
        **summary.components,
        "accuracy": summary.accuracy,
    }.items():
        table.add_row(Text(name), f"{mean.mean:.4f}", _error(mean))
    return table


def _at_k(summary: RunSummary) -> Table:
    table = _table(
        "k rollouts of a task", "pass@k", "95 % interval", "majority@k", "95 % interval", "tasks"
    )
    for at in summary.at_k:
        table.add_row(
            f"k = {at.k}", *_interval(at.passes), *_interval(at.majority), str(at.passes.count)
        )
    return table


def _families(summary: RunSummary) -> Table:
    table = _table(
        "Families and levels", "tasks", "accuracy", "± s.e.", "reward", "± s.e.", "calls"
    )
    for family in summary.families:
        levels = [one for one in summary.levels if one.family == family.family]
        is_one = len(levels) == 1
        level = levels[0].difficulty if is_one else ""
        name = f"{family.family}, level {level}" if level else family.family
        table.add_row(Text(name, style="bold"), *_slice(family))
        for one in levels if not is_one else []:
            table.add_row(
                f"  level {one.difficulty}" if one.difficulty else "  no level", *_slice(one)
            )
    return table


def _slice(part: Slice) -> list[str]:
    return [
        str(part.num_tasks),
        f"{part.accuracy.mean:.1%}",
        _error(part.accuracy, percent=True),
        f"{part.reward.mean:.3f}",
        _error(part.reward),
        f"{part.calls.mean:.2f}",
    ]


def _monitors(tools: ToolUse) -> Table:
    table = _table("Tool monitors", "", "of")
    table.add_row(
        "calls per episode", f"{tools.calls.mean:.2f}", _of(tools.calls.count, "episodes")
    )
    for name, share, of in (
        ("invalid calls", tools.invalid, "attempts"),
        ("malformed calls", tools.malformed, "attempts"),
        ("duplicate calls", tools.duplicate, "executed calls"),
        ("episodes without any call", tools.without_calls, "episodes"),
        ("accuracy with calls", tools.accuracy_with_calls, "episodes"),
        ("accuracy without calls", tools.accuracy_without_calls, "episodes"),
        ("groups of equal rewards", tools.equal_rewards, "groups"),
    ):
        table.add_row(name, _share(share), _of(share.total, of))
    return table


def _tools(tools: ToolUse) -> Table:
    table = _table("Tools", "calls", "refused", "repeated", "in episodes")
    for tool in tools.tools:
        table.add_row(
            Text(tool.name),
            str(tool.calls),
            _share(tool.refused),
            _share(tool.duplicates),
            _share(tool.episodes),
        )
    return table


def _endings(summary: RunSummary) -> Table:
    table = _table("Endings", "episodes", "share")
    table.add_column("")
    for ending, count in summary.endings.items():
        share = count / summary.num_episodes
        bar = "█" * round(share * _BAR_CELLS)
        table.add_row(ENDINGS[ending], str(count), f"{share:.1%}", Text(bar, style="cyan"))
    return table


def _usage(summary: RunSummary) -> Table:
    table = _table("Tokens", "total", "per episode", "episodes")
    for name, usage in summary.usage.items():
        table.add_row(Text(name), f"{usage.total:,.0f}", f"{usage.mean:,.1f}", str(usage.count))
    return table


def _differences(title: str, differences: tuple[PairedDifference, ...]) -> Table:
    table = _table(title, "A", "B", "B - A", "95 % interval", "up / down / of")
    for one in differences:
        style = ("green" if one.difference > 0 else "red") if one.is_clear else ""
        bounds = NONE if one.low is None else f"{one.low:+.3f} … {one.high:+.3f}"
        table.add_row(
            Text(one.name),
            f"{one.first:.3f}",
            f"{one.second:.3f}",
            Text(f"{one.difference:+.3f}", style=style),
            Text(bounds, style=style),
            f"{one.num_higher} / {one.num_lower} / {one.num_tasks}",
        )
    return table


def _table(title: str, *figures: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), collapse_padding=True)
    # On a narrow terminal a name is folded; a figure is never cut.
    table.add_column(title, header_style="bold cyan", overflow="fold", min_width=_NAME_CELLS)
    for figure in figures:
        table.add_column(figure, justify="right", no_wrap=True)
    return table


def _error(mean: Mean, *, percent: bool = False) -> str:
    if mean.standard_error is None:
        return NONE
    return f"{mean.standard_error:.1%}" if percent else f"{mean.standard_error:.4f}"


def _interval(interval: Interval) -> tuple[str, str]:
    bounds = NONE if interval.low is None else f"{interval.low:.1%} … {interval.high:.1%}"
    return f"{interval.value:.1%}", bounds


def _share(share: Share) -> str:
    return NONE if share.value is None else f"{share.value:.1%}"


def _of(count: int, what: str) -> str:
    return f"{count} {what}"
