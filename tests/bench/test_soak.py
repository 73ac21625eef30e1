"""Nothing grows: neither what is left behind by episodes, nor what is held in flight."""

import gymnasium as gym
import pytest

from gym_imagetools.bench.soak import hold_in_flight, play_one_after_the_other, small_caches
from gym_imagetools.images.cache import ENCODED, PIXELS

CACHE_BYTES = 2**20


@pytest.mark.parametrize(
    ("env_id", "num_episodes"),
    [("ImageTools/Dataset-v0", 36), ("ImageTools/TwoTransparencies-v0", 9)],
)
def test_played_episodes_leave_nothing_behind(env_id, num_episodes):
    env = gym.make(env_id, disable_env_checker=True)
    with small_caches(CACHE_BYTES):
        _, second, last = play_one_after_the_other(env, num_episodes=num_episodes, num_stages=3)
    num_between = last.num_episodes - second.num_episodes
    assert num_between == num_episodes // 3
    assert last.num_objects - second.num_objects < num_between  # one an episode would be a leak
    assert last.held_bytes - second.held_bytes < 50_000
    assert max(second.cache_bytes, last.cache_bytes) <= 2 * CACHE_BYTES


@pytest.mark.parametrize("group_size", [1, 8])
def test_episodes_in_flight_hold_their_encoded_sources_and_little_else(tmp_path, group_size):
    with small_caches(CACHE_BYTES):
        found = hold_in_flight(
            tmp_path, num_episodes=16, group_size=group_size, size=(320, 240), num_pictures=4
        )
    own = found.held_bytes / found.num_episodes - found.source_bytes / group_size
    assert own < 30_000 + 4_000 * found.num_turns
    assert found.cache_bytes <= 2 * CACHE_BYTES
    assert not list(tmp_path.glob("**/out*")), "the episodes write no files"


def test_episodes_of_a_group_hold_their_sources_once(tmp_path):
    held = []
    for group_size in (1, 8):
        folder = tmp_path / str(group_size)
        folder.mkdir()
        with small_caches(CACHE_BYTES):
            found = hold_in_flight(
                folder, num_episodes=16, group_size=group_size, size=(640, 480), num_pictures=4
            )
        held.append(found.held_bytes - found.num_episodes * found.source_bytes / group_size)
    alone, together = held
    assert abs(together - alone) < 0.25 * 16 * found.source_bytes


def test_the_bounds_of_the_caches_come_back():
    before = PIXELS.max_bytes, ENCODED.max_bytes
    with small_caches(123):
        assert (PIXELS.max_bytes, ENCODED.max_bytes) == (123, 123)
    assert (PIXELS.max_bytes, ENCODED.max_bytes) == before
