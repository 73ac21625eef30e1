"""Environments of one run: made once, copied as more are needed, used again and again."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from threading import Lock

import gymnasium as gym

from gym_imagetools.policies.policy import Env


class EnvPool:
    """Lends out environments. The copies share the source of the tasks.

    So rows are checked and held once, and an adaptive difficulty learns from every episode.

    Args:
        env: The environment that the others are copies of; it is lent out itself.
    """

    def __init__(self, env: Env) -> None:
        self._original = copy.deepcopy(env, _shared(env))
        self._idle = [env]
        self._lock = Lock()

    def borrow(self) -> Env:
        """Return an environment for an episode; threads may ask at the same time."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        # The original is never played, so it can be copied while the others are.
        return copy.deepcopy(self._original, _shared(self._original))

    def give_back(self, env: Env) -> None:
        """Take an environment back, whatever state it is in."""
        with self._lock:
            self._idle.append(env)


def _shared(env: Env) -> dict[int, object]:
    """Return the memory of a deep copy that takes the source and the specs for copied already."""
    shared = [env.get_wrapper_attr("source"), *_specs(env)]
    return {id(one): one for one in shared}


def _specs(env: Env) -> Iterator[object]:
    """Yield the spec of an environment and of each wrapper: nobody writes into them."""
    while isinstance(env, gym.Wrapper):
        yield env.spec
        env = env.env
    yield env.spec
