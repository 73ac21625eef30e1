"""The tools: a call as an endpoint sees it, picture encoded and in base64, source decoded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, get_args

import cv2

from gym_imagetools.bench.floors import FLOORS
from gym_imagetools.bench.peer import Peer
from gym_imagetools.bench.pictures import SIZES_PX, dots, photo
from gym_imagetools.bench.table import Figure
from gym_imagetools.bench.timing import Action, Timing, time_in_turn
from gym_imagetools.images.data_url import encode_data_url
from gym_imagetools.images.encode import encode
from gym_imagetools.tools import run_tool
from gym_imagetools.tools.result import Resample
from gym_imagetools.types import Pixels

_BOX = [250, 250, 750, 750]
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "zoom": ("image_zoom_in_tool", {"bbox_2d": _BOX}),
    "crop": ("image_crop_tool", {"bbox_2d": _BOX}),
    "rotate 15": ("image_rotate_tool", {"degrees": 15}),
    "rotate 90": ("image_rotate_tool", {"degrees": 90}),
    "flip": ("image_flip_tool", {"axis": "horizontal"}),
    "diff": ("image_diff_tool", {"img_idx_a": 0, "img_idx_b": 1}),
    "side by side": ("image_side_by_side_tool", {"img_indices": [0, 1]}),
    "overlay": ("image_overlay_tool", {"img_idx_a": 0, "img_idx_b": 1}),
    "count objects": ("count_objects_tool", {"color": [90, 90, 90]}),
    "find colour": ("find_color_tool", {"color": [90, 90, 90]}),
    "colour at": ("color_at_tool", {"point_2d": [500, 500]}),
}
"""A usual call of each tool."""

ASKED_RATIO = {
    "zoom": 1.7,
    "crop": 4.0,
    "rotate 15": 3.0,
    "rotate 90": 3.0,
    "flip": 4.0,
    "diff": 4.0,
    "side by side": 5.0,
    "overlay": 4.0,
    "count objects": 3.5,
    "find colour": 3.5,
    "colour at": 1.0,
}
"""How many times faster than the reference a call should be, at 1024x768 and above."""

_USUAL_PX = (1024, 768)


def measure(peer: Peer | None, *, num_runs: int) -> Iterator[Figure]:
    """Yield a figure for each tool and size, and with a peer how many times faster ours is.

    Args:
        peer: The reference; None measures ours alone.
        num_runs: Counted runs of each call.
    """
    for width, height in SIZES_PX:
        pictures = [photo(width, height), photo(width, height, seed=1)]
        served = None if peer is None else peer.open(pictures)
        for name, (tool, arguments) in CALLS.items():
            actions = {"ours": _ours(tool, arguments, pictures)}
            if served is not None:
                actions["peer"] = served(tool, arguments)
            timings = time_in_turn(actions, num_runs=num_runs)
            yield from _figures(f"{name} {width}x{height}", name, width, timings)
    yield from _measure_floors(*_USUAL_PX, num_runs=num_runs)
    yield from _measure_fast_zoom(peer, num_runs)
    yield from _measure_noise(num_runs)


def _figures(title: str, name: str, width_px: int, timings: dict[str, Timing]) -> Iterator[Figure]:
    ours = timings["ours"]
    yield Figure("tools", title, ours.median_ms, "ms", ours.spread)
    if "peer" in timings:
        asked = ASKED_RATIO[name] if width_px >= _USUAL_PX[0] else 1.0
        ratio = timings["peer"].ratio_to(ours)
        ask = f"reference / ours >= {asked:g}"
        yield Figure("tools", title, ratio, "x", timings["peer"].spread, ask, ratio >= asked)


def _ours(
    tool: str, arguments: dict[str, Any], pictures: list[Pixels], **settings: Any
) -> Callable[[], str]:
    return lambda: _delivered(run_tool(tool, arguments, pictures, **settings).pixels)


def _delivered(pixels: Pixels) -> str:
    return encode_data_url(encode(pixels, "jpeg", 95), "image/jpeg")


def _measure_floors(width: int, height: int, *, num_runs: int) -> Iterator[Figure]:
    """Compare each call with its kernel, one encode and base64."""
    pictures = [photo(width, height), photo(width, height, seed=1)]
    for name, (tool, arguments) in CALLS.items():
        actions: dict[str, Action] = {
            "ours": _ours(tool, arguments, pictures),
            "floor": partial(_floor, name, pictures),
        }
        timings = time_in_turn(actions, num_runs=num_runs)
        ratio = timings["ours"].ratio_to(timings["floor"])
        title = f"{name} {width}x{height}, ours / floor"
        spread = timings["ours"].spread
        yield Figure("tools", title, ratio, "x", spread, "ours / floor <= 1.3", ratio <= 1.3)


def _floor(name: str, pictures: list[Pixels]) -> str:
    return _delivered(FLOORS[name](pictures))


def _measure_fast_zoom(peer: Peer | None, num_runs: int) -> Iterator[Figure]:
    tool, arguments = CALLS["zoom"]
    pictures = [photo(1024, 768)]
    actions = {
        "exact": _ours(tool, arguments, pictures),
        "fast": _ours(tool, arguments, pictures, resample="fast"),
    }
    if peer is not None:
        actions["peer"] = peer.open(pictures)(tool, arguments)
    timings = time_in_turn(actions, num_runs=num_runs)
    ratio, spread = timings["exact"].ratio_to(timings["fast"]), timings["fast"].spread
    yield Figure("tools", "zoom exact / fast 1024x768", ratio, "x", spread)
    if "peer" in timings:
        ratio, ask = timings["peer"].ratio_to(timings["fast"]), "reference / ours >= 5"
        yield Figure("tools", "zoom fast 1024x768", ratio, "x", spread, ask, ratio >= 5)
    exact, fast = (
        run_tool(tool, arguments, pictures, resample=resample).pixels
        for resample in get_args(Resample)
    )
    likeness_db = cv2.PSNR(exact, fast)
    title = "zoom fast, likeness to exact"
    yield Figure("tools", title, likeness_db, "dB", 0.0, ">= 44 dB", likeness_db >= 44)


def _measure_noise(num_runs: int) -> Iterator[Figure]:
    """Compare counting 250,000 single pixels with counting ten of them."""
    width, height = 2048, 1536
    arguments = {"min_size": 1}
    actions = {
        name: _ours("count_objects_tool", arguments, [dots(width, height, num_dots)])
        for name, num_dots in (("noise", 250_000), ("ten", 10))
    }
    timings = time_in_turn(actions, num_runs=num_runs)
    ratio = timings["noise"].ratio_to(timings["ten"])
    title = "count objects, 250,000 / 10 objects"
    yield Figure("tools", title, ratio, "x", timings["noise"].spread, "<= 2", ratio <= 2)
