"""A node of a real cluster is killed in the middle of a run."""

import gymnasium as gym
import pytest

pytest.importorskip("ray.data", reason="the ray extra is missing")

from gym_imagetools.adapters.ray import play_on_cluster
from gym_imagetools.rollout import RunFolder, Tally, plan, play_plan, read_records
from tests.hosts import ray_players
from tests.hosts.ray_cluster import KillsANode, files_of, nodes

# Ray leaves sockets and processes behind, and warns of itself.
pytestmark = pytest.mark.filterwarnings("default")

MAZE = "ImageTools/Maze-v0"


def test_its_episodes_are_played_again_and_none_twice(tmp_path):
    assignments = plan(3, num_tasks=30, group_size=2)
    alone, together = RunFolder(tmp_path / "alone"), RunFolder(tmp_path / "together")
    play_plan(gym.make(MAZE), ray_players.oracle(), assignments, alone, Tally(), concurrency=4)
    with nodes(3) as cluster:
        watcher = KillsANode(cluster, after=10)
        play_on_cluster(MAZE, {}, ray_players.Slow, assignments, together, watcher, concurrency=2)
        assert len(cluster.worker_nodes) == 1
    places = [(r.task_index, r.rollout_index) for r in read_records(together.rollouts_path)]
    assert places == [(one.group, one.member) for one in assignments]
    assert watcher.tally.num_failures == 0
    assert files_of(alone.path) == files_of(together.path)
