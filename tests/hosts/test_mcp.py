"""The server really runs, in a process of its own, and the SDK's own client talks to it."""

import asyncio
import base64
import io
import json
import os
import socket
import subprocess
import sys
import time
from contextlib import asynccontextmanager
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

pytest.importorskip("mcp.server.lowlevel")

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from gym_imagetools.adapters import mcp as adapter
from gym_imagetools.adapters import picture_sessions
from gym_imagetools.cli import app
from gym_imagetools.tools import TOOLS, run_tool
from tests.hosts.recipes import run_recipe

COMMAND = [sys.executable, "-c", "from gym_imagetools.cli import app; app()", "mcp"]
REPOSITORY = Path(__file__).parents[2]
START_S = 30.0
BOX = [100, 200, 600, 700]
CALLS = {
    "image_zoom_in_tool": {"bbox_2d": BOX, "factor": 2.0, "label": "a <tag> & more"},
    "image_crop_tool": {"bbox_2d": BOX},
    "image_rotate_tool": {"degrees": 30},
    "image_flip_tool": {"axis": "vertical"},
    "image_diff_tool": {"img_idx_a": 0, "img_idx_b": 1},
    "image_side_by_side_tool": {"img_indices": [0, 1], "labels": ["one", "two"]},
    "image_overlay_tool": {"img_idx_a": 0, "img_idx_b": 1, "alpha": 0.25},
    "count_objects_tool": {"img_idx": 1, "min_size": 4},
    "find_color_tool": {"color": [200, 30, 40]},
    "color_at_tool": {"point_2d": [500, 500]},
}


def drawing(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    pixels = np.full((120, 160, 3), 255, np.uint8)
    for _ in range(4):
        y, x = rng.integers(0, 90, 2)
        pixels[y : y + 20, x : x + 30] = (200, 30, 40)
    return pixels


def png(pixels: np.ndarray) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "png")
    return file.getvalue()


def data_url(data: bytes, media_type: str = "image/png") -> str:
    return f"data:{media_type};base64,{base64.b64encode(data).decode()}"


def pixels_of(content) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(content.data))))


def furnished(parent: Path) -> Path:
    """A folder with two pictures; a third lies beside it."""
    root = parent / "root"
    (root / "deep").mkdir(parents=True)
    (root / "first.png").write_bytes(png(drawing(1)))
    (root / "deep" / "second.png").write_bytes(png(drawing(2)))
    (parent / "outside.png").write_bytes(png(drawing(3)))
    return root


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return furnished(tmp_path_factory.mktemp("shared"))


class Agent:
    """Calls tools, and names its session where the server asks for it."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.session: dict[str, str] = {}

    async def call(self, name: str, **arguments):
        return await self.client.call_tool(name, {**arguments, **self.session})

    async def open(self, source: str):
        result = await self.call("image_open_tool", source=source)
        reply = json.loads(result.content[0].text)
        if "session" in reply:
            self.session = {"session": reply["session"]}
        return result


@pytest.fixture(scope="module")
def url(folder):
    """Where a server of the folder listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [*COMMAND, "--transport", "http", "--port", str(port), "--root", str(folder)]
    process = subprocess.Popen(words, cwd=REPOSITORY)
    try:
        until = time.monotonic() + START_S
        while not is_open(port):
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(10)


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@asynccontextmanager
async def over_stdio(*options: str, mode: str = "auto"):
    words = [*COMMAND, *options]
    server = StdioServerParameters(
        command=words[0], args=words[1:], cwd=str(REPOSITORY), env=dict(os.environ)
    )
    async with Client(stdio_client(server), mode=mode) as client:
        yield Agent(client)


@asynccontextmanager
async def over_http(url: str, mode: str = "auto"):
    async with Client(url, mode=mode) as client:
        yield Agent(client)


@pytest.fixture(params=["stdio, handshake", "stdio", "http, handshake", "http"])
def connection(request) -> str:
    return request.param


@pytest.fixture
def connected(connection, folder, request):
    """Connects an agent to a server of the folder, over each transport in both revisions."""
    mode = "legacy" if "handshake" in connection else "auto"
    if connection.startswith("stdio"):
        return lambda: over_stdio("--root", str(folder), mode=mode)
    url = request.getfixturevalue("url")
    return lambda: over_http(url, mode)


def test_the_ten_tools_and_the_one_that_opens_are_listed_with_their_schemas(connected, connection):
    async def talk():
        async with connected() as agent:
            return (await agent.client.list_tools()).tools

    tools = {tool.name: tool for tool in asyncio.run(talk())}
    assert list(tools) == ["image_open_tool", *TOOLS]
    for name, tool in TOOLS.items():
        assert tools[name].description == tool.description
        listed = set(tools[name].input_schema["properties"])
        assert listed - {"session"} == set(tool.arguments.model_json_schema()["properties"])
        # Only this revision over HTTP has no sessions of its own.
        assert ("session" in listed) is (connection == "http")


def test_every_tool_answers_with_text_first_and_then_its_picture(connected):
    images = [drawing(1), drawing(2)]

    async def talk():
        async with connected() as agent:
            opened = [await agent.open("first.png"), await agent.open("deep/second.png")]
            made = [await agent.call(name, **arguments) for name, arguments in CALLS.items()]
        return opened, made

    opened, made = asyncio.run(talk())
    for index, result in enumerate(opened):
        assert json.loads(result.content[0].text)["new_img_indices"] == [index]
        assert np.array_equal(pixels_of(result.content[1]), images[index])
    for place, ((name, arguments), result) in enumerate(zip(CALLS.items(), made, strict=True)):
        expected = run_tool(name, arguments, images)
        assert not result.is_error
        assert [part.type for part in result.content] == ["text", "image"]
        reply = json.loads(result.content[0].text)
        assert reply == {"ok": True, **expected.result, "new_img_indices": [2 + place]}
        assert result.content[1].mime_type == "image/png"
        assert np.array_equal(pixels_of(result.content[1]), expected.pixels)


def test_calls_are_answered_as_the_environment_answers_them(connected):
    env = gym.make("ImageTools/Maze-v0", max_tool_calls=9, crop_format="png", preview_max_side=None)
    env.reset(seed=3)
    (source,) = env.get_wrapper_attr("image_urls")
    calls = [
        {"name": "image_crop_tool", "arguments": {"bbox_2d": BOX}},
        {"name": "image_rotate_tool", "arguments": {"degrees": 90, "img_idx": 1}},
        {"name": "color_at_tool", "arguments": {"point_2d": [10, 990], "img_idx": 2}},
    ]
    infos, urls = [], []
    for call in calls:
        infos.append(env.step(call)[4])
        urls.extend(env.get_wrapper_attr("image_urls"))

    async def talk():
        async with connected() as agent:
            await agent.open(source)
            return [await agent.call(call["name"], **call["arguments"]) for call in calls]

    results = asyncio.run(talk())
    assert [result.content[0].text for result in results] == [
        info["tool_results"][0]["output"] for info in infos
    ]
    assert [data_url(base64.b64decode(result.content[1].data)) for result in results] == urls


def test_sessions_do_not_see_each_others_pictures(url):
    async def talk(mode: str):
        async with over_http(url, mode) as first, over_http(url, mode) as second:
            await first.open("first.png")
            before = await second.call("image_flip_tool", axis="vertical")
            own = await second.open("deep/second.png")
            return before, own, await first.call("image_flip_tool", axis="vertical", img_idx=1)

    for mode in ("legacy", "auto"):
        before, own, after = asyncio.run(talk(mode))
        assert before.is_error
        assert "open one first" in before.content[0].text
        assert json.loads(own.content[0].text)["new_img_indices"] == [0]
        assert after.is_error


def test_an_unknown_session_name_opens_nothing_and_sees_nothing(url):
    async def talk():
        async with over_http(url) as agent:
            agent.session = {"session": "guessed"}
            return [await agent.open("first.png"), await agent.call("image_flip_tool", axis="x")]

    assert all(result.is_error for result in asyncio.run(talk()))


REFUSED = {
    "a path that leads out": "../outside.png",
    "an absolute path": "{outside}",
    "a link out of the folder": "link.png",
    "a linked folder": "linked/outside.png",
    "a file: URL": "file://{outside}",
    "a web address": "http://127.0.0.1:9/first.png",
    "no such file": "missing.png",
    "a folder": "deep",
    "a pipe": "pipe",
    "a text": "notes.txt",
    "a torn picture": "torn.png",
    "an oversize file": "large.png",
    "more pixels than are decoded": "bomb.png",
    "a data URL of something else": "data:text/plain;base64,aGVsbG8=",
    "a data URL that is no base64": "data:image/png;base64,%%%",
    "nothing": "",
    "a null character": "first.png\0",
}


@pytest.fixture
def trapped(tmp_path) -> Path:
    folder = furnished(tmp_path)
    outside = folder.parent / "outside.png"
    (folder / "link.png").symlink_to(outside)
    (folder / "linked").symlink_to(folder.parent)
    os.mkfifo(folder / "pipe")
    (folder / "notes.txt").write_text("no picture")
    whole = png(drawing(1))
    (folder / "torn.png").write_bytes(whole[: len(whole) // 2])
    padding = b"\0" * picture_sessions.MAX_PICTURE_BYTES
    (folder / "large.png").write_bytes(whole + padding)
    huge = (60_000).to_bytes(4, "big") * 2
    (folder / "bomb.png").write_bytes(whole[:16] + huge + whole[24:])
    return folder


def test_what_may_not_be_opened_is_refused_with_one_text_that_names_no_path(trapped):
    outside = str(trapped.parent / "outside.png")

    async def talk():
        async with over_stdio("--root", str(trapped)) as agent:
            return {
                what: await agent.open(source.replace("{outside}", outside))
                for what, source in REFUSED.items()
            }

    results = asyncio.run(talk())
    assert all(result.is_error for result in results.values())
    (text,) = {result.content[0].text for result in results.values()}
    assert "PNG, JPEG, GIF or WebP" in text
    assert str(trapped) not in text


def test_without_a_folder_only_data_urls_are_opened(folder):
    async def talk():
        async with over_stdio() as agent:
            inside = await agent.open(str(folder / "first.png"))
            return inside, await agent.open(data_url(png(drawing(1))))

    refused, opened = asyncio.run(talk())
    assert refused.is_error
    assert not opened.is_error


def test_wrong_calls_are_answered_with_what_was_expected(folder):
    wrong = [
        ("no_such_tool", {}),
        ("image_crop_tool", {}),
        ("image_crop_tool", {"bbox_2d": [0.1, 0.1, 0.5, 0.5]}),
        ("image_crop_tool", {"bbox_2d": BOX, "img_idx": 7}),
        ("image_rotate_tool", {"degrees": "much"}),
        ("image_open_tool", {"source": 5}),
    ]

    async def talk():
        async with over_stdio("--root", str(folder)) as agent:
            await agent.open("first.png")
            results = [await agent.call(name, **arguments) for name, arguments in wrong]
            return results, await agent.call("image_flip_tool", axis="vertical")

    results, after = asyncio.run(talk())
    for result in results:
        assert result.is_error
        assert json.loads(result.content[0].text)["ok"] is False
    assert json.loads(after.content[0].text)["new_img_indices"] == [1]


def test_a_request_that_is_too_large_is_refused_before_it_is_read(url):
    body = b" " * (picture_sessions.MAX_PICTURE_BYTES * 2)
    headers = {"content-type": "application/json", "accept": "application/json"}
    reply = httpx2.post(url, content=body, headers=headers)
    assert reply.status_code == 413


def test_a_foreign_host_name_is_refused_as_a_rebound_one(url):
    headers = {"host": "example.org", "accept": "application/json, text/event-stream"}
    assert httpx2.post(url, json={}, headers=headers).status_code in (403, 421)


def test_pictures_are_delivered_in_the_form_that_was_asked_for(folder):
    async def talk():
        options = ("--root", str(folder), "--crop-format", "webp", "--preview-max-side", "40")
        async with over_stdio(*options) as agent:
            return await agent.open("first.png")

    image = asyncio.run(talk()).content[1]
    assert image.mime_type == "image/webp"
    assert max(pixels_of(image).shape) == 40


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--transport", "http", "--host", "0.0.0.0"], "address of this machine alone"),
        (["--transport", "http", "--host", "::"], "address of this machine alone"),
        (["--transport", "http", "--host", "example.org"], "address of this machine alone"),
        (["--root", "no/such/folder"], "root to be a folder"),
        (["--crop-format", "bmp"], "crop_format"),
        (["--preview-max-side", "3"], "preview_max_side"),
    ],
)
def test_the_command_refuses_in_one_line(options, expected):
    result = CliRunner().invoke(app, ["mcp", *options])
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: ")
    assert expected in line


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "localhost", "::1"])
def test_loopback_addresses(host):
    assert adapter.is_loopback(host)


def test_a_session_opens_a_bounded_number_of_pictures(folder):
    session = picture_sessions.PictureSession(folder)
    for _ in range(picture_sessions.MAX_SOURCES):
        session.open("first.png")
    with pytest.raises(picture_sessions.ToolError, match="at most 32"):
        session.open("first.png")


def test_the_session_that_was_idle_for_longest_goes_first(folder):
    sessions = picture_sessions.PictureSessions(folder)
    for number in range(picture_sessions.MAX_SESSIONS):
        sessions.begin(str(number)).open("first.png")
    sessions.find("0")
    sessions.begin("one more")
    assert sessions.find("0")
    with pytest.raises(picture_sessions.ToolError, match="open one first"):
        sessions.find("1")


def test_the_recipe_runs(folder, monkeypatch):
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    monkeypatch.chdir(folder.parent)
    folder.with_name("pictures").mkdir()
    (folder.parent / "pictures" / "board.png").write_bytes(png(drawing(1)))
    run_recipe("MCP")
