"""Plays any registered id: makes it, writes scripts of turns, and notes down every step.

As a module it prints a digest of each id's episodes, so that two processes can be compared::

    python -m tests.envs.play
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

import gym_imagetools  # noqa: F401

GOLDEN_IMAGES = Path(__file__).parents[1] / "golden/images"

IDS = sorted(name for name in gym.registry if name.startswith("ImageTools/"))
ONE_STEP_IDS = ["ImageTools/Pivot-v0", "ImageTools/Weather-v0"]
TOOL_IDS = [name for name in IDS if name not in ONE_STEP_IDS]
PUZZLE_IDS = [name for name in TOOL_IDS if name not in ("ImageTools/Dataset-v0",)]
DATASET, PIVOT, WEATHER = "ImageTools/Dataset-v0", *ONE_STEP_IDS
MAZE = "ImageTools/Maze-v0"

RIGHT = r"\boxed{umbrella}"
WRONG = r"\boxed{teapot}"


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def zoom(*box: float, **arguments: Any) -> dict[str, Any]:
    return call("image_zoom_in_tool", bbox_2d=list(box), **arguments)


def crop(*box: float, **arguments: Any) -> dict[str, Any]:
    return call("image_crop_tool", bbox_2d=list(box), **arguments)


def rotate(degrees: float, **arguments: Any) -> dict[str, Any]:
    return call("image_rotate_tool", degrees=degrees, **arguments)


def flip(axis: str, **arguments: Any) -> dict[str, Any]:
    return call("image_flip_tool", axis=axis, **arguments)


def hermes(*calls: dict[str, Any], prose: str = "") -> str:
    return prose + "".join(f"<tool_call>\n{json.dumps(item)}\n</tool_call>" for item in calls)


SCRIPT: tuple[Any, ...] = (
    hermes(crop(100, 100, 600, 600, label="left"), prose="Let me look. "),
    rotate(90),
    [flip("vertical"), call("count_objects_tool")],
    zoom(120, 100, 600, 600, factor=2.0),
    zoom(110, 100, 600, 600, factor=2.0),
    WRONG,
    hermes(call("get_weather", city="Paris")),
    zoom(0, 0, 90, 90),
    "I give up.",
)
"""Turns of every kind; over them each id plays several episodes, ended in several ways."""


def dataset_row(
    *pictures: str,
    answer: str = "umbrella",
    question: str = "Which thing?",
    **fields: Any,
) -> dict[str, Any]:
    """A row that asks about pictures of tests/golden/images."""
    content = [{"type": "input_text", "text": question}]
    content += [{"type": "input_image", "image_url": name} for name in pictures or ("checker.png",)]
    return {
        "responses_create_params": {"input": [{"role": "user", "content": content}]},
        "grader": "string_match",
        "extraction_mode": "boxed",
        "expected_answer": answer,
        **fields,
    }


def pivot_row(action: dict[str, Any], *pictures: str) -> dict[str, Any]:
    row = dataset_row(*pictures)
    return {
        "responses_create_params": row["responses_create_params"],
        "expected_action": {"type": "function_call", **action},
    }


PIVOT_ROWS = [
    pivot_row(zoom(100, 100, 500, 500, img_idx=0), "checker.png"),
    pivot_row(rotate(90, img_idx=1), "tiny.png", "shapes.png"),
    pivot_row(call("color_at_tool", point_2d=[300, 300], img_idx=0), "photo.png"),
]


def make(env_id: str, **keywords: Any) -> gym.Env[Any, Any]:
    """Make an id; rows find their pictures in tests/golden/images."""
    if isinstance(keywords.get("data"), list):
        keywords = {"data_root": str(GOLDEN_IMAGES), **keywords}
    return gym.make(env_id, **keywords)


def make_rows(*rows: dict[str, Any], **keywords: Any) -> gym.Env[Any, Any]:
    return make(DATASET, data=list(rows or (dataset_row(),)), **keywords)


def run(env: gym.Env[Any, Any], actions: Iterable[Any], *, seed: int | None = 7) -> list[Any]:
    """Play the actions, starting a new episode whenever one has ended; return every step."""
    steps: list[Any] = [env.reset(seed=seed)]
    for action in actions:
        if len(steps[-1]) == 5 and (steps[-1][2] or steps[-1][3]):
            steps.append(env.reset())
        steps.append(env.step(action))
    return steps


def go_on(env: gym.Env[Any, Any], actions: Iterable[Any]) -> list[Any]:
    """Play the actions in the running episode until it ends."""
    steps = []
    for action in actions:
        steps.append(env.step(action))
        if steps[-1][2] or steps[-1][3]:
            break
    return steps


def episode(env: gym.Env[Any, Any], actions: Iterable[Any], **reset: Any) -> list[Any]:
    """Play one episode from its reset on; return its steps."""
    env.reset(**{"seed": 7, **reset})
    return go_on(env, actions)


def paid(steps: Sequence[Any]) -> float:
    return sum(step[1] for step in steps if len(step) == 5)


def frozen(value: Any) -> Any:
    """Return a value in a form that compares exactly: types of numbers, and all pixels."""
    match value:
        case np.ndarray():
            return ("array", value.dtype.str, value.shape, value.tobytes())
        case dict():
            return ("dict", tuple((key, frozen(item)) for key, item in value.items()))
        case list() | tuple():
            return (type(value).__name__, tuple(map(frozen, value)))
        case _:
            return (type(value).__name__, repr(value))


def digest(value: Any) -> str:
    return hashlib.sha256(repr(frozen(value)).encode("utf-8", "surrogatepass")).hexdigest()


def digests() -> dict[str, str]:
    return {name: digest(run(make(name), SCRIPT)) for name in IDS}


if __name__ == "__main__":
    print(json.dumps(digests()))  # noqa: T201
