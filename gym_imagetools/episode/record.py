"""An executed call, as the episode remembers it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gym_imagetools.affine import apply
from gym_imagetools.contract import Duplicate
from gym_imagetools.coordinates import Box, Point
from gym_imagetools.episode.store import Frame
from gym_imagetools.tools.arguments import ToolArgs
from gym_imagetools.types import Picture


@dataclass(frozen=True)
class Repeat:
    """Whether a call repeats an earlier one.

    Attributes:
        kind: "" for a new call, ``exact``, or ``near`` for a region that overlaps.
        iou: Intersection over union with the earlier region, for ``near``.
    """

    kind: Duplicate = ""
    iou: float = 0.0


NEW = Repeat()


@dataclass(frozen=True)
class SourceRegion:
    """The part of a source picture that a call looked at.

    Attributes:
        source: Index of the source picture in the store.
        corners: Its four corners in pixels of the source, in order around it.
    """

    source: int
    corners: tuple[Point, Point, Point, Point]

    @classmethod
    def of(cls, size: tuple[int, int], frame: Frame) -> SourceRegion:
        """Return the region that a picture of this size in this frame shows."""
        width, height = float(size[0]), float(size[1])
        a, b, c, d = (
            apply(frame.to_source, corner)
            for corner in ((0.0, 0.0), (width, 0.0), (width, height), (0.0, height))
        )
        return cls(frame.source, (a, b, c, d))

    @property
    def box_px(self) -> Box:
        """The upright box around the region, in pixels of the source."""
        xs, ys = zip(*self.corners, strict=True)
        return min(xs), min(ys), max(xs), max(ys)

    def is_as(self, other: SourceRegion) -> bool:
        """Whether the other is the same part the same way up, to half a pixel."""
        pairs = zip(self.corners, other.corners, strict=True)
        return self.source == other.source and all(
            max(abs(x - other_x), abs(y - other_y)) < 0.5 for (x, y), (other_x, other_y) in pairs
        )


@dataclass(frozen=True)
class CallRecord:
    """An executed call.

    Attributes:
        arguments: The checked arguments; they know their tool.
        signature: A digest of name and arguments as the model wrote them, key order aside.
        picture: The picture the call made.
        frame: Where the picture lies on its source.
        region: What it looked at, for calls that look at a part of a picture.
        repeat: Whether it repeats an earlier call.
    """

    arguments: ToolArgs
    signature: bytes
    picture: Picture
    frame: Frame
    region: SourceRegion | None
    repeat: Repeat = NEW

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.arguments.tool


def signature_of(name: str, arguments: Mapping[str, Any]) -> bytes:
    """Return a digest of a call as it was written; the order of keys does not matter."""
    text = json.dumps([name, arguments], sort_keys=True, default=str)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
