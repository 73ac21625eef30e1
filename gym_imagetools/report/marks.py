"""Where the calls of an episode looked: boxes and points on the pictures of its store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from gym_imagetools.coordinates import THOUSANDTHS, Box, clamp_box, order_corners
from gym_imagetools.rollout.turns import RecordedCall

Size = tuple[int, int]
SizeOf = Callable[[int], Size | None]

_SAME_PICTURE = frozenset({"count_objects_tool", "find_color_tool"})
_REGION_TOOLS = frozenset({"image_zoom_in_tool", "image_crop_tool"})
_LARGEST = 1e9
_INDEX_KEYS = ("img_idx", "img_idx_a", "img_idx_b", "img_indices")


@dataclass(frozen=True)
class Mark:
    """A place on a picture.

    Attributes:
        picture: Index of the picture in the store.
        box: The place, in thousandths of the picture; a point is a box without an area.
    """

    picture: int
    box: Box


@dataclass(frozen=True)
class Frame:
    """Where an upright picture lies in a source picture: its corners there, in thousandths.

    A mirrored picture has its left corner right of its right one.
    """

    source: int
    corners: Box

    def map(self, box: Box) -> Box:
        """Return a box of the picture as a box of the source."""
        left, top, right, bottom = self.corners
        xs = [left + (right - left) * x / THOUSANDTHS for x in (box[0], box[2])]
        ys = [top + (bottom - top) * y / THOUSANDTHS for y in (box[1], box[3])]
        return order_corners((xs[0], ys[0], xs[1], ys[1]))


class Gaze:
    """Follows the calls of one episode over its pictures.

    Args:
        num_sources: The pictures of the question.
        size_of: Returns the size of a picture of the store in pixels, where it is known.

    Attributes:
        num_pictures: The pictures of the store so far.
    """

    def __init__(self, num_sources: int, size_of: SizeOf) -> None:
        self.num_pictures = num_sources
        self._size_of = size_of
        self._sizes: dict[int, Size] = {}
        whole = (0.0, 0.0, float(THOUSANDTHS), float(THOUSANDTHS))
        self._frames: dict[int, Frame] = {i: Frame(i, whole) for i in range(num_sources)}

    def look(self, call: RecordedCall) -> list[Mark]:
        """Return where a call looked: on the picture it named, then on the source behind it.

        Args:
            call: The next call of the episode.
        """
        marks = list(self._marks(call))
        self._remember(call, marks)
        return marks

    def _marks(self, call: RecordedCall) -> Iterator[Mark]:
        picture = call.call.arguments.get("img_idx", 0)
        if not _is_index(picture) or picture >= self.num_pictures:
            return
        box = self._box(call, picture)
        if box is None:
            return
        yield Mark(picture, box)
        frame = self._frames.get(picture)
        if frame is not None and frame.source != picture:
            yield Mark(frame.source, frame.map(box))

    def _box(self, call: RecordedCall, picture: int) -> Box | None:
        """Return the place a call names in thousandths; None where it names none."""
        point = _numbers(call.call.arguments.get("point_2d"), 2)
        if point is not None:
            return clamp_box((*point, *point))  # type: ignore[arg-type]
        box = _numbers(call.reply.get("box", call.call.arguments.get("bbox_2d")), 4)
        if box is None:
            return None
        x1, y1, x2, y2 = order_corners(box)  # type: ignore[arg-type]
        if call.reply.get("box_unit") != "pixels":
            return clamp_box((x1, y1, x2, y2))
        size = self._sizes.get(picture) or self._size_of(picture)
        if size is None or x2 > size[0] or y2 > size[1]:
            return None
        across, down = THOUSANDTHS / size[0], THOUSANDTHS / size[1]
        return x1 * across, y1 * down, x2 * across, y2 * down

    def _remember(self, call: RecordedCall, marks: Sequence[Mark]) -> None:
        """Keep size and place of the picture that a call made."""
        made = new_picture(call)
        if made is None:
            return
        self.num_pictures = max(self.num_pictures, made + 1)
        size = _numbers(call.reply.get("size"), 2)
        if size is not None and min(size) >= 1:
            self._sizes[made] = (int(size[0]), int(size[1]))
        name, picture = call.call.name, call.call.arguments.get("img_idx", 0)
        frame = self._frames.get(picture) if _is_index(picture) else None
        if frame is None:
            return
        if name in _REGION_TOOLS and marks:
            self._frames[made] = Frame(frame.source, _through(frame, marks[0].box))
        elif name == "image_flip_tool":
            self._frames[made] = Frame(frame.source, _mirrored(frame, call.reply.get("axis")))
        elif name in _SAME_PICTURE:
            self._frames[made] = frame


def pictures_named(arguments: Mapping[str, Any], num_pictures: int) -> list[int]:
    """Return the indices of the pictures that a call works on, in their order.

    Args:
        arguments: The arguments as the model wrote them.
        num_pictures: The pictures that there were; other indices name none.
    """
    values = [arguments[key] for key in _INDEX_KEYS if key in arguments] or [0]
    named = [one for value in values for one in (value if isinstance(value, list) else [value])]
    return [index for index in named if _is_index(index) and index < num_pictures]


def new_picture(call: RecordedCall) -> int | None:
    """Return the index of the picture that a call made; None where it made none.

    Args:
        call: The call.
    """
    indices = call.reply.get("new_img_indices")
    first = indices[0] if isinstance(indices, list) and indices else None
    return first if _is_index(first) else None


def _through(frame: Frame, box: Box) -> Box:
    """Return the corners of a cut-out in the source, mirrored as the picture it is cut from."""
    left, top, right, bottom = frame.corners
    x1, y1, x2, y2 = (value / THOUSANDTHS for value in box)
    return (
        left + (right - left) * x1,
        top + (bottom - top) * y1,
        left + (right - left) * x2,
        top + (bottom - top) * y2,
    )


def _mirrored(frame: Frame, axis: Any) -> Box:
    left, top, right, bottom = frame.corners
    return (right, top, left, bottom) if axis == "horizontal" else (left, bottom, right, top)


def _numbers(value: Any, count: int) -> list[float] | None:
    """Return a list of that many finite numbers, or None for anything else."""
    if not isinstance(value, list | tuple) or len(value) != count:
        return None
    return [float(one) for one in value] if all(map(_is_number, value)) else None


def _is_number(value: Any) -> TypeGuard[float]:
    """Whether it is a number of a size that a coordinate may have."""
    is_real = isinstance(value, int | float) and not isinstance(value, bool)
    return is_real and -_LARGEST <= value <= _LARGEST


def _is_index(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
