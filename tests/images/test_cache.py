from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_imagetools.images.cache import ENCODED, PIXELS, Cache

NUM_THREADS = 8


def make(num_bytes: int) -> bytes:
    return bytes(num_bytes)


def test_a_value_is_computed_once_and_counted():
    cache = Cache(100, len)
    first = cache.get("a", lambda: make(10))
    assert cache.get("a", lambda: pytest.fail("computed twice")) is first
    assert (cache.hits, cache.misses, cache.nbytes, len(cache)) == (1, 1, 10, 1)


def test_what_was_used_longest_ago_leaves_first():
    cache = Cache(30, len)
    for key in "abc":
        cache.get(key, lambda: make(10))
    cache.get("a", lambda: make(10))
    cache.get("d", lambda: make(10))
    misses = cache.misses
    for key in "acd":
        cache.get(key, lambda: make(10))
    assert cache.misses == misses
    cache.get("b", lambda: make(10))
    assert cache.misses == misses + 1


def test_a_value_above_the_bound_is_returned_but_not_kept():
    cache = Cache(30, len)
    cache.get("small", lambda: make(10))
    assert len(cache.get("huge", lambda: make(31))) == 31
    assert (len(cache), cache.nbytes) == (1, 10)


def test_a_bound_of_zero_keeps_nothing_but_works():
    cache = Cache(0, len)
    assert cache.get("a", lambda: make(3)) == make(3)
    assert cache.nbytes == 0


def test_resizing_evicts_what_no_longer_fits():
    cache = Cache(100, len)
    for key in range(10):
        cache.get(key, lambda: make(10))
    cache.resize(35)
    assert (cache.max_bytes, cache.nbytes, len(cache)) == (35, 30, 3)


def test_clearing_drops_all():
    cache = Cache(100, len)
    cache.get("a", lambda: make(10))
    cache.clear()
    assert (cache.nbytes, len(cache), cache.misses) == (0, 0, 1)


@pytest.mark.parametrize("max_bytes", [-1, -(10**9)])
def test_negative_bounds_are_refused(max_bytes):
    with pytest.raises(ValueError, match="max_bytes >= 0"):
        Cache(max_bytes, len)
    with pytest.raises(ValueError, match="max_bytes >= 0"):
        Cache(10, len).resize(max_bytes)


def test_a_failure_is_raised_and_not_kept():
    cache = Cache(100, len)
    with pytest.raises(KeyError):
        cache.get("a", lambda: {}["missing"])
    assert cache.get("a", lambda: make(10)) == make(10)


def test_a_value_may_be_made_of_other_values_of_the_cache():
    cache = Cache(100, len)
    assert cache.get("ab", lambda: cache.get("a", lambda: b"a") + b"b") == b"ab"
    assert len(cache) == 2


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 12)), max_size=60), st.integers(0, 40))
def test_the_bound_holds_and_the_sum_is_right_whatever_is_asked_for(lookups, max_bytes):
    sizes = {}
    cache = Cache(max_bytes, len)
    for key, size in lookups:
        size = sizes.setdefault(key, size)
        assert len(cache.get(key, lambda size=size: make(size))) == size
        assert cache.nbytes <= max_bytes
        assert cache.nbytes == sum(map(len, cache._entries.values()))
    assert cache.hits + cache.misses == len(lookups)


def run_in_threads(work):
    barrier = threading.Barrier(NUM_THREADS)

    def start(number):
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(NUM_THREADS) as pool:
        return list(pool.map(start, range(NUM_THREADS)))


def test_threads_that_ask_at_once_share_one_computation():
    cache = Cache(100, len)
    calls = []
    all_wait = threading.Event()

    def compute():
        calls.append(threading.get_ident())
        all_wait.wait(0.05)
        return make(10)

    values = run_in_threads(lambda _: cache.get("a", compute))
    assert len(calls) == 1
    assert all(value is values[0] for value in values)
    assert (cache.hits, cache.misses) == (NUM_THREADS - 1, 1)


def test_waiting_threads_get_a_value_that_is_too_large_to_keep():
    cache = Cache(5, len)
    started, release = threading.Event(), threading.Event()

    def compute():
        started.set()
        release.wait(5)
        return make(10)

    with ThreadPoolExecutor(2) as pool:
        leader = pool.submit(cache.get, "a", compute)
        started.wait(5)
        follower = pool.submit(cache.get, "a", lambda: make(10))
        release.set()
        assert leader.result() == follower.result() == make(10)
    assert cache.nbytes == 0


def test_a_thread_that_waited_for_a_failure_computes_for_itself():
    cache = Cache(100, len)
    started, release = threading.Event(), threading.Event()

    def fail():
        started.set()
        release.wait(5)
        raise OSError("gone")

    with ThreadPoolExecutor(2) as pool:
        leader = pool.submit(cache.get, "a", fail)
        started.wait(5)
        follower = pool.submit(cache.get, "a", lambda: make(10))
        release.set()
        assert follower.result() == make(10)
        with pytest.raises(OSError, match="gone"):
            leader.result()


def test_the_bound_holds_under_threads_and_evicted_values_come_back_identical():
    cache = Cache(3000, lambda array: array.nbytes)
    seen = []

    def make_array(key):
        return np.random.default_rng(key).integers(0, 256, 100 * (key % 7 + 1), dtype=np.uint8)

    def work(number):
        rng = np.random.default_rng(number)
        for key in rng.integers(0, 40, 300):
            value = cache.get(int(key), lambda key=key: make_array(int(key)))
            seen.append(cache.nbytes <= cache.max_bytes)
            assert np.array_equal(value, make_array(int(key)))

    run_in_threads(work)
    assert all(seen)
    assert cache.hits + cache.misses == NUM_THREADS * 300
    assert cache.misses > 40
    assert cache.nbytes == sum(value.nbytes for value in cache._entries.values())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_keeps_the_values_and_waits_for_no_thread_of_its_parent():
    cache = Cache(100, len)
    cache.get("kept", lambda: make(10))
    started, release = threading.Event(), threading.Event()

    def compute():
        started.set()
        release.wait(5)
        return make(20)

    thread = threading.Thread(target=cache.get, args=("a", compute))
    thread.start()
    started.wait(5)
    with cache._lock:
        child = os.fork()
        if child == 0:
            kept = cache.get("kept", lambda: b"made anew")
            fresh = cache.get("a", lambda: make(20))
            os._exit(0 if (kept, fresh, cache.nbytes) == (make(10), make(20), 30) else 1)
    release.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_the_shared_caches_measure_pixels_and_bytes():
    pixels, data = np.zeros((3, 5, 3), np.uint8), b"12345"
    for cache, value, num_bytes in ((PIXELS, pixels, 45), (ENCODED, data, 5)):
        cache.clear()
        cache.get("a key of this test", lambda value=value: value)
        assert cache.nbytes == num_bytes
    assert PIXELS.max_bytes == 512 * 2**20
