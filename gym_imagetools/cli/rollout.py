"""``gym-imagetools rollout``: play episodes and keep their records."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import gymnasium as gym

    from gym_imagetools.policies import Policy
    from gym_imagetools.rollout import Assignment, Rollout, RunFolder

DEFAULT_NUM_TASKS = 10
"""Tasks of a run on endless tasks; of data all rows are played."""


def play_rollouts(
    env_id: Annotated[
        str, typer.Option("--env", help="Id of the environment, such as ImageTools/Maze-v0.")
    ],
    out: Annotated[Path, typer.Option(help="Folder of the records; new or empty.")],
    policy: Annotated[
        str, typer.Option(help="Who plays: oracle, random or demonstration.")
    ] = "oracle",
    num_tasks: Annotated[
        int | None, typer.Option(help="Tasks to play. By default all rows, or 10 puzzles.")
    ] = None,
    group_size: Annotated[int, typer.Option(help="Rollouts of each task.")] = 1,
    seed: Annotated[int, typer.Option(help="Fixes tasks and policy.")] = 0,
    env_kwargs: Annotated[str, typer.Option(help="Keywords as a JSON object.")] = "{}",
    keyword: Annotated[
        list[str] | None, typer.Option("-k", help="One keyword, key=value; may be repeated.")
    ] = None,
) -> None:
    """Play episodes with a scripted policy; write rollouts.jsonl, run.json and images/."""
    from gym_imagetools.cli.console import stdout
    from gym_imagetools.cli.faults import told_to_the_user
    from gym_imagetools.cli.making import make_env, read_keywords
    from gym_imagetools.cli.tables import summary_table
    from gym_imagetools.errors import DataError, GenerationError
    from gym_imagetools.rollout import RunFolder, RunSettings, plan

    with told_to_the_user(ValueError):
        keywords = read_keywords(env_kwargs, keyword or [])
        player = _policy(policy)
    env = make_env(env_id, keywords)
    available: int | None = env.get_wrapper_attr("num_tasks")
    count = num_tasks if num_tasks is not None else available or DEFAULT_NUM_TASKS
    with told_to_the_user(ValueError):
        assignments = plan(seed, num_tasks=count, group_size=group_size, available=available)
        folder = RunFolder(out)
        folder.write_settings(
            RunSettings(
                env_id=env_id,
                env_kwargs=keywords,
                policy=policy,
                num_tasks=count,
                group_size=group_size,
                seed=seed,
            )
        )
    with told_to_the_user(DataError, GenerationError):
        rollouts = _play(env, player, assignments, folder)
    stdout().print(summary_table(f"{env_id}, {policy}", rollouts))
    typer.echo(f"Records: {folder.rollouts_path}")


def _policy(name: str) -> Policy:
    from gym_imagetools.policies import POLICIES

    if name not in POLICIES:
        raise ValueError(f"Expected --policy to be one of {', '.join(POLICIES)}, got {name!r}.")
    return POLICIES[name]()


def _play(
    env: gym.Env[Any, Any], policy: Policy, assignments: list[Assignment], folder: RunFolder
) -> list[Rollout]:
    from gym_imagetools.cli.console import progress
    from gym_imagetools.rollout import play

    rollouts = []
    with progress() as bar:
        played = bar.track(
            play(env, policy, assignments), total=len(assignments), description="rollouts"
        )
        for one in played:
            folder.write(one)
            rollouts.append(one)
    return rollouts
