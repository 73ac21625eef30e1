"""Follows lines by the faces they part the picture into, from pixels.

A piece of line is known by the two faces beside it. Where two lines cross, four faces meet, and a
line goes on between the two that it was not between before. Where lines only come near each
other, no four faces meet.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np

from gym_imagetools.puzzles.lines.braid import MARGIN
from gym_imagetools.types import Task


@dataclass(frozen=True)
class Stretch:
    """A piece of line: where along the picture it ends, and the faces beside it."""

    begin: float
    end: float
    faces: frozenset[int]


class Faces:
    """The faces between lines that run from left to right, in level pixels."""

    def __init__(self, task: Task) -> None:
        self.pixels = level_pixels(task)
        self.side = len(self.pixels)
        first = round((MARGIN + 0.004) * self.side)
        self.band = slice(first, self.side - first)
        self.ink = self.pixels[:, :, 2] < 170

    @cached_property
    def face_at(self) -> np.ndarray:
        """The face nearest to each pixel of the band."""
        paper = (~self.ink[:, self.band]).astype(np.uint8)
        _, parts, stats, _ = cv2.connectedComponentsWithStats(paper, connectivity=4)
        is_ink = (stats[:, cv2.CC_STAT_AREA] < 400).astype(np.uint8)  # specks are no faces
        is_ink[0] = 1  # what is no paper
        _, labels = cv2.distanceTransformWithLabels(
            is_ink[parts], cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_CCOMP
        )
        return labels

    @cached_property
    def crossings(self) -> list[tuple[float, frozenset[int]]]:
        """Where along the picture four faces meet, and which."""
        labels = self.face_at
        level, upright = labels[:, 1:] != labels[:, :-1], labels[1:] != labels[:-1]
        rows, columns = np.nonzero((level[1:] | level[:-1]) & (upright[:, 1:] | upright[:, :-1]))
        corners = np.stack(
            [labels[rows + down, columns + right] for down in (0, 1) for right in (0, 1)], axis=1
        )
        several = (np.diff(np.sort(corners, axis=1), axis=1) != 0).sum(axis=1) >= 2
        points = sorted(
            zip(columns[several].tolist(), rows[several].tolist(), corners[several], strict=True),
            key=lambda point: point[:2],
        )
        found: list[tuple[float, float, set[int]]] = []
        for x, y, corner in points:
            faces = set(corner.tolist())
            for at_y, at_x, known in found:
                if abs(at_y - y) < self.near and abs(at_x - x) < self.near:
                    known |= faces
                    break
            else:
                found.append((y, x, faces))
        return [(x + self.band.start, frozenset(faces)) for _, x, faces in found if len(faces) == 4]

    near = 32
    """So many pixels apart at most are the two points that one crossing may be seen as."""

    @cached_property
    def borders(self) -> tuple[list[frozenset[int]], list[frozenset[int]]]:
        """The faces beside each line at both ends of the band, from the top."""
        return _pairs(self.face_at[:, 0]), _pairs(self.face_at[:, -1])

    def follow(self, line: int) -> list[Stretch]:
        here, faces, route = float(self.band.start), self.borders[0][line], []
        while True:
            ahead = [(x, four) for x, four in self.crossings if x > here and faces < four]
            if not ahead:
                return [*route, Stretch(here, self.band.stop, faces)]
            there, four = min(ahead, key=lambda crossing: crossing[0])
            route.append(Stretch(here, there, faces))
            here, faces = there, four - faces

    def end_of(self, line: int) -> int:
        """Return the place of a line's end from the top, from 0."""
        return self.borders[1].index(self.follow(line)[-1].faces)

    def faces_beside(self, x: float, y: float, away: int) -> frozenset[int]:
        """Return the faces above and below a place on a line, so many pixels away."""
        column = round(x) - self.band.start
        column = min(max(column, 0), self.face_at.shape[1] - 1)
        above, below = max(0, round(y) - away), min(self.side - 1, round(y) + away)
        return frozenset((int(self.face_at[above, column]), int(self.face_at[below, column])))


def level_pixels(task: Task) -> np.ndarray:
    """Return the picture turned or mirrored so that its lines run from left to right."""
    pixels = task.pictures[0].load()
    direction = re.search(r"run from (\w+) to (\w+)", task.question)
    if {"top", "bottom"} == set(direction.groups()):
        pixels = pixels.transpose(1, 0, 2)
    level = pixels[:, ::-1] if direction[1] in ("right", "bottom") else pixels
    return np.ascontiguousarray(level)


def _pairs(column: np.ndarray) -> list[frozenset[int]]:
    changes = np.flatnonzero(np.diff(column))
    return [frozenset((int(column[y]), int(column[y + 1]))) for y in changes]
