import json

import cv2
import numpy as np
import pytest

from gym_imagetools.rows import SAMPLE


@pytest.fixture
def write(tmp_path):
    """Writes rows with a picture `pictures/a.png` beside them."""
    picture = cv2.imencode(".png", np.zeros((20, 30, 3), np.uint8))[1].tobytes()
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "a.png").write_bytes(picture)
    (tmp_path / "pictures" / "cut.png").write_bytes(picture[: len(picture) // 2])

    def write_rows(*rows):
        path = tmp_path / "rows.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    return write_rows


def row(picture="pictures/a.png", **fields):
    content = [
        {"type": "input_text", "text": "Which?"},
        {"type": "input_image", "image_url": picture},
    ]
    request = {"input": [{"role": "user", "content": content}]}
    return {"responses_create_params": request, **fields}


GOOD = {"grader": "integer", "expected_answer": "4"}


def test_the_packaged_sample_can_be_played(run):
    result = run("check", SAMPLE)
    assert result.exit_code == 0
    assert "12 rows" in result.stdout
    assert "12 demonstrations" in result.stdout
    assert "12 graded by string_match" in result.stdout


def test_counts_are_told_of_good_rows(run, write):
    result = run("check", write(row(**GOOD), row(**GOOD)))
    assert (result.exit_code, "2 rows, 2 pictures, 2 graded by integer" in result.stdout) == (0, 1)


def test_a_misspelt_grading_field_is_told_with_the_right_one(run, write):
    fields = {"grader": "string_match", "expected_answer": "A", "extraction_mod": "last_line"}
    result = run("check", write(row(**fields, source="a book"), row(**GOOD)))
    assert result.exit_code == 0
    assert "`extraction_mod` (did you mean `extraction_mode`?), `source`." in result.stdout


def test_rows_whose_every_field_is_read_give_no_hint(run, write):
    assert "no grader reads" not in run("check", write(row(**GOOD))).stdout


def test_every_problem_is_told_with_its_row_and_the_exit_code_is_1(run, write):
    rows = [row(**GOOD), row("pictures/b.png", **GOOD), row(grader="integer"), row(**GOOD)]
    result = run("check", write(*rows))
    assert result.exit_code == 1
    words = " ".join(result.stdout.split())
    assert "rows.jsonl#1" in words
    assert "rows.jsonl#2" in words
    assert "rows.jsonl#3" not in words
    assert "2 of 4 rows cannot be played." in words


def test_a_picture_that_cannot_be_decoded_is_a_problem(run, write):
    result = run("check", write(row("pictures/cut.png", **GOOD)))
    assert result.exit_code == 1
    assert "1 of 1 rows cannot be played." in result.stdout


def test_another_folder_of_pictures_can_be_named(run, write, tmp_path):
    path = write(row("a.png", **GOOD))
    assert run("check", path).exit_code == 1
    assert run("check", path, "--data-root", tmp_path / "pictures").exit_code == 0


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("pivot", {"expected_action": {"name": "image_flip_tool", "arguments": {}}}),
        ("weather", {"expected_call": {"name": "get_weather", "arguments": {"city": "Rome"}}}),
    ],
)
def test_rows_are_checked_for_the_environment_they_are_for(run, write, kind, fields):
    request = {"input": [{"role": "user", "content": "What now?"}]}
    path = write({"responses_create_params": request, **fields})
    assert run("check", path).exit_code == 1
    assert run("check", path, "--kind", kind).exit_code == 0


def test_a_missing_file_or_folder_is_one_line(refused, write, tmp_path):
    assert "readable row file" in refused("check", tmp_path / "none.jsonl")
    assert "data_root" in refused("check", write(row(**GOOD)), "--data-root", tmp_path / "none")


def test_markup_in_a_row_is_printed_as_it_is(run, write):
    result = run("check", write(row("[bold]x[/]", **GOOD)))
    assert "[bold]x[/]" in " ".join(result.stdout.split())
