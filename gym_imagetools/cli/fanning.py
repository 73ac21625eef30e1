"""Fanning a run out over the machines of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from gym_imagetools.cli.faults import fail, told_to_the_user
from gym_imagetools.cli.running import PlayPlan
from gym_imagetools.rollout import Contestant


def play_on_ray(
    address: str,
    env_id: str,
    keywords: Mapping[str, Any],
    make_contestant: Callable[[], Contestant],
    concurrency: int,
    num_workers: int | None,
) -> PlayPlan:
    """Connect to a cluster of Ray, and return what plays on it.

    Args:
        address: Of the cluster.
        env_id: The id of the environment.
        keywords: Its keywords.
        make_contestant: Makes the one who plays, on a worker.
        concurrency: Episodes in flight on each worker.
        num_workers: Workers; None for one a processor.

    Raises:
        typer.Exit: Ray is not installed, there is no such cluster, or the run cannot be fanned
            out.
    """
    try:
        from gym_imagetools.adapters import ray
    except ModuleNotFoundError as error:
        raise fail(f"{error}: `pip install 'gym-imagetools[ray]'` installs it.") from None
    with told_to_the_user(ValueError, ConnectionError):
        ray.expect_settings(keywords, concurrency, num_workers)
        ray.connect(address)
    return partial(
        ray.play_on_cluster,
        env_id,
        keywords,
        make_contestant,
        concurrency=concurrency,
        num_workers=num_workers,
    )
