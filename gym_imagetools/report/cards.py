"""The figures above the table of the page."""

from __future__ import annotations

from dataclasses import dataclass

from gym_imagetools.monitor import RunSummary
from gym_imagetools.monitor.estimates import Interval, Mean, Share

NONE = "-"


@dataclass(frozen=True)
class Card:
    """One figure.

    Attributes:
        name: What it is.
        value: The figure.
        note: What stands below it: how sure it is, or of how many.
    """

    name: str
    value: str
    note: str


def cards_of(summary: RunSummary, num_failures: int) -> list[Card]:
    """Return the headline figures of a run.

    Args:
        summary: Its figures.
        num_failures: Episodes that failed and have no record.
    """
    tools, most = summary.tools, summary.at_k[-1]
    cards = [
        Card("Episodes", f"{summary.num_episodes:,}", _size(summary, num_failures)),
        Card("Mean reward", f"{summary.reward.mean:.3f}", _error(summary.reward, "{:.4f}")),
        Card("Accuracy", f"{summary.accuracy.mean:.1%}", _error(summary.accuracy, "{:.1%}")),
    ]
    if most.k > 1:
        cards.append(Card(f"pass@{most.k}", f"{most.passes.value:.1%}", _bounds(most.passes)))
        majority = most.majority
        cards.append(Card(f"majority@{most.k}", f"{majority.value:.1%}", _bounds(majority)))
    return [
        *cards,
        Card("Calls per episode", f"{tools.calls.mean:.2f}", _error(tools.calls, "{:.2f}")),
        _share("Invalid calls", tools.invalid, "attempts"),
        _share("Malformed calls", tools.malformed, "attempts"),
        _share("Duplicate calls", tools.duplicate, "calls"),
        _share("Without any call", tools.without_calls, "episodes"),
        *([_share("Equal rewards", tools.equal_rewards, "groups")] if most.k > 1 else []),
    ]


def _size(summary: RunSummary, num_failures: int) -> str:
    failures = f", {num_failures} failed" if num_failures else ""
    tasks = "1 task" if summary.num_tasks == 1 else f"{summary.num_tasks:,} tasks"
    return f"{tasks} x {summary.group_size}{failures}"


def _error(mean: Mean, form: str) -> str:
    return "" if mean.standard_error is None else f"± {form.format(mean.standard_error)}"


def _bounds(interval: Interval) -> str:
    return "" if interval.low is None else f"{interval.low:.1%} to {interval.high:.1%}"


def _share(name: str, share: Share, of: str) -> Card:
    value = NONE if share.value is None else f"{share.value:.1%}"
    return Card(name, value, f"{share.count:,} of {share.total:,} {of}")
