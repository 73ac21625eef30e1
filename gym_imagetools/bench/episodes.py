"""Whole episodes: cold and warm, and what a step costs over the tool itself."""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym

from gym_imagetools.bench.peer import Peer
from gym_imagetools.bench.pictures import photo, photo_jpeg
from gym_imagetools.bench.table import Figure
from gym_imagetools.bench.timing import Action, time_in_turn
from gym_imagetools.images.cache import ENCODED, PIXELS
from gym_imagetools.tools import run_tool
from gym_imagetools.types import Pixels

CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("image_zoom_in_tool", {"bbox_2d": [250, 250, 750, 750]}),
    ("image_rotate_tool", {"degrees": 15}),
    ("count_objects_tool", {"color": [90, 90, 90]}),
)
"""What an episode does before it answers."""

_FLIP = "image_flip_tool"
_ACROSS = {"axis": "horizontal"}
_NUM_FLIPS = 8
_ASKED = {(1024, 768): 2.2, (4000, 3000): 2.8}


def measure(peer: Peer | None, *, num_runs: int) -> Iterator[Figure]:
    """Yield cold and warm episodes at two sizes, and the overhead of a step.

    Args:
        peer: The reference; None measures ours alone.
        num_runs: Counted runs of each episode.
    """
    with tempfile.TemporaryDirectory(prefix="gym_imagetools_bench_") as folder:
        for size in _ASKED:
            yield from _measure_size(photo_env(Path(folder), *size), size, peer, num_runs)
        yield _step_overhead(photo_env(Path(folder), 1024, 768), num_runs)


def _measure_size(
    env: gym.Env[Any, Any], size: tuple[int, int], peer: Peer | None, num_runs: int
) -> Iterator[Figure]:
    width, height = size
    actions: dict[str, Action] = {
        "cold": partial(_play, env, cold=True),
        "warm": partial(_play, env),
    }
    if peer is not None:
        actions["peer"] = _peer_episode(peer, width, height)
    timings = time_in_turn(actions, num_runs=num_runs)
    for name in ("cold", "warm"):
        title = f"{name} episode {width}x{height}"
        yield Figure("episodes", title, timings[name].median_ms, "ms", timings[name].spread)
    if "peer" in timings:
        asked, ratio = _ASKED[size], timings["peer"].ratio_to(timings["cold"])
        title, ask = f"cold episode {width}x{height}", f"reference / ours >= {asked:g}"
        yield Figure("episodes", title, ratio, "x", timings["peer"].spread, ask, ratio >= asked)


def _peer_episode(peer: Peer, width: int, height: int) -> Action:
    """Return the same calls, as the reference makes them."""
    served = peer.open([photo(width, height)])
    calls = [served(tool, arguments) for tool, arguments in CALLS]
    return lambda: [call() for call in calls]


def photo_env(folder: Path, width_px: int, height_px: int) -> gym.Env[Any, Any]:
    """Return an environment with one task about a photo, read from files as a data set is.

    Args:
        folder: Where row and picture are written; needed as long as the environment is.
        width_px: Width of the photo.
        height_px: Height of the photo.
    """
    name = f"photo_{width_px}.jpg"
    (folder / name).write_bytes(photo_jpeg(width_px, height_px))
    content = [
        {"type": "input_text", "text": "How many grey spots are there?"},
        {"type": "input_image", "image_url": name},
    ]
    row = {
        "responses_create_params": {"input": [{"role": "user", "content": content}]},
        "grader": "integer",
        "expected_answer": "7",
    }
    rows = folder / f"rows_{width_px}.jsonl"
    rows.write_text(json.dumps(row) + "\n", encoding="utf-8")
    return gym.make("ImageTools/Dataset-v0", data=rows, disable_env_checker=True)


def _play(env: gym.Env[Any, Any], *, cold: bool = False) -> None:
    """Play an episode and make every message, as for a model behind an endpoint."""
    if cold:
        PIXELS.clear()
        ENCODED.clear()
    env.reset(options={"task": 0})
    env.get_wrapper_attr("image_urls")
    for tool, arguments in CALLS:
        env.step({"name": tool, "arguments": arguments})
        env.get_wrapper_attr("image_urls")
    env.step(r"\boxed{7}")


def _step_overhead(env: gym.Env[Any, Any], num_runs: int) -> Figure:
    """Measure steps less the tool and the one copy into the observation.

    Both sides keep what they make as the cache does, since fresh memory has its price.
    """
    overheads = [_flips_ms(env) - _bare_flips_ms(photo(1024, 768)) for _ in range(4 * num_runs)]
    overhead = statistics.median(overheads)
    quarters = statistics.quantiles(overheads, n=4)
    spread = (quarters[2] - quarters[0]) / overhead
    title = "a step over tool and copy, flips 1024x768"
    return Figure("episodes", title, overhead, "ms", spread, "<= 0.2 ms", overhead <= 0.2)


def _flips_ms(env: gym.Env[Any, Any]) -> float:
    """Return the time of a step that flips the picture before; of one after a first step."""
    PIXELS.clear()
    env.reset(options={"task": 0})
    calls = [{"name": _FLIP, "arguments": {**_ACROSS, "img_idx": i}} for i in range(_NUM_FLIPS + 1)]
    env.step(calls[0])
    start = time.process_time()
    for call in calls[1:]:
        env.step(call)
    return (time.process_time() - start) * 1000 / _NUM_FLIPS


def _bare_flips_ms(pixels: Pixels) -> float:
    made = [run_tool(_FLIP, _ACROSS, [pixels]).pixels]
    start = time.process_time()
    for _ in range(_NUM_FLIPS):
        made.append(run_tool(_FLIP, _ACROSS, [made[-1]]).pixels)
        made[-1].copy()
    return (time.process_time() - start) * 1000 / _NUM_FLIPS
