from __future__ import annotations

import pytest

from gym_imagetools.errors import DataError
from gym_imagetools.rows.entry import read_entry

ENTRY = {"name": "puzzles", "type": "train", "path": "p.jsonl", "license": "Apache-2.0"}


def test_an_entry_is_read_with_its_repeats():
    entry = read_entry({**ENTRY, "num_repeats": 4})
    assert (entry.name, entry.type, str(entry.path), entry.num_repeats) == (
        "puzzles",
        "train",
        "p.jsonl",
        4,
    )


@pytest.mark.parametrize("kind", ["train", "validation"])
@pytest.mark.parametrize("license_", [None, "", "  "])
def test_rows_to_train_or_validate_on_must_name_their_licence(kind, license_):
    entry = {**ENTRY, "type": kind, "license": license_}
    with pytest.raises(DataError, match=f"{kind} entry 'puzzles' to name its licence.*license"):
        read_entry(entry)


def test_an_example_needs_no_licence():
    assert read_entry({"name": "e", "type": "example", "path": "p.jsonl"}).license is None


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": 3}, "name"),
        ({"type": "test"}, "type"),
        ({"path": None}, "path"),
        ({"path": 5}, "path"),
        ({"license": 5}, "license"),
        ({"num_repeats": 0}, "num_repeats"),
        ({"num_repeats": -1}, "num_repeats"),
        ({"num_repeats": 1.5}, "num_repeats"),
        ({"num_repeats": "many"}, "num_repeats"),
        ({"licence": "MIT"}, "licence"),
        ({"jsonl_fpath": "p.jsonl"}, "jsonl_fpath"),
    ],
)
def test_a_faulty_field_is_named(change, field):
    with pytest.raises(DataError, match=f"`{field}`"):
        read_entry({**ENTRY, **change})


@pytest.mark.parametrize("field", ["name", "type", "path"])
def test_a_missing_field_is_named(field):
    entry = {name: value for name, value in ENTRY.items() if name != field}
    with pytest.raises(DataError, match=f"`{field}`, got none"):
        read_entry(entry)


def test_one_row_is_no_entry_and_the_error_says_so():
    with pytest.raises(DataError, match="put it in a list"):
        read_entry({"responses_create_params": {"input": "hi"}})
