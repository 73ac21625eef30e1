"""A vector environment that steps its episodes on threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import iterate

from gym_imagetools.vector.ahead import Ahead

Env = gym.Env[Any, Any]
Batch = tuple[Any, Any, Any, Any, dict[str, Any]]


class ThreadVectorEnv(SyncVectorEnv):
    """``SyncVectorEnv`` with its steps and resets on threads: same results, less waiting.

    The image tools release the interpreter's lock while they work, and the pixels of a picture
    are shared by all episodes of the process. Groups share one task: with ``group_size=4`` the
    environments 0 to 3 are seeded alike and draw the same tasks, one after the other.

    Args:
        env_fns: Make the environments.
        autoreset_mode: What happens to an episode that has ended; for language models
            ``DISABLED`` is the one that throws no paid turn away.
        group_size: How many neighbours share a task, >= 1; a divisor of their number.
        num_workers: Threads, >= 1; None for as many as there are processors.

    Raises:
        ValueError: A keyword is outside of its range.
    """

    def __init__(
        self,
        env_fns: Sequence[Callable[[], Env]],
        *,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        group_size: int = 1,
        num_workers: int | None = None,
    ) -> None:
        if group_size < 1 or len(env_fns) % group_size:
            raise ValueError(
                f"Expected group_size to be a divisor of num_envs={len(env_fns)}, got {group_size}."
            )
        if num_workers is not None and num_workers < 1:
            raise ValueError(f"Expected num_workers to be >= 1, got {num_workers}.")
        # Observations are fresh at every step: there is nothing to protect by copying them.
        super().__init__(
            [lambda make=make: Ahead(make()) for make in env_fns],  # type: ignore[misc]
            copy=False,
            autoreset_mode=autoreset_mode,
        )
        self._group_size = group_size
        self._executor = ThreadPoolExecutor(
            num_workers or os.cpu_count() or 1, thread_name_prefix="episode"
        )
        self._actions: Any = None

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Start episodes, all or those of a mask.

        Args:
            seed: A number seeds group ``g`` with ``seed + g``; a list seeds each environment.
                None goes on with the generators as they are, and before the first seed draws
                one.
            options: As for ``SyncVectorEnv``: ``{"reset_mask": array of bool}``, and the options
                of every environment.
        """
        seeds = self._seeds(seed)
        mask = (options or {}).get("reset_mask")
        passed = {key: value for key, value in (options or {}).items() if key != "reset_mask"}
        chosen = np.ones(self.num_envs, bool) if not isinstance(mask, np.ndarray) else mask
        for env, one, is_chosen in zip(self._ahead, seeds, chosen, strict=False):
            if is_chosen:
                env.start(self._executor, self._reset_call(env.env, one, dict(passed)))
        try:
            return super().reset(seed=seeds, options=options)
        finally:
            self._drop()

    def step(self, actions: Any) -> Batch:
        """Play one turn in every environment.

        Args:
            actions: One action an environment.

        Raises:
            gymnasium.error.ResetNeeded: With ``DISABLED``, an episode has ended.
        """
        self.step_async(actions)
        return self.step_wait()

    def step_async(self, actions: Any) -> None:
        """Start the turn on the threads; :meth:`step_wait` returns its results.

        Args:
            actions: One action an environment.

        Raises:
            gymnasium.error.ResetNeeded: With ``DISABLED``, an episode has ended.
        """
        ended = np.flatnonzero(self._autoreset_envs)
        if self.autoreset_mode == AutoresetMode.DISABLED and len(ended):
            raise gym.error.ResetNeeded(
                f"The episodes of environments {ended.tolist()} have ended: reset them with "
                "options={'reset_mask': mask}."
            )
        self._actions = tuple(iterate(self.action_space, actions))
        for index, (env, action) in enumerate(zip(self._ahead, self._actions, strict=True)):
            env.start(self._executor, *self._step_calls(index, env.env, action))

    def step_wait(self) -> Batch:
        """Return the results of the turn that :meth:`step_async` started.

        Raises:
            RuntimeError: None was started.
        """
        if self._actions is None:
            raise RuntimeError("Expected step_async() before step_wait(), got none.")
        actions, self._actions = self._actions, None
        try:
            return super().step(actions)
        finally:
            self._drop()

    def close_extras(self, **kwargs: Any) -> None:
        """Close the environments and end the threads."""
        self._executor.shutdown(wait=True)
        super().close_extras(**kwargs)

    @property
    def _ahead(self) -> list[Ahead]:
        return self.envs  # type: ignore[return-value]

    def _seeds(self, seed: int | list[int | None] | None) -> list[int | None]:
        if isinstance(seed, list):
            return seed
        if seed is None and self._group_size > 1 and self._is_unseeded:
            seed = int(np.random.default_rng().integers(2**31))
        if seed is None:
            return [None] * self.num_envs
        return [seed + index // self._group_size for index in range(self.num_envs)]

    @property
    def _is_unseeded(self) -> bool:
        return any(env.unwrapped._np_random is None for env in self.envs)

    def _step_calls(self, index: int, env: Env, action: Any) -> list[Callable[[list[Any]], Any]]:
        """Return what ``SyncVectorEnv`` will ask of an environment in this step."""
        if self.autoreset_mode == AutoresetMode.NEXT_STEP and self._autoreset_envs[index]:
            return [lambda _: env.reset()]
        calls: list[Callable[[list[Any]], Any]] = [lambda _: env.step(action)]
        if self.autoreset_mode == AutoresetMode.SAME_STEP:
            calls.append(lambda done: env.reset() if done[0][2] or done[0][3] else None)
        return calls

    @staticmethod
    def _reset_call(
        env: Env, seed: int | None, options: dict[str, Any]
    ) -> Callable[[list[Any]], Any]:
        return lambda _: env.reset(seed=seed, options=options)

    def _drop(self) -> None:
        for env in self._ahead:
            env.drop()
