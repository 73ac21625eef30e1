"""The episode as one picture of fixed size: where the model looked, and what it saw there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw

from gym_imagetools.contract import FULL_SCORE
from gym_imagetools.coordinates import Point
from gym_imagetools.episode import CallRecord, Episode, Exchange, SourceRegion
from gym_imagetools.render.lettering import fit, fit_end, font, wrap
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
_HEADER_PX, _FOOTER_PX = 116, 64
_SOURCES_WIDTH_PX = 600
_CAPTION_PX = 20
_BADGE_PX = 20
_GRID = (3, 3)
_NUM_TILES = _GRID[0] * _GRID[1]


Color = tuple[int, int, int]


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
    _draw_header(draw, episode, len(steps))
    _draw_sources(sheet, episode, steps)
    _draw_grid(sheet, draw, steps)
    _draw_footer(draw, episode)
    return np.asarray(sheet).copy()


def _steps(turn: int, exchange: Exchange) -> Iterator[_Step]:
    for record in exchange.records:
        yield _Step(turn, record)
    if exchange.error:
        yield _Step(turn, None, exchange.error)


def _color(turn: int) -> Color:
    return _COLORS[(turn - 1) % len(_COLORS)]


def _draw_header(draw: ImageDraw.ImageDraw, episode: Episode, num_steps: int) -> None:
    width = SHEET_SIZE_PX[0] - 2 * _MARGIN_PX
    draw.text((_MARGIN_PX, 14), fit(episode.task.task_id, width // 2, 14), _FAINT, font(14))
    if num_steps > _NUM_TILES:
        hint = f"the last {_NUM_TILES} of {num_steps} calls"
        draw.text((_MARGIN_PX + width, 14), hint, _FAINT, font(14), anchor="ra")
    lines = wrap(episode.task.question, width, 19, max_lines=3)
    draw.multiline_text((_MARGIN_PX, 36), lines, _INK, font(19), spacing=4)


def _draw_sources(sheet: Image.Image, episode: Episode, steps: Sequence[_Step]) -> None:
    pictures = episode.task.pictures
    if not pictures:
        return
    top, bottom = _HEADER_PX, SHEET_SIZE_PX[1] - _FOOTER_PX
    height = (bottom - top) // len(pictures)
    for index, picture in enumerate(pictures):
        area = _Box(_MARGIN_PX, top + index * height, _SOURCES_WIDTH_PX, max(1, height - 8))
        regions = [
            (step.turn, record.region)
            for step in steps
            if (record := step.record) and record.region and record.region.source == index
        ]
        sheet.paste(_source_with_regions(picture.load(), regions, area), (area.x, area.y))


def _source_with_regions(
    pixels: Pixels, regions: Sequence[tuple[int, SourceRegion]], area: _Box
) -> Image.Image:
    """Return a picture of the area's size: the source, and what was looked at, by the turns.

    A region may reach beyond its source (the corners of a rotated picture), but not out of here.
    """
    stage = Image.new("RGB", (area.width, area.height), _PAPER)
    scale, corner = _paste(stage, pixels, _Box(0, 0, area.width, area.height))
    draw = ImageDraw.Draw(stage)
    for turn, region in regions:
        points = [(corner[0] + x * scale, corner[1] + y * scale) for x, y in region.corners]
        draw.line([*points, points[0], points[1]], fill=_CARD, width=5, joint="curve")
        draw.line([*points, points[0], points[1]], fill=_color(turn), width=3, joint="curve")
        x, y = min(points)
        most_x, most_y = area.width - _BADGE_PX - 1, area.height - _BADGE_PX - 1
        _draw_badge(draw, (max(0, min(x, most_x)), max(0, min(y, most_y))), turn, _color(turn))
    return stage


def _draw_badge(draw: ImageDraw.ImageDraw, corner: Point, turn: int, color: Color) -> None:
    x, y = corner
    draw.rectangle((x, y, x + _BADGE_PX, y + _BADGE_PX), fill=color)
    draw.text((x + _BADGE_PX / 2, y + _BADGE_PX / 2), str(turn), _CARD, font(14), anchor="mm")


def _draw_grid(sheet: Image.Image, draw: ImageDraw.ImageDraw, steps: list[_Step]) -> None:
    columns, rows = _GRID
    left = _MARGIN_PX + _SOURCES_WIDTH_PX + _MARGIN_PX
    width = (SHEET_SIZE_PX[0] - left - _MARGIN_PX) // columns
    height = (SHEET_SIZE_PX[1] - _HEADER_PX - _FOOTER_PX) // rows
    for place, step in enumerate(steps[-_NUM_TILES:]):
        row, column = divmod(place, columns)
        tile = _Box(left + column * width, _HEADER_PX + row * height, width - 8, height - 8)
        _draw_tile(sheet, draw, step, tile)


def _draw_tile(sheet: Image.Image, draw: ImageDraw.ImageDraw, step: _Step, tile: _Box) -> None:
    color = _BAD if step.record is None else _color(step.turn)
    draw.rectangle((tile.x, tile.y, tile.x + tile.width, tile.y + tile.height), _CARD, color, 2)
    _draw_badge(draw, (tile.x, tile.y), step.turn, color)
    if step.record is None:
        words = wrap(step.error, tile.width - 20, 13, max_lines=9)
        draw.text((tile.x + 28, tile.y + 10), "refused", _BAD, font(13), anchor="lm")
        draw.multiline_text((tile.x + 10, tile.y + 30), words, _INK, font(13), spacing=4)
        return
    caption = fit(call_words(step.record), tile.width - 34, 12)
    draw.text((tile.x + 28, tile.y + 10), caption, _INK, font(12), anchor="lm")
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
        draw.text((tile.x + 8, y), repeat_words(step.record), _WARN, font(13), anchor="lm")


def _draw_footer(draw: ImageDraw.ImageDraw, episode: Episode) -> None:
    y = SHEET_SIZE_PX[1] - _FOOTER_PX + 8
    width = SHEET_SIZE_PX[0] - 2 * _MARGIN_PX
    if episode.ending:
        color = _GOOD if episode.score >= FULL_SCORE else _BAD
        state = (
            f"{ENDINGS[episode.ending]} · score {episode.score:g} · "
            f"expected {episode.task.expected_answer}"
        )
    else:
        color, state = _FAINT, f"running, turn {episode.turn}"
    draw.text((_MARGIN_PX, y), fit(state, width, 16), color, font(16))
    if episode.exchanges:
        said = fit_end(episode.exchanges[-1].said, width, 15)
        draw.text((_MARGIN_PX, y + 24), said, _INK, font(15))


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
