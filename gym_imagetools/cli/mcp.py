"""``gym-imagetools mcp``: the image tools for agents that speak the Model Context Protocol."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Transport(StrEnum):
    """How clients reach the server."""

    STDIO = "stdio"
    HTTP = "http"


def serve_tools(
    root: Annotated[
        Path | None,
        typer.Option(help="Folder that pictures may be opened from.", show_default="none"),
    ] = None,
    transport: Annotated[
        Transport, typer.Option(help="stdio, or streamable HTTP at /mcp.")
    ] = Transport.STDIO,
    host: Annotated[str, typer.Option(help="Address of the HTTP server.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port of the HTTP server.")] = 8000,
    allow_remote: Annotated[
        bool,
        typer.Option(
            "--allow-remote", help="Listen at other addresses too; nobody is asked who they are."
        ),
    ] = False,
    crop_format: Annotated[str, typer.Option(help="png, jpeg or webp.")] = "png",
    preview_max_side: Annotated[
        int | None, typer.Option(help="Longest side of delivered pictures.", show_default="full")
    ] = None,
) -> None:
    """Serve the ten image tools, and one that opens pictures, until the client leaves."""
    from gym_imagetools.cli.faults import fail, told_to_the_user

    try:
        from gym_imagetools.adapters import mcp
    except ModuleNotFoundError as error:
        raise fail(f"{error}: `pip install 'gym-imagetools[mcp]'` installs it.") from None
    with told_to_the_user(ValueError):
        server = mcp.make_server(
            root,
            crop_format=crop_format,  # type: ignore[arg-type]  # checked there
            preview_max_side=preview_max_side,
        )
        if transport is Transport.STDIO:
            mcp.serve_stdio(server)
        else:
            mcp.serve_http(server, host, port, allow_remote=allow_remote)
