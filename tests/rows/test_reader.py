from __future__ import annotations

import copy
import json
import pickle
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_imagetools.errors import DataError
from gym_imagetools.rows.reader import SAMPLE, FileRows, ListRows, open_rows, parse_object


def test_rows_are_read_by_number_in_any_order(write_rows):
    rows = open_rows(write_rows({"n": 0}, {"n": 1}, {"n": 2}), None)
    assert len(rows) == 3
    assert [rows.row(i)["n"] for i in (2, 0, 1, 0)] == [2, 0, 1, 0]


def test_a_path_may_be_text(write_rows):
    assert open_rows(str(write_rows({"n": 5})), None).row(0) == {"n": 5}


def test_none_is_the_packaged_sample():
    rows = open_rows(None, None)
    assert len(rows) == 12
    assert rows.root == SAMPLE.parent


def test_blank_lines_are_no_rows_but_are_counted_as_lines(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_bytes(b'\n{"n": 0}\r\n  \n\n{"n": 1}')
    rows = FileRows(path)
    assert [rows.row(i)["n"] for i in range(2)] == [0, 1]
    assert "r.jsonl#0 (line 2 of" in rows.where(0)
    assert "r.jsonl#1 (line 5 of" in rows.where(1)


@given(st.lists(st.one_of(st.none(), st.text()), min_size=1))
def test_every_row_is_found_at_its_line(tmp_path_factory, texts):
    lines = ["" if text is None else json.dumps({"t": text}) for text in texts]
    if not any(lines):
        lines.append('{"t": ""}')
    path = tmp_path_factory.mktemp("rows") / "r.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    rows = FileRows(path)
    expected = [(number, line) for number, line in enumerate(lines, start=1) if line]
    found = [
        (int(re.search(r"line (\d+)", rows.where(i))[1]), json.dumps(rows.row(i)))
        for i in range(len(rows))
    ]
    assert found == expected


def test_a_byte_order_mark_is_no_part_of_the_first_row(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"n": 0}\n')
    assert FileRows(path).row(0) == {"n": 0}


def test_line_separators_inside_of_a_text_end_no_row(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text('{"t": "a\u2028b\u0085c"}\n{"t": "d"}\n', encoding="utf-8")
    assert [FileRows(path).row(i)["t"] for i in range(2)] == ["a\u2028b\u0085c", "d"]


@pytest.mark.parametrize("content", [b"", b"\n", b"  \r\n\t\n"])
def test_a_file_without_rows_is_refused(tmp_path, content):
    path = tmp_path / "r.jsonl"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"r\.jsonl.*empty"):
        FileRows(path)


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_a_file_that_cannot_be_read_is_named(tmp_path, name):
    with pytest.raises(DataError, match=re.escape(str(tmp_path))):
        open_rows(tmp_path / name, None)


def test_a_file_that_vanishes_later_is_a_fault_of_the_data(write_rows):
    path = write_rows({"n": 0})
    rows = FileRows(path)
    path.unlink()
    with pytest.raises(DataError, match="readable row file"):
        rows.row(0)


def test_a_file_that_changes_later_is_refused_and_not_misread(write_rows):
    path = write_rows({"n": 0}, {"n": 1})
    rows = FileRows(path)
    path.write_text('{"other": 0}\n' + path.read_text(), encoding="utf-8")
    with pytest.raises(DataError, match="make the environment anew"):
        rows.row(1)


def test_a_file_is_found_after_the_working_folder_has_changed(write_rows, monkeypatch, tmp_path):
    write_rows({"n": 7})
    monkeypatch.chdir(tmp_path)
    rows = open_rows("rows.jsonl", None)
    monkeypatch.chdir("/")
    assert rows.row(0) == {"n": 7}
    assert rows.root == tmp_path


def test_pickling_a_file_costs_a_few_bytes_a_row(write_rows):
    num_rows = 2_000
    rows = FileRows(write_rows(*({"t": "x" * 500, "n": i} for i in range(num_rows))))
    pickled = pickle.dumps(rows)
    assert len(pickled) < 10 * num_rows + 1_000
    assert pickle.loads(pickled).row(1_234)["n"] == 1_234
    assert copy.deepcopy(rows).row(7)["n"] == 7


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b'{"a": 1,}',
        b"{'a': 1}",
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": 1} {"b": 2}',
        b'{"a": "\xff"}',
        "{}".encode("utf-16"),
        b"{" * 100_000,
        b"[" * 100_000,
        b'{"a": "tab\there"}',
    ],
)
def test_what_is_no_strict_json_is_refused(line):
    with pytest.raises(DataError, match="no JSON"):
        parse_object(line)


@pytest.mark.parametrize("line", [b"[]", b'"row"', b"3", b"null", b"true", b'[{"a": 1}]'])
def test_json_that_is_no_object_is_refused(line):
    with pytest.raises(DataError, match="one row a line"):
        parse_object(line)


def test_rows_of_a_list_are_what_a_file_would_hold():
    rows = open_rows([{"a": (1, 2), 3: None}], None)
    assert rows.row(0) == {"a": [1, 2], "3": None}
    assert rows.where(0).startswith("rows#0 ")


def test_changing_a_list_later_changes_no_row():
    source = [{"a": {"b": 1}}]
    rows = ListRows(source)
    source[0]["a"]["b"] = 2
    rows.row(0)["a"]["b"] = 3
    assert rows.row(0) == {"a": {"b": 1}}


@pytest.mark.parametrize(
    "value", [b"bytes", {1, 2}, float("nan"), float("inf"), np.zeros(3), np.int64(1), object]
)
def test_values_that_json_cannot_hold_are_refused(value):
    with pytest.raises(DataError, match="JSON"):
        open_rows([{"a": value}], None).row(0)


def test_an_empty_list_is_refused():
    with pytest.raises(DataError, match="list"):
        open_rows([], None)


@pytest.mark.parametrize("data", [5, b"rows.jsonl", {"a"}, object(), iter([])])
def test_data_of_another_kind_is_a_type_error(data):
    with pytest.raises(TypeError, match="a path of a JSONL file, a list of rows"):
        open_rows(data, None)


def test_a_list_above_one_megabyte_warns_and_names_the_file_form():
    row = {"t": "x" * 600_000}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        open_rows([row], None)
    with pytest.warns(UserWarning, match="JSONL file"):
        open_rows([row, row], None)


def test_data_root_is_the_folder_of_the_file_or_the_one_given(write_rows, tmp_path):
    path = write_rows({"n": 0})
    (tmp_path / "pictures").mkdir()
    assert open_rows(path, None).root == tmp_path
    assert open_rows(path, tmp_path / "pictures").root == tmp_path / "pictures"
    assert open_rows([{"n": 0}], None).root is None
    assert open_rows([{"n": 0}], str(tmp_path)).root == tmp_path


def test_a_data_root_that_is_no_folder_is_refused(write_rows):
    path = write_rows({"n": 0})
    for root in (path, Path("/no/such/folder")):
        with pytest.raises(DataError, match="`data_root`"):
            open_rows(path, root)


def test_an_entry_gives_its_name_and_repeats(write_rows):
    path = write_rows({"n": 0})
    entry = {"name": "e", "type": "example", "path": str(path), "num_repeats": 3}
    rows = open_rows(entry, None)
    assert (rows.name, rows.num_repeats, len(rows)) == ("e", 3, 1)
    assert rows.where(0).startswith("e#0 (line 1 of ")
