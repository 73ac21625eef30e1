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
                of every environment. ``{"task": [...]}`` names a task for each environment or
                for each group.

        Raises:
            ValueError: The tasks are neither one an environment nor one a group.
        """
        seeds, own_options = self._seeds(seed), self._options(options or {})
        mask = (options or {}).get("reset_mask")
        chosen = np.ones(self.num_envs, bool) if not isinstance(mask, np.ndarray) else mask
        starts = zip(self._ahead, seeds, own_options, chosen, strict=False)
        for env, one, passed, is_chosen in starts:
            if is_chosen:
                env.start(self._executor, self._reset_call(env.env, one, passed))
        try:
            return super().reset(seed=seeds, options=options)
        finally:
            self._drop()

    def step(self, actions: Any) -> Batch:
        """Play one turn in every environment.

        Args:
            actions: One action an environment. With ``DISABLED`` the action of an episode that
                has ended is None: it waits, pays nothing, and says its last words again.

        Raises:
            gymnasium.error.ResetNeeded: With ``DISABLED``, an action for an ended episode.
            ValueError: There are more or fewer actions than environments.
        """
        self.step_async(actions)
        return self.step_wait()

    def step_async(self, actions: Any) -> None:
        """Start the turn on the threads; :meth:`step_wait` returns its results.

        Args:
            actions: One action an environment, as for :meth:`step`.

        Raises:
            gymnasium.error.ResetNeeded: With ``DISABLED``, an action for an ended episode.
            ValueError: There are more or fewer actions than environments.
        """
        if isinstance(actions, str) or len(actions) != self.num_envs:
            raise ValueError(f"Expected {self.num_envs} actions, one each, got {actions!r:.80}.")
        self._actions = tuple(iterate(self.action_space, actions))
        if self.autoreset_mode == AutoresetMode.DISABLED:
            self._let_wait()
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
        if self.autoreset_mode == AutoresetMode.DISABLED:
            # Who waits is stepped as well, and says the same again.
            self._autoreset_envs[:] = False
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

    def _options(self, options: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the options of each environment."""
        passed = {key: value for key, value in options.items() if key != "reset_mask"}
        tasks = passed.get("task")
        if not isinstance(tasks, list | tuple | np.ndarray):
            return [dict(passed) for _ in range(self.num_envs)]
        if len(tasks) not in (self.num_envs, self.num_envs // self._group_size):
            raise ValueError(
                f"Expected a task for each of {self.num_envs} environments or of "
                f"{self.num_envs // self._group_size} groups, got {len(tasks)}."
            )
        share = self.num_envs // len(tasks)
        return [{**passed, "task": tasks[index // share]} for index in range(self.num_envs)]

    def _let_wait(self) -> None:
        """Take the mark off ended episodes that get no action.

        Raises:
            gymnasium.error.ResetNeeded: An ended episode gets one.
        """
        ended = np.flatnonzero(self._autoreset_envs)
        played = [index for index in ended.tolist() if self._actions[index] is not None]
        if played:
            raise gym.error.ResetNeeded(
                f"The episodes of environments {played} have ended: give them the action None to "
                "wait, or reset them with options={'reset_mask': mask}."
            )

    def _step_calls(self, index: int, env: Env, action: Any) -> list[Callable[[list[Any]], Any]]:
        """Return what ``SyncVectorEnv`` will ask of an environment in this step."""
        has_ended = bool(self._autoreset_envs[index])
        if self.autoreset_mode == AutoresetMode.NEXT_STEP and has_ended:
            return [lambda _: env.reset()]
        if self.autoreset_mode == AutoresetMode.DISABLED and has_ended:
            return [lambda _: self._ahead[index].stay()]
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
