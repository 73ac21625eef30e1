"""``gym-imagetools gallery``: one picture of the puzzles."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from PIL import Image

_SUFFIXES = (".png", ".webp", ".jpg", ".jpeg")
_QUALITY = 85


def draw_puzzles(
    out: Annotated[Path, typer.Option(help="The file: .png, .webp or .jpg.")] = Path("gallery.png"),
    families: Annotated[str, typer.Option(help="Names with commas between; all if empty.")] = "",
    levels: Annotated[str, typer.Option(help="Difficulties with commas between.")] = "1,2,3,4,5",
    seed: Annotated[int, typer.Option(help="Which puzzles.")] = 0,
) -> None:
    """Draw a row of every puzzle family, its levels from left to right."""
    from gym_imagetools.cli.console import progress
    from gym_imagetools.cli.faults import told_to_the_user
    from gym_imagetools.puzzles.families import FAMILIES
    from gym_imagetools.puzzles.gallery import draw_gallery
    from gym_imagetools.puzzles.puzzle import checked_seed
    from gym_imagetools.puzzles.registry import check_family_name

    names = [name.strip() for name in families.split(",") if name.strip()] or list(FAMILIES)
    with told_to_the_user(ValueError):
        for name in names:
            check_family_name(name)
        difficulties = _read_levels(levels)
        checked_seed(seed)
        if out.suffix.lower() not in _SUFFIXES:
            raise ValueError(f"Expected --out to end with .png, .webp or .jpg, got {out}.")
    with progress() as bar:
        task = bar.add_task("families", total=len(names))
        sheet = draw_gallery(names, difficulties, seed, on_drawn=lambda: bar.advance(task))
    save_small(sheet, out)
    typer.echo(f"{len(names)} families, {len(difficulties)} levels: {out}")


def save_small(picture: Image.Image, out: Path) -> None:
    """Write a picture as small as it stays good.

    Args:
        picture: What to write.
        out: The file; its suffix names the format.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    if out.suffix.lower() == ".png":
        picture.quantize(256).save(out, optimize=True)
    else:
        picture.save(out, quality=_QUALITY, method=6, optimize=True)


def _read_levels(text: str) -> list[int]:
    from gym_imagetools.puzzles.puzzle import checked_difficulty

    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"Expected --levels such as 1,3,5, got {text!r}.") from None
    return [checked_difficulty(number) for number in numbers]
