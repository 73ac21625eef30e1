"""The gallery: one picture of many puzzles, a row for each family and a column for each level."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

from gym_imagetools.images.preview import preview
from gym_imagetools.puzzles.registry import family, generate
from gym_imagetools.types import Pixels

THUMBNAIL_PX = 224
"""Width of a thumbnail."""

_PREVIEW_PX = 512  # what a model is shown at first
_MARGIN_PX, _GAP_PX, _ROW_GAP_PX, _NAMES_PX, _HEAD_PX = 40, 18, 26, 300, 64
_RADIUS_PX = 12
_SMOOTHING = 4  # corners are drawn so many times larger
_GROUND, _INK, _MUTED, _EDGE = (250, 248, 244), (30, 38, 56), (124, 124, 128), (222, 218, 210)


class Row(NamedTuple):
    """The thumbnails of a family, and the height they take."""

    name: str
    thumbnails: tuple[Image.Image, ...]
    height: int


def draw_gallery(
    families: Sequence[str],
    levels: Sequence[int],
    seed: int,
    on_drawn: Callable[[], None] = lambda: None,
) -> Image.Image:
    """Draw previews of puzzles: families from top to bottom, levels from left to right.

    Args:
        families: Names of families, at least one.
        levels: Difficulties, at least one.
        seed: The seed of every puzzle.
        on_drawn: Called after each family, for a progress bar.

    Raises:
        ValueError: A family is unknown, or a level or the seed out of range.
    """
    rows = []
    for name in families:
        rows.append(_row(name, levels, seed))
        on_drawn()
    columns = [_MARGIN_PX + _NAMES_PX + i * (THUMBNAIL_PX + _GAP_PX) for i in range(len(levels))]
    height = _MARGIN_PX + _HEAD_PX + sum(row.height + _ROW_GAP_PX for row in rows)
    sheet = Image.new(
        "RGB", (columns[-1] + THUMBNAIL_PX + _MARGIN_PX, height + _MARGIN_PX - _ROW_GAP_PX), _GROUND
    )
    draw = ImageDraw.Draw(sheet)
    for left, level in zip(columns, levels, strict=True):
        middle = (left + THUMBNAIL_PX / 2, _MARGIN_PX + _HEAD_PX / 2 - 8)
        draw.text(middle, f"difficulty {level}", _MUTED, _font(22), anchor="mm")
    top = _MARGIN_PX + _HEAD_PX
    for row in rows:
        _write_name(draw, row.name, top + row.height / 2)
        for left, thumbnail in zip(columns, row.thumbnails, strict=True):
            sheet.paste(thumbnail, (left, top + (row.height - thumbnail.height) // 2))
        top += row.height + _ROW_GAP_PX
    return sheet


def draw_strip(name: str, levels: Sequence[int], seed: int) -> Image.Image:
    """Draw previews of one family's puzzles side by side.

    Args:
        name: A family.
        levels: Difficulties, at least one.
        seed: The seed of every puzzle.

    Raises:
        ValueError: The family is unknown, or a level or the seed out of range.
    """
    row = _row(name, levels, seed)
    width = len(levels) * (THUMBNAIL_PX + _GAP_PX) + _GAP_PX
    strip = Image.new("RGB", (width, row.height + 2 * _GAP_PX), _GROUND)
    for index, thumbnail in enumerate(row.thumbnails):
        left = _GAP_PX + index * (THUMBNAIL_PX + _GAP_PX)
        strip.paste(thumbnail, (left, _GAP_PX + (row.height - thumbnail.height) // 2))
    return strip


def draw_wall(families: Sequence[str], level: int, seed: int, columns: int) -> Image.Image:
    """Draw a preview of each family, close together: high ones first, in the shortest column.

    Args:
        families: Names of families, at least one.
        level: A difficulty.
        seed: The seed of every puzzle.
        columns: Columns, at least one.

    Raises:
        ValueError: A family is unknown, or the level or the seed out of range.
    """
    bottoms = [_GAP_PX] * columns
    places = []
    thumbnails = [_thumbnail(name, level, seed) for name in families]
    for thumbnail in sorted(thumbnails, key=lambda image: -image.height):
        column = bottoms.index(min(bottoms))
        places.append((_GAP_PX + column * (THUMBNAIL_PX + _GAP_PX), bottoms[column], thumbnail))
        bottoms[column] += thumbnail.height + _GAP_PX
    size = (columns * (THUMBNAIL_PX + _GAP_PX) + _GAP_PX, max(bottoms))
    wall = Image.new("RGB", size, _GROUND)
    for left, top, thumbnail in places:
        wall.paste(thumbnail, (left, top))
    return wall


def _row(name: str, levels: Iterable[int], seed: int) -> Row:
    thumbnails = tuple(_thumbnail(name, level, seed) for level in levels)
    return Row(name, thumbnails, max(thumbnail.height for thumbnail in thumbnails))


def _thumbnail(name: str, level: int, seed: int) -> Image.Image:
    """Return the pictures of a puzzle from left to right, with rounded corners and a thin edge."""
    pictures = generate(name, seed, level).pictures
    width = (THUMBNAIL_PX - _GAP_PX // 3 * (len(pictures) - 1)) // len(pictures)
    shown = [_shrunk(preview(picture.load(), _PREVIEW_PX), width) for picture in pictures]
    whole = Image.new("RGB", (THUMBNAIL_PX, max(image.height for image in shown)), _GROUND)
    for index, image in enumerate(shown):
        whole.paste(image, (index * (width + _GAP_PX // 3), (whole.height - image.height) // 2))
    return whole


def _shrunk(pixels: Pixels, width: int) -> Image.Image:
    image = Image.fromarray(pixels)
    height = max(1, round(image.height * width / image.width))
    image = image.resize((width, height), Image.Resampling.LANCZOS)
    large = (width * _SMOOTHING, height * _SMOOTHING)
    outer, inner = (Image.new("L", large) for _ in range(2))
    radius, edge = _RADIUS_PX * _SMOOTHING, 1.5 * _SMOOTHING
    ImageDraw.Draw(outer).rounded_rectangle((0, 0, large[0] - 1, large[1] - 1), radius, 255)
    ImageDraw.Draw(inner).rounded_rectangle(
        (edge, edge, large[0] - 1 - edge, large[1] - 1 - edge), radius - edge, 255
    )
    framed = Image.new("RGB", image.size, _GROUND)
    framed.paste(_EDGE, (0, 0, *image.size), outer.reduce(_SMOOTHING))
    framed.paste(image, (0, 0), inner.reduce(_SMOOTHING))
    return framed


def _write_name(draw: ImageDraw.ImageDraw, name: str, middle: float) -> None:
    kind = family(name)
    size = 26
    while draw.textlength(name, _font(size)) > _NAMES_PX - 24:
        size -= 1
    draw.text((_MARGIN_PX, middle - 14), name, _INK, _font(size), anchor="lm")
    draw.text((_MARGIN_PX, middle + 16), kind.group, _MUTED, _font(18), anchor="lm")


def _font(size: int) -> ImageFont.ImageFont | ImageFont.FreeTypeFont:
    return ImageFont.load_default(size)
