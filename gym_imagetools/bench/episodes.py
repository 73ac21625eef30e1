"""Whole episodes: cold and warm, and what a step costs over the tool itself."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from functools import partial
from typing import Any

import gymnasium as gym

from gym_imagetools.bench.peer import Peer
from gym_imagetools.bench.pictures import photo, photo_jpeg
from gym_imagetools.bench.table import Figure
from gym_imagetools.bench.timing import Action, time_in_turn
from gym_imagetools.images.cache import ENCODED, PIXELS
from gym_imagetools.tools import run_tool

CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("image_zoom_in_tool", {"bbox_2d": [250, 250, 750, 750]}),
    ("image_rotate_tool", {"degrees": 15}),
    ("count_objects_tool", {"color": [90, 90, 90]}),
)
"""What an episode does before it answers."""

_ASKED = {1024: 2.2, 4000: 2.8}


def measure(peer: Peer | None, *, num_runs: int) -> Iterator[Figure]:
    """Yield cold and warm episodes at two sizes, and the overhead of a step.

    Args:
        peer: The reference; None measures ours alone.
        num_runs: Counted runs of each episode.
    """
    for width, height in ((1024, 768), (4000, 3000)):
        env = _env(width, height)
        actions: dict[str, Action] = {
            "cold": partial(_play, env, cold=True),
            "warm": partial(_play, env),
        }
        if peer is not None:
            actions["peer"] = _peer_episode(peer, width, height)
        timings = time_in_turn(actions, num_runs=num_runs)
        for name in ("cold", "warm"):
            timing = timings[name]
            title = f"{name} episode {width}x{height}"
            yield Figure("episodes", title, timing.median_ms, "ms", timing.spread)
        if "peer" in timings:
            asked, ratio = _ASKED[width], timings["peer"].ratio_to(timings["cold"])
            title, ask = f"cold episode {width}x{height}", f"reference / ours >= {asked:g}"
            spread = timings["peer"].spread
            yield Figure("episodes", title, ratio, "x", spread, ask, ratio >= asked)
    yield from _step_overhead(num_runs)


def _peer_episode(peer: Peer, width: int, height: int) -> Action:
    """Return the same calls, as the reference makes them."""
    served = peer.open([photo(width, height)])
    calls = [served(tool, arguments) for tool, arguments in CALLS]
    return lambda: [call() for call in calls]


def _env(width: int, height: int) -> gym.Env[Any, Any]:
    url = "data:image/jpeg;base64," + base64.b64encode(photo_jpeg(width, height)).decode()
    content = [
        {"type": "input_text", "text": "How many grey spots are there?"},
        {"type": "input_image", "image_url": url},
    ]
    row = {
        "responses_create_params": {"input": [{"role": "user", "content": content}]},
        "grader": "integer",
        "expected_answer": "7",
    }
    return gym.make("ImageTools/Dataset-v0", data=[row], disable_env_checker=True)


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


def _step_overhead(num_runs: int) -> Iterator[Figure]:
    """Measure a step less the tool and the one copy into the observation."""
    env, pixels = _env(1024, 768), photo(1024, 768)
    call = {"name": "image_flip_tool", "arguments": {"axis": "horizontal"}}

    def step() -> None:
        PIXELS.clear()
        env.reset(options={"task": 0})
        env.step(call)

    def reset() -> None:
        PIXELS.clear()
        env.reset(options={"task": 0})

    def tool() -> None:
        run_tool(call["name"], call["arguments"], [pixels]).pixels.copy()  # type: ignore[arg-type]

    timings = time_in_turn({"step": step, "reset": reset, "tool": tool}, num_runs=num_runs)
    pairs = zip(*(timings[name].runs_ms for name in ("step", "reset", "tool")), strict=True)
    overheads = sorted(step - reset - tool for step, reset, tool in pairs)
    overhead = overheads[len(overheads) // 2]
    yield Figure(
        "episodes",
        "step over tool and copy, flip 1024x768",
        overhead,
        "ms",
        timings["step"].spread,
        "<= 0.2 ms",
        overhead <= 0.2,
    )
