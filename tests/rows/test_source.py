from __future__ import annotations

import copy
import logging
import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from gym_imagetools.errors import DataError
from gym_imagetools.rows import RowProblem, RowSource, check_rows, read_row


def read_number(row, name, root):
    """A reader of the least kind of row: bad when its number is negative."""
    if row["n"] < 0:
        raise DataError(f"Expected `n` >= 0, got {row['n']}; correct it.")
    return row["n"]


def numbers(*values, order="sequential", on_data_error="raise"):
    return RowSource([{"n": n} for n in values], None, order, on_data_error, read_number)


def rng_of(seed):
    return np.random.default_rng(seed)


def draw(source, rng, count):
    return [source.next(rng) for _ in range(count)]


def test_sequential_goes_round_and_starts_anew_when_seeded():
    source, rng = numbers(5, 6, 7), rng_of(0)
    assert draw(source, rng, 4) == [5, 6, 7, 5]
    source.reset(rng)
    assert draw(source, rng, 2) == [5, 6]


def test_sequential_draws_nothing_from_the_generator():
    source, rng = numbers(5, 6), rng_of(0)
    before = rng.bit_generator.state
    draw(source, rng, 5)
    assert rng.bit_generator.state == before


@given(st.integers(1, 12), st.integers(0, 2**32))
def test_shuffle_plays_every_row_once_an_epoch(num_rows, seed):
    source, rng = numbers(*range(num_rows), order="shuffle"), rng_of(seed)
    for _ in range(3):
        assert sorted(draw(source, rng, num_rows)) == list(range(num_rows))


@given(st.integers(0, 2**32), st.integers(0, 9))
def test_equal_seeds_repeat_exactly_whatever_was_played_before(seed, played):
    source = numbers(*range(7), order="shuffle")
    draw(source, rng_of(99), played)
    runs = []
    for _ in range(2):
        rng = rng_of(seed)
        source.reset(rng)
        runs.append(draw(source, rng, 15))
    assert runs[0] == runs[1]


def test_shuffle_draws_a_new_order_each_epoch_and_by_seed():
    source, rng = numbers(*range(20), order="shuffle"), rng_of(1)
    first, second = draw(source, rng, 20), draw(source, rng, 20)
    source.reset(rng_of(2))
    assert len({tuple(first), tuple(second), tuple(draw(source, rng_of(2), 20))}) == 3


def test_a_certain_task_is_played_without_moving_the_order():
    source, rng = numbers(5, 6, 7), rng_of(0)
    draw(source, rng, 1)
    assert [source.task(i) for i in (2, 0, np.int64(1))] == [7, 5, 6]
    assert source.next(rng) == 6


@pytest.mark.parametrize("index", [-1, 3, 10**9])
def test_a_task_out_of_range_is_refused_and_the_range_named(index):
    with pytest.raises(ValueError, match=rf"0\.\.2, got {index}"):
        numbers(5, 6, 7).task(index)


@pytest.mark.parametrize("index", [1.0, None])
def test_a_task_index_is_a_whole_number(index):
    with pytest.raises(TypeError):
        numbers(5, 6, 7).task(index)


def test_a_task_is_played_again_by_its_id():
    source = numbers(5, 6, 7)
    assert [source.task(f"rows#{number}") for number in range(3)] == [5, 6, 7]


@pytest.mark.parametrize("task_id", ["1", "rows#3", "rows#-1", "rows#", "other#1", "rows#x"])
def test_an_id_of_no_row_is_refused(task_id):
    with pytest.raises(ValueError, match="the id of a usable row, such as rows#0"):
        numbers(5, 6, 7).task(task_id)


@pytest.mark.parametrize("keyword", ["order", "on_data_error"])
@pytest.mark.parametrize("value", ["", "Shuffle", None, 3, ["skip"]])
def test_a_keyword_outside_of_its_values_is_refused(keyword, value):
    with pytest.raises(ValueError, match=f"`{keyword}`"):
        numbers(1, **{keyword: value})


def test_repeats_follow_one_another_under_one_id(write_rows):
    path = write_rows({"n": 0}, {"n": 1})
    entry = {"name": "e", "type": "example", "path": path, "num_repeats": 3}
    source = RowSource(entry, None, "sequential", "raise", lambda row, name, root: name)
    assert source.num_tasks == 6
    assert [source.task(i) for i in range(6)] == ["e#0"] * 3 + ["e#1"] * 3
    shuffled = RowSource(entry, None, "shuffle", "raise", lambda row, name, root: name)
    assert Counter(draw(shuffled, rng_of(0), 6)) == {"e#0": 3, "e#1": 3}


def test_task_ids_name_the_file_or_the_list(write_rows, make_row):
    source = RowSource(write_rows(make_row(), make_row()), None, "sequential", "raise", read_row)
    assert source.task(1).task_id == "rows.jsonl#1"
    source = RowSource([make_row()], None, "sequential", "raise", read_row)
    assert source.task(0).task_id == "rows#0"


@pytest.mark.parametrize("order", ["shuffle", "sequential"])
@pytest.mark.parametrize(
    "clone", [copy.deepcopy, lambda source: pickle.loads(pickle.dumps(source))]
)
def test_a_copy_goes_on_as_the_original_does(write_rows, make_row, order, clone):
    rows = [make_row(expected_answer=str(i)) for i in range(6)]
    for data in (rows, write_rows(*rows)):
        source, rng = RowSource(data, None, order, "raise", read_row), rng_of(3)
        draw(source, rng, 4)
        other, other_rng = clone(source), clone(rng)
        assert draw(source, rng, 9) == draw(other, other_rng, 9)
        assert other.num_tasks == 6


def test_a_shuffled_file_pickles_to_a_few_bytes_a_row(write_rows):
    path = write_rows(*({"n": i, "t": "x" * 300} for i in range(3_000)))
    source = RowSource(path, None, "shuffle", "raise", read_number)
    source.next(rng_of(0))
    assert len(pickle.dumps(source)) < 20 * source.num_tasks


def test_every_row_is_checked_before_the_first_is_played(write_rows, make_row):
    path = write_rows(make_row(), "", make_row(expected_answer=None), make_row())
    with pytest.raises(DataError, match=r"rows\.jsonl#1 \(line 3 of .*`expected_answer`"):
        RowSource(path, None, "sequential", "raise", read_row)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("{broken", "no JSON"),
        ("[]", "one row a line"),
        ('{"a": 1}', "`responses_create_params`"),
    ],
)
def test_a_broken_line_is_named(write_rows, make_row, bad, message):
    path = write_rows(make_row(), bad)
    with pytest.raises(DataError, match=rf"rows\.jsonl#1 \(line 2 of .*{message}"):
        RowSource(path, None, "sequential", "raise", read_row)


def test_skipped_rows_are_logged_counted_and_never_played(caplog):
    with caplog.at_level(logging.WARNING, "gym_imagetools.rows"):
        source = numbers(5, -1, 6, -2, 7, on_data_error="skip")
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 2
    assert "rows#1" in caplog.text
    assert "rows#3" in caplog.text
    assert (source.num_tasks, source.num_skipped) == (3, 2)
    assert [source.task(i) for i in range(3)] == [5, 6, 7]
    assert draw(source, rng_of(0), 4) == [5, 6, 7, 5]


def test_a_skipped_row_keeps_the_ids_of_the_others(write_rows, make_row):
    path = write_rows("{broken", make_row())
    source = RowSource(path, None, "sequential", "skip", read_row)
    assert source.task(0).task_id == "rows.jsonl#1"


@pytest.mark.parametrize("on_data_error", ["raise", "skip"])
def test_rows_that_are_all_bad_are_refused(on_data_error):
    with pytest.raises(DataError):
        numbers(-1, -2, on_data_error=on_data_error)


@settings(max_examples=50)
@given(st.lists(st.integers(-3, 9), min_size=1), st.integers(0, 99))
def test_skipping_is_the_same_as_leaving_the_bad_rows_out(values, seed):
    good = [value for value in values if value >= 0]
    if not good:
        return
    for order in ("shuffle", "sequential"):
        skipping = numbers(*values, order=order, on_data_error="skip")
        played = draw(skipping, rng_of(seed), 2 * len(good))
        assert played == draw(numbers(*good, order=order), rng_of(seed), 2 * len(good))


def picture_rows(write_rows, make_row, tmp_path, on_data_error):
    path = write_rows(*(make_row(picture=f"{name}.png", expected_answer=name) for name in "abc"))
    for name in "bc":
        (tmp_path / f"{name}.png").write_bytes((tmp_path / "a.png").read_bytes())
    return RowSource(path, None, "sequential", on_data_error, read_row)


def test_a_picture_that_goes_bad_later_is_a_data_error(write_rows, make_row, tmp_path):
    source = picture_rows(write_rows, make_row, tmp_path, "raise")
    (tmp_path / "b.png").write_bytes(b"no picture")
    rng = rng_of(0)
    assert source.next(rng).expected_answer == "a"
    with pytest.raises(DataError, match=r"rows\.jsonl#1 .*image_url"):
        source.next(rng)
    with pytest.raises(DataError, match=r"rows\.jsonl#1 .*image_url"):
        source.task(1)
    assert source.next(rng).expected_answer == "c"


@pytest.mark.parametrize("kept_share", [0.3, 0.6, 0.9])
def test_a_picture_that_is_cut_after_its_header_is_told_when_it_is_played(
    write_rows, make_row, tmp_path, kept_share
):
    path = write_rows(make_row(picture="noise.png"), make_row(picture="a.png"))
    noise = np.random.default_rng(0).integers(0, 256, (60, 80, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "noise.png")
    data = (tmp_path / "noise.png").read_bytes()
    (tmp_path / "noise.png").write_bytes(data[: int(kept_share * len(data))])
    source = RowSource(path, None, "sequential", "raise", read_row)
    with pytest.raises(DataError, match=r"rows\.jsonl#0 \(line 1 of"):
        source.next(rng_of(0))
    skipping = RowSource(path, None, "sequential", "skip", read_row)
    assert skipping.next(rng_of(0)).task_id == "rows.jsonl#1"


def test_with_skip_the_row_after_a_picture_that_went_bad_is_played(
    write_rows, make_row, tmp_path, caplog
):
    source = picture_rows(write_rows, make_row, tmp_path, "skip")
    (tmp_path / "b.png").unlink()
    assert [task.expected_answer for task in draw(source, rng_of(0), 3)] == ["a", "c", "a"]
    assert source.task(1).expected_answer == "c"
    assert "rows.jsonl#1" in caplog.text


def test_with_skip_pictures_that_all_went_bad_are_a_data_error(write_rows, make_row, tmp_path):
    source = picture_rows(write_rows, make_row, tmp_path, "skip")
    for name in "abc":
        (tmp_path / f"{name}.png").unlink()
    with pytest.raises(DataError, match="all have gone bad"):
        source.next(rng_of(0))
    with pytest.raises(DataError, match="all have gone bad"):
        source.task(2)


def test_a_fault_of_the_program_is_never_skipped():
    def broken(row, name, root):
        raise KeyError("x")

    with pytest.raises(KeyError):
        RowSource([{"n": 1}], None, "shuffle", "skip", broken)


def test_check_rows_returns_every_problem(write_rows, make_row):
    path = write_rows(
        make_row(), "{", make_row(grader=None), make_row(picture="missing.png"), make_row()
    )
    problems = check_rows(path, None, read_row)
    assert [problem.row for problem in problems] == [1, 2, 3]
    for problem, words in zip(problems, ("no JSON", "`grader`", "image_url"), strict=True):
        assert isinstance(problem, RowProblem)
        assert f"rows.jsonl#{problem.row} (line {problem.row + 1} of " in problem.message
        assert words in problem.message


def test_check_rows_finds_nothing_wrong_with_the_sample():
    assert check_rows(None, None, read_row) == []


def test_check_rows_takes_the_folder_of_the_pictures(write_rows, make_row, tmp_path):
    path = write_rows(make_row(picture="a.png"))
    (tmp_path / "other").mkdir()
    assert check_rows(path, tmp_path, read_row) == []
    assert len(check_rows(path, tmp_path / "other", read_row)) == 1


def test_observing_scores_changes_nothing():
    source = numbers(5, 6)
    source.observe(5, 1.0)
    assert draw(source, rng_of(0), 2) == [5, 6]
