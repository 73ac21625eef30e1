"""CubeUnfold3D solved on pixels: faces are straightened, and the cube is rolled over the net."""

from __future__ import annotations

from functools import cache
from itertools import product

import cv2
import numpy as np

from gym_imagetools.puzzles.families.cube_unfold_3d import LEVELS
from gym_imagetools.puzzles.solids.cube_drawing import GLYPHS, Face, cube_faces, net_faces, pattern
from gym_imagetools.puzzles.solids.cube_nets import Net, Sticker, all_nets
from gym_imagetools.puzzles.solids.cube_panels import (
    CUBES,
    LARGE_CUBE,
    LARGE_NET,
    NETS,
    ONLY_NET,
    Level,
    Panel,
)
from gym_imagetools.types import Task

SPEC_HASHES = {
    (1, 0): "5b77bf12e133b6a59c39fd93e7541dfb54452655e9090a25c38d167dc451de95",
    (3, 1): "f735af4d527daa0eb7ae0d6c0a4f60b8bc8670b3a7d9f06ccee36b8f9996f486",
    (5, 2): "8139188bd70940da78667c0dd139bb9c6a015389acaec56095cd63046fae7ca2",
}

_UPRIGHT = ((0, 1, 0), (-1, 0, 0), (1, 0, 0))
"""Where the right of a picture may lead on the faces towards x, y and z."""

_TILE = 48
"""Most pixels along a side of a tile that is read."""


@cache
def _patterns(side: int, pitch: int) -> np.ndarray:
    gray = [pattern(g, side, pitch, (255, 255, 255), (0, 0, 0))[:, :, 0] for g in GLYPHS]
    turned = [np.rot90(picture, -turn) for picture in gray for turn in range(4)]
    return np.array([_mean_tile(picture, pitch) for picture in turned])


def _mean_tile(picture: np.ndarray, pitch: int) -> np.ndarray:
    """Return what a face repeats, without its own brightness and contrast."""
    count = len(picture) // pitch
    tile = picture.reshape(count, pitch, count, pitch).mean(axis=(0, 2), dtype=np.float32).ravel()
    tile -= tile.mean()
    return tile / (np.linalg.norm(tile) + 1e-9)


def _read_face(pixels: np.ndarray, face: Face, side: int, pitch: int) -> tuple[str, int]:
    """Return the character on a face and its quarter turns clockwise."""
    tile = min(pitch, _TILE)
    side = side // pitch * tile
    center, right, down = (np.array(v, float) for v in (face.center, face.right, face.down))
    corners = [center - right / 2 - down / 2, center + right / 2 - down / 2]
    corners.append(center - right / 2 + down / 2)
    straight = np.float32([[0, 0], [side, 0], [0, side]])
    matrix = cv2.getAffineTransform(np.float32(corners) - 0.5, straight - 0.5)
    flat = cv2.cvtColor(cv2.warpAffine(pixels, matrix, (side, side)), cv2.COLOR_RGB2GRAY)
    best = int((_patterns(side, tile) @ _mean_tile(flat, tile)).argmax())
    return GLYPHS[best // 4], best % 4


def _read_net(pixels: np.ndarray, panel: Panel, level: Level) -> dict[tuple[int, int], tuple]:
    """Return the character and its turn on each square of the net on a panel."""
    side, pitch = panel.side_px(level), panel.pitch_px(level)
    x, y = panel.center_px(level)
    card = pixels[
        int(y + 0.44 * panel.size[1] * level.width), int(x - 0.44 * panel.size[0] * level.width)
    ].astype(int)

    def is_face(net: Net) -> bool:
        """Whether the squares are on faces, and those between them are not."""
        rows, columns = (max(cell[axis] for cell in net) + 1 for axis in (0, 1))
        for row, column in product(range(rows), range(columns)):
            at_x = int(x + (column + 0.5 - columns / 2) * side)
            at_y = int(y + (row + 0.5 - rows / 2) * side)
            near = pixels[at_y - 8 : at_y + 8, at_x - 8 : at_x + 8].mean(axis=(0, 1))
            if (abs(near - card).max() > 15) != ((row, column) in net):
                return False
        return True

    (net,) = filter(is_face, all_nets())
    faces = net_faces(net, [Sticker("A")] * 6, (x, y), side)
    read = [_read_face(pixels, face, side, pitch) for face in faces]
    return dict(zip(net, read, strict=True))


def _read_cube(pixels: np.ndarray, panel: Panel, level: Level) -> list[tuple[str, tuple]]:
    """Return for each visible face the character and where its top points in space."""
    side, pitch = panel.side_px(level), panel.pitch_px(level)
    seen = []
    for axis, face in enumerate(cube_faces(_UPRIGHT, panel.center_px(level), side)):
        glyph, turn = _read_face(pixels, face, side, pitch)
        right, out = np.array(_UPRIGHT[axis]), np.eye(3, dtype=int)[axis]
        up = np.cross(out, right)
        for _ in range(turn):
            right, up = -up, right
        seen.append((glyph, tuple(up.tolist())))
    return seen


class Rolled:
    """A cube that has been rolled over a net: relations between its characters alone."""

    def __init__(self, squares: dict[tuple[int, int], tuple[str, int]]) -> None:
        # Sides of the cube are numbered so that 5 - n is opposite to n.
        start = next(iter(squares))
        at = {start: (0, 1, 2)}  # which sides are in front, to the north, to the east
        waiting = [start]
        while waiting:
            row, column = waiting.pop()
            front, north, east = at[row, column]
            for step, state in (
                ((0, 1), (east, north, 5 - front)),
                ((0, -1), (5 - east, north, front)),
                ((-1, 0), (north, 5 - front, east)),
                ((1, 0), (5 - north, front, east)),
            ):
                beside = row + step[0], column + step[1]
                if beside in squares and beside not in at:
                    at[beside] = state
                    waiting.append(beside)
        glyph_of = {at[cell][0]: squares[cell][0] for cell in squares}
        self.opposite = {glyph_of[side]: glyph_of[5 - side] for side in range(6)}
        self.top_neighbour = {}
        self.corners = set()
        for cell, (glyph, turn) in squares.items():
            front, north, east = at[cell]
            around = (north, east, 5 - north, 5 - east)
            self.top_neighbour[glyph] = glyph_of[around[turn]]
            for quarter in range(4):  # counter-clockwise around a corner, seen from outside
                up, right = around[quarter], around[(quarter + 1) % 4]
                self.corners.add((glyph, glyph_of[right], glyph_of[up]))

    def shows(self, view: list[tuple[str, tuple]], *, with_turns: bool) -> bool:
        glyphs = tuple(glyph for glyph, _ in view)
        if glyphs not in self.corners:
            return False
        for glyph, up in view:
            axis = int(np.argmax(np.abs(up)))
            towards = glyphs[axis] if up[axis] > 0 else self.opposite[glyphs[axis]]
            if with_turns and self.top_neighbour[glyph] != towards:
                return False
        return True


def solve(task: Task) -> str:
    level = LEVELS[task.metadata["difficulty"] - 1]
    pixels = task.pictures[0].load()
    if task.metadata["form"] == "opposite":
        asked = task.question.split("the one with ")[1][0]
        return Rolled(_read_net(pixels, ONLY_NET, level)).opposite[asked]
    if task.metadata["form"] == "nets":
        views = [_read_cube(pixels, LARGE_CUBE, level)] * 4
        cubes = [Rolled(_read_net(pixels, panel, level)) for panel in NETS]
    else:
        views = [_read_cube(pixels, panel, level) for panel in CUBES]
        cubes = [Rolled(_read_net(pixels, LARGE_NET, level))] * 4
    fits = [c.shows(v, with_turns=level.has_turns) for c, v in zip(cubes, views, strict=True)]
    assert sum(fits) == 1, (task.task_id, fits)
    return "ABCD"[fits.index(True)]


def chance(task: Task) -> float:
    """One of four; also of the five other squares, for no net has all of them opposite to one."""
    return 1 / 4


def option_boxes(task: Task) -> list[tuple[int, int, int, int]]:
    """Return the cards of the options; for the opposite face there are none."""
    width = LEVELS[task.metadata["difficulty"] - 1].width
    panels = {"opposite": (), "nets": NETS, "cubes": CUBES}[task.metadata["form"]]
    boxes = []
    for panel in panels:
        (x, y), (across, down) = panel.center, (round(width * length) for length in panel.size)
        left, top = round(x * width - across / 2), round(y * width - down / 2)
        boxes.append((left, top, left + across, top + down))
    return boxes


def _squares(task: Task) -> list[str]:
    """Return the characters of the only net, in reading order."""
    return [word[0] for word in task.metadata["latents"]["stickers"][0].split()]


def _offered(task: Task) -> list[str]:
    latents = task.metadata["latents"]
    return latents["stickers" if task.metadata["form"] == "nets" else "views"]


def _option_by(measure):
    def attack(task: Task) -> str:
        if task.metadata["form"] == "opposite":
            return _squares(task)[0]
        offered = _offered(task)
        return "ABCD"[int(np.argmin([measure(text, offered) for text in offered]))]

    return attack


def _apart(text: str, others: list[str]) -> int:
    """How many words an option does not share with the others, place by place."""
    return sum(a != b for other in others for a, b in zip(text.split(), other.split(), strict=True))


def _shared(task: Task) -> str:
    """Choose the cube with most characters at the place where the net's squares stand."""
    if task.metadata["form"] == "opposite":
        squares = _squares(task)
        at = squares.index(task.metadata["latents"]["asked"])
        return squares[at + 2 if at < 4 else at - 2]
    latents = task.metadata["latents"]
    known = latents["views"] if task.metadata["form"] == "nets" else latents["stickers"]
    text = " ".join(known)
    return "ABCD"[int(np.argmax([sum(w[0] in text for w in o.split()) for o in _offered(task)]))]


ATTACKS = {
    "most like the others": _option_by(_apart),
    "least like the others": _option_by(lambda text, others: -_apart(text, others)),
    "first in the alphabet": _option_by(lambda text, _: sorted(_).index(text)),
    "most characters shared": _shared,
}
