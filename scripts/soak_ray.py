"""A thousand episodes of the oracle over three nodes, one of which is killed in the middle.

Plays the same run on this machine alone first, and tells whether the two left the same files:

    python scripts/soak_ray.py --episodes 1000 --out runs/ray
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from pathlib import Path

import gymnasium as gym

sys.path.insert(0, str(Path(__file__).parents[1]))

from gym_imagetools.adapters.ray import play_on_cluster
from gym_imagetools.metrics import aggregate
from gym_imagetools.rollout import RunFolder, Tally, plan, play_plan, read_records
from tests.hosts import ray_players
from tests.hosts.ray_cluster import KillsANode, files_of, nodes

ENV_ID, KEYWORDS, SEED = "ImageTools/TwinPanels-v0", {"difficulty": 2}, 1
GROUP_SIZE, NUM_NODES, CONCURRENCY = 4, 3, 4
SHOWN = ("mean/reward", "std/reward", "mean/answer", "mean/image_tools_call_count")


def main() -> int:
    """Play twice and compare; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--out", type=Path, default=Path("runs/ray"))
    options = parser.parse_args()
    shutil.rmtree(options.out, ignore_errors=True)
    assignments = plan(SEED, num_tasks=options.episodes // GROUP_SIZE, group_size=GROUP_SIZE)
    alone, together = RunFolder(options.out / "alone"), RunFolder(options.out / "together")
    start_s = time.perf_counter()
    env = gym.make(ENV_ID, **KEYWORDS)
    play_plan(env, ray_players.oracle(), assignments, alone, Tally(), concurrency=CONCURRENCY)
    _tell(f"one machine: {len(assignments)} episodes in {time.perf_counter() - start_s:.0f} s")
    with nodes(NUM_NODES) as cluster:
        start_s = time.perf_counter()
        watcher = KillsANode(cluster, after=options.episodes // 3)
        play_on_cluster(
            ENV_ID,
            KEYWORDS,
            ray_players.oracle,
            assignments,
            together,
            watcher,
            concurrency=CONCURRENCY,
        )
        num_left = 1 + len(cluster.worker_nodes)
    tally = watcher.tally
    _tell(
        f"{NUM_NODES} nodes, {num_left} left: {tally.num_rollouts} episodes, "
        f"{tally.num_failures} failures in {time.perf_counter() - start_s:.0f} s"
    )
    return _compare(alone, together, len(assignments))


def _compare(alone: RunFolder, together: RunFolder, num_episodes: int) -> int:
    records = [
        [record.model_dump(by_alias=True) for record in read_records(folder.rollouts_path)]
        for folder in (alone, together)
    ]
    places = {(one["_ng_task_index"], one["_ng_rollout_index"]) for one in records[1]}
    first, second = (aggregate(lines) for lines in records)
    for name in SHOWN:
        _tell(f"{name}: {first[name]:.6f} on one machine, {second[name]:.6f} on the cluster")
    is_same = files_of(alone.path) == files_of(together.path)
    _tell(f"distinct episodes: {len(places)}")
    _tell(f"equal metrics: {first == second}; equal files: {is_same}")
    is_whole = len(records[1]) == len(places) == num_episodes
    return 0 if is_whole and first == second and is_same else 1


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
