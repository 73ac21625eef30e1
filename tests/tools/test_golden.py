"""The reference's answers, row by row; where ours differ on purpose, what is right instead."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from gym_imagetools.errors import ToolError
from gym_imagetools.tools import run_tool

GOLDEN = Path(__file__).parents[1] / "golden"
ROWS = {
    row["id"]: row
    for row in map(json.loads, (GOLDEN / "tools.public.jsonl").read_text("utf-8").splitlines())
}
DEVIATIONS = json.loads((GOLDEN / "accepted_deviations.json").read_text("utf-8"))
TRANSPARENT = {"rgba.png", "palette.png"}  # palette.png has a transparent entry


def deviations_of(row_id):
    return {key for key, entry in DEVIATIONS.items() if row_id in entry["ids"]}


def shows_transparency(row):
    return any(name in TRANSPARENT for name in row["images"])


def open_image(name):
    with Image.open(GOLDEN / "images" / name) as image:
        image.load()
        return image


def run_row(row):
    images = [open_image(name) for name in row["images"]]
    for call in row["setup"]:
        images.append(run_tool(call["tool"], call["arguments"], images).image)
    return run_tool(row["tool"], row["arguments"], images)


def without_centers(result):
    facts = {key: value for key, value in result.items() if key != "blobs"}
    blobs = [
        {key: value for key, value in blob.items() if not key.startswith("cent")}
        for blob in result.get("blobs", ())
    ]
    return facts | {"blobs": blobs}


def assert_centers_half_a_pixel_off(expected, result):
    half_a_pixel = [500 / side + 1 for side in result["size"]]  # and two roundings
    for theirs, ours in zip(expected.get("blobs", ()), result.get("blobs", ()), strict=True):
        assert ours["center"] == ours["centroid"]
        for their_value, our_value, half in zip(
            theirs["center"], ours["center"], half_a_pixel, strict=True
        ):
            assert 0 <= our_value - their_value <= half


def expected_to_match(row):
    return deviations_of(row["id"]) <= {"40", "35", "33", "39"} and not shows_transparency(row)


@pytest.mark.parametrize(
    "row", [row for row in ROWS.values() if not row["expect"]["ok"]], ids=lambda row: row["id"]
)
def test_what_the_reference_refuses_is_a_tool_error(row):
    with pytest.raises(ToolError):
        run_row(row)


@pytest.mark.parametrize(
    "row",
    [row for row in ROWS.values() if row["expect"]["ok"] and expected_to_match(row)],
    ids=lambda row: row["id"],
)
def test_facts_and_pixels_are_the_reference_s(row):
    expected, reply = row["expect"]["result"], run_row(row)
    assert without_centers(reply.result) == without_centers(expected)
    assert_centers_half_a_pixel_off(expected, reply.result)
    assert list(reply.image.size) == row["expect"]["image"]["size"]
    if not row["pixels_font_dependent"]:
        digest = hashlib.sha256(reply.pixels.tobytes()).hexdigest()
        assert digest == row["expect"]["image"]["sha256_rgb"]


@pytest.mark.parametrize("row_id", DEVIATIONS["34"]["ids"])
def test_booleans_and_fractions_are_no_numbers(row_id):
    if row_id in ROWS:
        with pytest.raises(ToolError, match="Expected"):
            run_row(ROWS[row_id])


def test_a_count_is_exact_and_a_cut_list_says_so():
    for row_id in ("count_objects_tool-012", "find_color_tool-012"):
        expected, result = ROWS[row_id]["expect"]["result"], run_row(ROWS[row_id]).result
        assert (result["count"], result["truncated"]) == (150, True)
        assert without_centers(result)["blobs"] == without_centers(expected)["blobs"]


@pytest.mark.parametrize(
    ("row_id", "areas"),
    [("find_color_tool-010", [3200, 15, 3]), ("find_color_tool-011", [])],
)
def test_find_color_respects_min_size(row_id, areas):
    result = run_row(ROWS[row_id]).result
    at_least = ROWS[row_id]["arguments"]["min_size"]
    assert result["count"] == len(result["blobs"])
    assert all(blob["pixels"] >= at_least for blob in result["blobs"])
    assert result["match_fraction"] == ROWS[row_id]["expect"]["result"]["match_fraction"]
    assert len(areas) == result["count"]


@pytest.mark.parametrize(
    ("row_id", "box"),
    [
        ("image_zoom_in_tool-011", [10.0, 20.0, 1000.0, 220.0]),
        ("image_zoom_in_tool-012", [0.0, 0.0, 160.0, 120.0]),
        ("image_crop_tool-008", [10.0, 20.0, 1000.0, 220.0]),
        ("image_crop_tool-009", [0.0, 0.0, 50.0, 50.0]),
        ("image_zoom_in_tool-015", [0.0, 0.0, 1.0, 1.0]),
        ("image_crop_tool-013", [0.0, 0.0, 1.0, 1.0]),
    ],
)
def test_boxes_are_thousandths_unless_they_are_pixels_inside_of_the_picture(row_id, box):
    row = ROWS[row_id]
    reply = run_row(row)
    clamped = run_row(row | {"arguments": row["arguments"] | {"bbox_2d": box}})
    assert reply.result["box"] == box
    assert "box_unit" not in reply.result
    assert np.array_equal(reply.pixels, clamped.pixels)


def test_a_null_label_is_no_label():
    reply = run_row(ROWS["image_flip_tool-014"])
    assert reply.result["label"] == ""


@pytest.mark.parametrize(
    "row",
    [
        row
        for row in ROWS.values()
        if row["expect"]["ok"]
        and shows_transparency(row)
        and deviations_of(row["id"]) <= {"37", "40", "44"}
    ],
    ids=lambda row: row["id"],
)
def test_transparency_is_white_before_any_tool_runs(row):
    images = []
    for name in row["images"]:
        picture = open_image(name).convert("RGBA")
        opaque = Image.new("RGBA", picture.size, (255, 255, 255, 255))
        opaque.alpha_composite(picture)
        images.append(opaque.convert("RGB"))
    flattened = run_tool(row["tool"], row["arguments"], images)
    assert run_row(row).result == flattened.result
    assert np.array_equal(run_row(row).pixels, flattened.pixels)


def test_every_row_is_covered():
    covered = {"26", "27", "32", "34", "37", "44"}
    for row in ROWS.values():
        assert (
            not row["expect"]["ok"]
            or expected_to_match(row)
            or shows_transparency(row)
            or deviations_of(row["id"]) & covered
        )
