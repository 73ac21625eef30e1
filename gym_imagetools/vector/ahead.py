"""An environment that does its next calls ahead of being asked for their results."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from typing import Any

import gymnasium as gym

Call = Callable[[], Any]


class Ahead(gym.Wrapper[Any, Any, Any, Any]):
    """Runs steps and resets on a thread; ``step`` and ``reset`` then hand out the results.

    Args:
        env: The environment; one thread at a time works on it.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        super().__init__(env)
        self._done_ahead: Future[list[Any]] | None = None
        self._results: Iterator[Any] = iter(())
        self._last: Any = None

    def start(self, executor: Executor, *calls: Callable[[list[Any]], Any]) -> None:
        """Start calls in their order.

        Args:
            executor: Runs them, one after the other, on one thread.
            calls: Each gets the results so far, and returns its own; None ends the row.
        """
        self._done_ahead = executor.submit(_run, calls)

    def drop(self) -> None:
        """Wait for what was started, and forget results that nobody asked for."""
        if self._done_ahead is not None:
            self._done_ahead.exception()
        self._done_ahead, self._results = None, iter(())

    def step(self, action: Any) -> Any:
        """Return the step that was done ahead, or do it now."""
        self._last = self._next(lambda: self.env.step(action))
        return self._last

    def stay(self) -> Any:
        """Return the last step once more, for an episode that has ended; it pays nothing."""
        observation, _, terminated, truncated, info = self._last
        return copy.copy(observation), 0.0, terminated, truncated, copy.deepcopy(info)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Return the reset that was done ahead, or do it now."""
        result: tuple[Any, dict[str, Any]] = self._next(
            lambda: self.env.reset(seed=seed, options=options)
        )
        return result

    def _next(self, call: Call) -> Any:
        if self._done_ahead is not None:
            started, self._done_ahead = self._done_ahead, None
            self._results = iter(started.result())
        result = next(self._results, None)
        return call() if result is None else result


def _run(calls: tuple[Callable[[list[Any]], Any], ...]) -> list[Any]:
    results: list[Any] = []
    for call in calls:
        result = call(results)
        if result is None:
            break
        results.append(result)
    return results
