"""The packaged sample: real questions, and scripts that replay the published smoke table."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from gym_imagetools.rows import SAMPLE, RowSource, read_row
from gym_imagetools.tools import run_tool

SCRIPT = Path(__file__).parents[2] / "scripts" / "make_sample.py"

# Category, right, base + auxiliary reward as published, executed calls, ending.
TABLE = [
    ("Paper Folding", False, 0.01, 1, "answered"),
    ("3D Pattern Completion", False, 0.02, 2, "answered"),
    ("3D Views", False, 0.05, 13, "answered"),
    ("Rotation Patterns", False, -0.01, 3, "invalid_call"),
    ("Connect the lines", False, 0.01, 5, "invalid_call"),
    ("Recognize numbers and letters", True, 0.00, 0, "answered"),
    ("Find the same", False, 0.05, 20, "step_limit"),
    ("Maze", True, 0.03, 3, "answered"),
    ("Count Same Patterns", False, 0.04, 4, "answered"),
    ("Mirroring Patterns", False, 0.04, 4, "answered"),
    ("2D Pattern Completion", False, 0.05, 7, "answered"),
    ("Pattern and Color Completion", False, 0.02, 7, "invalid_call"),
]


@pytest.fixture(scope="module")
def tasks():
    source = RowSource(None, None, "sequential", "raise", read_row)
    return [source.task(i) for i in range(source.num_tasks)]


def read_call(turn):
    """Read the one call of a scripted turn; None for an answer."""
    if "<tool_call>" not in turn:
        return None
    parameters = dict(re.findall(r"<parameter=(\w+)>\n(.*)\n</parameter>", turn))
    name = re.search(r"<function=(\w+)>", turn)[1]
    values = {
        key: value if key == "axis" else json.loads(value) for key, value in parameters.items()
    }
    return name, values


def box_iou(a, b):
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    shared = max(width, 0) * max(height, 0)
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (a, b)]
    return shared / (sum(areas) - shared)


def repeats(call, earlier):
    name, arguments = call
    if call in earlier:
        return True
    return "bbox_2d" in arguments and any(
        other == name
        and values["img_idx"] == arguments["img_idx"]
        and box_iou(values["bbox_2d"], arguments["bbox_2d"]) >= 0.5
        for other, values in earlier
        if "bbox_2d" in values
    )


def replay(task, max_steps=21, max_tool_calls=20):
    """Play a demonstration by the published rules; returns auxiliary reward, calls and ending."""
    images, earlier, aux, is_final = [p.load() for p in task.pictures], [], 0.0, False
    for turn in task.demonstration[:max_steps]:
        call = read_call(turn)
        if call is None:
            return aux, len(earlier), "answered"
        if is_final:
            return aux - 0.01, len(earlier), "invalid_call"
        if len(earlier) == max_tool_calls:
            is_final = True
            continue
        images.append(np.asarray(run_tool(*call, images).image))
        is_final = repeats(call, earlier)
        aux = min(aux + (-0.02 if is_final else 0.01), 0.05)
        earlier.append(call)
    return aux, len(earlier), "step_limit"


def test_the_rows_have_the_categories_of_the_published_table_in_its_order(tasks):
    assert [task.family for task in tasks] == [category for category, *_ in TABLE]


@pytest.mark.parametrize("number", range(12))
def test_a_demonstration_pays_what_the_published_row_was_paid(tasks, number):
    _, is_right, aux, num_calls, ending = TABLE[number]
    task = tasks[number]
    played = replay(task)
    assert played == (pytest.approx(aux), num_calls, ending)
    last_turn = task.demonstration[:21][-1]
    assert (f"\\boxed{{{task.expected_answer}}}" in last_turn) is is_right


@pytest.mark.parametrize("number", [i for i, row in enumerate(TABLE) if row[4] != "step_limit"])
def test_a_demonstration_has_no_turn_after_its_end(tasks, number):
    *_, num_calls, ending = TABLE[number]
    num_turns = len(tasks[number].demonstration)
    assert num_turns == num_calls + 1
    assert (read_call(tasks[number].demonstration[-1]) is None) is (ending == "answered")


def test_one_step_more_answers_the_row_that_runs_out_of_steps(tasks):
    assert replay(tasks[6], max_steps=22)[1:] == (20, "answered")
    assert f"\\boxed{{{tasks[6].expected_answer}}}" in tasks[6].demonstration[-1]


def test_calls_that_are_no_repeats_are_far_from_being_near_ones(tasks):
    for number, task in enumerate(tasks):
        calls = [call for call in map(read_call, task.demonstration) if call]
        if TABLE[number][4] == "invalid_call":
            calls = calls[:-2]
        boxes = [values for _, values in calls if "bbox_2d" in values]
        for values, others in combinations(boxes, 2):
            if values["img_idx"] == others["img_idx"]:
                assert box_iou(values["bbox_2d"], others["bbox_2d"]) < 0.4


def test_every_row_shows_one_real_picture_and_asks_for_a_boxed_answer(tasks):
    for task in tasks:
        (picture,) = task.pictures
        assert min(picture.size) >= 400
        assert len(Image.fromarray(picture.load()).getcolors(1_000_000)) > 20
        assert "\\boxed{" in task.question
        assert (task.grader, task.grading["extraction_mode"]) == ("string_match", "boxed")
        assert task.metadata["license"] == "Apache-2.0"


def test_just_two_of_the_twenty_patterns_are_alike_even_when_turned_or_shifted(tasks):
    pixels = tasks[6].pictures[0].load()
    filled = (np.abs(pixels.astype(int) - (131, 98, 166)).sum(axis=2) < 30).astype(int)
    patterns = []
    for number in range(20):
        row, column = divmod(number, 5)
        centers = [
            (70 + 117 * row + 18 * (i - 1.5), 76 + 122 * column + 18 * (j - 1.5))
            for i in range(4)
            for j in range(4)
        ]
        cells = np.array([filled[round(y), round(x)] for y, x in centers]).reshape(4, 4)
        cells = cells[np.any(cells, axis=1)][:, np.any(cells, axis=0)]
        turned = [np.rot90(side, k) for side in (cells, cells.T) for k in range(4)]
        patterns.append(min((side.shape, side.tolist()) for side in turned))
    alike = [
        f"{a + 1}, {b + 1}" for a, b in combinations(range(20), 2) if patterns[a] == patterns[b]
    ]
    assert alike == [tasks[6].expected_answer]


def test_the_sample_is_small():
    assert sum(file.stat().st_size for file in SAMPLE.parent.iterdir()) < 400_000


def test_the_script_writes_the_sample_that_is_packaged(tmp_path):
    subprocess.run([sys.executable, str(SCRIPT), str(tmp_path)], check=True)
    names = sorted(file.name for file in SAMPLE.parent.iterdir())
    assert sorted(file.name for file in tmp_path.iterdir()) == names
    assert (tmp_path / "rows.jsonl").read_text() == SAMPLE.read_text()
    for name in names:
        if name.endswith(".png"):
            drawn, packaged = (
                np.asarray(Image.open(folder / name), dtype=int)
                for folder in (tmp_path, SAMPLE.parent)
            )
            # Rasterisation of lines and letters may differ between versions of Pillow.
            assert drawn.shape == packaged.shape
            assert np.abs(drawn - packaged).mean() < 2.0
