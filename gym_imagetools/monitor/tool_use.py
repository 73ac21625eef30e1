"""How the tools were used: what to watch while a model learns to call them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gym_imagetools.monitor.episode import EpisodeFigures, ToolFigures
from gym_imagetools.monitor.estimates import Mean, Share, mean_of_groups


@dataclass(frozen=True)
class NamedTool:
    """The use of one tool.

    Attributes:
        name: Its name; ``(unknown)`` for all names that no tool has.
        calls: Calls that were written, executed or not.
        refused: Those of them that were refused.
        duplicates: Those of them that repeated an earlier one.
        episodes: The episodes that called it.
    """

    name: str
    calls: int
    refused: Share
    duplicates: Share
    episodes: Share


@dataclass(frozen=True)
class ToolUse:
    """The monitors of tool use.

    Attributes:
        calls: Executed calls of an episode.
        invalid: Refused attempts whose markup could be read, of all attempts.
        malformed: Attempts whose markup could not be read, of all attempts.
        duplicate: Executed calls that repeated an earlier one, of all executed calls.
        without_calls: Episodes that tried no call: near 1, tool use has collapsed.
        accuracy_with_calls: Right episodes of those that tried a call.
        accuracy_without_calls: Right episodes of those that tried none.
        equal_rewards: Groups of two or more whose rewards are all equal: they teach GRPO nothing.
        tools: Each tool, the most used first.
    """

    calls: Mean
    invalid: Share
    malformed: Share
    duplicate: Share
    without_calls: Share
    accuracy_with_calls: Share
    accuracy_without_calls: Share
    equal_rewards: Share
    tools: tuple[NamedTool, ...]


def tool_use(
    episodes: Sequence[EpisodeFigures], groups: Sequence[Sequence[EpisodeFigures]]
) -> ToolUse:
    """Return the monitors of a run.

    Args:
        episodes: The episodes.
        groups: The same by their groups.
    """
    num_calls = sum(episode.num_calls for episode in episodes)
    num_invalid = sum(episode.num_invalid for episode in episodes)
    num_malformed = sum(episode.num_malformed for episode in episodes)
    attempts = num_calls + num_invalid + num_malformed
    trying = [episode for episode in episodes if episode.has_calls]
    others = [episode for episode in episodes if not episode.has_calls]
    real_groups = [group for group in groups if len(group) > 1]
    return ToolUse(
        calls=mean_of_groups([[float(one.num_calls) for one in group] for group in groups]),
        invalid=Share(num_invalid, attempts),
        malformed=Share(num_malformed, attempts),
        duplicate=Share(sum(episode.num_duplicates for episode in episodes), num_calls),
        without_calls=Share(len(others), len(episodes)),
        accuracy_with_calls=Share(sum(one.is_right for one in trying), len(trying)),
        accuracy_without_calls=Share(sum(one.is_right for one in others), len(others)),
        equal_rewards=Share(
            sum(len({one.reward for one in group}) == 1 for group in real_groups),
            len(real_groups),
        ),
        tools=_named_tools(episodes),
    )


def _named_tools(episodes: Sequence[EpisodeFigures]) -> tuple[NamedTool, ...]:
    totals: dict[str, ToolFigures] = {}
    num_using: dict[str, int] = {}
    for episode in episodes:
        for name, figures in episode.tools.items():
            totals[name] = totals.get(name, ToolFigures()) + figures
            num_using[name] = num_using.get(name, 0) + 1
    named = [
        NamedTool(
            name,
            total.calls,
            Share(total.refused, total.calls),
            Share(total.duplicates, total.calls),
            Share(num_using[name], len(episodes)),
        )
        for name, total in totals.items()
    ]
    return tuple(sorted(named, key=lambda tool: (-tool.calls, tool.name)))
