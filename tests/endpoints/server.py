"""A scripted OpenAI-compatible server over real HTTP, with the manners of four servers.

It is as strict as they are: unknown keys, pictures where none are taken, calls without an output
and reasoning that does not come back to the letter are refused. What it says is :mod:`served`.
"""

from __future__ import annotations

import hashlib
import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import Any

from tests.endpoints.manners import MANNERS, Refusal
from tests.endpoints.served import Turns, as_calls, as_text, find_turns, num_own_turns

MODEL = "oracle-1"
STOP = "</tool_call>"
HALLUCINATED = "\n<tool_response>\n{}\n</tool_response>"
"""What a model goes on with when nothing stops it behind a call."""


@dataclass(frozen=True)
class Fault:
    """What goes wrong with one request.

    ``status`` answers with it; ``hang`` never answers; ``reset`` drops the connection; ``cut``
    cuts the reply off as the token limit does, inside of a call where there is one; ``refusal``
    refuses to answer, and ``refused answer`` does so with the answer as its words; ``garbage``
    answers with no JSON; ``two_calls`` calls twice in one turn.
    """

    kind: str
    status: int = 0
    retry_after: str = ""


@dataclass
class Script:
    """How a server behaves, and what it has seen.

    Attributes:
        manners: Whose manners it has.
        table: The turns by the key of their prompt.
        key: The key it wants; "" for any.
        fault: Gives the fault of a request by its number, from 0, and its body.
        delay_s: Seconds before each reply.
        reasons: Whether replies of Responses begin with a reasoning item.
    """

    manners: str
    table: Mapping[str, Turns]
    key: str = ""
    fault: Callable[[int, Mapping[str, Any]], Fault | None] = lambda number, body: None
    delay_s: float = 0.0
    reasons: bool = True
    requests: list[dict[str, Any]] = field(default_factory=list)
    keeps_requests: bool = True
    refusals: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)
    closing: threading.Event = field(default_factory=threading.Event)

    def count(self, body: dict[str, Any]) -> int:
        with self.lock:
            number = self.counts["requests"]
            self.counts["requests"] += 1
            if self.keeps_requests:
                self.requests.append(body)
        return number


class Server(ThreadingHTTPServer):
    """Listens on a free port of the loopback."""

    daemon_threads = True
    request_queue_size = 1024

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep what is wrong with the server itself: clients drop connections when they like."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError | ValueError):
            self.script.errors.append(repr(error))


@contextmanager
def serving(script: Script):
    """Serve in a thread; yields the server."""
    with Server(script) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server
        finally:
            script.closing.set()
            server.shutdown()
            thread.join()
        assert not script.errors


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def log_message(self, format: str, *arguments: Any) -> None:
        pass

    def do_GET(self) -> None:
        script = self.server.script
        if self._is_denied():
            return
        listed = MANNERS[script.manners].models(MODEL)
        self._send(200, {"object": "list", "data": listed})

    def do_POST(self) -> None:
        script = self.server.script
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self._is_denied():
            return
        fault = script.fault(script.count(body), body)
        if fault is not None and self._is_faulty(fault):
            return
        time.sleep(script.delay_s)
        api = {"/v1/chat/completions": "chat", "/v1/responses": "responses"}.get(self.path)
        if api is None:
            return self._refuse(Refusal(404, "no such path"))
        try:
            MANNERS[script.manners].check(body, api)
            if body["model"] != MODEL:
                raise Refusal(404, f"The model `{body['model']}` does not exist.")
            reply = _reply(script, body, api, fault.kind if fault else "")
        except Refusal as refusal:
            script.refusals.append(refusal.message)
            return self._refuse(refusal)
        if MANNERS[script.manners].streams(body, api):
            return self._stream(reply)
        self._send(200, reply)

    def _is_denied(self) -> bool:
        key = self.server.script.key
        if not key or self.headers.get("Authorization") == f"Bearer {key}":
            return False
        self._refuse(Refusal(401, "Incorrect API key provided."))
        return True

    def _is_faulty(self, fault: Fault) -> bool:
        """Behave as the fault says; return whether the request is done with."""
        match fault.kind:
            case "status":
                headers = {"Retry-After": fault.retry_after} if fault.retry_after else {}
                self._refuse(Refusal(fault.status, "on demand"), headers)
            case "hang":
                self.server.script.closing.wait(30)
                self.close_connection = True
            case "reset":
                self.close_connection = True
                self.connection.close()
            case "garbage":
                self._write(200, b"<html>busy</html>", "text/html", {})
            case _:
                return False
        return True

    def _refuse(self, refusal: Refusal, headers: Mapping[str, str] | None = None) -> None:
        error = {"message": refusal.message, "type": "error", "code": refusal.code}
        self._send(refusal.status, {"error": error}, headers)

    def _stream(self, reply: Mapping[str, Any]) -> None:
        data = f"data: {json.dumps(reply)}\n\ndata: [DONE]\n\n".encode()
        self._write(200, data, "text/event-stream", {})

    def _send(self, status: int, reply: Any, headers: Mapping[str, str] | None = None) -> None:
        self._write(status, json.dumps(reply).encode(), "application/json", headers or {})

    def _write(self, status: int, data: bytes, kind: str, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": len(data), **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(data)


def _reply(script: Script, body: Mapping[str, Any], api: str, fault: str) -> dict[str, Any]:
    messages = body["messages" if api == "chat" else "input"]
    try:
        turns, end = find_turns(script.table, messages)
    except KeyError as error:
        raise Refusal(400, str(error)) from None
    number = num_own_turns(messages[end:])
    said = _Said(script, body, api, fault, turns, number)
    if api == "responses" and script.reasons:
        _expect_reasoning(messages[end:], [_reasoning(turns, n) for n in range(number)])
    return said.chat() if api == "chat" else said.responses()


def _reasoning(turns: Turns, number: int) -> dict[str, Any]:
    name = hashlib.sha256(repr((turns, number)).encode()).hexdigest()[:12]
    # The empty summary must come back, too.
    return {"id": f"rs_{name}", "type": "reasoning", "summary": [], "encrypted_content": name * 3}


def _expect_reasoning(messages: list[Mapping[str, Any]], given: list[dict[str, Any]]) -> None:
    back = [message for message in messages if message.get("type") == "reasoning"]
    if back != given:
        raise Refusal(400, f"reasoning items came back as {back}, not as {given}")
    for message, following in pairwise(messages):
        if message.get("type") == "reasoning" and following.get("type") not in (
            "function_call",
            "message",
        ):
            raise Refusal(400, "reasoning item without its required following item")


@dataclass(frozen=True)
class _Said:
    """One reply in the making."""

    script: Script
    body: Mapping[str, Any]
    api: str
    fault: str
    turns: Turns
    number: int

    @property
    def turn(self) -> Any:
        return self.turns[min(self.number, len(self.turns) - 1)]

    @property
    def name(self) -> str:
        return _reasoning(self.turns, self.number)["id"].removeprefix("rs_")

    @property
    def refusal(self) -> str:
        answer = as_text(self.turns[-1], "xml")
        return {"refusal": "I cannot help with that.", "refused answer": answer}.get(self.fault, "")

    def text(self) -> tuple[str, bool]:
        """Return the text as the server trims it, and whether a stop string was met."""
        prompt = json.dumps(self.body["messages" if self.api == "chat" else "input"][:1])
        text = as_text(self.turn, "xml" if "<function=" in prompt else "json")
        if self.fault == "two_calls":
            text = text + "\n" + text
        if self.fault == "cut":
            return text[: max(1, len(text) - len(STOP) - 8)], False
        stops = self.body.get("stop") or []
        if STOP in text and STOP in stops:
            text = (text + HALLUCINATED).partition(STOP)[0]
            return (text + STOP if MANNERS[self.script.manners].keeps(self.body) else text), True
        return text, False

    def calls(self) -> tuple[str, list[dict[str, Any]]]:
        text, calls = as_calls(self.turn)
        if self.fault == "two_calls" and calls:
            calls = [*calls, *calls]
        named = [
            {"id": f"call_{self.name}_{index}", **call, "arguments": json.dumps(call["arguments"])}
            for index, call in enumerate(calls)
        ]
        if self.fault == "cut" and named:
            named[-1]["arguments"] = named[-1]["arguments"][:-6]
        return text, named

    def chat(self) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": None}
        extra: dict[str, Any] = {}
        reason = "stop"
        if self.refusal:
            message["refusal"] = self.refusal
        elif self.body.get("tools"):
            text, calls = self.calls()
            message["content"] = text or None
            if calls:
                reason = "tool_calls"
                message["tool_calls"] = [
                    {
                        "id": call["id"],
                        "type": "function",
                        "function": {"name": call["name"], "arguments": call["arguments"]},
                    }
                    for call in calls
                ]
        else:
            message["content"], stopped = self.text()
            extra = MANNERS[self.script.manners].matched(STOP) if stopped else {}
        if self.fault == "cut":
            reason = "length"
        choice = {"index": 0, "message": message, "finish_reason": reason, **extra}
        return {
            "id": f"chatcmpl-{self.name}",
            "object": "chat.completion",
            "created": 0,
            "model": MODEL,
            "choices": [choice | self._tokens()],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
            **({"prompt_token_ids": [1, 2]} if self.body.get("return_token_ids") else {}),
        }

    def _tokens(self) -> dict[str, Any]:
        captured: dict[str, Any] = {}
        if self.body.get("logprobs"):
            entries = [{"token": "a", "logprob": -0.5, "top_logprobs": []}] * 3
            captured["logprobs"] = {"content": entries}
        if self.body.get("return_token_ids"):
            captured["token_ids"] = [7, 8, 9]
        return captured

    def responses(self) -> dict[str, Any]:
        status = "incomplete" if self.fault == "cut" else "completed"
        output = [_reasoning(self.turns, self.number)] if self.script.reasons else []
        if self.refusal:
            part = {"type": "refusal", "refusal": self.refusal}
            output.append(self._message([part], status))
        elif self.body.get("tools"):
            text, calls = self.calls()
            if text:
                output.append(self._message(_text_parts(text), status))
            output += [self._call(call, status) for call in calls]
        else:
            output.append(self._message(_text_parts(self.text()[0]), status))
        cut = {"reason": "max_output_tokens"} if self.fault == "cut" else None
        return {
            "id": f"resp_{self.name}",
            "object": "response",
            "created_at": 0,
            "model": MODEL,
            "status": status,
            "incomplete_details": cut,
            "output": output,
            "usage": {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110},
        }

    def _message(self, content: list[dict[str, Any]], status: str) -> dict[str, Any]:
        return {
            "id": f"msg_{self.name}",
            "type": "message",
            "role": "assistant",
            "status": status,
            "content": content,
        }

    def _call(self, call: Mapping[str, Any], status: str) -> dict[str, Any]:
        return {
            "id": call["id"].replace("call_", "fc_"),
            "type": "function_call",
            "call_id": call["id"],
            "name": call["name"],
            "arguments": call["arguments"],
            "status": status,
        }


def _text_parts(text: str) -> list[dict[str, Any]]:
    return [{"type": "output_text", "text": text, "annotations": []}]
