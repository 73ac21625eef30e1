"""An application of a host, served over real HTTP on this machine."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

START_S = 30.0


@contextmanager
def served(app: Any, port: int = 0, *, ws: str = "none") -> Iterator[str]:
    """Serve an application at a port, a free one by default, and yield its address.

    Args:
        app: The application.
        port: The port; 0 for a free one.
        ws: How WebSockets are spoken, as uvicorn names it.
    """
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error", ws=ws))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        until = time.monotonic() + START_S
        while not server.started:
            assert time.monotonic() < until
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
