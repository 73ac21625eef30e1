"""The names of the puzzle families, and where each is; to list them imports nothing.

A new family is its own file in this folder, a line here, and its solver in the tests.
"""

from __future__ import annotations

_MODULES = {
    "FindTheDifferent": "find_the_different",
    "FindTheSame": "find_the_same",
    "FindTheShadow": "find_the_shadow",
    "Reconstruction": "reconstruction",
    "PatternCompletion2D": "pattern_completion_2d",
    "PatternAndColorCompletion": "pattern_and_color_completion",
    "CountSamePatterns": "count_same_patterns",
    "CountClusters": "count_clusters",
    "Maze": "maze",
    "ConnectTheLines": "connect_the_lines",
    "LinesObservation": "lines_observation",
    "MetroMap": "metro_map",
    "RecognizeNumbersAndLetters": "recognize_numbers_and_letters",
    "Views3D": "views_3d",
    "CubeUnfold3D": "cube_unfold_3d",
    "PaperFolding": "paper_folding",
    "CountBlocks3D": "count_blocks_3d",
    "PatternCompletion3D": "pattern_completion_3d",
    "LogicPatterns": "logic_patterns",
    "RotationPatterns": "rotation_patterns",
    "MirroringPatterns": "mirroring_patterns",
    "OverlayPatterns": "overlay_patterns",
    "TwinPanels": "twin_panels",
    "TwoTransparencies": "two_transparencies",
    "ExactSwatch": "exact_swatch",
    "TiltedCode": "tilted_code",
    "TreasureHops": "treasure_hops",
    "CrowdCensus": "crowd_census",
}

FAMILIES: dict[str, str] = {
    name: f"{__name__}.{module}:{name}" for name, module in _MODULES.items()
}
"""Name of a family -> ``module:Class``, in the order of tables."""
