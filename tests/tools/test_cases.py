"""Faults reported of other systems; each test covers the whole kind of its fault."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from gym_imagetools.errors import ToolError
from gym_imagetools.tools import run_tool
from gym_imagetools.tools.schemas import PARAMETERS

CASES = Path(__file__).parents[1] / "cases" / "tools.jsonl"


def test_every_case_has_its_test():
    ids = {json.loads(line)["id"] for line in CASES.read_text("utf-8").splitlines()}
    assert ids == {name[5:9].upper() for name in globals() if name[5:7] in ("im", "tc")}


def _with_hidden_red(mode, transparency):
    if mode == "RGBA":
        picture = Image.new("RGBA", (100, 100), "white")
        picture.paste((255, 0, 0, transparency), (20, 20, 60, 60))
        return picture
    picture = Image.new(mode, (100, 100), 1 if mode == "P" else "white")
    if mode == "P":
        picture.putpalette([255, 0, 0, 255, 255, 255])
    picture.paste(0 if mode == "P" else (255, 0, 0), (20, 20, 60, 60))
    picture.info["transparency"] = transparency
    return picture


@pytest.mark.parametrize(
    ("mode", "transparency"),
    [
        ("RGBA", 0),
        ("RGBA", 3),  # all but transparent
        ("P", 0),  # the transparent entry of a palette
        ("P", bytes([0, 255])),
        ("RGB", (255, 0, 0)),  # the transparent colour of a picture without alpha
    ],
)
def test_im02_colours_under_transparent_pixels_stay_hidden(mode, transparency):
    picture = _with_hidden_red(mode, transparency)
    result = run_tool("find_color_tool", {"color": [255, 0, 0]}, [picture]).result
    assert (result["match_fraction"], result["count"]) == (0.0, 0)


@pytest.mark.parametrize(
    "sizes",
    [
        [(1200, 4), (4, 1200)],
        [(4, 1200), (1200, 4), (4000, 1)],
        [(1, 4000), (4000, 1)] * 3,
        [(3000, 3000)] * 2,
    ],
)
def test_im09_a_canvas_is_bounded_before_it_is_made(sizes, monkeypatch):
    made = []
    full, resize = np.full, Image.Image.resize
    monkeypatch.setattr(
        np, "full", lambda shape, *a, **k: made.append(shape) or full(shape, *a, **k)
    )
    monkeypatch.setattr(
        Image.Image,
        "resize",
        lambda self, size, *a, **k: made.append(size) or resize(self, size, *a, **k),
    )
    pictures = [np.zeros((height, width, 3), np.uint8) for width, height in sizes]
    arguments = {"img_indices": list(range(len(pictures)))}
    size = run_tool("image_side_by_side_tool", arguments, pictures).result["size"]
    assert max(size) <= 4096
    assert max(shape[0] * shape[1] for shape in made) <= 4096 * 4096


@pytest.mark.parametrize(
    ("width", "height"), [(40000, 32), (32, 40000), (20000, 1), (1, 3000), (9000, 40)]
)
@pytest.mark.parametrize("factor", [0.01, 1, 3, 1000])
@pytest.mark.parametrize("most", [262144, 1048576])
def test_im10_a_thin_picture_keeps_a_short_side_and_the_cap(width, height, factor, most):
    picture = np.zeros((height, width, 3), np.uint8)
    arguments = {"bbox_2d": [0, 0, 1000, 1000], "factor": factor}
    reply = run_tool("image_zoom_in_tool", arguments, [picture], crop_max_pixels=most)
    sides = reply.result["size"]
    assert min(sides) >= 32
    assert max(sides) <= 4096
    assert sides[0] * sides[1] <= most
    assert (sides[0] > sides[1]) == (width > height)


@pytest.mark.parametrize("tool", ["image_crop_tool", "image_zoom_in_tool"])
def test_im14_corners_may_be_swapped_and_the_schema_says_the_order(tool):
    picture = np.random.default_rng(1).integers(0, 256, (50, 80, 3), dtype=np.uint8)
    first, *others = [
        run_tool(tool, {"bbox_2d": box}, [picture])
        for box in ([100, 200, 900, 800], [900, 800, 100, 200], [100, 800, 900, 200])
    ]
    for other in others:
        assert other.result == first.result
        assert np.array_equal(other.pixels, first.pixels)
    description = PARAMETERS[tool]["properties"]["bbox_2d"]["description"]
    assert "[x1, y1, x2, y2]" in description
    assert "corners in any order" in description


@pytest.mark.parametrize("tool", ["image_crop_tool", "image_zoom_in_tool"])
@pytest.mark.parametrize(
    "box",
    [
        "x1=100, y1=200, x2=300, y2=400",
        "left 100 top 200 right 300 bottom 400",
        "100 200 300 400 (the sign)",
        "about 100,200,300,400",
        '{"x1": 100, "y1": 200, "x2": 300, "y2": 400}',
    ],
)
def test_im15_numbers_are_not_picked_from_prose(tool, box):
    with pytest.raises(ToolError, match=r"four numbers \[x1, y1, x2, y2\]"):
        run_tool(tool, {"bbox_2d": box}, [np.zeros((50, 80, 3), np.uint8)])


@pytest.mark.parametrize(("columns", "rows"), [(12, 5), (8, 5), (41, 1), (30, 30)])
@pytest.mark.parametrize("tool", ["count_objects_tool", "find_color_tool"])
def test_im23_a_count_is_never_capped_silently(tool, columns, rows):
    picture = np.full((rows * 10, columns * 10, 3), 255, np.uint8)
    for row in range(rows):
        for column in range(columns):
            picture[row * 10 + 2 : row * 10 + 8, column * 10 + 2 : column * 10 + 8] = 0
    result = run_tool(tool, {"color": [0, 0, 0]}, [picture]).result
    assert result["count"] == columns * rows
    assert len(result["blobs"]) == min(40, columns * rows)
    assert result.get("truncated", False) is (columns * rows > 40)


@pytest.mark.parametrize("bad", [True, False, 0.9, 1e-9, "0.9", "true"])
@pytest.mark.parametrize("good", [0, 0.0, "0"])
def test_tc24_integral_numbers_are_indices_booleans_and_fractions_are_not(bad, good):
    picture = np.zeros((5, 5, 3), np.uint8)
    arguments = {"axis": "vertical", "img_idx": good}
    index = run_tool("image_flip_tool", arguments, [picture]).result["img_idx"]
    assert type(index) is int
    with pytest.raises(ToolError, match="img_idx"):
        run_tool("image_flip_tool", arguments | {"img_idx": bad}, [picture])
