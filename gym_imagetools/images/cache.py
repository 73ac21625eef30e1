"""The shared caches: byte-bounded, least recently used first out, each value made once."""

from __future__ import annotations

import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

from gym_imagetools.types import Pixels

Value = TypeVar("Value")


class _Flight(Generic[Value]):
    """A value on its way: the first thread makes it, the others wait."""

    __slots__ = ("landed", "values")

    def __init__(self) -> None:
        self.landed = threading.Lock()  # free when it has landed; an Event costs ten times as much
        self.landed.acquire()
        self.values: list[Value] = []


class Cache(Generic[Value]):
    """A thread-safe cache of values that can always be made again.

    Holds at most ``max_bytes``; what was used longest ago leaves first. Threads that ask for the
    same key at the same time share one computation. A child process keeps what was cached when
    it was forked. Not picklable: pictures name their pixels by key and never hold a cache.

    Args:
        max_bytes: The bound, >= 0. A larger value is returned but not kept.
        size_of: Gives the bytes of a value.

    Attributes:
        hits: Lookups answered without computing.
        misses: Lookups that computed.
    """

    def __init__(self, max_bytes: int, size_of: Callable[[Value], int]) -> None:
        self._max_bytes = _checked(max_bytes)
        self._size_of = size_of
        self._entries: OrderedDict[Hashable, Value] = OrderedDict()
        self._flights: dict[Hashable, _Flight[Value]] = {}
        self._nbytes = 0
        self._lock = threading.Lock()
        self.hits = 0
        self.misses = 0
        _CACHES.add(self)

    @property
    def max_bytes(self) -> int:
        """The most bytes that are kept."""
        return self._max_bytes

    @property
    def nbytes(self) -> int:
        """The bytes that are kept now."""
        return self._nbytes

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        """Return the value of a key, computing it where it is not cached.

        Args:
            key: Names the value: equal keys mean equal values.
            compute: Makes the value. It may ask the cache for other keys, never for its own.

        Returns:
            The value; threads share it, so it must not be changed.

        Raises:
            Exception: What ``compute`` raises. Nothing is kept then, and a thread that waited
                computes for itself.
        """
        while True:
            with self._lock:
                if key in self._entries:
                    self.hits += 1
                    self._entries.move_to_end(key)
                    return self._entries[key]
                flight = self._flights.get(key)
                if flight is None:
                    self.misses += 1
                    mine = self._flights[key] = _Flight()
                    break
            with flight.landed:
                pass
            if flight.values:
                self._count_hit()
                return flight.values[0]
        return self._fly(key, mine, compute)

    def resize(self, max_bytes: int) -> None:
        """Set the bound, dropping what no longer fits.

        Args:
            max_bytes: The new bound, >= 0.

        Raises:
            ValueError: The bound is negative.
        """
        with self._lock:
            self._max_bytes = _checked(max_bytes)
            self._evict()

    def clear(self) -> None:
        """Drop every value; the counters stay."""
        with self._lock:
            self._entries.clear()
            self._nbytes = 0

    def _fly(self, key: Hashable, flight: _Flight[Value], compute: Callable[[], Value]) -> Value:
        try:
            value = compute()
            flight.values.append(value)
            self._keep(key, value)
            return value
        finally:
            with self._lock:
                self._flights.pop(key, None)
            flight.landed.release()

    def _keep(self, key: Hashable, value: Value) -> None:
        num_bytes = self._size_of(value)
        with self._lock:
            if num_bytes <= self._max_bytes and key not in self._entries:
                self._entries[key] = value
                self._nbytes += num_bytes
                self._evict()

    def _evict(self) -> None:
        while self._nbytes > self._max_bytes:
            _, value = self._entries.popitem(last=False)
            self._nbytes -= self._size_of(value)

    def _count_hit(self) -> None:
        with self._lock:
            self.hits += 1

    def _start_anew_in_child(self) -> None:
        # The lock may be held, and flights flown, by threads that do not exist in the child.
        self._lock = threading.Lock()
        self._flights.clear()
        self._nbytes = sum(map(self._size_of, self._entries.values()))


def _checked(max_bytes: int) -> int:
    if max_bytes < 0:
        raise ValueError(f"Expected max_bytes >= 0, got {max_bytes}.")
    return max_bytes


_CACHES: weakref.WeakSet[Cache[Any]] = weakref.WeakSet()


def _after_fork() -> None:
    for cache in _CACHES:
        cache._start_anew_in_child()


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=_after_fork)


def _array_bytes(pixels: Pixels) -> int:
    return pixels.nbytes


PIXELS: Cache[Pixels] = Cache(512 * 2**20, _array_bytes)
"""Decoded and derived pixels, shared by all episodes of the process."""

ENCODED: Cache[bytes] = Cache(128 * 2**20, len)
"""Pictures encoded for messages."""
