"""What is counted instead of timed: decodes, encodes, files written, and bytes in the caches."""

from __future__ import annotations

import json
import subprocess
import sys

import gymnasium as gym
import pytest

from gym_imagetools.images import encode as encode_module
from gym_imagetools.images import picture as picture_module
from gym_imagetools.images.cache import ENCODED, PIXELS
from tests.images.samples import save, smooth

GROUP_SIZE = 4
SIZE = (160, 120)
TURNS = [
    {"name": "image_zoom_in_tool", "arguments": {"bbox_2d": [100, 100, 600, 600]}},
    {"name": "image_rotate_tool", "arguments": {"degrees": 15}},
    {"name": "image_diff_tool", "arguments": {"img_idx_a": 0, "img_idx_b": 1}},
    {"name": "count_objects_tool", "arguments": {"img_idx": 1}},
    r"\boxed{7}",
]


def write_rows(folder, num_tasks, num_pictures=2, fmt="jpeg"):
    """Write tasks with pictures of their own, and return the file of the rows."""
    lines = []
    for task in range(num_tasks):
        names = [f"{task}_{index}.{fmt}" for index in range(num_pictures)]
        for index, name in enumerate(names):
            picture = smooth(*SIZE, seed=10 * task + index)
            (folder / name).write_bytes(save(picture, fmt.upper()))
        parts = [{"type": "input_image", "image_url": name} for name in names]
        message = {"role": "user", "content": [*parts, {"type": "input_text", "text": "Alike?"}]}
        row = {"responses_create_params": {"input": [message]}, "expected_answer": "7"}
        lines.append(json.dumps({**row, "grader": "integer"}))
    rows = folder / "rows.jsonl"
    rows.write_text("\n".join(lines))
    return rows


@pytest.fixture
def counted(monkeypatch):
    """Count decodes and encodes by the bytes and the pixels they are of."""
    PIXELS.clear()
    ENCODED.clear()
    counts = {"decode": [], "encode": []}
    decode, encode = picture_module.decode, encode_module.encode

    def counting_decode(data):
        counts["decode"].append(data)
        return decode(data)

    def counting_encode(pixels, *settings):
        counts["encode"].append(pixels.tobytes())
        return encode(pixels, *settings)

    monkeypatch.setattr(picture_module, "decode", counting_decode)
    monkeypatch.setattr(encode_module, "encode", counting_encode)
    return counts


def play(envs, num_times=1):
    """Play all turns in every environment, and ask for every message more than once."""
    for _ in range(num_times):
        envs.reset(seed=1)
        for turn in TURNS:
            for _ in range(2):
                envs.call("image_urls"), envs.call("prompt")
            envs.step([turn] * envs.num_envs)


@pytest.mark.parametrize("num_groups", [1, 3])
@pytest.mark.parametrize("fmt", ["jpeg", "png"])
def test_each_picture_is_decoded_once_for_its_whole_group(tmp_path, counted, num_groups, fmt):
    rows = write_rows(tmp_path, num_groups, fmt=fmt)
    envs = gym.make_vec(
        "ImageTools/Dataset-v0",
        num_envs=GROUP_SIZE * num_groups,
        group_size=GROUP_SIZE,
        num_workers=4,
        data=rows,
    )
    tasks = [group for group in range(num_groups) for _ in range(GROUP_SIZE)]
    envs.reset(seed=1, options={"task": tasks})
    for turn in TURNS[:-1]:
        envs.step([turn] * envs.num_envs)
    assert len(counted["decode"]) == len(set(counted["decode"])) == 2 * num_groups
    assert counted["encode"] == [], "nothing is encoded before a message asks for it"
    envs.close()


def test_each_picture_is_encoded_once_however_often_messages_show_it(tmp_path, counted):
    rows = write_rows(tmp_path, 1)
    envs = gym.make_vec(
        "ImageTools/Dataset-v0", num_envs=GROUP_SIZE, group_size=GROUP_SIZE, data=rows
    )
    play(envs, num_times=2)
    num_made = len(TURNS) - 1
    assert len(counted["encode"]) == len(set(counted["encode"])) == num_made
    assert len(counted["decode"]) == 2
    envs.close()


@pytest.mark.parametrize("max_bytes", [0, 3 * SIZE[0] * SIZE[1], 2**20])
def test_the_caches_stay_within_their_bounds_and_play_goes_on(tmp_path, counted, max_bytes):
    bounds = PIXELS.max_bytes, ENCODED.max_bytes
    PIXELS.resize(max_bytes)
    ENCODED.resize(max_bytes // 4)
    envs = gym.make_vec("ImageTools/Dataset-v0", num_envs=3, data=write_rows(tmp_path, 3))
    try:
        for seed in range(3):
            envs.reset(seed=seed)
            for turn in TURNS:
                *_, infos = envs.step([turn] * 3)
                envs.call("image_urls")
                assert PIXELS.nbytes <= max_bytes
                assert ENCODED.nbytes <= max_bytes // 4
            assert set(infos["ending"]) == {"answered"}
    finally:
        PIXELS.resize(bounds[0])
        ENCODED.resize(bounds[1])
        envs.close()


WATCH = r"""
import os, sys
written = []
def watch(event, args):
    if event == "open":
        path, mode, flags = args
        writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if writes or set(mode or "") & set("wax+"):
            written.append(str(path))
    elif event in ("os.mkdir", "os.rename", "os.link", "os.symlink", "tempfile.mkstemp"):
        written.append(event)
sys.dont_write_bytecode = True
sys.addaudithook(watch)
import gymnasium as gym, gym_imagetools
turns = TURNS
for env_id in ("ImageTools/Dataset-v0", "ImageTools/CrowdCensus-v0", "ImageTools/Pivot-v0"):
    env = gym.make(env_id, render_mode="rgb_array" if "Pivot" not in env_id else None)
    env.reset(seed=3)
    env.get_wrapper_attr("prompt")
    for turn in turns:
        *_, terminated, truncated, info = env.step(turn)
        env.get_wrapper_attr("image_urls") if "Pivot" not in env_id else None
        if terminated or truncated:
            break
    env.render()
    env.close()
print(*written, sep="\n")
"""


def test_episodes_write_no_file(tmp_path):
    turns = [
        {"name": "image_zoom_in_tool", "arguments": {"bbox_2d": [100, 100, 600, 600]}},
        {"name": "image_rotate_tool", "arguments": {"degrees": 15}},
        {"name": "image_side_by_side_tool", "arguments": {"img_indices": [0, 1]}},
        {"name": "find_color_tool", "arguments": {"color": [255, 0, 0]}},
        r"\boxed{7}",
    ]
    code = WATCH.replace("TURNS", repr(turns))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout.split() == []
    assert list(tmp_path.iterdir()) == []
