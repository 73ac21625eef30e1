"""How much of a turn is read: far above what any call needs, far below what costs time.

What goes beyond is malformed. The limits are counted on the raw text before anything is decoded,
so no decoder meets a text that could overrun its stack, its integers or the clock.
"""

from __future__ import annotations

MAX_MARKS = 1_000
"""Tags of calls and reasoning in one text."""

MAX_PARAMETERS = 1_000
"""``<parameter=`` tags in one call."""

MAX_PARTS = 20_000
"""Brackets and commas in one value, items in one reply, nodes in one argument object."""

MAX_DEPTH = 64
"""Brackets open at the same time. Python's own limit depends on the caller's stack."""

MAX_DIGITS = 300
"""Digits in a row: beyond 308 an integer fits no float, beyond 4,300 Python reads none."""

MAX_LITERAL_CHARS = 2_000
"""Characters of a Python literal."""
