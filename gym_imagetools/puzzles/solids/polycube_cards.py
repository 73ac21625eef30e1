"""Cards with a solid of cubes in their middle: where it stands, and how an oracle reads it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from gym_imagetools.puzzles.drawing.canvas import Point
from gym_imagetools.puzzles.solids.block_drawing import Tones, draw_cubes
from gym_imagetools.puzzles.solids.block_reading import Sight
from gym_imagetools.puzzles.solids.blocks import Boxes, Vectors, View, cast, corners, project
from gym_imagetools.puzzles.solids.polycubes import Filled, Size
from gym_imagetools.puzzles.solids.sight_rays import Integers, Rays, rays_through
from gym_imagetools.types import Pixels

_SHARE = 0.8  # of the card that the largest solid takes
_LINES_PER_EDGE, _FEWEST_LINES = 8, 3
_CUBE_WORTH = 12  # lines or points
_POINTS = 40  # of a card that are looked at, across and down
_IS_FACE = 0.55  # of the lines that reach a cell and show its face, if it is there


@dataclass(frozen=True)
class Card:
    """A square card for solids of up to so many cubes a side.

    Attributes:
        reach: Most cubes along an axis.
        side: Of the card in pixels.
    """

    reach: int
    side: int

    def view(self, size: Size, corner: Point = (0, 0)) -> View:
        """Return where a solid of a size stands, its middle in the card's."""
        largest = corners((0, 0, 0), (self.reach,) * 3)
        edge = View.fitting(largest, (0, 0), (_SHARE * self.side, _SHARE * self.side)).edge
        x, y = (self.side / 2 - edge * project(np.array(size) / 2)).tolist()
        return View((x + corner[0], y + corner[1]), edge)

    def draw(self, filled: Filled, tones: Tones) -> Pixels:
        """Return the card with a solid on it."""
        canvas = tones.card(self.side)
        size = filled.shape[0], filled.shape[1], filled.shape[2]
        draw_cubes(canvas, np.argwhere(filled), self.view(size), tones)
        return canvas.finish()

    def read_block(self, sight: Sight, corner: Point, lacking: int) -> Filled:
        """Read a block of ``reach`` cubes a side but for those it lacks."""
        size = (self.reach, self.reach, self.reach)
        seen, num_cubes = self._seen(sight, corner, size), self.reach**3 - lacking
        begun = seen.first_reading(hidden=True), np.ones(size, dtype=bool)
        readings = [seen.mended(filled, num_cubes) for filled in begun]
        return max(readings, key=lambda filled: seen.explained(filled, num_cubes))

    def read_piece(self, sight: Sight, corner: Point, num_cubes: int) -> Filled:
        """Read a solid of so many cubes, but of unknown size.

        Where its cubes stand depends on whether it has an odd or an even number of them along
        each axis; the reading that explains most of the whole card is right.
        """
        readings = []
        for x, y, z in product((self.reach, self.reach - 1), repeat=3):
            seen = self._seen(sight, corner, (x, y, z))
            readings.append(seen.mended(seen.first_reading(hidden=False), num_cubes))
        shares = (np.indices((_POINTS, _POINTS)).reshape(2, -1).T + 0.5) / _POINTS
        places: Vectors = np.asarray(np.array(corner) + shares * self.side, dtype=np.float64)
        faces = sight.faces_at(places)

        def explained(filled: Filled) -> int:
            right = int((self._told(places, corner, filled) == faces).sum())
            return right - _CUBE_WORTH * abs(int(filled.sum()) - num_cubes)

        return max(readings, key=explained)

    def _told(self, places: Vectors, corner: Point, filled: Filled) -> Integers:
        """Return the axis of the face that is at each place, -1 for none, if a solid is there."""
        if not filled.any():
            return np.full(len(places), -1)
        view = self.view((filled.shape[0], filled.shape[1], filled.shape[2]), corner)
        in_edges: Vectors = np.asarray((places - view.origin) / view.edge, dtype=np.float64)
        box, axis = cast(in_edges, Boxes.of_cells(np.argwhere(filled)))
        return np.where(box < 0, -1, axis)

    def _seen(self, sight: Sight, corner: Point, size: Size) -> _Seen:
        rays = rays_through(size, _LINES_PER_EDGE)
        return _Seen(rays, size, sight.faces_at(self.view(size, corner).place(rays.points)))


@dataclass(frozen=True, eq=False)
class _Seen:
    """What is seen of a grid of cells.

    Attributes:
        rays: Lines through the grid.
        size: Of the grid.
        faces: The axis of the face that is seen along each line, -1 for none.
    """

    rays: Rays
    size: Size
    faces: Integers

    @cached_property
    def scores(self) -> Integers:
        """What each line tells for a reading in which it ends at a step, shape (m, steps).

        It is 1 if the line shows the face that it should, -1 if it does not, and 0 if there is no
        face or nothing can be told.
        """
        told, seen = self.rays.faces, self.faces[:, None]
        right, wrong = (told == seen) & (told >= 0), (told != seen) & (told != -2)
        return np.asarray(right.astype(np.int64) - wrong)

    def first_reading(self, *, hidden: bool) -> Filled:
        """Decide cell by cell, the nearest to the camera first, whether it is filled.

        Args:
            hidden: What a cell is taken for that no line reaches.
        """
        rays, filled = self.rays, np.zeros(self.size, dtype=bool)
        step = np.zeros(len(self.faces), dtype=np.int64)
        for cell in sorted(np.ndindex(self.size), key=sum, reverse=True):
            lines, steps = rays.crossings[int(np.ravel_multi_index(cell, self.size))]
            is_reached = step[lines] == steps
            lines, steps = lines[is_reached], steps[is_reached]
            told = rays.is_inner[lines, steps]
            shown = (self.faces[lines] == rays.axes[lines, steps])[told]
            filled[cell] = shown.mean() > _IS_FACE if len(shown) >= _FEWEST_LINES else hidden
            if not filled[cell]:
                step[lines] += 1
        return filled

    def mended(self, filled: Filled, num_cubes: int) -> Filled:
        """Fill or empty single cells of a reading as long as that explains more.

        Only cells are tried that are on a line which does not show what it should.
        """
        rays, all_lines, is_better = self.rays, np.arange(len(self.faces)), True
        ends, spare = rays.ends(filled), int(filled.sum()) - num_cubes
        while is_better:
            is_better = False
            is_wrong = self.scores[all_lines, ends] < 0
            for cell in rays.cells_reached(ends, is_wrong):
                filled.flat[cell] ^= True
                now_spare = spare + (1 if filled.flat[cell] else -1)
                lines, now = rays.changed_ends(ends, filled, cell)
                told = self.scores[lines, now] - self.scores[lines, ends[lines]]
                gain = int(told.sum()) - _CUBE_WORTH * (abs(now_spare) - abs(spare))
                if gain > 0 and (rays.faces[lines, now] != rays.faces[lines, ends[lines]]).any():
                    ends[lines], spare, is_better = now, now_spare, True
                else:
                    filled.flat[cell] ^= True
        return filled

    def explained(self, filled: Filled, num_cubes: int) -> int:
        """Return how many lines show the face that they should, less those that do not.

        A cube too many or too few counts as much as a few lines.
        """
        told = self.scores[np.arange(len(self.faces)), self.rays.ends(filled)]
        return int(told.sum()) - _CUBE_WORTH * abs(int(filled.sum()) - num_cubes)
