"""The oracle behind a server gets full marks, whatever the server's manners."""

import gymnasium as gym
import pytest

from gym_imagetools.policies import DemonstrationPolicy
from gym_imagetools.rollout import plan, play
from tests.endpoints.manners import MANNERS
from tests.endpoints.runs import SEED, run_over_loopback

SERVERS = tuple(MANNERS)
APIS = ("chat", "responses")


@pytest.fixture(params=SERVERS)
def manners(request):
    return request.param


@pytest.fixture(params=APIS)
def api(request):
    return request.param


@pytest.mark.parametrize("prompt_format", ["xml", "json", "native"])
@pytest.mark.parametrize("named", [True, False])
def test_the_oracle_gets_full_marks(manners, api, prompt_format, named, tmp_path):
    run = run_over_loopback(
        tmp_path,
        manners=manners,
        keywords={"prompt_format": prompt_format},
        group_size=2,
        api=api,
        server=manners if named else "auto",
    )
    assert [record.reward for record in run.records] == [1.0, 1.0]
    assert run.script.refusals == []
    assert run.tally.num_failures == 0
    assert all(record.image_tools_call_count == 2 for record in run.records)


@pytest.mark.parametrize(
    ("env_id", "keywords", "num_tasks", "reward"),
    [
        ("ImageTools/Weather-v0", {}, 3, 3.0),
        ("ImageTools/Pivot-v0", {}, 8, 1.0),
        ("ImageTools/Maze-v0", {"difficulty": 3}, 2, 1.0),
        ("ImageTools/Mixed-v0", {"difficulty": 2}, 4, 1.0),
    ],
)
def test_every_kind_of_environment_is_played(api, env_id, keywords, num_tasks, reward, tmp_path):
    run = run_over_loopback(
        tmp_path, manners="vllm", env_id=env_id, keywords=keywords, num_tasks=num_tasks, api=api
    )
    assert [record.reward for record in run.records] == [reward] * num_tasks
    assert run.script.refusals == []


@pytest.mark.parametrize("prompt_format", ["xml", "json", "native"])
def test_rows_pay_what_their_demonstrations_pay(api, prompt_format, tmp_path):
    keywords = {"prompt_format": prompt_format}
    env = gym.make("ImageTools/Dataset-v0", **keywords)
    played = play(env, DemonstrationPolicy(), plan(SEED, num_tasks=12, available=12))
    run = run_over_loopback(
        tmp_path,
        manners="vllm",
        env_id="ImageTools/Dataset-v0",
        keywords=keywords,
        num_tasks=12,
        api=api,
    )
    assert [record.reward for record in run.records] == [one.reward for one in played]
    assert run.script.refusals == []


def test_a_reply_stops_behind_a_call_where_the_server_takes_stop_strings(tmp_path):
    run = run_over_loopback(tmp_path, manners="sglang")
    said = [item for item in run.records[0].response.output if item.get("role") == "assistant"]
    assert said[0]["content"][0]["text"].endswith("</function>\n</tool_call>")
    assert all(body["stop"] == ["</tool_call>"] for body in run.script.requests)


@pytest.mark.parametrize(
    ("manners", "api", "role"),
    [
        ("openai", "responses", "function_call_output"),
        ("transformers", "chat", "tool"),
        ("transformers", "responses", "function_call_output"),
        ("openai", "chat", "user"),
        ("vllm", "responses", "user"),
        ("sglang", "chat", "user"),
    ],
)
def test_pictures_stand_in_the_output_where_that_is_allowed(manners, api, role, tmp_path):
    run = run_over_loopback(
        tmp_path, manners=manners, api=api, keywords={"prompt_format": "native"}
    )
    last = run.script.requests[-1]["messages" if api == "chat" else "input"]
    kinds = ("image_url", "input_image")
    shown = {
        message.get("role") or message["type"]
        for message in last[2:]
        for part in message.get("content") or message.get("output") or ()
        if isinstance(part, dict) and part["type"] in kinds
    }
    assert shown == {role}


def test_nothing_is_streamed_or_kept_by_the_server(tmp_path):
    run = run_over_loopback(tmp_path, manners="openai", api="responses")
    for body in run.script.requests:
        assert body["stream"] is False
        assert body["store"] is False
        assert body["include"] == ["reasoning.encrypted_content"]


@pytest.mark.parametrize("api", APIS)
def test_two_runs_leave_the_same_bytes(api, tmp_path):
    kept = []
    for name in ("one", "two"):
        run_over_loopback(
            tmp_path / name, manners="vllm", num_tasks=2, group_size=3, concurrency=6, api=api
        )
        files = [path for path in (tmp_path / name).rglob("*") if path.is_file()]
        kept.append({path.relative_to(tmp_path / name): path.read_bytes() for path in files})
    assert kept[0] == kept[1]
