"""How an oracle reads stacks of cubes off blurry pictures."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gym_imagetools.coordinates import Region, box_to_region
from gym_imagetools.puzzles.eye import BLOCK_PX, BlurryImage, Reply
from gym_imagetools.puzzles.looking.gaze import zoom_call
from gym_imagetools.puzzles.solids.block_drawing import TONES, Tones
from gym_imagetools.puzzles.solids.blocks import (
    TOP,
    Boxes,
    Heights,
    Vectors,
    View,
    face_samples,
    sight_lines,
)

_NEARBY = np.array([[0.08, 0, 0], [-0.08, 0, 0], [0, 0.08, 0], [0, -0.08, 0]])
_DOUBT = 3  # points of a column's sides that are taken for right, whatever they show


@dataclass(frozen=True)
class Part:
    """What the eye sees of a part of a picture.

    Attributes:
        image: What it sees.
        region: The part, in pixels of the whole picture.
    """

    image: BlurryImage
    region: Region

    def colors_at(self, places: Vectors) -> NDArray[np.int64]:
        """Return the colours of the blocks that hold places, shape (m, 2), or are next to them."""
        corner = np.array([self.region.left, self.region.top])
        extent = np.array([self.region.width, self.region.height])
        blocks = (places - corner) / extent * np.array(self.image.size) / BLOCK_PX
        columns, rows = np.floor(blocks).astype(np.int64).T
        last_row, last_column = (length - 1 for length in self.image.blocks.shape[:2])
        found = self.image.blocks[np.clip(rows, 0, last_row), np.clip(columns, 0, last_column)]
        return np.asarray(found, dtype=np.int64)

    def holds(self, places: Vectors) -> NDArray[np.bool_]:
        """Tell which places, shape (m, 2), are in the part."""
        corner, opposite = np.array(self.region[:2]), np.array(self.region[2:])
        return np.asarray(((places >= corner) & (places < opposite)).all(axis=1))


@dataclass(frozen=True)
class Sight:
    """What is seen of a scene: parts of a picture, and the colours of its cubes."""

    parts: tuple[Part, ...]
    tones: Tones

    @classmethod
    def of(cls, image: BlurryImage, size: tuple[int, int]) -> Sight:
        """Return what is seen of a whole picture of a size in pixels."""
        return cls((Part(image, Region(0, 0, *size)),), likeliest_tones(image))

    def colors_at(self, places: Vectors) -> NDArray[np.int64]:
        """Return the colours seen at places in pixels, shape (m, 2)."""
        colors = self.parts[0].colors_at(places)
        for part in self.parts[1:]:
            inside = part.holds(places)
            colors[inside] = part.colors_at(places[inside])
        return colors

    def faces_at(self, places: Vectors) -> NDArray[np.int64]:
        """Return which face is seen at places in pixels, shape (m, 2); -1 for none."""
        colors = self.colors_at(places)
        known = np.array([*self.tones.faces, self.tones.paper, self.tones.floor])
        nearest = abs(colors[:, None] - known).sum(axis=2).argmin(axis=1)
        return np.where(nearest < len(self.tones.faces), nearest, -1)


def look(
    image: BlurryImage, box: Sequence[int], size: tuple[int, int]
) -> Generator[dict[str, Any], Reply, Sight]:
    """Return what zooming in on a box shows of a scene; see :func:`zoom_quarters`."""
    parts = yield from zoom_quarters(image, box, size)
    return Sight(parts, likeliest_tones(parts[-1].image))


def zoom_once(
    image: BlurryImage, box: Sequence[int], size: tuple[int, int]
) -> Generator[dict[str, Any], Reply, Sight]:
    """Return what one zoom on a box shows of a scene; the arguments of :func:`zoom_quarters`."""
    x1, y1, x2, y2 = box
    parts = [Part(image, Region(0, 0, *size))]
    reply = yield zoom_call((x1, y1, x2, y2))
    if reply.ok:
        parts.append(Part(reply.images[0], box_to_region((x1, y1, x2, y2), *size)))
    return Sight(tuple(parts), likeliest_tones(parts[-1].image))


def zoom_quarters(
    image: BlurryImage, box: Sequence[int], size: tuple[int, int]
) -> Generator[dict[str, Any], Reply, tuple[Part, ...]]:
    """Zoom in on the quarters of a box.

    Args:
        image: The whole picture.
        box: What to look at, in thousandths.
        size: Width and height of the picture in pixels.

    Returns:
        The whole picture, and the quarters that could be zoomed in on.
    """
    left, top, right, bottom = box
    across, down = (left + right) // 2, (top + bottom) // 2
    parts = [Part(image, Region(0, 0, *size))]
    for x1, x2 in ((left, across), (across, right)):
        for y1, y2 in ((top, down), (down, bottom)):
            arguments = {"bbox_2d": [x1, y1, x2, y2], "factor": 1, "img_idx": 0}
            reply = yield {"name": "image_zoom_in_tool", "arguments": arguments}
            if reply.ok:
                parts.append(Part(reply.images[0], box_to_region((x1, y1, x2, y2), *size)))
    return tuple(parts)


def read_heights(sight: Sight, view: View, side: int, most: int) -> Heights:
    """Read a stack off a picture, the column nearest to the camera first.

    Args:
        sight: The part of the picture with the stack.
        view: Where the stack is, in pixels of the whole picture.
        side: Columns along a side.
        most: Largest height.
    """
    samples = _samples_of(side, most)
    heights = np.zeros((2 * side, 2 * side), dtype=np.int64)  # there is nothing beyond the floor
    for x, y in sorted(np.ndindex(side, side), key=sum, reverse=True):
        hidden = heights[x + samples.steps[:, 0], y + samples.steps[:, 1], None] > samples.levels
        is_visible = np.logical_not(hidden.any(axis=0).reshape(-1, len(_NEARBY)).any(axis=1))
        faces = sight.faces_at(view.place(samples.points + np.array([x, y, 0])))
        fits = [_fit(samples, faces, is_visible, height) for height in range(most + 1)]
        heights[x, y] = fits.index(max(fits))
    return heights[:side, :side]


@dataclass(frozen=True, eq=False)
class _Samples:
    """Points on all faces that a column may have.

    Attributes:
        points: Shape (m, 3), from the column's lowest corner.
        axes: The face's axis, shape (m,).
        floors: The height of the face's lower edge, or of the top, shape (m,).
        steps: Columns that may hide them; see :func:`sight_lines`.
        levels: From which height on, for lines next to each point, shape (s, m * 4).
    """

    points: Vectors
    axes: NDArray[np.int64]
    floors: NDArray[np.int64]
    steps: NDArray[np.int64]
    levels: Vectors


@cache
def _samples_of(side: int, most: int) -> _Samples:
    cubes = Boxes.of_cells(np.array([[0, 0, z] for z in range(-1, most)]))
    faces = [face_samples(cubes, axis, per_side=5)[axis != TOP :] for axis in (0, 1, TOP)]
    points = np.concatenate([face.reshape(-1, 3) for face in faces])
    axes = np.repeat([0, 1, TOP], [face.size // 3 for face in faces])
    floors = np.where(axes == TOP, points[:, 2].round(), np.floor(points[:, 2])).astype(np.int64)
    steps, levels = sight_lines((points[:, None] + _NEARBY).reshape(-1, 3), side)
    return _Samples(points, axes, floors, steps, levels)


def _fit(
    samples: _Samples,
    faces: NDArray[np.int64],
    is_visible: NDArray[np.bool_],
    height: int,
) -> float:
    """Return how well a column of a height explains the faces seen."""
    is_top = samples.axes == TOP
    top = faces[is_visible & is_top & (samples.floors == height)] == (TOP if height else -1)
    part = is_visible & ~is_top & (samples.floors < height)
    sides = faces[part] == samples.axes[part]
    # The few points left of a side that is all but covered count little.
    side_share = (sides.sum() + _DOUBT) / (len(sides) + _DOUBT)
    return float(top.mean() + side_share) if len(top) else 0.0


def likeliest_tones(image: BlurryImage) -> Tones:
    """Return the colours that explain a picture best."""
    blocks = image.blocks.reshape(-1, 3).astype(np.int64)

    def misfit(tones: Tones) -> int:
        known = np.array([*tones.faces, tones.paper, tones.floor, tones.ground])
        return int(abs(blocks[:, None] - known).sum(axis=2).min(axis=1).sum())

    return min(TONES, key=misfit)
