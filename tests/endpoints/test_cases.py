"""The public fault reports about endpoints and clients, each as a test of its whole kind."""

import json
from pathlib import Path

import gymnasium as gym
import pytest

from gym_imagetools.conversation import Conversation
from gym_imagetools.endpoints.reply import read_reply
from tests.endpoints.manners import MANNERS
from tests.endpoints.runs import CENSUS, run_over_loopback
from tests.endpoints.server import Fault

CASES = {
    row["id"]: row
    for row in map(
        json.loads,
        (Path(__file__).parents[1] / "cases" / "endpoint.jsonl")
        .read_text(encoding="utf-8")
        .splitlines(),
    )
}
NATIVE = {"prompt_format": "native"}
APIS = ("chat", "responses")


def test_every_case_has_its_test():
    names = {name.split("_")[1].upper() for name in globals() if name.startswith("test_ep")}
    assert names == set(CASES)


@pytest.mark.parametrize("prompt_format", ["native", "xml"])
@pytest.mark.parametrize("manners", MANNERS)
def test_ep02_reasoning_items_come_back_to_the_letter_and_in_their_order(
    manners, prompt_format, tmp_path
):
    run = run_over_loopback(
        tmp_path, manners=manners, api="responses", keywords={"prompt_format": prompt_format}
    )
    back = [item for item in run.script.requests[-1]["input"] if item.get("type") == "reasoning"]
    assert [item["summary"] for item in back] == [[], []]
    assert run.script.refusals == []
    kinds = [item.get("type", "message") for item in run.script.requests[-1]["input"][2:]]
    assert kinds[:2] == ["reasoning", "function_call" if prompt_format == "native" else "message"]
    recorded = [item for item in run.records[0].response.output if item["type"] == "reasoning"]
    assert recorded[:2] == back


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("manners", MANNERS)
def test_ep04_every_call_of_a_turn_gets_an_output(api, manners, tmp_path):
    run = run_over_loopback(
        tmp_path,
        manners=manners,
        api=api,
        keywords={**NATIVE, "max_tool_calls_per_turn": 1},
        script={"fault": lambda number, body: Fault("two_calls") if number == 0 else None},
    )
    assert run.script.refusals == []
    assert [record.reward for record in run.records] == [1.0]
    outputs = [
        item["output"]
        for item in run.records[0].response.output
        if item["type"] == "function_call_output"
    ]
    assert len(outputs) == 3
    assert "Not run: too many calls in one turn." in outputs[1]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("manners", MANNERS)
def test_ep05_pictures_are_parts_and_never_text(api, manners, tmp_path):
    run = run_over_loopback(tmp_path, manners=manners, api=api, keywords=NATIVE)
    assert run.script.refusals == []
    for message in run.script.requests[-1]["messages" if api == "chat" else "input"]:
        for text in texts_of(message):
            assert "data:image" not in text


def texts_of(message):
    content = message.get("content", message.get("output")) or ""
    parts = [{"text": content}] if isinstance(content, str) else content
    return [part["text"] for part in parts if "text" in part]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("prompt_format", ["xml", "json", "native"])
@pytest.mark.parametrize("cut_turn", [0, 1, 2])
def test_ep07_a_cut_reply_is_not_run_and_marked(api, prompt_format, cut_turn, tmp_path):
    run = run_over_loopback(
        tmp_path,
        manners="vllm",
        api=api,
        keywords={"prompt_format": prompt_format},
        script={"fault": lambda number, body: Fault("cut") if number == cut_turn else None},
    )
    (record,) = run.records
    assert (record.ending, record.base_reward) == ("incomplete", 0.0)
    assert record.image_tools_call_count == cut_turn
    assert record.incomplete_details == {"reason": "max_output_tokens"}
    assert record.response.status == "incomplete"
    assert [facts.incomplete for facts in record.turn_facts] == [
        *[""] * cut_turn,
        "max_output_tokens",
    ]


@pytest.mark.parametrize("arguments", ['{"bbox_2d":[10,20', '{"a": "b', "{", "", "[1]", "nul"])
@pytest.mark.parametrize("api", APIS)
def test_ep07_a_cut_call_goes_back_as_valid_json_with_the_reason(api, arguments):
    call = {"name": "image_crop_tool", "arguments": arguments}
    if api == "chat":
        calls = [{"id": "c1", "type": "function", "function": call}]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
        dump = {"choices": [{"message": message, "finish_reason": "length"}]}
    else:
        item = {"type": "function_call", "call_id": "c1", "id": "f1", **call}
        details = {"reason": "max_output_tokens"}
        dump = {
            "status": "incomplete",
            "incomplete_details": details,
            "output": [{**item, "status": "incomplete"}],
        }
    reply = read_reply(dump, api)
    assert reply.incomplete == "max_output_tokens"
    env = gym.make(CENSUS, prompt_format="native")
    env.reset(seed=1)
    conversation = Conversation(env.get_wrapper_attr("prompt"), api, tool_calls="native")
    observation, _, terminated, _, info = env.step(reply.action)
    assert terminated
    assert info["tool_call_count"] == 0
    conversation.add_turn(reply.action)
    conversation.add_reply(observation, info)
    said, answer = conversation.messages[2:4]
    fields = said["tool_calls"][0]["function"] if api == "chat" else said
    assert json.loads(fields["arguments"]) == {}
    assert "cut off" in answer["content" if api == "chat" else "output"]


TRANSIENT = [
    Fault("status", 429, retry_after="0.05"),
    Fault("status", 408),
    Fault("status", 409),
    Fault("status", 500),
    Fault("status", 503),
    Fault("hang"),
    Fault("reset"),
]


@pytest.mark.parametrize("fault", TRANSIENT, ids=lambda fault: f"{fault.kind}{fault.status or ''}")
def test_ep08_a_passing_fault_is_tried_again(fault, tmp_path):
    run = run_over_loopback(
        tmp_path,
        script={"fault": lambda number, body: fault if number == 1 else None},
        max_retries=2,
        timeout_s=0.7,
    )
    assert [record.reward for record in run.records] == [1.0]
    assert run.failures == []
    assert run.script.counts["requests"] == 4


@pytest.mark.parametrize("fault", TRANSIENT, ids=lambda fault: f"{fault.kind}{fault.status or ''}")
def test_ep08_a_lasting_fault_is_a_failure_and_never_a_reward(fault, tmp_path):
    run = run_over_loopback(
        tmp_path,
        num_tasks=2,
        concurrency=1,
        script={"fault": lambda number, body: fault if number < 2 else None},
        max_retries=1,
        timeout_s=0.7,
    )
    (failure,) = run.failures
    assert (failure.task_index, failure.turn) == (0, 1)
    assert failure.status == fault.status
    assert failure.kind == {"hang": "timeout", "reset": "connection"}.get(fault.kind, "status")
    assert [(record.task_index, record.reward) for record in run.records] == [(1, 1.0)]
