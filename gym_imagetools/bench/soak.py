"""Long runs: whether a step costs more, or an episode leaves more behind, the longer one plays."""

from __future__ import annotations

import copy
import gc
import json
import statistics
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym

from gym_imagetools.bench.pictures import photo
from gym_imagetools.images.cache import ENCODED, PIXELS
from gym_imagetools.images.encode import encode

CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("image_crop_tool", {"bbox_2d": [100, 100, 400, 400]}),
    ("image_flip_tool", {"axis": "vertical"}),
    ("color_at_tool", {"point_2d": [500, 500]}),
)
"""What every episode does before it answers: cheap, as the tools are not what is watched."""

_KB_A_TURN = 4.0
_SHARE_OF_SOURCES = 1.2


@dataclass(frozen=True)
class Stage:
    """What was seen after a part of a long run.

    Attributes:
        num_episodes: Episodes played so far.
        step_ms: Median CPU milliseconds of a step in this part.
        num_objects: Objects that the garbage collector knows.
        held_bytes: Bytes allocated by Python, the shared caches left out.
        cache_bytes: Bytes in the shared caches.
    """

    num_episodes: int
    step_ms: float
    num_objects: int
    held_bytes: int
    cache_bytes: int


@dataclass(frozen=True)
class InFlight:
    """What episodes hold that run at the same time.

    Attributes:
        num_episodes: How many there are.
        num_turns: Turns that each has played.
        source_bytes: Bytes of the encoded source pictures of one episode.
        held_bytes: Bytes that all hold together, the shared caches left out.
        cache_bytes: Bytes in the shared caches.
    """

    num_episodes: int
    num_turns: int
    source_bytes: int
    held_bytes: int
    cache_bytes: int

    @property
    def bound_bytes(self) -> float:
        """The most that one episode should hold: its sources and a fifth, and 4 kB a turn."""
        return _SHARE_OF_SOURCES * self.source_bytes + _KB_A_TURN * 1000 * self.num_turns


@contextmanager
def small_caches(max_bytes: int) -> Iterator[None]:
    """Empty the shared caches and bound them, so that they are full early; undone at the end."""
    before = {cache: cache.max_bytes for cache in (PIXELS, ENCODED)}
    for cache in before:
        cache.clear()
        cache.resize(max_bytes)
    try:
        yield
    finally:
        for cache, bound in before.items():
            cache.resize(bound)


def play_one_after_the_other(
    env: gym.Env[Any, Any], *, num_episodes: int, num_stages: int
) -> Iterator[Stage]:
    """Play episodes, and look at what is left behind from time to time.

    Args:
        env: Any environment of image tools.
        num_episodes: Episodes in all.
        num_stages: How often to look.
    """
    env.reset(seed=1)
    PIXELS.clear()
    ENCODED.clear()
    tracemalloc.start()
    try:
        for stage in range(1, num_stages + 1):
            count = num_episodes // num_stages
            steps_ms = [ms for _ in range(count) for ms in _play(env)]
            env.reset(options={"task": 0})  # every stage ends with the same task in hand
            num_played = stage * count
            yield Stage(num_played, statistics.median(steps_ms), *_weigh())
    finally:
        tracemalloc.stop()


def _play(env: gym.Env[Any, Any]) -> Iterator[float]:
    """Play an episode, and yield the milliseconds of each step."""
    env.reset()
    env.get_wrapper_attr("prompt")
    actions = [{"name": name, "arguments": arguments} for name, arguments in CALLS]
    for action in (*actions, r"\boxed{1}"):
        start = time.process_time()
        env.step(action)
        yield (time.process_time() - start) * 1000
        env.get_wrapper_attr("image_urls")


def hold_in_flight(
    folder: Path, *, num_episodes: int, group_size: int, size: tuple[int, int], num_pictures: int
) -> InFlight:
    """Start episodes of a data set, play their calls, and weigh them before they end.

    Args:
        folder: Where rows and pictures are written.
        num_episodes: Episodes in flight.
        group_size: How many of them share a task; a divisor of their number.
        size: Width and height of the pictures in pixels.
        num_pictures: Pictures of a task.
    """
    num_tasks = num_episodes // group_size
    rows, source_bytes = _write_rows(folder, num_tasks, size, num_pictures)
    # Copies, as make_vec makes them: each environment that is made checks all rows.
    first = gym.make("ImageTools/Dataset-v0", data=rows, disable_env_checker=True)
    envs = [first, *(copy.deepcopy(first) for _ in range(num_episodes - 1))]
    PIXELS.clear()
    ENCODED.clear()
    gc.collect()
    tracemalloc.start()
    try:
        for index, env in enumerate(envs):
            env.reset(options={"task": index // group_size})
            for name, arguments in CALLS:
                env.step({"name": name, "arguments": arguments})
        _, held, caches = _weigh()
    finally:
        tracemalloc.stop()
    return InFlight(num_episodes, len(CALLS), source_bytes, held, caches)


def _weigh() -> tuple[int, int, int]:
    """Return the number of objects, the bytes Python holds beside the caches, and the caches'."""
    gc.collect()
    caches = PIXELS.nbytes + ENCODED.nbytes
    return len(gc.get_objects()), tracemalloc.get_traced_memory()[0] - caches, caches


def _write_rows(
    folder: Path, num_tasks: int, size: tuple[int, int], num_pictures: int
) -> tuple[Path, int]:
    """Write rows with pictures of their own; return their file, and the bytes of one task."""
    data = [encode(photo(*size, seed=seed), "jpeg", 85) for seed in range(num_pictures)]
    lines = []
    for task in range(num_tasks):
        names = [f"{task}_{index}.jpg" for index in range(num_pictures)]
        for name, one in zip(names, data, strict=True):
            (folder / name).write_bytes(_with_comment(one, name))
        content = [{"type": "input_image", "image_url": name} for name in names]
        message = {"role": "user", "content": [*content, {"type": "input_text", "text": "Alike?"}]}
        row = {"responses_create_params": {"input": [message]}, "expected_answer": "7"}
        lines.append(json.dumps({**row, "grader": "integer"}))
    rows = folder / "rows.jsonl"
    rows.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return rows, sum(map(len, data))


def _with_comment(data: bytes, comment: str) -> bytes:
    """Return a JPEG with a comment after its first marker: other bytes, the same picture."""
    text = comment.encode()
    return data[:2] + b"\xff\xfe" + (len(text) + 2).to_bytes(2, "big") + text + data[2:]
