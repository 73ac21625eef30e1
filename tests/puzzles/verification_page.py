"""``docs/puzzles-verification.md``: what the shards of the verification show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from tests.puzzles.verification import Cell, falls_with_difficulty

_INTRO = """# How the puzzles are verified

`make verify-puzzles` draws every family and level on many seeds, measures them and writes this
page. What has been measured is kept in `tests/puzzles/measured/`, so a run goes on where the last
one stopped, on another machine, too. `make test` asks the same of a few seeds. A figure that could
be chance counts as a failure only when fresh seeds show it again."""

_ANSWERS = """## Answers

- *solved*: an independent solver, which finds the answer another way than the generator (from
  pixels wherever that can be done) and asserts that no other is right, agrees; of so many seeds.
- *guesses*: the best of all blind guesses (options, layout, drawing order, the commonest answer of
  a form or a question) in standard deviations above chance, by the exact tail. Alarm above 3.5.
- *learned*: the same for a logistic regression on the looks of the options (32x32 thumbnails,
  colours, grain), five folds; alarm below -3.5, too. A dash: the options are no pictures.
- *balance*: the least p-value of the chi-square tests of letters, rows, columns and numbers. Alarm
  below 0.001.
- *bytes*: the p-value of the length of the PNG files telling nothing of the answer, by 1,999
  shuffles. A count is seen in a picture, and so in its length: counts are left out.
- *repeats*: puzzles that ask what another one asks. Alarm at 0.1 % from level 3 on. Half of the
  seeds are for training and half for evaluation."""

_TOOLS = """## Tools

- *oracle*: a scripted tool user that sees blurred previews and the text of tools solves it; of so
  many seeds, with at most so many calls.
- *chance*, *without*: how often a blind guess is right, and the oracle without a group of tools
  that it needs, or without any; the most of them. From the level on that is marked with a star the
  preview does not decide, and more than chance is an alarm.
- *black*, *shuffled*: the oracle while its tools work on black pictures, or on another puzzle's.
- *weak*: a tired eye with much noise, and three calls. It must not fare better at level 5 than
  at 1.
- *median*, *p95*: processor time in ms of drawing master and recipe, PNG apart, of one process on
  a machine with other work."""

_ANSWER_HEAD = (
    *("family", "level", "solved", "guesses", "learned"),
    *("balance", "bytes", "repeats", "result"),
)
_TOOL_HEAD = (
    *("family", "level", "oracle", "calls", "chance", "without"),
    *("black", "shuffled", "weak", "median", "p95"),
)


def page(cells: Sequence[Cell]) -> str:
    """Return the page."""
    parts = [_INTRO, _summary(cells), _ANSWERS, _table(_ANSWER_HEAD, map(_answer_row, cells))]
    parts += [_TOOLS, _table(_TOOL_HEAD, map(_tool_row, cells))]
    return "\n\n".join(parts) + "\n"


def problems_of(cells: Iterable[Cell]) -> list[str]:
    """Return all that is wrong, each with its family and level."""
    return list(_problems(cells))


def _problems(cells: Iterable[Cell]) -> Iterator[str]:
    for name, group in groupby(cells, key=lambda cell: cell.family):
        levels = list(group)
        for cell in levels:
            yield from (f"{name} {cell.level}: {text}" for text in cell.problems)
        yield from (f"{name}: {text}" for text in falls_with_difficulty(levels))


def _summary(cells: Sequence[Cell]) -> str:
    problems = problems_of(cells)
    unfinished = sorted({cell.family for cell in cells if cell.missing})
    lines = [f"{len({cell.family for cell in cells})} families, {len(cells)} levels of them."]
    lines.append("Nothing that has been measured is wrong." if not problems else "**Wrong:**")
    lines += [f"- {problem}" for problem in problems]
    if unfinished:
        lines.append(f"Still to be measured in part: {', '.join(unfinished)}.")
    return "\n\n".join(lines[:2]) + "".join(f"\n{line}" for line in ["", *lines[2:]])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _answer_row(cell: Cell) -> list[str]:
    return [
        cell.family,
        str(cell.level),
        _show_part(cell, "agree", "seeds"),
        _show(cell, "worst_guess", "{:+.1f}"),
        _show(cell, "learned", "{:+.1f}"),
        _show(cell, "balance_p", "{:.3f}"),
        _show(cell, "bytes_p", "{:.3f}"),
        _show(cell, "duplicates", "{:.2%}"),
        "**failed**" if cell.problems else "incomplete" if cell.missing else "passed",
    ]


def _tool_row(cell: Cell) -> list[str]:
    needs_tools = " *" if cell.figures.get("needs_tools") else ""
    return [
        cell.family,
        str(cell.level) + needs_tools,
        _show_part(cell, "oracle", "played"),
        _show(cell, "calls", "{:.0f}"),
        *(_show(cell, key, "{:.1%}") for key in ("chance", "without", "black", "shuffled", "weak")),
        _show(cell, "median_ms", "{:.0f}"),
        _show(cell, "p95_ms", "{:.0f}"),
    ]


def _show(cell: Cell, name: str, form: str) -> str:
    return form.format(cell.figures[name]) if name in cell.figures else "-"


def _show_part(cell: Cell, part: str, whole: str) -> str:
    if whole not in cell.figures:
        return "-"
    return f"{cell.figures[part]:,.0f} of {cell.figures[whole]:,.0f}"
