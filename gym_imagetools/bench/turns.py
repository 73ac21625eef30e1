"""Reading turns: an ordinary one beside the reference, and how time grows with length."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gym_imagetools.bench.peer import Peer
from gym_imagetools.bench.table import Figure
from gym_imagetools.bench.timing import time_in_turn
from gym_imagetools.parsing import parse_turn

ORDINARY = """I look at the lower left corner, where the two lines seem to cross.
<tool_call>
<function=image_zoom_in_tool>
<parameter=bbox_2d>
[100, 600, 350, 900]
</parameter>
<parameter=label>
the crossing
</parameter>
<parameter=factor>
4
</parameter>
<parameter=img_idx>
0
</parameter>
</function>
</tool_call>"""

DEGENERATE = {
    "blanks after an open function": ("<tool_call><function=x>", " "),
    "open functions": ("", "<tool_call><function=a>"),
    "open parameters": ("<tool_call><function=a>", "<parameter=p>"),
    "open reasoning": ("", "<think>"),
    "closed reasoning": ("", "</think>"),
    "brackets": ('<tool_call>{"name": "a", "arguments": {"label": ', "["),
    "prose": ("", "The line goes up. "),
}
"""Texts that are hard for patterns: a beginning, and what is repeated after it."""

_LENGTHS = (31_250, 62_500, 125_000, 250_000, 500_000, 1_000_000)


def measure(peer: Peer | None, *, num_runs: int) -> Iterator[Figure]:
    """Yield the time of an ordinary turn, and growth and worst time of degenerate ones.

    Args:
        peer: The reference; None measures ours alone.
        num_runs: Counted runs of each text.
    """
    actions = {"ours": lambda: parse_turn(ORDINARY)}
    if peer is not None:
        actions["peer"] = lambda: peer.parse(ORDINARY)
    timings = time_in_turn(actions, num_runs=num_runs)
    ours, title = timings["ours"], f"a turn of {len(ORDINARY)} characters"
    yield Figure("turns", title, ours.median_ms * 1000, "us", ours.spread)
    if "peer" in timings:
        ratio = timings["peer"].ratio_to(ours)
        ask = "reference / ours >= 1"
        yield Figure("turns", title, ratio, "x", timings["peer"].spread, ask, ratio >= 1)
    for name, (head, unit) in DEGENERATE.items():
        yield from _growth(name, head, unit, num_runs)


def _growth(name: str, head: str, unit: str, num_runs: int) -> Iterator[Figure]:
    texts = {str(length): head + unit * (length // len(unit)) for length in _LENGTHS}
    actions = {length: (lambda text=text: parse_turn(text)) for length, text in texts.items()}
    timings = time_in_turn(actions, num_runs=num_runs, min_ms=2.0)
    half, whole = timings[str(_LENGTHS[1])].median_ms, timings[str(_LENGTHS[-1])].median_ms
    exponent = math.log(whole / half) / math.log(_LENGTHS[-1] / _LENGTHS[1])
    spread = timings[str(_LENGTHS[-1])].spread
    yield Figure("turns", f"1 MB of {name}", whole, "ms", spread, "<= 10 ms", whole <= 10)
    # What takes less than a tenth of a millisecond a megabyte has no growth to speak of.
    is_met = exponent <= 1.1 or whole < 0.5
    yield Figure("turns", f"growth with {name}", exponent, "", spread, "<= 1.1", is_met)
