"""What a run came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from gym_imagetools.contract import Ending
from gym_imagetools.metrics import majority_at_k, pass_at_k
from gym_imagetools.monitor.episode import EpisodeFigures
from gym_imagetools.monitor.estimates import Interval, Mean, interval_of_tasks, mean_of_groups
from gym_imagetools.monitor.tool_use import ToolUse, tool_use

Group = Sequence[EpisodeFigures]


@dataclass(frozen=True)
class AtK:
    """What k rollouts of a task come to.

    Attributes:
        k: How many.
        passes: The chance that one of them is right, without bias.
        majority: The score of the most frequent answer among the first of them.
    """

    k: int
    passes: Interval
    majority: Interval


@dataclass(frozen=True)
class Slice:
    """A part of the tasks.

    Attributes:
        family: The kind of task.
        difficulty: Its level; "" where it has none, or for all levels.
        num_tasks: Its groups.
        accuracy: The share of right episodes.
        reward: The mean reward.
        calls: Executed calls of an episode.
    """

    family: str
    difficulty: str
    num_tasks: int
    accuracy: Mean
    reward: Mean
    calls: Mean


@dataclass(frozen=True)
class Usage:
    """Tokens of one kind.

    Attributes:
        total: Of all episodes.
        mean: Of an episode that tells them.
        count: The number of those.
    """

    total: float
    mean: float
    count: int


@dataclass(frozen=True)
class RunSummary:
    """A run in figures.

    Attributes:
        num_episodes: The records.
        num_tasks: The groups: tasks, each played ``group_size`` times.
        group_size: The members of the largest group.
        reward: The mean reward.
        components: The mean of each objective's pay.
        accuracy: The share of right episodes.
        at_k: pass@k and majority@k for k = 1, 2, 4, … and the group size.
        families: Each family, over all of its levels.
        levels: Each family and level.
        tools: How the tools were used.
        endings: How many episodes ended how.
        usage: Token counts by name, where endpoints told them.
    """

    num_episodes: int
    num_tasks: int
    group_size: int
    reward: Mean
    components: dict[str, Mean]
    accuracy: Mean
    at_k: tuple[AtK, ...]
    families: tuple[Slice, ...]
    levels: tuple[Slice, ...]
    tools: ToolUse
    endings: dict[Ending, int]
    usage: dict[str, Usage]


def summarise(episodes: Sequence[EpisodeFigures], rng: np.random.Generator) -> RunSummary:
    """Return the figures of a run.

    Args:
        episodes: At least one.
        rng: Draws the bootstrap samples; the same one gives the same figures.

    Raises:
        ValueError: There are no episodes.
    """
    if not episodes:
        raise ValueError("Expected at least one episode, got none.")
    groups = by(episodes, lambda episode: episode.group)
    return RunSummary(
        num_episodes=len(episodes),
        num_tasks=len(groups),
        group_size=max(map(len, groups)),
        reward=mean_over(groups, lambda episode: episode.reward),
        components=_components(groups),
        accuracy=mean_over(groups, lambda episode: float(episode.is_right)),
        at_k=tuple(_at_k(groups, k, rng) for k in _ks(max(map(len, groups)))),
        families=_slices(episodes, lambda episode: (episode.family, "")),
        levels=_slices(episodes, lambda episode: (episode.family, episode.difficulty)),
        tools=tool_use(episodes, groups),
        endings=dict(Counter(episode.ending for episode in episodes).most_common()),
        usage=_usage(episodes),
    )


def by(
    episodes: Iterable[EpisodeFigures], key: Callable[[EpisodeFigures], object]
) -> list[list[EpisodeFigures]]:
    """Return the episodes in lists of equal keys, in the order of their first.

    Args:
        episodes: The episodes.
        key: What they share.
    """
    lists: dict[object, list[EpisodeFigures]] = {}
    for episode in episodes:
        lists.setdefault(key(episode), []).append(episode)
    return list(lists.values())


def mean_over(groups: Iterable[Group], figure: Callable[[EpisodeFigures], float]) -> Mean:
    """Return the mean of a figure over the episodes of all groups.

    Args:
        groups: The groups.
        figure: What is averaged.
    """
    return mean_of_groups([[figure(episode) for episode in group] for group in groups])


def _components(groups: Sequence[Group]) -> dict[str, Mean]:
    names = dict.fromkeys(name for group in groups for one in group for name in one.components)
    means = {}
    for name in names:
        values = [
            [one.components[name] for one in group if name in one.components] for group in groups
        ]
        means[name] = mean_of_groups([group for group in values if group])
    return means


def _ks(group_size: int) -> list[int]:
    powers = [1 << power for power in range(group_size.bit_length())]
    return sorted({*powers, group_size})


def _at_k(groups: Sequence[Group], k: int, rng: np.random.Generator) -> AtK:
    """Return the figures of groups that have as many members; failures make groups smaller."""
    large = [group for group in groups if len(group) >= k]
    right = [[float(one.is_right) for one in group] for group in large]
    answers = [[one.answer or None for one in group] for group in large]
    passes = [pass_at_k([row], k) for row in right]
    majorities = [majority_at_k([said], [row], k) for said, row in zip(answers, right, strict=True)]
    return AtK(k, interval_of_tasks(passes, rng), interval_of_tasks(majorities, rng))


def _slices(
    episodes: Sequence[EpisodeFigures], key: Callable[[EpisodeFigures], tuple[str, str]]
) -> tuple[Slice, ...]:
    slices = []
    for part in sorted(by(episodes, key), key=lambda part: key(part[0])):
        groups = by(part, lambda episode: episode.group)
        slices.append(
            Slice(
                *key(part[0]),
                num_tasks=len(groups),
                accuracy=mean_over(groups, lambda episode: float(episode.is_right)),
                reward=mean_over(groups, lambda episode: episode.reward),
                calls=mean_over(groups, lambda episode: float(episode.num_calls)),
            )
        )
    return tuple(slices)


def _usage(episodes: Sequence[EpisodeFigures]) -> dict[str, Usage]:
    counts: dict[str, list[float]] = {}
    for episode in episodes:
        for name, count in episode.usage.items():
            counts.setdefault(name, []).append(count)
    return {name: Usage(sum(all_), fmean(all_), len(all_)) for name, all_ in counts.items()}
