"""Data rows: NeMo Gym JSONL files, lists of rows and dataset entries, read as they are."""

from __future__ import annotations

from gym_imagetools.rows.entry import DataEntry
from gym_imagetools.rows.messages import Prompt, read_prompt
from gym_imagetools.rows.reader import SAMPLE, Data
from gym_imagetools.rows.row import read_row
from gym_imagetools.rows.source import RowProblem, RowSource, check_rows

__all__ = [
    "SAMPLE",
    "Data",
    "DataEntry",
    "Prompt",
    "RowProblem",
    "RowSource",
    "check_rows",
    "read_prompt",
    "read_row",
]
