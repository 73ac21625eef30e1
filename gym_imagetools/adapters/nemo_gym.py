"""NeMo Gym: our tasks as its rows, and a resources server that runs tools and pays rewards.

One server serves one environment. Its tool routes play the episode of a session, call by call,
and list new pictures under ``tool_output_images``. ``/verify`` needs no session: it replays the
turns of the response it is given, so a stored rollout can be verified again at any time.
:func:`make_app` makes a server that needs FastAPI alone, :func:`make_resources_server` the same one
as a class of NeMo Gym.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar
from uuid import uuid4

from fastapi import FastAPI, HTTPException, Request
from starlette.middleware.sessions import SessionMiddleware

from gym_imagetools.adapters.hosted import HostedEpisode, make_native
from gym_imagetools.prompts import replies
from gym_imagetools.rollout import plan
from gym_imagetools.tool_output_images import TOOL_OUTPUT_IMAGES_KEY
from gym_imagetools.types import Message

if TYPE_CHECKING:
    from nemo_gym.base_resources_server import SimpleResourcesServer

SESSION_ID_KEY = "session_id"
"""Where the cookie of a session holds its name, here and in NeMo Gym."""

_NOT_RUNNING, _UNUSABLE = 409, 422


def task_rows(
    env_id: str, *, num_tasks: int, seed: int = 0, **keywords: Any
) -> Iterator[dict[str, Any]]:
    """Yield tasks as rows for an agent that calls tools natively, such as ``simple_agent``.

    Args:
        env_id: An id of the package.
        num_tasks: Rows to make, >= 1.
        seed: Fixes the tasks.
        keywords: Keywords of the id; the server must be made with the same.

    Raises:
        ValueError: A keyword is outside of its range, or there are fewer tasks.
    """
    with make_native(env_id, keywords) as env:
        available = env.get_wrapper_attr("num_tasks")
        for one in plan(seed, num_tasks=num_tasks, available=available):
            options = None if one.task is None else {"task": one.task}
            _, info = env.reset(seed=one.seed, options=options)
            request = {
                "input": [{"type": "message", **m} for m in env.get_wrapper_attr("prompt")],
                "tools": env.get_wrapper_attr("function_tools"),
                "parallel_tool_calls": False,
            }
            yield {"responses_create_params": request, "task_id": info["task_id"]}


@dataclass
class _Session:
    """A running episode; its calls wait for each other."""

    episode: HostedEpisode
    lock: threading.Lock = field(default_factory=threading.Lock)


class EpisodeService:
    """Plays and verifies the episodes of one environment; threads may ask at the same time.

    Args:
        env_id: An id of the package.
        keywords: Keywords of the id.

    Raises:
        ValueError: A keyword is outside of its range.
    """

    def __init__(self, env_id: str, keywords: Mapping[str, Any]) -> None:
        self._original = HostedEpisode(env_id, **keywords)
        self._sessions: dict[str, _Session] = {}
        self._closed: set[str] = set()
        self._lock = threading.Lock()

    def seed(self, name: str, task_id: str) -> None:
        """Begin the episode of a session; one that has begun stays as it is.

        Args:
            name: Names the session.
            task_id: The task to play.

        Raises:
            KeyError: The session was closed.
            ValueError: There is no such task.
        """
        session = self._sessions.get(name) or _Session(self._begun(task_id))
        with self._lock:
            if name in self._closed:
                raise KeyError(name)
            self._sessions.setdefault(name, session)

    def call(self, name: str, tool: str, arguments: str) -> dict[str, Any]:
        """Play one call of a session's episode.

        Args:
            name: Names the session.
            tool: The tool, as the model named it.
            arguments: What the model wrote, as JSON text.

        Returns:
            The reply for the model, new pictures under ``tool_output_images``.

        Raises:
            KeyError: There is no such session.
        """
        session = self._sessions[name]
        with session.lock:
            episode = session.episode
            if episode.is_over:
                return _reply(replies.error_json(replies.EPISODE_IS_OVER))
            episode.play(_call_item(tool, arguments))
            results, notice = episode.info["tool_results"], episode.info["notice"]
            output = results[0]["output"] if results else replies.error_json(notice)
            return _reply(output, notice, episode.image_urls)

    def close(self, name: str) -> None:
        """End a session for good, also one that never began."""
        with self._lock:
            self._sessions.pop(name, None)
            self._closed.add(name)

    def forget(self, name: str) -> None:
        """Drop the episode of a session that has been verified and may never be closed."""
        with self._lock:
            self._sessions.pop(name, None)

    def verify(self, task_id: str, response: Mapping[str, Any]) -> dict[str, Any]:
        """Replay a response and return what the episode pays.

        Args:
            task_id: The task.
            response: A response of the Responses API; what ran between the turns stands in its
                ``output`` as outputs of calls or as messages of the user.

        Raises:
            ValueError: There is no such task.
        """
        episode = self._begun(task_id)
        is_cut = bool(response.get("incomplete_details"))
        turns = list(_turns(response.get("output") or ()))
        for number, items in enumerate(turns, start=1):
            status = "incomplete" if is_cut and number == len(turns) else "completed"
            episode.play({"output": items, "status": status})
        episode.finish(None)
        info = episode.info
        return {
            "reward": episode.reward,
            "reward_components": episode.components,
            **episode.components,
            "reward_scores": episode.scores,
            "base_reward": info["base_reward"],
            "image_tools_call_count": info["tool_call_count"],
            "image_tools_error_count": info["tool_error_count"],
            "ending": info["ending"],
            "extracted_answer": info["extracted_answer"],
            "expected_answer": info["expected_answer"],
        }

    def _begun(self, task_id: str) -> HostedEpisode:
        episode = self._original.another()
        episode.reset(task_id)
        return episode


class Routes:
    """The routes of a server, as FastAPI calls them.

    Args:
        service: Plays and verifies.
    """

    def __init__(self, service: EpisodeService) -> None:
        self._service = service

    async def seed_session(self, request: Request) -> dict[str, Any]:
        """Begin an episode: the session is the caller's, or the one of the cookie."""
        body = await _body(request)
        given = body.get("resources_session_id")
        if given is not None:
            request.session[SESSION_ID_KEY] = str(given)
        task_id = _task_id(body.get("task_data", body))
        try:
            await asyncio.to_thread(self._service.seed, _session(request), task_id)
        except KeyError:
            raise HTTPException(_NOT_RUNNING, "Expected a session that was not closed.") from None
        except ValueError as error:
            raise HTTPException(_UNUSABLE, str(error)) from None
        return {} if given is None else {"resources_session_id": given}

    async def close_session(self, request: Request) -> dict[str, Any]:
        """End a session; that it has ended already or never began is no error."""
        body = await _body(request)
        session = body.get("resources_session_id") or _session(request)
        self._service.close(session)
        return {"resources_session_id": session}

    async def verify(self, request: Request) -> dict[str, Any]:
        """Pay for a response; the fields of the request come back with the rewards."""
        body = await _body(request)
        task_id, response = _task_id(body), body.get("response")
        if not isinstance(response, dict):
            raise HTTPException(_UNUSABLE, "Expected `response`, a JSON object, got none.")
        self._service.forget(_session(request))
        try:
            paid = await asyncio.to_thread(self._service.verify, task_id, response)
        except ValueError as error:
            raise HTTPException(_UNUSABLE, str(error)) from None
        return {**body, **paid}

    async def call_tool(self, tool_name: str, request: Request) -> dict[str, Any]:
        """Play a call; an unknown tool and bad arguments are the model's to read."""
        arguments = (await request.body()).decode("utf-8", "replace")
        try:
            return await asyncio.to_thread(
                self._service.call, _session(request), tool_name, arguments
            )
        except KeyError:
            raise HTTPException(_NOT_RUNNING, "Expected a session that was seeded.") from None


def make_app(env_id: str, **keywords: Any) -> FastAPI:
    """Return a resources server that needs no NeMo Gym.

    Args:
        env_id: An id of the package.
        keywords: Keywords of the id.

    Raises:
        ValueError: A keyword is outside of its range.
    """
    routes = Routes(EpisodeService(env_id, keywords))
    app = FastAPI()
    app.add_middleware(SessionMiddleware, secret_key=secrets.token_hex())
    app.post("/seed_session")(routes.seed_session)
    app.post("/close_session")(routes.close_session)
    app.post("/verify")(routes.verify)
    app.post("/{tool_name}")(routes.call_tool)
    return app


def make_resources_server(env_id: str, **keywords: Any) -> type[SimpleResourcesServer]:
    """Return a resources server as a class of NeMo Gym, whose ``run_webserver`` serves it.

    Args:
        env_id: An id of the package.
        keywords: Keywords of the id.

    Raises:
        ValueError: A keyword is outside of its range.
    """
    from nemo_gym.base_resources_server import (
        BaseResourcesServerConfig,
        ReverifyMode,
        SimpleResourcesServer,
    )

    routes = Routes(EpisodeService(env_id, keywords))

    class ImageToolsConfig(BaseResourcesServerConfig):
        REVERIFY_MODE: ClassVar[ReverifyMode] = ReverifyMode.STATELESS

    class ImageToolsResourcesServer(SimpleResourcesServer):
        config: ImageToolsConfig

        def setup_webserver(self) -> FastAPI:
            app: FastAPI = super().setup_webserver()
            app.post("/{tool_name}")(routes.call_tool)
            return app

        async def seed_session(self, request: Request) -> dict[str, Any]:
            return await routes.seed_session(request)

        async def close_resources_session(self, request: Request) -> dict[str, Any]:
            return await routes.close_session(request)

        async def verify(self, request: Request) -> dict[str, Any]:
            return await routes.verify(request)

    return ImageToolsResourcesServer


def _session(request: Request) -> str:
    name: str = request.session.setdefault(SESSION_ID_KEY, uuid4().hex)
    return name


async def _body(request: Request) -> dict[str, Any]:
    try:
        body = await request.json()
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise HTTPException(_UNUSABLE, "Expected the request as a JSON object.")
    return body


def _task_id(row: Mapping[str, Any]) -> str:
    if not isinstance(task_id := row.get("task_id"), str):
        raise HTTPException(_UNUSABLE, "Expected the row's `task_id`, got none; send the row.")
    return task_id


def _call_item(name: str, arguments: str) -> Message:
    return {"type": "function_call", "call_id": "", "name": name, "arguments": arguments}


def _reply(output: str, notice: str = "", image_urls: Sequence[str] = ()) -> dict[str, Any]:
    """Return the reply to a call as a JSON object."""
    images = [{"image_url": url} for url in image_urls]
    return {
        **json.loads(output),
        **({"notice": notice} if notice else {}),
        **({TOOL_OUTPUT_IMAGES_KEY: images} if images else {}),
    }


def _turns(output: Sequence[Message]) -> Iterator[list[Message]]:
    """Yield the assistant's turns: every native call is one, as the tool routes play them."""
    said: list[Message] = []
    for item in output:
        if item.get("type") == "function_call":
            yield [*said, item]
            said = []
        elif item.get("role", "assistant") == "assistant" and not _is_output(item):
            said.append(item)
        elif said:
            yield said
            said = []
    if said:
        yield said


def _is_output(item: Message) -> bool:
    return str(item.get("type", "")).endswith("call_output")
