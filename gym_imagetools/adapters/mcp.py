"""The image tools as a server of the Model Context Protocol, over stdio or HTTP.

Beside the ten tools there is ``image_open_tool``, which adds a picture to the session. A session
is the process over stdio, and what ``Mcp-Session-Id`` names over HTTP. Revision 2026-07-28 of the
protocol has no sessions over HTTP: there the reply to the first picture names one, and every
further call hands the name back as ``session``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

import gym_imagetools
from gym_imagetools.adapters.picture_sessions import (
    MAX_PICTURE_BYTES,
    OpenedOrMade,
    PictureSessions,
)
from gym_imagetools.envs.delivery import Delivery
from gym_imagetools.errors import ToolError
from gym_imagetools.prompts import replies
from gym_imagetools.settings import RANGES, CropFormat, check_range
from gym_imagetools.tool_output_images import ToolOutputImage
from gym_imagetools.tools.schemas import FUNCTION_TOOLS

OPEN_TOOL = "image_open_tool"
HTTP_PATH = "/mcp"

_STDIO = "stdio"
_SESSION_HEADER = "mcp-session-id"
_SESSION_PARAMETER = {
    "type": "string",
    "description": f"The `session` that the reply of {OPEN_TOOL} named.",
}
_OPEN_FUNCTION = {
    "name": OPEN_TOOL,
    "description": "Open a picture. The reply holds its index in `new_img_indices`; the other "
    "tools name pictures by index.",
    "parameters": {
        "type": "object",
        "properties": {
            "source": {
                "type": "string",
                "description": "A PNG, JPEG, GIF or WebP picture: a base64 data: URL, or the path "
                "of a file in the server's folder.",
            }
        },
        "required": ["source"],
    },
}
_LISTED: tuple[Mapping[str, Any], ...] = (_OPEN_FUNCTION, *FUNCTION_TOOLS)
# A base64 text is a third longer than its bytes; the rest of a request is small.
_MAX_REQUEST_BYTES = MAX_PICTURE_BYTES * 4 // 3 + 65_536


def make_server(
    root: Path | None = None,
    *,
    crop_format: CropFormat = "png",
    preview_max_side: int | None = None,
) -> Server[Any]:
    """Return a server of the image tools.

    Args:
        root: The folder that pictures may be read from; None where only data URLs are taken.
        crop_format: ``png``, ``jpeg`` or ``webp``: how pictures are delivered.
        preview_max_side: Longest side of a delivered picture in pixels; None for full size.

    Raises:
        ValueError: The folder is none, or another value is outside of its range.
    """
    if root is not None and not root.is_dir():
        raise ValueError(f"Expected root to be a folder, got {root}.")
    check_range("crop_format", crop_format, RANGES["crop_format"])
    check_range("preview_max_side", preview_max_side, RANGES["preview_max_side"])
    tools = _Tools(PictureSessions(root), Delivery(preview_max_side, crop_format))
    return Server(
        "gym-imagetools",
        version=gym_imagetools.__version__,
        instructions=f"Open pictures with {OPEN_TOOL}, then look closer with the other tools.",
        on_list_tools=tools.list_tools,
        on_call_tool=tools.call_tool,
    )


def serve_stdio(server: Server[Any]) -> None:
    """Serve one client over standard input and output, until it leaves.

    Args:
        server: What :func:`make_server` returned.
    """

    async def serve() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(serve)


def serve_http(
    server: Server[Any], host: str = "127.0.0.1", port: int = 8000, *, allow_remote: bool = False
) -> None:
    """Serve clients over streamable HTTP at ``/mcp``, until interrupted.

    Args:
        server: What :func:`make_server` returned.
        host: The address to listen at.
        port: The port.
        allow_remote: Whether another address than the machine's own may be listened at. There
            is no authentication: whoever reaches the port reads the pictures of the folder.

    Raises:
        ValueError: The address is not the machine's own, and ``allow_remote`` is not set.
    """
    import uvicorn

    if not (allow_remote or is_loopback(host)):
        raise ValueError(
            f"Expected an address of this machine alone such as 127.0.0.1, got {host!r}; "
            "there is no authentication, so allow it by name if the network is to be trusted."
        )
    app = server.streamable_http_app(
        streamable_http_path=HTTP_PATH, host=host, max_request_body_size=_MAX_REQUEST_BYTES
    )
    uvicorn.run(app, host=host, port=port, log_level="warning")


def is_loopback(host: str) -> bool:
    """Return whether an address is reached from this machine alone."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class _Tools:
    """The handlers of the server."""

    sessions: PictureSessions
    delivery: Delivery

    async def list_tools(
        self, context: ServerRequestContext[Any], _: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        is_named = _own_session(context) is None
        return types.ListToolsResult(tools=[_tool(tool, is_named) for tool in _LISTED])

    async def call_tool(
        self, context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        call = partial(self._call, params.name, dict(params.arguments or {}), _own_session(context))
        # Pixels take the processor's time; other clients are served meanwhile.
        return await anyio.to_thread.run_sync(call)

    def _call(
        self, name: str, arguments: dict[str, Any], session: str | None
    ) -> types.CallToolResult:
        try:
            made = self._run(name, arguments, session)
        except ToolError as error:
            text = types.TextContent(text=replies.error_json(str(error)))
            return types.CallToolResult(content=[text], is_error=True)
        image = ToolOutputImage(image_url=self.delivery.data_url(made.picture))
        return types.CallToolResult(
            content=[
                types.TextContent(text=made.text),
                types.ImageContent(data=image.data, mime_type=image.media_type),
            ]
        )

    def _run(self, name: str, arguments: dict[str, Any], session: str | None) -> OpenedOrMade:
        given = arguments.pop("session", None) if session is None else None
        if name != OPEN_TOOL:
            return self.sessions.find(_text(session or given)).run(name, arguments)
        source = _text(arguments.get("source"))
        if session is not None:
            return self.sessions.begin(session).open(source)
        if given is not None:
            return self.sessions.find(_text(given)).open(source)
        return self.sessions.open_anew(source)


def _own_session(context: ServerRequestContext[Any]) -> str | None:
    """Return the name of the connection's session; None where the protocol has no sessions."""
    if context.request is None:
        return _STDIO
    name: str | None = context.request.headers.get(_SESSION_HEADER)
    return name


def _tool(tool: Mapping[str, Any], is_named: bool) -> types.Tool:
    """Return a tool as the protocol lists it.

    Args:
        tool: The tool, as the Responses API takes it.
        is_named: Whether its calls name their session.
    """
    schema = dict(tool["parameters"])
    if is_named:
        schema["properties"] = {**schema["properties"], "session": _SESSION_PARAMETER}
        if tool["name"] != OPEN_TOOL:
            schema["required"] = [*schema["required"], "session"]
    return types.Tool(name=tool["name"], description=tool["description"], input_schema=schema)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
