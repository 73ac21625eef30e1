"""The report of a run: one HTML page that needs neither a network nor a server."""

from __future__ import annotations

from gym_imagetools.report.page import write_report

__all__ = ["write_report"]
