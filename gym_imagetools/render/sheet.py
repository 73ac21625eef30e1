"""The episode as one picture of fixed size: where the model looked, and what it saw there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from gym_imagetools.episode import CallRecord, Episode, Exchange
from gym_imagetools.render.wording import ENDINGS, call_words, repeat_words
from gym_imagetools.types import Pixels

SHEET_SIZE_PX = (1280, 800)
"""Width and height of the sheet; always the same, so that frames make a video."""

_PAPER, _INK, _FAINT, _CARD = (250, 250, 247), (32, 34, 38), (120, 124, 130), (255, 255, 255)
_GOOD, _BAD, _WARN = (22, 128, 72), (190, 38, 38), (176, 108, 0)
_COLORS = (
    (0, 114, 178),
    (213, 94, 0),
    (0, 158, 115),
    (148, 82, 165),
    (196, 60, 110),
    (86, 140, 30),
)
_MARGIN_PX = 20
_HEADER_PX, _FOOTER_PX = 104, 64
_SOURCES_WIDTH_PX = 600
_CAPTION_PX = 20
_GRID = (3, 3)


@dataclass(frozen=True)
class _Box:
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True)
class _Step:
    """One tile of the grid: an executed call with its number, or a refusal."""

    turn: int
    record: CallRecord | None
    error: str = ""


def render_rgb_array(episode: Episode) -> Pixels:
    """Return the contact sheet of the episode so far.

    The source pictures stand on the left with the regions of zooms and crops drawn on them; the
    last nine calls stand on the right, each in the colour of its region.

    Args:
        episode: The running or ended episode.

    Returns:
        ``uint8`` array of shape (800, 1280, 3).
    """
    sheet = Image.new("RGB", SHEET_SIZE_PX, _PAPER)
    draw = ImageDraw.Draw(sheet)
    steps = [
        step
        for turn, exchange in enumerate(episode.exchanges, start=1)
        for step in _steps(turn, exchange)
    ]
    _draw_header(draw, episode)
    _draw_sources(sheet, draw, episode, steps)
    _draw_grid(sheet, draw, steps)
    _draw_footer(draw, episode)
    return np.asarray(sheet).copy()


def _steps(turn: int, exchange: Exchange) -> Iterator[_Step]:
    for record in exchange.records:
        yield _Step(turn, record)
    if exchange.error:
        yield _Step(turn, None, exchange.error)


def _color(turn: int) -> tuple[int, int, int]:
    return _COLORS[(turn - 1) % len(_COLORS)]


@cache
def _font(size_px: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size_px)


def _draw_header(draw: ImageDraw.ImageDraw, episode: Episode) -> None:
    width = SHEET_SIZE_PX[0] - 2 * _MARGIN_PX
    draw.text((_MARGIN_PX, 14), episode.task.task_id, _FAINT, _font(14))
    lines = _wrap(draw, episode.task.question, width, 19, max_lines=3)
    draw.multiline_text((_MARGIN_PX, 36), lines, _INK, _font(19), spacing=4)


def _draw_sources(
    sheet: Image.Image, draw: ImageDraw.ImageDraw, episode: Episode, steps: list[_Step]
) -> None:
    pictures = episode.task.pictures
    if not pictures:
        return
    top, bottom = _HEADER_PX, SHEET_SIZE_PX[1] - _FOOTER_PX
    height = (bottom - top) // len(pictures)
    for index, picture in enumerate(pictures):
        area = _Box(_MARGIN_PX, top + index * height, _SOURCES_WIDTH_PX, height - 8)
        scale, corner = _paste(sheet, picture.load(), area)
        for step in steps:
            if step.record is not None:
                _draw_region(draw, step.record, step.turn, index, scale, corner)


def _draw_region(
    draw: ImageDraw.ImageDraw,
    record: CallRecord,
    turn: int,
    source: int,
    scale: float,
    corner: tuple[int, int],
) -> None:
    """Outline a looked-at region on its source picture, numbered by the turn."""
    if record.region is None or record.region.source != source:
        return
    color = _color(turn)
    points = [(corner[0] + x * scale, corner[1] + y * scale) for x, y in record.region.corners]
    draw.line([*points, points[0], points[1]], fill=_CARD, width=5, joint="curve")
    draw.line([*points, points[0], points[1]], fill=color, width=3, joint="curve")
    x, y = min(points)
    draw.rectangle((x, y, x + 20, y + 18), fill=color)
    draw.text((x + 10, y + 9), str(turn), _CARD, _font(14), anchor="mm")


def _draw_grid(sheet: Image.Image, draw: ImageDraw.ImageDraw, steps: list[_Step]) -> None:
    columns, rows = _GRID
    left = _MARGIN_PX + _SOURCES_WIDTH_PX + _MARGIN_PX
    width = (SHEET_SIZE_PX[0] - left - _MARGIN_PX) // columns
    height = (SHEET_SIZE_PX[1] - _HEADER_PX - _FOOTER_PX) // rows
    for place, step in enumerate(steps[-columns * rows :]):
        row, column = divmod(place, columns)
        tile = _Box(left + column * width, _HEADER_PX + row * height, width - 8, height - 8)
        _draw_tile(sheet, draw, step, tile)


def _draw_tile(sheet: Image.Image, draw: ImageDraw.ImageDraw, step: _Step, tile: _Box) -> None:
    color = _BAD if step.record is None else _color(step.turn)
    draw.rectangle((tile.x, tile.y, tile.x + tile.width, tile.y + tile.height), _CARD, color, 2)
    badge = (tile.x, tile.y, tile.x + 20, tile.y + _CAPTION_PX)
    draw.rectangle(badge, color)
    draw.text((tile.x + 10, tile.y + 10), str(step.turn), _CARD, _font(14), anchor="mm")
    if step.record is None:
        words = _wrap(draw, step.error, tile.width - 20, 13, max_lines=9)
        draw.text((tile.x + 28, tile.y + 10), "refused", _BAD, _font(13), anchor="lm")
        draw.multiline_text((tile.x + 10, tile.y + 30), words, _INK, _font(13), spacing=4)
        return
    caption = _fit(draw, call_words(step.record), tile.width - 34, 13)
    draw.text((tile.x + 28, tile.y + 10), caption, _INK, _font(13), anchor="lm")
    below = _CAPTION_PX if step.record.repeat.kind else 0
    inner = _Box(
        tile.x + 4,
        tile.y + _CAPTION_PX + 2,
        tile.width - 8,
        tile.height - _CAPTION_PX - 6 - below,
    )
    _paste(sheet, step.record.picture.load(), inner)
    if below:
        y = tile.y + tile.height - below // 2 - 1
        draw.text((tile.x + 8, y), repeat_words(step.record), _WARN, _font(13), anchor="lm")


def _draw_footer(draw: ImageDraw.ImageDraw, episode: Episode) -> None:
    y = SHEET_SIZE_PX[1] - _FOOTER_PX + 8
    width = SHEET_SIZE_PX[0] - 2 * _MARGIN_PX
    if episode.ending:
        color = _GOOD if episode.score >= 1.0 else _BAD
        state = (
            f"{ENDINGS[episode.ending]}   score {episode.score:g}   "
            f"expected {episode.task.expected_answer}"
        )
    else:
        color, state = _FAINT, f"running, turn {episode.turn}"
    draw.text((_MARGIN_PX, y), _fit(draw, state, width, 16), color, _font(16))
    if episode.exchanges:
        said = " ".join(episode.exchanges[-1].said.split())
        draw.text((_MARGIN_PX, y + 24), _fit(draw, said, width, 15), _INK, _font(15))


def _paste(sheet: Image.Image, pixels: Pixels, area: _Box) -> tuple[float, tuple[int, int]]:
    """Paste a picture as large as fits, up to 4x, centred; return its scale and its corner."""
    height, width = pixels.shape[:2]
    scale = min(area.width / width, area.height / height, 4.0)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    resample = Image.Resampling.NEAREST if scale > 1 else Image.Resampling.LANCZOS
    corner = (
        area.x + (area.width - size[0]) // 2,
        area.y + (area.height - size[1]) // 2,
    )
    sheet.paste(Image.fromarray(pixels).resize(size, resample), corner)
    return scale, corner


def _wrap(
    draw: ImageDraw.ImageDraw, text: str, width_px: int, size_px: int, *, max_lines: int
) -> str:
    """Break a text into lines that fit; what is left over is cut with an ellipsis."""
    lines: list[str] = [""]
    for word in text.split():
        line = f"{lines[-1]} {word}".strip()
        if draw.textlength(line, _font(size_px)) <= width_px:
            lines[-1] = line
        else:
            lines.append(word)
    if len(lines) > max_lines:
        lines = [*lines[: max_lines - 1], " ".join(lines[max_lines - 1 :])]
    return "\n".join(_fit(draw, line, width_px, size_px) for line in lines if line)


def _fit(draw: ImageDraw.ImageDraw, text: str, width_px: int, size_px: int) -> str:
    """Return the text, cut with an ellipsis until it fits."""
    font = _font(size_px)
    if draw.textlength(text, font) <= width_px:
        return text
    while text and draw.textlength(text + "…", font) > width_px:
        text = text[: -max(1, len(text) // 10)]
    return text + "…"
