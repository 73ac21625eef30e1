from __future__ import annotations

import base64
import dataclasses
import gc
import os
import pickle
from pathlib import Path

import numpy as np
import pytest

from gym_imagetools.errors import DataError
from gym_imagetools.images import picture as picture_module
from gym_imagetools.images.cache import PIXELS
from gym_imagetools.images.decode import decode
from gym_imagetools.images.picture import EncodedPicture, read_picture
from tests.images.samples import exif, noise, save

PNG = save(noise(24, 16), "PNG")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    (folder / "images").mkdir(parents=True)
    (folder / "images" / "a.png").write_bytes(PNG)
    (tmp_path / "outside.png").write_bytes(PNG)
    return folder


def test_a_picture_knows_its_upright_size_without_decoding():
    data = save(noise(24, 16), "JPEG", exif=exif(6))
    cut = data[: len(data) - 40]
    assert EncodedPicture.from_bytes(cut).size == (16, 24)


def test_pixels_are_decoded_once_and_shared():
    data = save(noise(24, 16, seed=5), "PNG")
    first, second = EncodedPicture.from_bytes(data), EncodedPicture.from_bytes(data)
    assert first == second
    assert first.load() is second.load()
    assert np.array_equal(first.load(), decode(data))


def test_equal_keys_mean_equal_bytes():
    pictures = [EncodedPicture.from_bytes(save(noise(8, 8, seed), "PNG")) for seed in range(20)]
    assert len({picture.key for picture in pictures}) == 20


def test_pictures_are_small_frozen_and_show_no_bytes():
    picture = EncodedPicture.from_bytes(PNG)
    assert "PNG" not in repr(picture)
    assert len(repr(picture)) < 120
    with pytest.raises(dataclasses.FrozenInstanceError):
        picture.key = ""


def test_a_pickled_picture_is_its_bytes_and_loads_the_same_pixels():
    picture = EncodedPicture.from_bytes(PNG)
    picture.load()
    pickled = pickle.dumps(picture)
    assert len(pickled) < len(PNG) + 300
    assert pickle.loads(pickled) == picture
    assert np.array_equal(pickle.loads(pickled).load(), picture.load())


def test_a_picture_that_left_the_cache_comes_back_identical():
    picture = EncodedPicture.from_bytes(save(noise(24, 16, seed=6), "JPEG"))
    before = picture.load()
    PIXELS.clear()
    again = picture.load()
    assert again is not before
    assert np.array_equal(again, before)


def test_bytes_that_are_no_picture_are_refused_at_once():
    with pytest.raises(DataError, match="Expected a PNG, JPEG, GIF or WebP"):
        EncodedPicture.from_bytes(b"BM not one of the four")


def test_a_cut_picture_is_refused_when_its_pixels_are_asked_for():
    picture = EncodedPicture.from_bytes(save(noise(300, 300), "JPEG")[:20000])
    with pytest.raises(DataError, match="cut or damaged"):
        picture.load()


@pytest.mark.parametrize("name", ["images/a.png", "./images/a.png", "images/../images/a.png"])
def test_files_inside_the_root_are_read(root, name):
    assert read_picture(name, root=root).data == PNG


def test_absolute_paths_and_links_inside_the_root_are_read(root):
    (root / "link.png").symlink_to(root / "images" / "a.png")
    assert read_picture(str(root / "images" / "a.png"), root=root).data == PNG
    assert read_picture("link.png", root=root).data == PNG


def test_the_root_itself_may_be_a_link(root, tmp_path):
    (tmp_path / "alias").symlink_to(root)
    assert read_picture("images/a.png", root=tmp_path / "alias").data == PNG


def test_inline_pictures_need_no_root(root):
    text = base64.b64encode(PNG).decode()
    for folder in (None, root):
        assert read_picture("data:image/png;base64," + text, root=folder).data == PNG
        assert read_picture(text, root=folder).data == PNG


@pytest.mark.parametrize(
    "source",
    [
        "../outside.png",
        "images/../../outside.png",
        "{tmp}/outside.png",
        "file://{tmp}/data/images/a.png",
        "file:images/a.png",
        "FILE:///etc/hostname",
        "http://127.0.0.1:9/x.png",
        "https://127.0.0.1:9/images/a.png",
        "ftp://127.0.0.1/a.png",
        "/etc/hostname",
        "~/outside.png",
        "images",
        "images/none.png",
        "images/a.png\0",
        "a" * 5000,
        "",
    ],
)
def test_all_other_references_are_refused_without_path_or_host(root, tmp_path, source):
    source = source.format(tmp=tmp_path)
    for folder in (root, None):
        with pytest.raises(DataError, match="Expected") as caught:
            read_picture(source, root=folder)
        message = str(caught.value)
        assert len(message) < 200
        for secret in (str(tmp_path), "127.0.0.1", "hostname", "outside.png", "a.png"):
            assert secret not in message


def test_links_that_leave_the_root_or_run_in_a_loop_are_refused(root, tmp_path):
    (root / "link.png").symlink_to(tmp_path / "outside.png")
    (root / "folder").symlink_to(tmp_path)
    (root / "loop.png").symlink_to(root / "loop.png")
    for name in ("link.png", "folder/outside.png", "loop.png"):
        with pytest.raises(DataError, match="inside data_root"):
            read_picture(name, root=root)


def test_a_pipe_is_refused_instead_of_waited_for(root):
    os.mkfifo(root / "pipe.png")
    with pytest.raises(DataError, match="folder or a device"):
        read_picture("pipe.png", root=root)


def test_a_missing_root_is_refused(tmp_path):
    with pytest.raises(DataError, match="data_root"):
        read_picture("a.png", root=tmp_path / "none")


def test_huge_files_are_refused(root, monkeypatch):
    monkeypatch.setattr(picture_module, "MAX_FILE_BYTES", len(PNG))
    assert read_picture("images/a.png", root=root).data == PNG
    monkeypatch.setattr(picture_module, "MAX_FILE_BYTES", len(PNG) - 1)
    with pytest.raises(DataError, match="at most"):
        read_picture("images/a.png", root=root)


def test_files_of_other_kinds_are_refused_whatever_their_name(root):
    (root / "images" / "b.png").write_text("root:x:0:0")
    with pytest.raises(DataError, match="bytes of another kind") as caught:
        read_picture("images/b.png", root=root)
    assert "root:x" not in str(caught.value)


def test_nothing_is_written(root, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    read_picture("images/a.png", root=root).load()
    assert sorted(tmp_path.rglob("*")) == before


def test_pictures_of_equal_bytes_are_one_as_long_as_somebody_holds_it():
    data = save(noise(20, 10, seed=3), "PNG")
    first = EncodedPicture.from_bytes(data)
    assert EncodedPicture.from_bytes(bytes(bytearray(data))) is first
    key = first.key
    del first
    gc.collect()
    assert key not in picture_module._ALIVE
