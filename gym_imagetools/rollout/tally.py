"""Running figures of a run: what a progress bar and the table at its end tell."""

from __future__ import annotations

from collections import Counter, defaultdict

from gym_imagetools.contract import Ending
from gym_imagetools.rollout.failures import FailureRecord
from gym_imagetools.rollout.records import RolloutRecord


class Tally:
    """Adds records up, and keeps none.

    Attributes:
        num_rollouts: Records so far.
        num_failures: Failures so far.
        num_refusals: Records of a refusal so far.
        tasks: Numbers of the tasks that were played.
        endings: How often episodes ended in each way.
        components: Names of the reward components.
        sums: The sums of reward, components, tool calls, tool errors and tokens.
        last_failure: What failed last; "" as long as nothing has.
    """

    def __init__(self) -> None:
        self.num_rollouts = 0
        self.num_failures = 0
        self.num_refusals = 0
        self.tasks: set[int] = set()
        self.endings: Counter[Ending] = Counter()
        self.components: tuple[str, ...] = ()
        self.sums: dict[str, float] = defaultdict(float)
        self.last_failure = ""

    @property
    def mean_reward(self) -> float:
        """The mean reward so far; 0 before the first record."""
        return self.mean("reward")

    def mean(self, figure: str) -> float:
        """Return the mean of one of the sums; 0 before the first record."""
        return self.sums[figure] / self.num_rollouts if self.num_rollouts else 0.0

    def add(self, record: RolloutRecord) -> None:
        """Add a record."""
        self.num_rollouts += 1
        self.num_refusals += record.is_refusal
        self.tasks.add(record.task_index)
        self.endings[record.ending] += 1
        self.components = tuple(record.reward_components)
        figures = {
            "reward": record.reward,
            **record.reward_components,
            "tool calls": record.image_tools_call_count,
            "tool errors": record.image_tools_error_count,
            **(record.usage or {}),
        }
        for name, value in figures.items():
            self.sums[name] += value

    def add_failure(self, failure: FailureRecord) -> None:
        """Add a failure."""
        self.num_failures += 1
        self.last_failure = failure.message
