"""Where the time of an episode goes: each part by itself, beside the least it can take."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym

from gym_imagetools.bench.episodes import CALLS, photo_env
from gym_imagetools.bench.floors import FLOORS
from gym_imagetools.bench.pictures import photo_jpeg
from gym_imagetools.bench.table import Figure
from gym_imagetools.images.cache import ENCODED, PIXELS
from gym_imagetools.images.data_url import encode_data_url
from gym_imagetools.images.decode import decode
from gym_imagetools.images.encode import encode

_SIZE = (1024, 768)
_FLOOR_NAMES = ("zoom", "rotate 15", "count objects")
_STEPS = tuple(f"step, {name}" for name in _FLOOR_NAMES)


def measure(*, num_runs: int) -> Iterator[Figure]:
    """Yield each part of a cold and of a warm episode, and its floor.

    Args:
        num_runs: A third of the runs of each episode.
    """
    with tempfile.TemporaryDirectory(prefix="gym_imagetools_bench_") as folder:
        env = photo_env(Path(folder), *_SIZE)
        plays: dict[str, Callable[[], dict[str, float]]] = {
            "cold": partial(_parts, env, is_cold=True),
            "warm": partial(_parts, env, is_cold=False),
            "floor": _floors,
        }
        for kind, play in plays.items():
            runs = [play() for _ in range(3 * num_runs)]
            for name in runs[0]:
                median_ms = statistics.median(run[name] for run in runs)
                yield Figure("parts", f"{kind}: {name}", median_ms, "ms")


def _parts(env: gym.Env[Any, Any], *, is_cold: bool) -> dict[str, float]:
    """Play an episode, and return the milliseconds of each of its parts."""
    if is_cold:
        PIXELS.clear()
        ENCODED.clear()
    clock = _Clock()
    clock.time("reset: read the row, decode", lambda: env.reset(options={"task": 0}))
    clock.time("data URL of the source", lambda: env.get_wrapper_attr("image_urls"))
    for step, (tool, arguments) in zip(_STEPS, CALLS, strict=True):
        action = {"name": tool, "arguments": arguments}
        clock.time(step, lambda action=action: env.step(action))  # type: ignore[misc]
        clock.time("data URLs of the tools' pictures", lambda: env.get_wrapper_attr("image_urls"))
    clock.time("step, answer", lambda: env.step(r"\boxed{7}"))
    return clock.parts_ms


def _floors() -> dict[str, float]:
    """Return the least each part can take: decoding, bare kernels, encoding and base64."""
    clock, data = _Clock(), photo_jpeg(*_SIZE)
    pixels = clock.time("reset: read the row, decode", lambda: decode(data))
    clock.time("data URL of the source", lambda: encode_data_url(data, "image/jpeg"))
    for step, name in zip(_STEPS, _FLOOR_NAMES, strict=True):
        made = clock.time(step, lambda name=name: _made(name, [pixels]))  # type: ignore[misc]
        clock.time(
            "data URLs of the tools' pictures",
            lambda made=made: encode_data_url(encode(made, "jpeg"), "image/jpeg"),  # type: ignore[misc]
        )
    return clock.parts_ms


def _made(name: str, pictures: Sequence[Any]) -> Any:
    """Return the kernel's picture and, as an observation needs, a copy of it."""
    return FLOORS[name](pictures).copy()


class _Clock:
    """Adds up the time of parts by their names."""

    def __init__(self) -> None:
        self.parts_ms: dict[str, float] = {}

    def time(self, name: str, action: Callable[[], Any]) -> Any:
        start = time.process_time()
        value = action()
        elapsed_ms = (time.process_time() - start) * 1000
        self.parts_ms[name] = self.parts_ms.get(name, 0.0) + elapsed_ms
        return value
