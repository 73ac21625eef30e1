import numpy as np
import pytest
from PIL import Image

from gym_imagetools.puzzles.gallery import THUMBNAIL_PX, draw_gallery, draw_strip, draw_wall


@pytest.mark.parametrize("suffix", ["png", "webp", "jpg"])
def test_a_gallery_is_written_in_the_format_that_is_named(run, tmp_path, suffix):
    out = tmp_path / "new" / f"gallery.{suffix}"
    result = run("gallery", "--out", out, "--families", "Maze,CrowdCensus", "--levels", "1,3")
    assert result.exit_code == 0, result.output
    assert f"2 families, 2 levels: {out}" in result.stdout.replace("\n", "")
    with Image.open(out) as picture:
        assert picture.width > 2 * THUMBNAIL_PX
        assert picture.height > 2 * THUMBNAIL_PX


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--families", "Mase"], "did you mean 'Maze'?"),
        (["--levels", "0"], "difficulty"),
        (["--levels", "one"], "--levels"),
        (["--seed", "-1"], "seed"),
        (["--out", "gallery.txt"], ".png"),
    ],
)
def test_what_cannot_be_drawn_is_one_clear_error(refused, words, said):
    assert said in refused("gallery", *words)


def test_rows_are_families_and_columns_levels():
    one = draw_gallery(["Maze"], [1], 0)
    more_levels, more_families = (
        draw_gallery(["Maze"], [1, 2], 0),
        draw_gallery(["Maze"] * 2, [1], 0),
    )
    assert (more_levels.width > one.width, more_levels.height) == (True, one.height)
    assert (more_families.height > one.height, more_families.width) == (True, one.width)


def test_the_seed_chooses_the_puzzles_and_nothing_else_does():
    first, again, other = (draw_gallery(["Maze"], [1], seed) for seed in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_progress_is_told_family_by_family():
    told = []
    draw_gallery(["Maze", "CrowdCensus"], [1], 0, on_drawn=lambda: told.append(len(told)))
    assert told == [0, 1]


def test_a_strip_shows_the_levels_of_one_family():
    assert draw_strip("TwoTransparencies", [1, 2, 3], 0).width > 3 * THUMBNAIL_PX


def test_a_wall_fills_the_shortest_column_first():
    strip = draw_wall(["Maze"] * 3, 1, 0, columns=3)
    two_high = draw_wall(["Maze"] * 4, 1, 0, columns=3)
    assert two_high.width == strip.width > 3 * THUMBNAIL_PX
    assert two_high.height > 2 * THUMBNAIL_PX > strip.height
