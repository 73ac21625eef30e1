"""The pictures of an episode: what the task brought, and what the tools made of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from gym_imagetools.affine import IDENTITY, Affine, compose
from gym_imagetools.images.cache import PIXELS
from gym_imagetools.tools import ToolResult, ToolSettings, run
from gym_imagetools.tools.arguments import ToolArgs
from gym_imagetools.types import Picture, Pixels


@dataclass(frozen=True)
class Frame:
    """Where a picture lies on its source.

    Attributes:
        source: Index of the source in the store; a picture of several sources is its own.
        to_source: Map from the picture's pixel coordinates to those of the source.
    """

    source: int
    to_source: Affine


@dataclass(frozen=True)
class DerivedPicture:
    """The recipe of a picture that a tool made: the call, and the pictures it worked on.

    Keyed by the call and its parents' keys, so that equal calls of a group of episodes share
    their pixels, and pixels that the cache has dropped come back identical.

    Attributes:
        arguments: The checked arguments of the call; they know their tool.
        parents: The pictures the call read, by their index.
        settings: Sizes and resampling of zooms.
        size: Width and height in pixels.
    """

    arguments: ToolArgs
    parents: tuple[tuple[int, Picture], ...]
    settings: ToolSettings
    size: tuple[int, int]

    @cached_property
    def key(self) -> str:
        """A digest of the call, its settings and its parents' keys."""
        call = self.arguments.model_dump_json(exclude={"label", *_INDEX_FIELDS})
        parts = (self.arguments.tool, call, repr(self.settings), *self._parent_keys)
        return hashlib.blake2b("\0".join(parts).encode(), digest_size=20).hexdigest()

    @property
    def _parent_keys(self) -> list[str]:
        keys = {index: picture.key for index, picture in self.parents}
        return [keys[index] for index in self.arguments.image_indices]

    def load(self) -> Pixels:
        """Return the pixels, read-only, from the shared cache or by running the tool again."""
        return PIXELS.get(self.key, self._run)

    def _run(self) -> Pixels:
        return run_on(self.arguments, dict(self.parents), self.settings).pixels


_INDEX_FIELDS = ("img_idx", "img_idx_a", "img_idx_b", "img_indices")


def run_on(
    arguments: ToolArgs, pictures: Mapping[int, Picture], settings: ToolSettings
) -> ToolResult:
    """Run a tool on the pixels of the pictures it reads.

    Args:
        arguments: The checked arguments.
        pictures: The pictures by index; those the call reads are loaded.
        settings: Sizes and resampling of zooms.

    Raises:
        ToolError: The call cannot be done on these pictures.
    """
    pixels = {index: pictures[index].load() for index in arguments.image_indices}
    return run(arguments, pixels, settings)


class PictureStore(Sequence[Picture]):
    """The pictures that a call may name by index: the sources, then every tool output.

    Args:
        sources: The pictures of the task.
    """

    def __init__(self, sources: Iterable[Picture]) -> None:
        self._pictures = list(sources)
        self._frames = [Frame(index, IDENTITY) for index in range(len(self._pictures))]

    def __len__(self) -> int:
        return len(self._pictures)

    def __getitem__(self, index: int) -> Picture:  # type: ignore[override]  # no slices needed
        return self._pictures[index]

    @property
    def frames(self) -> Sequence[Frame]:
        """Where each picture lies on its source, in the order of the pictures."""
        return self._frames

    def frame_of(self, result: ToolResult) -> Frame:
        """Return where a tool's result will lie, before it is added."""
        if result.source_index is None or result.affine is None:
            return Frame(len(self), IDENTITY)
        parent = self._frames[result.source_index]
        return Frame(parent.source, compose(parent.to_source, result.affine))

    def add(self, picture: Picture, frame: Frame) -> None:
        """Add a tool's output as the next picture."""
        self._pictures.append(picture)
        self._frames.append(frame)
