import errno

import pytest

from gym_imagetools.rollout import lines
from gym_imagetools.rollout.lines import PlacedLines, write_whole


def placed(path, *numbers):
    file = PlacedLines(path)
    for number in numbers:
        file.append((number, 0), b"line %d\n" % number)
    return file


def taken_over(path):
    file = PlacedLines(path)
    torn = file.take_over(lambda number, line: (int(line.split()[1]), 0))
    return file, torn


def test_lines_are_sorted_by_their_place_and_appended_to_thereafter(tmp_path):
    file = placed(tmp_path / "a", 2, 0, 10, 1)
    file.sort()
    assert file.path.read_bytes() == b"line 0\nline 1\nline 2\nline 10\n"
    file.append((3, 0), b"line 3\n")
    file.sort()
    assert file.path.read_bytes() == b"line 0\nline 1\nline 2\nline 3\nline 10\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_file_of_no_lines_is_not_made(tmp_path):
    placed(tmp_path / "a").sort()
    assert not (tmp_path / "a").exists()


def test_a_file_torn_at_any_byte_is_taken_over_without_its_torn_line(tmp_path):
    whole = b"line 2\nline 1\nline 30\n"
    for length in range(len(whole) + 1):
        path = tmp_path / str(length)
        path.write_bytes(whole[:length])
        file, torn = taken_over(path)
        kept = whole[: whole[:length].rfind(b"\n") + 1]
        assert (path.read_bytes(), torn) == (kept, length - len(kept))
        file.append((0, 0), b"line 0\n")
        file.sort()
        assert path.read_bytes().startswith(b"line 0\n")
        assert sorted(path.read_bytes().splitlines()) == sorted((kept + b"line 0").splitlines())


def test_lines_without_a_place_are_dropped(tmp_path):
    path = placed(tmp_path / "a", 1, 2, 3).path
    file = PlacedLines(path)
    file.take_over(lambda number, line: None if number == 2 else (number, 0))
    assert path.read_bytes() == b"line 1\nline 3\n"
    file.append((0, 0), b"line 0\n")
    file.sort()
    assert path.read_bytes() == b"line 0\nline 1\nline 3\n"


class FullDisk:
    """A file of which only so many bytes can be written."""

    def __init__(self, file, room):
        self.file, self.room = file, room

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.file.close()

    def __getattr__(self, name):
        return getattr(self.file, name)

    def write(self, data):
        written = self.file.write(data[: self.room])
        if not written:
            raise OSError(errno.ENOSPC, "No space left on device")
        return written


@pytest.mark.parametrize("room", [0, 1, 5])
def test_a_full_disk_leaves_nothing_of_a_line(monkeypatch, tmp_path, room):
    file = placed(tmp_path / "a", 1, 2)
    real = type(file.path).open
    monkeypatch.setattr(
        type(file.path), "open", lambda path, *how, **more: FullDisk(real(path, *how, **more), room)
    )
    with pytest.raises(OSError, match="No space left"):
        file.append((3, 0), b"line 3\n")
    monkeypatch.undo()
    assert file.path.read_bytes() == b"line 1\nline 2\n"
    file.append((3, 0), b"line 3\n")
    assert file.path.read_bytes() == b"line 1\nline 2\nline 3\n"


def test_a_file_that_cannot_be_replaced_stays_as_it_was(monkeypatch, tmp_path):
    path = tmp_path / "a"
    write_whole(path, b"before")

    def refuse(*paths):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(lines.Path, "replace", refuse)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, b"after")
    assert path.read_bytes() == b"before"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_lines_are_on_the_disk_once_they_are_synced(monkeypatch, tmp_path):
    synced = []
    monkeypatch.setattr(lines, "sync_file", synced.append)
    file = placed(tmp_path / "a", 1, 2)
    assert synced == []
    file.sync()
    file.sync()
    assert synced == [file.path, tmp_path]
    file.append((3, 0), b"line 3\n")
    file.sync()
    assert len(synced) == 4


@pytest.mark.parametrize("is_synced", [False, True])
def test_a_file_is_on_the_disk_before_it_takes_the_place_of_another(
    monkeypatch, tmp_path, is_synced
):
    path, synced = tmp_path / "a", []
    write_whole(path, b"before")
    monkeypatch.setattr(lines.os, "fsync", lambda file: synced.append(path.read_bytes()))
    write_whole(path, b"after", is_synced=is_synced)
    assert synced == [b"before"] * is_synced
    assert path.read_bytes() == b"after"
