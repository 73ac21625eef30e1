"""The names of the puzzle families, and where each is; to list them imports nothing.

A new family is its own file, a line here, and its solver in the tests.
"""

from __future__ import annotations

FAMILIES: dict[str, str] = {
    "FindTheDifferent": "gym_imagetools.tasks.find_the_different:FindTheDifferent",
    "FindTheSame": "gym_imagetools.tasks.find_the_same:FindTheSame",
    "PatternCompletion2D": "gym_imagetools.tasks.pattern_completion_2d:PatternCompletion2D",
    "PatternAndColorCompletion": (
        "gym_imagetools.tasks.pattern_and_color_completion:PatternAndColorCompletion"
    ),
    "Maze": "gym_imagetools.tasks.maze:Maze",
    "ConnectTheLines": "gym_imagetools.tasks.connect_the_lines:ConnectTheLines",
    "LinesObservation": "gym_imagetools.tasks.lines_observation:LinesObservation",
    "RecognizeNumbersAndLetters": (
        "gym_imagetools.tasks.recognize_numbers_and_letters:RecognizeNumbersAndLetters"
    ),
    "Views3D": "gym_imagetools.tasks.views_3d:Views3D",
    "PaperFolding": "gym_imagetools.tasks.paper_folding:PaperFolding",
    "CountBlocks3D": "gym_imagetools.tasks.count_blocks_3d:CountBlocks3D",
    "LogicPatterns": "gym_imagetools.tasks.logic_patterns:LogicPatterns",
    "RotationPatterns": "gym_imagetools.tasks.rotation_patterns:RotationPatterns",
    "MirroringPatterns": "gym_imagetools.tasks.mirroring_patterns:MirroringPatterns",
    "OverlayPatterns": "gym_imagetools.tasks.overlay_patterns:OverlayPatterns",
    "TwinPanels": "gym_imagetools.tasks.twin_panels:TwinPanels",
    "TwoTransparencies": "gym_imagetools.tasks.two_transparencies:TwoTransparencies",
    "ExactSwatch": "gym_imagetools.tasks.exact_swatch:ExactSwatch",
    "TiltedCode": "gym_imagetools.tasks.tilted_code:TiltedCode",
    "TreasureHops": "gym_imagetools.tasks.treasure_hops:TreasureHops",
    "CrowdCensus": "gym_imagetools.tasks.crowd_census:CrowdCensus",
}
"""Name of a family -> ``module:Class``, in the order of tables."""
