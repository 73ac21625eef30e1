"""An event loop that never stands still for long, beside threads that compute all the time."""

from __future__ import annotations

import asyncio
import gc
import selectors
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")

_SWITCH_S = 0.0005
"""How long a thread computes before it lets the event loop go on; Python's default is tenfold."""

_RARER = 100
"""How much rarer than Python's default the garbage collector looks through all that is new."""


class OneAtATime(selectors.DefaultSelector):
    """A selector that tells of one ready socket a round.

    Each reply takes the loop milliseconds while threads compute. Were all that are ready taken in
    one round, everybody else would wait for their sum; what is left is still ready next time.
    """

    def __init__(self) -> None:
        super().__init__()
        self._turn = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait for sockets; return one of those that are ready, by turns."""
        ready = super().select(timeout)
        if not ready:
            return []
        self._turn += 1
        return [ready[self._turn % len(ready)]]


def run_attentively(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on an event loop of its own, from a thread without one.

    Args:
        main: The coroutine; its threads may compute as they like.
    """
    with (
        _short_turns(),
        _rare_collections(),
        asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(OneAtATime())) as runner,
    ):
        return runner.run(main)


@contextmanager
def _short_turns() -> Iterator[None]:
    before_s = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_S)
    try:
        yield
    finally:
        sys.setswitchinterval(before_s)


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Keep the garbage collector from looking through everything, which takes a tenth of a second.

    Episodes leave no cycles behind, and those of failed requests are found while they are young.
    """
    thresholds = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*thresholds[:2], thresholds[2] * _RARER)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()
