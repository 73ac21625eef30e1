"""An event loop that never stands still for long, beside threads that compute all the time."""

from __future__ import annotations

import asyncio
import gc
import os
import selectors
import sys
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")

_SWITCH_S = 0.0005
"""How long a thread computes before it lets the event loop go on; Python's default is tenfold."""

_ROUNDS_A_SOCKET = 4
"""Rounds in which the loop takes one ready socket: what it wakes takes as many to be done."""

_ROUNDS_A_REQUEST = 8
"""Rounds in which one request is begun: to build it, to send its head, to send its body."""

_NICENESS = 10
"""How much threads that compute step back for the event loop where they contend for a core."""

_RARER = 100
"""How much rarer than Python's default the garbage collector looks through all that is new."""


class OneAtATime(selectors.DefaultSelector):
    """A selector that tells of one ready socket every few rounds.

    Each reply takes the loop milliseconds while threads compute. Were all that are ready taken in
    one round, everybody else would wait for their sum; what is left is still ready next time.
    """

    def __init__(self) -> None:
        super().__init__()
        self._round = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait for sockets; return one of those that are ready, by turns.

        Args:
            timeout: Seconds to wait; 0 where the loop has something else to do, which in most
                rounds goes first.
        """
        self._round += 1
        if timeout == 0 and self._round % _ROUNDS_A_SOCKET:
            return []
        ready = super().select(timeout)
        return [ready[self._round // _ROUNDS_A_SOCKET % len(ready)]] if ready else []


class Turnstile:
    """Lets one after the other begin its request, some rounds of the event loop apart."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()

    async def wait(self) -> None:
        """Wait for one's turn."""
        async with self._lock:
            for _ in range(_ROUNDS_A_REQUEST):
                await asyncio.sleep(0)


def step_back() -> None:
    """Make the thread that calls this, one that computes, yield its core to the event loop.

    Only Linux counts niceness thread by thread; elsewhere this does nothing.
    """
    if sys.platform == "linux":
        niceness = os.getpriority(os.PRIO_PROCESS, 0) + _NICENESS
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), min(niceness, 19))


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
