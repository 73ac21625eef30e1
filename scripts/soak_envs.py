"""A long run of environments: does a step or an episode cost more, the longer one plays?

    python scripts/soak_envs.py --episodes 20000 --in-flight 1000

First episodes are played one after the other, of the sample rows and of a puzzle family; then
many are held in flight, each with four pictures of 1024x768, in groups of eight. Ends with an
error where something grows.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import gymnasium as gym
import typer

from gym_imagetools.bench.soak import Stage, hold_in_flight, play_one_after_the_other, small_caches

MB = 2**20
CACHE_BYTES = 8 * MB
TABLES_BYTES = 4 * MB  # Python resizes its own tables, such as that of interned strings, once
NUM_STAGES = 10
GROUP_SIZE = 8


def soak(env_id: str, num_episodes: int) -> list[str]:
    """Play episodes of an id one after the other; return what has grown."""
    typer.echo(f"{env_id}: {num_episodes} episodes one after the other")
    env = gym.make(env_id, disable_env_checker=True)
    stages = []
    for stage in play_one_after_the_other(env, num_episodes=num_episodes, num_stages=NUM_STAGES):
        stages.append(stage)
        typer.echo(
            f"{stage.num_episodes:7} episodes  {stage.step_ms:6.3f} ms a step  "
            f"{stage.num_objects:8} objects  {stage.held_bytes / MB:7.2f} MB held  "
            f"{stage.cache_bytes / MB:6.1f} MB in the caches"
        )
    return [f"{env_id}: {problem}" for problem in growth(stages)]


def growth(stages: list[Stage]) -> list[str]:
    """Return what has grown from the second stage, when all is warm, to the last."""
    first, last = stages[1], stages[-1]
    num_episodes = last.num_episodes - first.num_episodes
    problems = []
    if last.num_objects - first.num_objects > num_episodes / 10 + 100:
        problems.append(f"{last.num_objects - first.num_objects} more objects")
    if last.held_bytes - first.held_bytes > 50 * num_episodes + TABLES_BYTES:
        problems.append(f"{last.held_bytes - first.held_bytes} more bytes")
    if last.step_ms > 2 * first.step_ms:
        problems.append(f"a step takes {last.step_ms:.3f} ms, and took {first.step_ms:.3f}")
    if any(stage.cache_bytes > 2 * CACHE_BYTES for stage in stages):
        problems.append("the caches are above their bounds")
    return problems


def hold(num_episodes: int) -> list[str]:
    """Hold episodes in flight; return what is above its bound."""
    with tempfile.TemporaryDirectory(prefix="soak_envs_") as folder:
        found = hold_in_flight(
            Path(folder),
            num_episodes=num_episodes,
            group_size=GROUP_SIZE,
            size=(1024, 768),
            num_pictures=4,
        )
    each = found.held_bytes / num_episodes
    typer.echo(
        f"{num_episodes} episodes in flight, in groups of {GROUP_SIZE}, 4 pictures of 1024x768: "
        f"{each / 1000:.1f} kB each (bound {found.bound_bytes / 1000:.1f} kB, "
        f"sources {found.source_bytes / 1000:.1f} kB), "
        f"{found.cache_bytes / MB:.1f} MB in the caches"
    )
    return ["episodes in flight are above their bound"] if each > found.bound_bytes else []


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--episodes", type=int, default=20_000)
    parser.add_argument("--in-flight", type=int, default=1_000)
    options = parser.parse_args()
    with small_caches(CACHE_BYTES):
        problems = soak("ImageTools/Dataset-v0", options.episodes * 9 // 10)
        problems += soak("ImageTools/CrowdCensus-v0", options.episodes // 10)
        problems += hold(options.in_flight)
    if problems:
        sys.exit("\n".join(problems))
    typer.echo("Nothing has grown.")


if __name__ == "__main__":
    main()
