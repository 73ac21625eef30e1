"""Talks to the process that runs math-verify, and ends it when it takes too long."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

_START_LIMIT_S = 120.0
_CLOSE_LIMIT_S = 2.0
_WATCHDOG_EXTRA_S = 5.0
_COMMAND = ("-P", "-W", "ignore", "-m", "gym_imagetools.graders.math_worker")


class MathProcess:
    """One worker process, started when it is first asked and shared by all threads.

    A request that misses its deadline costs the worker, which is killed and reaped; the next
    request starts another. After a fork the child starts a worker of its own. The worker ends
    with the process that started it, in workers of :mod:`multiprocessing` too.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._finalized_pid = 0  # the process that will close its worker when it exits

    def ask(self, gold: str, answer: str, deadline_s: float) -> dict[str, Any] | None:
        """Compare two answers.

        Args:
            gold: The expected answer.
            answer: The answer to check.
            deadline_s: Seconds that the comparison may take; waiting for other threads and
                starting the worker do not count.

        Returns:
            ``equal`` and ``extracted``; None when there was no reply in time, or the worker died
            of this answer.

        Raises:
            RuntimeError: If the worker cannot be started.
        """
        request = {"gold": gold, "answer": answer, "limit_s": deadline_s + _WATCHDOG_EXTRA_S}
        with self._lock:
            process = self._running()
            try:
                reply = _exchange(process, json.dumps(request), deadline_s)
            except BaseException:
                self._discard()  # a reply that nobody waits for must not meet the next request
                raise
            if reply is None:
                self._discard()
            return reply

    def close(self) -> None:
        """End the worker and wait for it."""
        with self._lock:
            process, self._process = self._process, None
            if process is None:
                return
            _close_pipes(process)
            try:
                process.wait(_CLOSE_LIMIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def forget(self) -> None:
        """Leave the worker to the process that this one was forked from."""
        process, self._process = self._process, None
        self._lock = threading.Lock()  # a thread that is not here may hold the old one
        if process is not None:
            _close_pipes(process)
            process.returncode = 0  # it is no child of this process, so it is not waited for

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._discard()
        self._process = _start()
        if self._finalized_pid != os.getpid():
            self._finalized_pid = os.getpid()
            Finalize(None, self.close, exitpriority=0)
        return self._process

    def _discard(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            _end(process)


def _start() -> subprocess.Popen[bytes]:
    root = str(Path(__file__).resolve().parents[2])
    inherited = os.environ.get("PYTHONPATH")
    path = os.pathsep.join([root, inherited] if inherited else [root])
    try:
        process = subprocess.Popen(
            [sys.executable, *_COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,  # no buffers and no locks that a fork could copy in the middle of their use
            env={**os.environ, "PYTHONPATH": path},
        )
    except OSError as error:
        raise RuntimeError(f"Expected to start the math worker, got {error}.") from error
    if _exchange(process, "", _START_LIMIT_S) != {"ready": True}:
        message = _end(process)
        raise RuntimeError(
            f"Expected the math worker to start, got exit code {process.returncode} ({message}); "
            "check that math-verify is installed."
        )
    return process


def _exchange(
    process: subprocess.Popen[bytes], request: str, deadline_s: float
) -> dict[str, Any] | None:
    """Send a request, unless it is empty, and read one reply; at the deadline the process dies."""
    if process.stdin is None or process.stdout is None:
        return None
    timer = threading.Timer(deadline_s, process.kill)
    timer.daemon = True
    timer.start()
    try:
        if request:
            process.stdin.write(request.encode() + b"\n")
        line = process.stdout.readline()
    except BrokenPipeError:
        return None
    finally:
        timer.cancel()
    return json.loads(line) if line.endswith(b"\n") else None


def _end(process: subprocess.Popen[bytes]) -> str:
    """Kill and reap the process, and return the last line that it complained with."""
    process.kill()
    complaint = process.communicate()[1].decode(errors="replace")
    return complaint.strip().rpartition("\n")[2]


def _close_pipes(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):  # the worker died before it read all
                pipe.close()


MATH_PROCESS = MathProcess()
"""The worker of this process."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=MATH_PROCESS.forget)
