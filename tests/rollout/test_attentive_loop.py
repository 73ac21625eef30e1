import asyncio
import gc
import os
import selectors
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import pairwise

import pytest

from gym_imagetools.rollout.attentive_loop import (
    OneAtATime,
    Turnstile,
    run_attentively,
    step_back,
)


@pytest.fixture
def ready():
    """A selector, and sockets by name, each with something to read."""
    with ExitStack() as stack:
        selector = stack.enter_context(OneAtATime())
        sockets = {}
        for name in "abcd":
            near, far = socket.socketpair()
            stack.enter_context(near)
            stack.enter_context(far)
            far.sendall(b"x")
            selector.register(near, selectors.EVENT_READ, name)
            sockets[name] = near
        yield selector, sockets


def test_a_round_tells_of_one_socket_and_the_others_follow(ready):
    selector, sockets = ready
    told = []
    while events := selector.select(0.001):
        ((key, mask),) = events
        assert mask == selectors.EVENT_READ
        sockets[key.data].recv(1)
        told.append(key.data)
    assert sorted(told) == ["a", "b", "c", "d"]


def test_a_socket_that_stays_ready_does_not_keep_the_others_waiting(ready):
    selector, sockets = ready
    told = []
    for _ in range(20):
        ((key, _),) = selector.select(0.001)
        if key.data != "a" and key.data not in told:
            sockets[key.data].recv(1)
        told.append(key.data)
    assert set(told) == {"a", "b", "c", "d"}


def test_who_has_something_else_to_do_still_hears_of_all_sockets(ready):
    selector, _sockets = ready
    rounds = [selector.select(0) for _ in range(20)]
    assert [] in rounds
    assert {key.data for events in rounds for key, _ in events} == {"a", "b", "c", "d"}
    assert max(map(len, rounds)) == 1


def test_a_time_out_without_a_ready_socket_is_an_empty_round():
    with OneAtATime() as selector:
        assert selector.select(0.001) == []


def test_a_turnstile_lets_one_through_at_a_time_some_rounds_apart():
    async def main():
        turnstile, rounds, passed = Turnstile(), 0, []

        async def go(name):
            await turnstile.wait()
            passed.append((name, rounds))

        waiting = [asyncio.create_task(go(name)) for name in "abc"]
        while len(passed) < len(waiting):
            await asyncio.sleep(0)
            rounds += 1
        return passed

    passed = asyncio.run(main())
    assert [name for name, _ in passed] == ["a", "b", "c"]
    assert all(after - before > 2 for (_, before), (_, after) in pairwise(passed))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts niceness by thread")
def test_threads_that_compute_step_back_and_the_others_do_not():
    own = os.getpriority(os.PRIO_PROCESS, 0)
    with ThreadPoolExecutor(1, initializer=step_back) as pool:
        theirs = pool.submit(os.getpriority, os.PRIO_PROCESS, 0).result()
    assert theirs == min(own + 10, 19)
    assert os.getpriority(os.PRIO_PROCESS, 0) == own


def test_many_sockets_are_all_served_and_the_settings_are_as_before():
    before = sys.getswitchinterval(), gc.get_threshold(), gc.get_freeze_count()

    async def echo(reader, writer):
        writer.write(await reader.readline())
        writer.close()
        await writer.wait_closed()

    async def ask(port, word):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(word + b"\n")
        answer = await reader.readline()
        writer.close()
        await writer.wait_closed()
        return answer.strip()

    async def main():
        assert sys.getswitchinterval() < before[0]
        async with await asyncio.start_server(echo, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            return await asyncio.gather(*(ask(port, b"%d" % n) for n in range(50)))

    assert run_attentively(main()) == [b"%d" % n for n in range(50)]
    assert (sys.getswitchinterval(), gc.get_threshold(), gc.get_freeze_count()) == before


def test_what_the_coroutine_raises_comes_out():
    async def main():
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        run_attentively(main())
