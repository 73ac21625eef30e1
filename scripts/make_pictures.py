"""Draw the pictures of the pages: the wall and the gallery, and the levels of each family.

Usage: python scripts/make_pictures.py
"""

from __future__ import annotations

from pathlib import Path

from gym_imagetools.cli.console import progress
from gym_imagetools.cli.gallery import save_small
from gym_imagetools.puzzles.families import FAMILIES
from gym_imagetools.puzzles.gallery import draw_gallery, draw_strip, draw_wall
from gym_imagetools.puzzles.puzzle import LEVELS

IMAGES = Path(__file__).parents[1] / "docs" / "images"
SEED = 0
WALL_LEVEL, WALL_COLUMNS = 2, 7


def file_name(name: str) -> str:
    """Return the name of a family's picture, which is its module's: ``views_3d.webp``."""
    return FAMILIES[name].partition(":")[0].rpartition(".")[2] + ".webp"


if __name__ == "__main__":
    with progress() as bar:
        for name in bar.track(FAMILIES, description="levels"):
            save_small(draw_strip(name, LEVELS, SEED), IMAGES / "puzzles" / file_name(name))
        wall = draw_wall(list(FAMILIES), WALL_LEVEL, SEED, WALL_COLUMNS)
        save_small(wall, IMAGES / "wall.webp")
        task = bar.add_task("gallery", total=len(FAMILIES))
        gallery = draw_gallery(list(FAMILIES), LEVELS, SEED, lambda: bar.advance(task))
        save_small(gallery, IMAGES / "gallery.webp")
