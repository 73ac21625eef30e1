"""A cluster of Ray on this machine: several nodes, each with its own processes."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import ray
from ray.cluster_utils import Cluster

from gym_imagetools.adapters.ray import connect
from gym_imagetools.rollout import FailureRecord, RolloutRecord, Tally

REPOSITORY = Path(__file__).parents[2]
STORE_BYTES = 150_000_000


def files_of(folder: Path) -> dict[str, bytes]:
    """Return the files of a run, by their paths in its folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }


class KillsANode:
    """Adds a run up, and kills a node of its cluster without a warning in the middle of it.

    Args:
        cluster: The cluster.
        after: Episodes before the node is killed.

    Attributes:
        tally: The figures of the run.
    """

    def __init__(self, cluster: Cluster, after: int) -> None:
        self.tally = Tally()
        self._cluster = cluster
        self._after = after

    def add(self, record: RolloutRecord) -> None:
        """Be told of an episode."""
        self.tally.add(record)
        if self.tally.num_rollouts == self._after:
            node = next(iter(self._cluster.worker_nodes))
            self._cluster.remove_node(node, allow_graceful=False)

    def add_failure(self, failure: FailureRecord) -> None:
        """Be told of a failure."""
        self.tally.add_failure(failure)


@contextmanager
def nodes(count: int) -> Iterator[Cluster]:
    """Start a cluster of nodes with one processor each, connect to it, and end it."""
    # Ray writes a token into the home folder; the path of a socket must be short.
    with tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as home:
        variables = {
            "HOME": home,
            "PYTHONPATH": str(REPOSITORY),
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
        }
        with patch.dict(os.environ, variables):
            head = {"include_dashboard": False, "temp_dir": f"{home}/ray"}
            size = {"num_cpus": 1, "object_store_memory": STORE_BYTES}
            cluster = Cluster(initialize_head=True, head_node_args={**head, **size})
            try:
                for _ in range(count - 1):
                    cluster.add_node(**size)
                with warnings.catch_warnings():
                    # Ray Data warns of its own settings as it makes them.
                    warnings.simplefilter("ignore", DeprecationWarning)
                    connect(cluster.address)
                yield cluster
            finally:
                ray.shutdown()
                cluster.shutdown()
