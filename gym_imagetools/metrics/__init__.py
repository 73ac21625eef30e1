"""Figures of an evaluation: pass@k, majority@k, and means over rollouts, tasks and repeats.

Two kinds of functions:

- :func:`pass_at_k` and :func:`majority_at_k` take arrays of shape (tasks, samples) and return
  fractions, 0 to 1.
- The others take *rollout records*, flat dicts such as ``{"reward": 1.0, "correctness": 1.0}``,
  and return NeMo Gym's figures under NeMo Gym's names, so that reports of either compare. There a
  percentage is 100 times the score.
"""

from gym_imagetools.metrics.passes import (
    majority_at_k,
    pass_at_k,
    pass_majority_metrics,
    sample_std_dev_metrics,
    subset_metrics,
)
from gym_imagetools.metrics.records import MASK, ROLLOUT_INDEX, TASK_INDEX
from gym_imagetools.metrics.summaries import (
    aggregate,
    group_level_metrics,
    key_metrics,
    repeat_level_metrics,
)

__all__ = [
    "MASK",
    "ROLLOUT_INDEX",
    "TASK_INDEX",
    "aggregate",
    "group_level_metrics",
    "key_metrics",
    "majority_at_k",
    "pass_at_k",
    "pass_majority_metrics",
    "repeat_level_metrics",
    "sample_std_dev_metrics",
    "subset_metrics",
]
