"""The tables of ``docs/benchmarks.md``, written from the figures of one run."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from gym_imagetools.bench.table import Figure, number, table

LIBRARIES = (
    "numpy", "pillow", "opencv-python-headless", "simplejpeg", "pybase64", "pydantic", "gymnasium",
)  # fmt: skip
"""Whose versions the page tells, as they decide the times."""

_TOOL_UNITS = ("ms", "x")
_P95 = ", 95th percentile"
_LEVEL = " level "


def fill_page(page: str, figures: Sequence[Figure]) -> str:
    """Return the page with its parts written anew; those without figures stay as they are.

    Args:
        page: A Markdown text with ``<!-- name:begin -->`` and ``<!-- name:end -->`` around parts.
        figures: What was measured.
    """
    for mark, text in _parts(figures):
        begin, end = f"<!-- {mark}:begin -->", f"<!-- {mark}:end -->"
        before, has_begin, rest = page.partition(begin)
        _, has_end, after = rest.partition(end)
        if has_begin and has_end:
            page = f"{before}{begin}\n{text}\n{end}{after}"
    return page


def describe_machine() -> str:
    """Return what the times depend on: processor, system, Python and libraries."""
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    busy = ""
    if hasattr(os, "getloadavg"):
        busy = f" When the figures were written it had a load of {os.getloadavg()[0]:.1f}."
    return (
        f"{_processor()}, {os.cpu_count()} cores, {platform.system()}; "
        f"Python {platform.python_version()}; {libraries}.{busy}"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:  # another system than Linux
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _parts(figures: Sequence[Figure]) -> Iterator[tuple[str, str]]:
    yield "machine", describe_machine()
    asked = [figure for figure in figures if figure.ask and figure.section != "puzzles"]
    if asked:
        yield "asks", asks_table(asked)
    sections = {figure.section for figure in figures}
    for section, write in (
        ("tools", tools_table),
        ("parts", parts_table),
        ("puzzles", puzzles_table),
    ):
        if section in sections:
            yield section, write([figure for figure in figures if figure.section == section])


def asks_table(figures: Sequence[Figure]) -> str:
    """Return every ask with its figure, and whether it is met."""
    rows = [
        [figure.section, figure.name, figure.ask, number(figure), figure.verdict]
        for figure in figures
    ]
    return table(["section", "what", "ask", "figure", ""], rows)


def tools_table(figures: Sequence[Figure]) -> str:
    """Return a row for each tool and size: our time, and the reference's as a multiple of it."""
    cells: dict[str, dict[str, str]] = {}
    for figure in figures:
        if figure.unit in _TOOL_UNITS and "," not in figure.name:
            cells.setdefault(figure.name, {})[figure.unit] = f"{figure.value:.3g}"
    rows = [[name, *(found.get(unit, "") for unit in _TOOL_UNITS)] for name, found in cells.items()]
    return table(["call", "ours, ms", "reference / ours"], rows)


def parts_table(figures: Sequence[Figure]) -> str:
    """Return the parts of an episode: cold, warm, and the least they can take."""
    cells: dict[str, dict[str, float]] = {}
    for figure in figures:
        kind, _, part = figure.name.partition(": ")
        cells.setdefault(part, {})[kind] = figure.value
    kinds = ("cold", "warm", "floor")
    cells["all"] = {kind: sum(part.get(kind, 0.0) for part in cells.values()) for kind in kinds}
    rows = []
    for part, found in cells.items():
        floor = found.get("floor", 0.0)
        times = [f"{found[kind]:.2f}" if kind in found else "" for kind in kinds]
        rows.append([part, *times, f"{found['cold'] / floor:.2f}" if floor else ""])
    return table(["part", "cold, ms", "warm, ms", "floor, ms", "cold / floor"], rows)


def puzzles_table(figures: Sequence[Figure]) -> str:
    """Return a row for each family: median and 95th percentile of each level."""
    medians = {figure.name: figure for figure in figures if not figure.name.endswith(_P95)}
    slow = {figure.name: figure for figure in figures if figure.name.endswith(_P95)}
    cells: dict[str, dict[str, str]] = {}
    for name, figure in medians.items():
        family, _, level = name.partition(_LEVEL)
        text = f"{figure.value:.0f} ({slow[name + _P95].value:.0f})"
        cells.setdefault(family, {})[level] = text if figure.is_met else f"**{text}**"
    levels = sorted({level for found in cells.values() for level in found})
    rows = [
        [family, *(found.get(level, "") for level in levels)] for family, found in cells.items()
    ]
    return table(["family", *(f"level {level}" for level in levels)], rows)
