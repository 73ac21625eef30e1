"""A recorded episode, played through the routes of a resources server over real HTTP."""

from __future__ import annotations

import json
from typing import Any

import httpx2

from gym_imagetools.adapters.nemo_gym import make_app
from tests.hosts.rollouts import Outcome, Recording
from tests.hosts.served import served


def call_item(number: int, call: dict[str, Any]) -> dict[str, Any]:
    """Return a call as an item of a response."""
    arguments = json.dumps(call["arguments"])
    return {
        "type": "function_call",
        "id": f"fc_{number}",
        "call_id": f"call_{number}",
        "name": call["name"],
        "arguments": arguments,
    }


def answer_item(text: str) -> dict[str, Any]:
    """Return an answer as an item of a response."""
    part = {"type": "output_text", "text": text, "annotations": []}
    return {
        "type": "message",
        "id": "msg_0",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }


def response_of(output: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a whole response of the Responses API."""
    return {
        "id": "resp_0",
        "created_at": 0,
        "model": "recorded",
        "object": "response",
        "output": output,
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
    }


def run_rollout(client: httpx2.Client, task_id: str, recording: Recording) -> dict[str, Any]:
    """Play as NeMo Gym's simple agent does: seed, a request a call, and verify."""
    row = {"responses_create_params": {"input": []}, "task_id": task_id}
    client.post("/seed_session", json=row).raise_for_status()
    output: list[dict[str, Any]] = []
    for number, call in enumerate(recording.calls):
        item = call_item(number, call)
        reply = client.post(f"/{call['name']}", content=item["arguments"]).raise_for_status()
        given = {"type": "function_call_output", "call_id": item["call_id"], "output": reply.text}
        output += [item, given]
    if recording.answer:
        output.append(answer_item(recording.answer))
    paid = client.post("/verify", json={**row, "response": response_of(output)})
    result: dict[str, Any] = paid.raise_for_status().json()
    return result


def task_id_of(recording: Recording) -> str:
    """Return the name of a recording's task."""
    import gymnasium as gym

    with gym.make(recording.env_id, **recording.keywords) as env:
        _, info = env.reset(options={"task": recording.task})
    return str(info["task_id"])


def play(recording: Recording) -> Outcome:
    """Return what ``/verify`` pays."""
    app = make_app(recording.env_id, **recording.keywords)
    with served(app) as url, httpx2.Client(base_url=url, timeout=60) as client:
        paid = run_rollout(client, task_id_of(recording), recording)
    return Outcome(paid["reward"], paid)
