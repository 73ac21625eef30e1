"""Figures of a run: rewards and pass@k with their uncertainty, and how the tools were used."""

from __future__ import annotations

from gym_imagetools.monitor.comparison import Comparison, compare
from gym_imagetools.monitor.episode import EpisodeFigures, read_figures
from gym_imagetools.monitor.summary import RunSummary, summarise

__all__ = [
    "Comparison",
    "EpisodeFigures",
    "RunSummary",
    "compare",
    "read_figures",
    "summarise",
]
