"""MetroMap solved from pixels: stops by their white discs, lines by their exact colours."""

from __future__ import annotations

import re
from dataclasses import dataclass

import cv2
import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path

from gym_imagetools.puzzles.drawing.canvas import Canvas
from gym_imagetools.puzzles.families.metro_map import LEVELS
from gym_imagetools.types import Task

SPEC_HASHES = {
    (1, 0): "acdad1cec71dc289058183250c4a926a2e40a1696251dc25d8f9e7df214695d5",
    (3, 1): "1d98f52cbd3133291e7c84f3d19c9c708164698d29162d761441704b2101f600",
    (5, 2): "6d1e60f8719eec2ffa60ea3b550725aedc3c5680fb4d0dfe84d8ae8a0a154ef2",
}

LETTERS = "ACDEFGHJKLMNPQRTUVWXYZ"
LABEL = (46, 50, 66)
LABEL_CODE = 46 * 65536 + 50 * 256 + 66


@dataclass(frozen=True)
class Seen:
    """Middles and radii of stops, the pairs of next stops of each line, labels by letter."""

    stops: np.ndarray
    hops: list[list[tuple[int, int]]]
    labels: dict[str, int]


def look(task: Task) -> Seen:
    pixels = task.pictures[0].load()
    level = LEVELS[task.metadata["difficulty"] - 1]
    pitch = level.size * 0.83 / (level.side - 1)
    red, green, blue = (channel.astype(np.int32) for channel in np.moveaxis(pixels, 2, 0))
    packed = red * 65536 + green * 256 + blue
    codes, counts = np.unique(packed[::3, ::3], return_counts=True)
    paper = packed[len(pixels) // 30, len(pixels) // 2]
    stops = _stops(packed == paper, pitch)
    discs = np.zeros(packed.shape, np.uint8)
    for x, y, radius in stops:
        cv2.circle(discs, (round(x), round(y)), round(radius + 0.045 * pitch), 1, -1)
    hops = []
    for code, count in zip(codes.tolist(), counts.tolist(), strict=True):
        color = code // 65536, code // 256 % 256, code % 256
        # A line is a large area of a colour that is neither dark nor nearly white.
        if 9 * count > 0.06 * pitch**2 and max(color) - min(color) > 40 and max(color) > 110:
            hops.append(_hops(packed == code, discs, stops, pitch))
    return Seen(stops, hops, _labels(packed == LABEL_CODE, pixels, stops, pitch))


def _stops(paper: np.ndarray, pitch: float) -> np.ndarray:
    """White discs inside of a ring: parts of the paper of about their size, and round."""
    _, _, stats, centers = cv2.connectedComponentsWithStats(paper.astype(np.uint8), connectivity=4)
    stops = []
    for (x, y), (_, _, width, height, area) in zip(centers, stats.tolist(), strict=True):
        is_round = abs(width - height) <= 2 and area > 0.7 * width * height
        if is_round and 0.1 * pitch < width < 0.3 * pitch:
            stops.append((x, y, width / 2))
    return np.array(stops)


def _hops(
    mask: np.ndarray, discs: np.ndarray, stops: np.ndarray, pitch: float
) -> list[tuple[int, int]]:
    """The pieces of a line between stops; where another line lies on it, it is closed.

    Every second pixel is enough.
    """
    closed = _closed(mask[::2, ::2].astype(np.uint8), round(0.16 * pitch))
    _, pieces = cv2.connectedComponents(closed & (1 - discs[::2, ::2]), connectivity=8)
    ends: dict[int, list[int]] = {}
    for stop, (x, y, radius) in enumerate((stops / 2).tolist()):
        reach = round(radius + 0.045 * pitch)
        around = pieces[
            max(round(y) - reach, 0) : round(y) + reach + 1,
            max(round(x) - reach, 0) : round(x) + reach + 1,
        ]
        labels, areas = np.unique(around, return_counts=True)
        for piece, area in zip(labels.tolist(), areas.tolist(), strict=True):
            if piece and area > 0.00025 * pitch**2:
                ends.setdefault(piece, []).append(stop)
    return [(pair[0], pair[1]) for pair in ends.values() if len(pair) == 2]


def _closed(mask: np.ndarray, length: int) -> np.ndarray:
    """Close gaps up to a length in each of the four directions in which lines run."""
    diagonal = np.eye(length, dtype=np.uint8)
    closed = mask.copy()
    for kernel in (np.ones((1, length)), np.ones((length, 1)), diagonal, diagonal[::-1]):
        closed |= cv2.morphologyEx(mask, cv2.MORPH_CLOSE, kernel.astype(np.uint8))
    return closed


def _labels(
    mask: np.ndarray, pixels: np.ndarray, stops: np.ndarray, pitch: float
) -> dict[str, int]:
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    labels = {}
    for left, top, width, height, area in stats[1:].tolist():
        radius = (width + height) / 4
        if radius > 0.1 * pitch and area > radius**2:
            x, y = left + (width - 1) / 2, top + (height - 1) / 2
            away = np.hypot(stops[:, 0] - x, stops[:, 1] - y)
            labels[_letter(pixels, round(x), round(y), radius)] = int(away.argmin())
    return labels


def _letter(pixels: np.ndarray, x: int, y: int, radius: float) -> str:
    reach = round(radius * 0.72)
    seen = pixels[y - reach : y + reach + 1, x - reach : x + reach + 1, 0].astype(np.float32)
    scores = {}
    for letter in LETTERS:
        canvas = Canvas((3 * reach, 3 * reach), LABEL)
        canvas.badge(letter, (1.5 * reach, 1.5 * reach), radius, LABEL, (255, 252, 246))
        drawn = canvas.finish()[:, :, 0].astype(np.float32)
        inner = slice(reach // 2 + 1, 3 * reach - reach // 2 - 1)
        scores[letter] = cv2.matchTemplate(seen, drawn[inner, inner], cv2.TM_CCOEFF_NORMED).max()
    return max(scores, key=scores.__getitem__)


def solve(task: Task) -> str:
    seen = look(task)
    start, end = (seen.labels[letter] for letter in re.findall(r"station ([A-Z])\b", task.question))
    count = len(seen.stops)
    if task.metadata["form"] == "stations":
        steps = _shortest(count, [hop for line in seen.hops for hop in line])
        return str(round(steps[start, end]) + 1)
    # Beside the stops, one node for each line: a ride leads from a stop to the line and back.
    rides = [
        (stop, count + number)
        for number, line in enumerate(seen.hops)
        for stop in {stop for hop in line for stop in hop}
    ]
    steps = _shortest(count + len(seen.hops), rides)
    return str(round(steps[start, end] / 2) - 1)


def _shortest(count: int, pairs: list[tuple[int, int]]) -> np.ndarray:
    weights = coo_array((np.ones(len(pairs)), np.transpose(pairs)), shape=(count, count))
    return shortest_path(weights.tocsr(), directed=False, unweighted=True)


def chance(task: Task) -> float:
    level = LEVELS[task.metadata["difficulty"] - 1]
    fewest, most = level.stations if task.metadata["form"] == "stations" else (0, level.changes)
    return 1 / (most - fewest + 1)


def _ends(task: Task) -> list[list[int]]:
    return list(task.metadata["latents"]["labels"].values())[:2]


def _scaled(task: Task, value: float, fewest: float, most: float) -> str:
    """The answer whose place within its range is that of a value within another range."""
    level = LEVELS[task.metadata["difficulty"] - 1]
    least, last = level.stations if task.metadata["form"] == "stations" else (0, level.changes)
    share = min(max((value - fewest) / (most - fewest), 0), 1)
    return str(round(least + share * (last - least)))


def _by_distance(task: Task) -> str:
    start, end = _ends(task)
    near, far = LEVELS[task.metadata["difficulty"] - 1].apart
    return _scaled(task, np.hypot(start[0] - end[0], start[1] - end[1]), near, 1.3 * far)


def _as_lattice_steps(task: Task) -> str:
    level = LEVELS[task.metadata["difficulty"] - 1]
    start, end = _ends(task)
    steps = max(abs(start[0] - end[0]), abs(start[1] - end[1]))
    fewest, most = level.stations
    return str(min(max(steps + 1, fewest), most)) if task.metadata["form"] == "stations" else "1"


def _by_all_stations(task: Task) -> str:
    fewest, most = LEVELS[task.metadata["difficulty"] - 1].total
    return _scaled(task, len(task.metadata["latents"]["stops"]) / 2, fewest, most)


def _by_all_points(task: Task) -> str:
    """Take the length of all lines for that of the way."""
    side = LEVELS[task.metadata["difficulty"] - 1].side
    lines = task.metadata["latents"]["lines"]
    return _scaled(task, np.mean([len(line) / 2 for line in lines]), side - 2, side)


ATTACKS = {
    "the straight distance": _by_distance,
    "steps on the lattice": _as_lattice_steps,
    "the number of all stations": _by_all_stations,
    "the length of lines": _by_all_points,
    "the middle of the range": lambda task: str(
        sum(LEVELS[task.metadata["difficulty"] - 1].stations) // 2
        if task.metadata["form"] == "stations"
        else 1
    ),
}
