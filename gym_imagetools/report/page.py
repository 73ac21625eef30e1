"""Writes the page: figures above, and the data of the episodes for its script."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from gym_imagetools.errors import DataError
from gym_imagetools.images.data_url import encode_data_url
from gym_imagetools.images.header import read_header
from gym_imagetools.monitor import RunSummary, summarise
from gym_imagetools.report.cards import cards_of
from gym_imagetools.report.episodes import EpisodeReader
from gym_imagetools.rollout.finished_run import FinishedRun
from gym_imagetools.rollout.pictures import REFERENCE

REPORT_FILE = "report.html"
TEMPLATES = Path(__file__).with_name("templates")
SCRIPTS = ("dom", "state", "pictures", "table", "episode", "group", "main")
"""The parts of the page's script, in their order."""


def write_report(run: FinishedRun, out: Path | None = None, *, inline: bool = False) -> Path:
    """Write the page of a run and return where it lies.

    Args:
        run: The run.
        out: The file; by default ``report.html`` in the folder of the run.
        inline: Whether the pictures are held in the page; otherwise it refers to them.

    Raises:
        DataError: There is no record, or one cannot be read.
        OSError: The page cannot be written.
    """
    out = out or run.folder / REPORT_FILE
    reader = EpisodeReader(lambda url: _size_of(run.folder, url))
    read = [reader.read(record) for record in run.records()]
    link = _embedder(run.folder) if inline else _linker(run.folder, out)
    data = {
        "texts": reader.texts,
        "pictures": [link(url) for url in reader.pictures],
        "episodes": [data for _, data in read],
    }
    summary = summarise([figures for figures, _ in read], np.random.default_rng(0))
    html = render_page(run.folder.resolve().name, summary, data, run)
    # Half a character is no Unicode; a record may hold one, and a page must not.
    out.write_bytes(html.encode("utf-8", "replace"))
    return out


def render_page(title: str, summary: RunSummary, data: dict[str, Any], run: FinishedRun) -> str:
    """Return the page.

    Args:
        title: Its heading.
        summary: The figures of the run.
        data: What :class:`EpisodeReader` made of its records, and the pictures' addresses.
        run: The run, for its settings.
    """
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    script = "\n".join(_source(f"{name}.js") for name in SCRIPTS)
    style = _source("page.css")
    return environment.get_template("page.html.j2").render(
        title=title,
        cards=cards_of(summary, run.num_failures()),
        summary=summary,
        settings=json.dumps(run.settings(), indent=2, ensure_ascii=False),
        script=script,
        style=style,
        script_hash=_hash(script),
        style_hash=_hash(style),
        data=script_safe_json(data),
    )


def script_safe_json(value: Any) -> str:
    """Return compact JSON that can stand in a ``<script>``: nothing in it ends the element.

    Args:
        value: What is written; NaN is refused.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _linker(folder: Path, out: Path) -> Callable[[str], str]:
    """Return what makes references relative to the page."""
    try:
        way = os.path.relpath(folder.resolve(), out.resolve().parent)
    except ValueError as error:
        raise DataError(f"Expected {out} near {folder}, got {error}; use --inline.") from None
    prefix = "" if way == os.curdir else quote(Path(way).as_posix()) + "/"
    return lambda url: prefix + url if REFERENCE.fullmatch(url) else url


def _embedder(folder: Path) -> Callable[[str], str]:
    """Return what turns references into ``data:`` URLs; a picture that is gone into nothing."""

    def embed(url: str) -> str:
        path = folder / url
        if not REFERENCE.fullmatch(url):
            return url
        if not path.is_file():
            return ""
        data = path.read_bytes()
        return encode_data_url(data, read_header(data).media_type)

    return embed


def _size_of(folder: Path, url: str) -> tuple[int, int] | None:
    path = folder / url
    if not REFERENCE.fullmatch(url) or not path.is_file():
        return None
    return read_header(path.read_bytes()).size


def _source(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _hash(source: str) -> str:
    """Return what the page's policy allows to run: this text and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
