"""What an agent sees: any text, and any number of RGB pictures of any size.

``gymnasium.spaces.Text`` cannot hold model text: it rejects characters outside of its charset,
and a charset of all Unicode takes seconds to build. ``Sequence(Box)`` fixes the picture size.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from gym_imagetools.types import Pixels

_SAMPLE_WORDS = ("a", "red", "dot", "left", "of", "the", "gate", "→", "café", "7", "\n")


def _refuse_both(mask: Any, probability: Any) -> None:
    if mask is not None and probability is not None:
        raise ValueError("Expected either a mask or a probability, got both.")


class TextSpace(spaces.Space[str]):
    """Every ``str``, of any length and any characters."""

    def __init__(self, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(None, None, seed)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Return a short random text.

        Args:
            mask: Weights 0 or 1 of the sample words, or None for all.
            probability: Probabilities of the sample words, or None for equal ones.
        """
        _refuse_both(mask, probability)
        weights = probability if mask is None else np.asarray(mask) / np.sum(mask)
        length = int(self.np_random.integers(0, 9))
        return " ".join(self.np_random.choice(_SAMPLE_WORDS, size=length, p=weights))

    def contains(self, x: Any) -> bool:
        """Return whether ``x`` is a text."""
        return isinstance(x, str)

    @property
    def is_np_flattenable(self) -> bool:
        """Texts have no fixed-size array form."""
        return False

    def __eq__(self, other: object) -> bool:
        return type(other) is TextSpace

    def __hash__(self) -> int:
        return hash(TextSpace)

    def __repr__(self) -> str:
        return "TextSpace()"


class PicturesSpace(spaces.Space[tuple[Pixels, ...]]):
    """Tuples of ``uint8`` arrays of shape (height, width, 3).

    Args:
        max_side: The longest side a picture may have in pixels; None for any.
        seed: Seeds the random samples.
    """

    def __init__(
        self, max_side: int | None = None, seed: int | np.random.Generator | None = None
    ) -> None:
        super().__init__(None, None, seed)
        self.max_side = max_side

    def sample(self, mask: Any = None, probability: Any = None) -> tuple[Pixels, ...]:
        """Return zero to two small random pictures.

        Args:
            mask: Weights 0 or 1 of the three counts, or None for all.
            probability: Probabilities of the three counts, or None for equal ones.
        """
        _refuse_both(mask, probability)
        weights = probability if mask is None else np.asarray(mask) / np.sum(mask)
        count = int(self.np_random.choice(3, p=weights))
        return tuple(self._random_picture() for _ in range(count))

    def _random_picture(self) -> Pixels:
        height, width = self.np_random.integers(1, min(self.max_side or 32, 32) + 1, size=2)
        return self.np_random.integers(0, 256, size=(height, width, 3), dtype=np.uint8)

    def contains(self, x: Any) -> bool:
        """Return whether ``x`` is a tuple of RGB pictures within the bound."""
        return isinstance(x, tuple) and all(self._is_picture(item) for item in x)

    def _is_picture(self, x: Any) -> bool:
        return (
            isinstance(x, np.ndarray)
            and x.dtype == np.uint8
            and x.ndim == 3
            and x.shape[2] == 3
            and min(x.shape) > 0
            and (self.max_side is None or max(x.shape[:2]) <= self.max_side)
        )

    @property
    def is_np_flattenable(self) -> bool:
        """Pictures of any size have no fixed-size array form."""
        return False

    def __eq__(self, other: object) -> bool:
        return type(other) is PicturesSpace and other.max_side == self.max_side

    def __hash__(self) -> int:
        return hash((PicturesSpace, self.max_side))

    def __repr__(self) -> str:
        return f"PicturesSpace(max_side={self.max_side})"


def observation_space(max_side: int | None = None) -> spaces.Dict:
    """Return the observation space: ``{"text": str, "images": tuple of pictures}``.

    Args:
        max_side: The longest side of a delivered picture in pixels; None for any.
    """
    return spaces.Dict({"text": TextSpace(), "images": PicturesSpace(max_side)})
