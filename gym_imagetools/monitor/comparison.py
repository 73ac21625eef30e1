"""Two runs on the same tasks: which is better, and whether that can be told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from gym_imagetools.errors import DataError
from gym_imagetools.monitor.episode import EpisodeFigures
from gym_imagetools.monitor.estimates import bootstrap_interval

Figure = Callable[[EpisodeFigures], float]
Pair = tuple[Sequence[EpisodeFigures], Sequence[EpisodeFigures]]


@dataclass(frozen=True)
class PairedDifference:
    """A figure of two runs, paired by task.

    Attributes:
        name: The figure.
        first: Its mean over the tasks in the first run.
        second: Its mean over the tasks in the second run.
        difference: Second minus first.
        low: Lower bound of the 95 % interval of the difference; None for a single task.
        high: Upper bound.
        num_higher: Tasks where the second is higher.
        num_lower: Tasks where it is lower; the rest is equal.
        num_tasks: The tasks.
    """

    name: str
    first: float
    second: float
    difference: float
    low: float | None
    high: float | None
    num_higher: int
    num_lower: int
    num_tasks: int

    @property
    def is_clear(self) -> bool:
        """Whether the interval lies on one side of zero."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


@dataclass(frozen=True)
class Comparison:
    """Two runs beside each other.

    Attributes:
        num_tasks: Tasks of both runs: what is compared.
        num_only_first: Tasks of the first run alone.
        num_only_second: Tasks of the second run alone.
        figures: The figures over all shared tasks.
        families: The accuracy in each family.
    """

    num_tasks: int
    num_only_first: int
    num_only_second: int
    figures: tuple[PairedDifference, ...]
    families: tuple[PairedDifference, ...]


def compare(
    first: Sequence[EpisodeFigures], second: Sequence[EpisodeFigures], rng: np.random.Generator
) -> Comparison:
    """Compare two runs on the tasks that both played.

    Rollouts of a task are averaged first; intervals are bootstrapped over the tasks' differences.

    Args:
        first: The episodes of one run.
        second: The episodes of the other.
        rng: Draws the bootstrap samples.

    Raises:
        DataError: They share no task.
    """
    one, other = _by_task(first), _by_task(second)
    shared = [task for task in one if task in other]
    if not shared:
        raise DataError(
            "Expected two runs that share tasks, got none in common; play both with the same "
            "--env, -k and --seed."
        )
    pairs = [(one[task], other[task]) for task in shared]
    families = sorted({pair[0][0].family for pair in pairs})
    return Comparison(
        num_tasks=len(shared),
        num_only_first=len(one) - len(shared),
        num_only_second=len(other) - len(shared),
        figures=tuple(_paired(name, pairs, figure, rng) for name, figure in _figures(pairs)),
        families=tuple(
            _paired(family, [pair for pair in pairs if pair[0][0].family == family], _right, rng)
            for family in families
        ),
    )


def _by_task(episodes: Sequence[EpisodeFigures]) -> Mapping[str, list[EpisodeFigures]]:
    tasks: dict[str, list[EpisodeFigures]] = {}
    for episode in episodes:
        tasks.setdefault(episode.task_id, []).append(episode)
    return tasks


def _right(episode: EpisodeFigures) -> float:
    return float(episode.is_right)


def _figures(pairs: Sequence[Pair]) -> list[tuple[str, Figure]]:
    names = dict.fromkeys(name for pair in pairs for part in pair for name in part[0].components)
    components = [(name, _component(name)) for name in names]
    return [
        ("accuracy", _right),
        ("reward", lambda episode: episode.reward),
        *components,
        ("tool calls", lambda episode: float(episode.num_calls)),
        ("tool errors", lambda episode: float(episode.num_errors)),
        ("turns", lambda episode: float(episode.num_turns)),
    ]


def _component(name: str) -> Figure:
    return lambda episode: episode.components.get(name, 0.0)


def _paired(
    name: str, pairs: Sequence[Pair], figure: Figure, rng: np.random.Generator
) -> PairedDifference:
    means = [tuple(fmean(map(figure, part)) for part in pair) for pair in pairs]
    differences = [second - first for first, second in means]
    return PairedDifference(
        name,
        fmean(first for first, _ in means),
        fmean(second for _, second in means),
        fmean(differences),
        *bootstrap_interval(differences, rng),
        num_higher=sum(difference > 0 for difference in differences),
        num_lower=sum(difference < 0 for difference in differences),
        num_tasks=len(pairs),
    )
