"""``gym-imagetools demo``: the published smoke run, and puzzles solved by their oracles."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from PIL import Image

    from gym_imagetools.rollout import Rollout, RunFolder, RunSettings

SAMPLE_ROWS = 12
PUZZLES = 12
SEED = 7
PUBLISHED_MAX_STEPS = 21
"""One turn short of what a forced answer needs: row 6 of the published run shows it."""

SHEET_FILE = "sheet.png"
_GUTTER_PX, _GUTTER_COLOR = 8, (196, 198, 202)
_SHEET_COLUMNS, _TILE_SCALE = 4, 0.5


@dataclass(frozen=True)
class Played:
    """An episode of the demo.

    Attributes:
        rollout: What was played.
        frame: Its contact sheet.
    """

    rollout: Rollout
    frame: Image.Image


def play_demo(
    out: Annotated[Path, typer.Option(help="Folder of the records; new or empty.")] = Path(
        "runs/demo"
    ),
) -> None:
    """Play 24 short episodes, print their table, and keep records and a contact sheet."""
    from gym_imagetools.cli.console import progress
    from gym_imagetools.cli.faults import told_to_the_user
    from gym_imagetools.errors import DataError
    from gym_imagetools.rollout import RunFolder

    settings = [_sample_settings(), *_puzzle_settings()]
    with told_to_the_user(DataError):
        folder = RunFolder(out)
        folder.write_settings(*settings)
    with progress() as bar, told_to_the_user(DataError):
        task = bar.add_task("episodes", total=SAMPLE_ROWS + PUZZLES)
        played = []
        for one in _play(settings, folder):
            played.append(one)
            bar.advance(task)
    _print_tables([one.rollout for one in played])
    typer.echo(f"Records: {folder.rollouts_path}")
    typer.echo(f"Contact sheet: {_write_sheet(out, played)}")


def _sample_settings() -> RunSettings:
    from gym_imagetools.rollout import RunSettings

    return RunSettings(
        env_id="ImageTools/Dataset-v0",
        env_kwargs={"max_steps": PUBLISHED_MAX_STEPS},
        policy="demonstration",
        num_tasks=SAMPLE_ROWS,
        group_size=1,
        seed=SEED,
    )


def _puzzle_settings() -> list[RunSettings]:
    """Return one episode a part, over families and levels in turn."""
    from gym_imagetools.puzzles.families import FAMILIES
    from gym_imagetools.puzzles.puzzle import LEVELS
    from gym_imagetools.registration import NAMESPACE
    from gym_imagetools.rollout import RunSettings

    families = list(FAMILIES)
    parts = []
    for number in range(PUZZLES):
        parts.append(
            RunSettings(
                env_id=f"{NAMESPACE}/{families[number % len(families)]}-v0",
                env_kwargs={"difficulty": LEVELS[number % len(LEVELS)]},
                policy="oracle",
                num_tasks=1,
                group_size=1,
                seed=SEED + number,
            )
        )
    return parts


def _play(settings: Sequence[RunSettings], folder: RunFolder) -> Iterator[Played]:
    import gymnasium as gym
    import numpy as np
    from PIL import Image

    from gym_imagetools.policies import POLICIES
    from gym_imagetools.rollout import plan, play

    for part in settings:
        with _published_settings_are_meant():
            env: gym.Env[Any, Any] = gym.make(
                part.env_id, render_mode="rgb_array", **part.env_kwargs
            )
            assignments = plan(
                part.seed,
                num_tasks=part.num_tasks,
                available=env.get_wrapper_attr("num_tasks"),
            )
        for rollout in play(env, POLICIES[part.policy](), assignments):
            folder.write(rollout)
            yield Played(rollout, Image.fromarray(np.asarray(env.render())))


@contextmanager
def _published_settings_are_meant() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=f"max_steps={PUBLISHED_MAX_STEPS} leaves")
        yield


def _print_tables(rollouts: Sequence[Rollout]) -> None:
    from gym_imagetools.cli.console import stdout
    from gym_imagetools.cli.tables import rollout_table

    sample, puzzles = rollouts[:SAMPLE_ROWS], rollouts[SAMPLE_ROWS:]
    console = stdout()
    console.print(
        rollout_table("The published smoke run, replayed: its right and wrong answers", sample)
    )
    title = "Puzzles of five levels, solved by their oracles"
    console.print(rollout_table(title, puzzles, first_row=SAMPLE_ROWS))
    typer.echo(_summary(rollouts))


def _summary(rollouts: Sequence[Rollout]) -> str:
    from gym_imagetools.contract import is_right

    num_right = sum(is_right(rollout.final["reward_scores"]) for rollout in rollouts)
    num_calls = sum(rollout.final["tool_call_count"] for rollout in rollouts)
    mean = sum(rollout.reward for rollout in rollouts) / len(rollouts)
    return (
        f"{len(rollouts)} episodes, {num_right} answered right, {num_calls} tool calls, "
        f"mean reward {mean:.3f}"
    )


def _write_sheet(out: Path, played: Sequence[Played]) -> Path:
    """Tile the last frames of all episodes, in the order of the tables."""
    from PIL import Image, ImageOps

    tiles = [ImageOps.scale(one.frame, _TILE_SCALE, Image.Resampling.LANCZOS) for one in played]
    width, height = (side + _GUTTER_PX for side in tiles[0].size)
    num_rows = ceil(len(tiles) / _SHEET_COLUMNS)
    size = (_SHEET_COLUMNS * width - _GUTTER_PX, num_rows * height - _GUTTER_PX)
    sheet = Image.new("RGB", size, _GUTTER_COLOR)
    for place, tile in enumerate(tiles):
        row, column = divmod(place, _SHEET_COLUMNS)
        sheet.paste(tile, (column * width, row * height))
    path = out / SHEET_FILE
    sheet.save(path)
    return path
