"""CountClusters: how many separate islands there are, by colour, or left and right of a line."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from gym_imagetools.errors import GenerationError
from gym_imagetools.puzzles.drawing.canvas import Canvas, Color, Point
from gym_imagetools.puzzles.eye import BlurryImage, Oracle, Reply
from gym_imagetools.puzzles.islands.archipelago import Archipelago, Bounds, Plan, Sea
from gym_imagetools.puzzles.puzzle import Family, Puzzle, Streams
from gym_imagetools.types import Pixels


@dataclass(frozen=True)
class Level:
    """What a difficulty means.

    Attributes:
        islands: Fewest and most islands, where one number is asked for.
        gap: Width of a channel where land meets land, in pixels.
        radii: Smallest and largest radius of a piece of land in pixels.
        size: Side of the picture in pixels.
    """

    islands: tuple[int, int]
    gap: float
    radii: tuple[float, float]
    size: int

    def bounds(self, form: str) -> tuple[int, int]:
        """Return the fewest and the most islands of one number of an answer."""
        fewest, most = self.islands
        parts = {"islands": 1, "colors": 3}.get(form, 2)
        return (fewest, most) if parts == 1 else (max(1, fewest // parts), most // parts + 1)


LEVELS = (
    Level(islands=(3, 5), gap=20, radii=(62, 96), size=1024),
    Level(islands=(6, 9), gap=12, radii=(48, 76), size=1024),
    Level(islands=(10, 15), gap=6, radii=(36, 58), size=1024),
    Level(islands=(16, 24), gap=4.5, radii=(44, 72), size=1536),
    Level(islands=(25, 40), gap=3, radii=(48, 78), size=2048),
)

FORMS = ("islands", "colors", "compare", "sum")
"""All islands; those of three colours; whether there are more left of a line; left, right, all."""

LABELS = "ABC"
MAX_ATTEMPTS = 20

_SEAS: tuple[Color, ...] = ((214, 232, 240), (222, 238, 234), (226, 232, 244), (236, 238, 228))
_LANDS: tuple[tuple[Color, Color], ...] = (
    ((208, 92, 84), (230, 120, 108)),
    ((216, 160, 52), (240, 188, 84)),
    ((112, 88, 176), (138, 116, 202)),
    ((76, 146, 88), (104, 174, 112)),
    ((52, 110, 150), (80, 138, 178)),
)
"""Shore and inland of an island: nearer to each other than to any other land or the sea."""

_INK: Color = (44, 54, 74)
_CARD: Color = (255, 255, 255)
_SHORE = 0.13  # of a disc's radius
_MARGIN = 0.03  # of the picture's side
_STRIP = 0.1  # of the picture's side, kept free for the samples
_LINE = 0.004  # half the width of the line, of the picture's side


class CountClusters(Family):
    """Islands in the sea, some joined by narrow bridges, others parted by narrow channels."""

    name = "CountClusters"
    group = "fine-grained discrimination"
    summary = "Count separate islands that narrow channels part and narrow bridges join."
    answer_type = "integer, integers or one of < > ="
    useful_tools = (
        "count_objects_tool",
        "find_color_tool",
        "color_at_tool",
        "image_crop_tool",
        "image_zoom_in_tool",
    )
    necessary_tools = (("count_objects_tool", "find_color_tool"),)
    tools_needed_from = 3

    def draw(self, rngs: Streams, difficulty: int) -> Puzzle:
        """Draw islands with any of the questions, each as likely."""
        level = LEVELS[difficulty - 1]
        form = FORMS[int(rngs.latents.integers(len(FORMS)))]
        counts = _draw_counts(rngs.latents, level, form)
        plans = [Plan.draw(rngs.latents, count, *level.bounds(form)) for count in counts]
        archipelagos, attempts = _place(rngs.layout, level, form, plans)
        return Puzzle(
            question=_question(form),
            images=(_draw_sea(archipelagos, form, level, rngs.style),),
            grader={"islands": "integer", "compare": "compare"}.get(form, "intlist"),
            grading={"expected_answer": _answer(form, counts)},
            latents={
                "form": form,
                "plans": [list(vars(plan).values()) for plan in plans],
                "land": [archipelago.packed() for archipelago in archipelagos],
            },
            metadata={"form": form},
            attempts=attempts,
        )

    def oracle(self, question: str, images: tuple[BlurryImage, ...]) -> Oracle:
        """Ask for the number of objects: in all, in both halves, or of each sample's colour."""
        form = next(form for form in FORMS if _question(form) == question)
        if form == "islands":
            counts = [(yield from _count(images[0], 0, (0.0, 1.0)))]
        elif form == "colors":
            counts = []
            for index in range(len(LABELS)):
                counts.append((yield from _count_sample(images[0], index)))
        else:
            counts = []
            for left, right in ((0, 490), (510, 1000)):
                half = yield from _crop(left, right)
                counts.append((yield from _count(images[0], half, (left / 1000, right / 1000))))
        return rf"\boxed{{{_answer(form, counts)}}}"


def _draw_counts(rng: np.random.Generator, level: Level, form: str) -> list[int]:
    """Draw the numbers of islands; to be compared, they differ by one at most."""
    fewest, most = level.bounds(form)
    if form != "compare":
        parts = {"islands": 1, "colors": len(LABELS), "sum": 2}[form]
        return [int(count) for count in rng.integers(fewest, most + 1, parts)]
    base, more = int(rng.integers(fewest, most)), int(rng.integers(3))
    return [base + (more == 1), base + (more == 2)]


def _answer(form: str, counts: Sequence[int]) -> str:
    if form == "compare":
        left, right = counts
        return ">" if left > right else "<" if left < right else "="
    return ", ".join(map(str, [*counts, sum(counts)] if form == "sum" else counts))


def _question(form: str) -> str:
    rule = (
        "Pieces of land belong to one island where they touch or a bridge of land joins them, "
        "however narrow; water parts them, however narrow it is."
    )
    ask, answer = {
        "islands": ("How many separate islands are there?", "Answer with a number."),
        "colors": (
            "How many separate islands are there of each of the colours A, B and C?",
            "The samples themselves do not count. Answer with three numbers in this order, such "
            "as 3, 1, 2.",
        ),
        "compare": (
            "Are there more separate islands to the left of the line, or to the right of it?",
            "Answer with > if there are more on the left, < if there are more on the right, and = "
            "if there are as many on both sides.",
        ),
        "sum": (
            "How many separate islands are there to the left of the line, to the right of it, and "
            "in all?",
            "Answer with three numbers in this order, such as 2, 3, 5.",
        ),
    }[form]
    return f"{ask} {rule} {answer}"


def _place(
    rng: np.random.Generator, level: Level, form: str, plans: Sequence[Plan]
) -> tuple[list[Archipelago], int]:
    """Place the archipelagos; return them and how many attempts it took."""
    clear = max(2.2 * level.gap, 0.014 * level.size)
    for attempt in range(1, MAX_ATTEMPTS + 1):
        sea = Sea(rng, level.radii, level.gap, clear)
        try:
            placed = [
                sea.place(plan, bounds)
                for plan, bounds in zip(plans, _bounds(level, form), strict=True)
            ]
        except GenerationError:
            continue
        return placed, attempt
    raise GenerationError(f"Expected room for all islands in {MAX_ATTEMPTS} draws, got none")


def _bounds(level: Level, form: str) -> list[Bounds]:
    """Return where the islands of each number of the answer may lie."""
    near, far = _MARGIN * level.size, (1 - _MARGIN) * level.size
    if form == "islands":
        return [Bounds(near, near, far, far)]
    if form == "colors":
        return [Bounds(near, near + _STRIP * level.size, far, far)] * len(LABELS)
    middle, away = level.size / 2, 0.025 * level.size
    return [Bounds(near, near, middle - away, far), Bounds(middle + away, near, far, far)]


def sample_center(index: int) -> Point:
    """Return the middle of a sample, in parts of the picture's side."""
    return 0.105 + 0.125 * index, 0.062


def _draw_sea(
    archipelagos: Sequence[Archipelago], form: str, level: Level, rng: np.random.Generator
) -> Pixels:
    size = level.size
    lands = [_LANDS[index] for index in rng.permutation(len(_LANDS))]
    if form != "colors":
        lands = [lands[0]] * len(archipelagos)
    canvas = Canvas((size, size), _SEAS[int(rng.integers(len(_SEAS)))])
    for archipelago, land in zip(archipelagos, lands, strict=False):
        _draw_land(canvas, archipelago, land, _bridge(level))
    if form == "colors":
        _draw_samples(canvas, [shore for shore, _ in lands[: len(LABELS)]], size)
    elif form != "islands":
        half = _LINE * size
        canvas.rectangle((size / 2 - half, 0, size / 2 + half, size), _INK)
    return canvas.finish()


def _bridge(level: Level) -> float:
    """Return how wide a bridge is, in pixels: never narrower than a channel."""
    return max(8.0, 1.2 * level.gap)


def _draw_land(
    canvas: Canvas, archipelago: Archipelago, land: tuple[Color, Color], bridge: float
) -> None:
    """Draw the shores, the bridges, and what lies inland."""
    shore, inland = land
    for lobe in archipelago.lobes:
        for x, y, radius in lobe.tolist():
            canvas.disc((x, y), radius, shore)
    for contact in archipelago.contacts:
        if contact.is_bridged:
            canvas.line(contact.ends, bridge, shore)
    for lobe in archipelago.lobes:
        inset = _SHORE * lobe[0, 2]
        for x, y, radius in lobe.tolist():
            canvas.disc((x, y), radius - inset, inland)


def _draw_samples(canvas: Canvas, shores: Sequence[Color], size: int) -> None:
    canvas.rectangle((0.03 * size, 0.03 * size, 0.41 * size, 0.095 * size), _CARD, 0.014 * size)
    for index, (label, shore) in enumerate(zip(LABELS, shores, strict=True)):
        x, y = (place * size for place in sample_center(index))
        canvas.badge(label, (x - 0.048 * size, y), 0.018 * size, _INK, _CARD)
        half = 0.022 * size
        canvas.rectangle((x - half, y - half, x + half, y + half), shore, 0.4 * half)


# The oracle. Shore and inland of one colour are within the tolerance, everything else beyond it.

_TOLERANCE = 34
_Count = Generator[dict[str, Any], Reply, int]


def _count(preview: BlurryImage, index: int, part: tuple[float, float]) -> _Count:
    """Count everything that is not the sea; by eye, in a part of the preview, without a tool."""
    reply = yield _call("count_objects_tool", img_idx=index)
    if reply.ok:
        return int(reply.results[0]["count"])
    columns = preview.blocks.shape[1]
    left, right = (round(edge * columns) for edge in part)
    half = preview.blocks[:, left:right].astype(np.int64)
    away = abs(half - np.median(half, axis=(0, 1))).max(axis=2)
    return _patches(away > 40)


def _count_sample(preview: BlurryImage, index: int) -> _Count:
    x, y = (round(1000 * place) for place in sample_center(index))
    reply = yield _call("color_at_tool", point_2d=[x, y], img_idx=0)
    color = reply.results[0]["rgb"] if reply.ok else list(preview.color_at(x, y))
    for counter in ("count_objects_tool", "find_color_tool"):
        reply = yield _call(counter, color=color, tolerance=_TOLERANCE, min_size=40, img_idx=0)
        if reply.ok:
            return int(reply.results[0]["count"]) - 1
    away = abs(preview.blocks.astype(np.int64) - color).max(axis=2)
    return _patches(away <= _TOLERANCE) - 1


def _crop(left: int, right: int) -> _Count:
    """Return the index of a part of the picture, of the whole when that fails."""
    reply = yield _call("image_crop_tool", bbox_2d=[left, 0, right, 1000], img_idx=0)
    return int(reply.results[0]["new_img_indices"][0]) if reply.ok else 0


def _patches(blocks: NDArray[np.bool_]) -> int:
    """Return the number of patches of blocks."""
    return int(cv2.connectedComponents(blocks.astype(np.uint8), connectivity=4)[0]) - 1


def _call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}
