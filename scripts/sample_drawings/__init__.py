"""The twelve pictures of the packaged sample, each drawn together with its answer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sample_drawings.canvas import Drawn
from sample_drawings.patterns import (
    connect_the_lines,
    count_same_patterns,
    find_the_same,
    numbers_and_letters,
    pattern_and_color_completion,
    pattern_completion_2d,
)
from sample_drawings.spatial import (
    maze,
    mirroring_patterns,
    paper_folding,
    pattern_completion_3d,
    rotation_patterns,
    views_3d,
)

DRAWINGS: tuple[Callable[[np.random.Generator], Drawn], ...] = (
    paper_folding,
    pattern_completion_3d,
    views_3d,
    rotation_patterns,
    connect_the_lines,
    numbers_and_letters,
    find_the_same,
    maze,
    count_same_patterns,
    mirroring_patterns,
    pattern_completion_2d,
    pattern_and_color_completion,
)
"""In the order of the published table."""
