"""The real NeMo Gym: its models, its session contract, its agent and its metrics."""

import gc
import json
import socket
from contextlib import ExitStack

import gymnasium as gym
import pytest

pytest.importorskip("nemo_gym", reason="NeMo Gym has an environment of its own (Python 3.13)")

import httpx2
import nemo_gym.server_utils as server_utils
from fastapi import FastAPI, Request
from nemo_gym.base_resources_server import (
    BaseMultiRewardVerifyResponse,
    BaseRunRequest,
    ResourcesSeedSessionRequest,
)
from nemo_gym.config_types import AggregateMetricsRequest
from nemo_gym.episode_types import EpisodeId, TaskId
from nemo_gym.global_config import NEMO_GYM_CONFIG_DICT_ENV_VAR_NAME
from nemo_gym.server_utils import BaseServerConfig, ServerClient
from nemo_gym.single_agent_turn_types import SingleAgentTurnTaskInput
from nemo_gym.task_materialization import materialize_task
from nemo_gym.testing.session_conformance import check_resources_session_contract
from omegaconf import OmegaConf
from responses_api_agents.simple_agent.app import SimpleAgent, SimpleAgentConfig

from gym_imagetools.adapters.nemo_gym import make_resources_server, task_rows
from gym_imagetools.metrics import aggregate
from gym_imagetools.policies import OraclePolicy
from gym_imagetools.rollout import RunFolder, plan, play
from tests.hosts.play_nemo_gym import answer_item, call_item, response_of, run_rollout, task_id_of
from tests.hosts.rollouts import RECORDINGS, expected, recording
from tests.hosts.served import served

# NeMo Gym and what it imports warn of each other.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

MAZE = "ImageTools/Maze-v0"
RESOURCES, AGENT, MODEL = "image_tools", "simple_agent", "policy_model"


@pytest.fixture(autouse=True)
def own_client(monkeypatch):
    """A client of the package for each test, as it belongs to one event loop."""
    monkeypatch.setenv(NEMO_GYM_CONFIG_DICT_ENV_VAR_NAME, "{}")
    monkeypatch.setattr(server_utils, "_GLOBAL_AIOHTTP_CLIENT", None)
    yield
    monkeypatch.undo()
    gc.collect()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def client_of(ports: dict[str, int]) -> ServerClient:
    kinds = {RESOURCES: "resources_servers", AGENT: "responses_api_agents"}
    config = {
        name: {kinds.get(name, "responses_api_models"): {name: {"host": "127.0.0.1", "port": port}}}
        for name, port in ports.items()
    }
    return ServerClient(
        head_server_config=BaseServerConfig(host="127.0.0.1", port=1),
        global_config_dict=OmegaConf.create(config),
    )


def resources_app(env_id: str, client: ServerClient | None = None, **keywords) -> FastAPI:
    kind = make_resources_server(env_id, **keywords)
    config = kind.model_fields["config"].annotation(
        host="127.0.0.1", port=1, entrypoint="app.py", name=RESOURCES, domain="agent"
    )
    return kind(config=config, server_client=client or client_of({})).setup_webserver()


def test_the_session_contract_of_a_server_that_keeps_state_holds():
    seed = ResourcesSeedSessionRequest(
        resources_session_id="session-1",
        episode_id=EpisodeId(rollout_id="rollout-1"),
        task_id=TaskId(taskset="mazes", task_id="Maze/1/5"),
        task_data={"task_id": "Maze/1/5"},
    )
    check_resources_session_contract(resources_app(MAZE), seed, keeps_state=True)


def test_rows_are_requests_and_tasks_of_the_package():
    for index, row in enumerate(task_rows(MAZE, num_tasks=2)):
        plain = json.loads(json.dumps(row))
        BaseRunRequest.model_validate(plain)
        task = materialize_task(plain, taskset="mazes", task_index=index)
        read = SingleAgentTurnTaskInput.model_validate(task["task_input"])
        assert read.task_data == {"task_id": row["task_id"]}
        assert task["task_id"]["task_id"] == row["task_id"]


@pytest.mark.parametrize("name", RECORDINGS)
def test_verify_answers_with_the_model_of_several_rewards(name):
    played, outcome = recording(name), expected(name)
    app = resources_app(played.env_id, **played.keywords)
    with served(app) as url, httpx2.Client(base_url=url, timeout=60) as client:
        paid = run_rollout(client, task_id_of(played), played)
    read = BaseMultiRewardVerifyResponse.model_validate(paid)
    assert read.reward == pytest.approx(outcome.reward)
    assert read.reward_components == pytest.approx(outcome.components)
    assert sum(read.reward_components.values()) == pytest.approx(read.reward)


def scripted_model(recording) -> FastAPI:
    """A model server that says the turns of a recording, by the calls it has heard answers to."""
    app = FastAPI()

    @app.post("/v1/responses")
    async def responses(request: Request):
        heard = (await request.json())["input"]
        turn = sum(item.get("type") == "function_call_output" for item in heard)
        if turn < len(recording.calls):
            return response_of([call_item(turn, recording.calls[turn])])
        return response_of([answer_item(recording.answer or "I give up.")])

    return app


@pytest.mark.parametrize("name", RECORDINGS)
def test_the_simple_agent_plays_a_whole_episode(name):
    played, outcome = recording(name), expected(name)
    with ExitStack() as servers:
        ports = {AGENT: free_port()}
        for part, app in (
            (MODEL, scripted_model(played)),
            (RESOURCES, resources_app(played.env_id, **played.keywords)),
        ):
            ports[part] = int(servers.enter_context(served(app)).rpartition(":")[2])
        config = SimpleAgentConfig(
            host="127.0.0.1",
            port=ports[AGENT],
            entrypoint="app.py",
            name=AGENT,
            resources_server={"type": "resources_servers", "name": RESOURCES},
            model_server={"type": "responses_api_models", "name": MODEL},
        )
        agent = SimpleAgent(config=config, server_client=client_of(ports)).setup_webserver()
        url = servers.enter_context(served(agent, ports[AGENT]))
        row = {"responses_create_params": {"input": "?"}, "task_id": task_id_of(played)}
        paid = httpx2.post(f"{url}/run", json=row, timeout=120).raise_for_status().json()
    assert paid["reward"] == pytest.approx(outcome.reward)
    assert paid["reward_components"] == pytest.approx(outcome.components)
    outputs = [
        json.loads(item["output"])
        for item in paid["response"]["output"]
        if item["type"] == "function_call_output"
    ]
    assert len(outputs) == len(played.calls)
    assert (
        sum("tool_output_images" in output for output in outputs)
        == (outcome.info["tool_call_count"])
    )


@pytest.fixture(scope="module")
def records(tmp_path_factory) -> list[dict]:
    folder = RunFolder(tmp_path_factory.mktemp("run") / "run")
    rollouts = play(gym.make(MAZE), OraclePolicy(), plan(3, num_tasks=3, group_size=2))
    return [json.loads(folder.write(rollout).line()) for rollout in rollouts]


def test_records_are_verify_responses_of_the_package(records):
    for record in records:
        read = BaseMultiRewardVerifyResponse.model_validate(record)
        assert read.reward == record["reward"]
        assert read.response.output_text or read.response.output


def test_the_packages_metrics_read_records_and_agree_with_ours(records):
    with served(resources_app(MAZE)) as url:
        body = AggregateMetricsRequest(verify_responses=records).model_dump(mode="json")
        reply = httpx2.post(f"{url}/aggregate_metrics", json=body, timeout=60)
    theirs = reply.raise_for_status().json()["agent_metrics"]
    ours = aggregate(records)
    for name in ("mean/reward", "mean/answer", "mean/tool_use", "mean/base_reward"):
        assert theirs[name] == pytest.approx(ours[name])


def test_the_server_says_that_rollouts_can_be_verified_again(records):
    with served(resources_app(MAZE)) as url:
        assert "stateless" in httpx2.get(f"{url}/reverify_mode").raise_for_status().text
        paid = httpx2.post(f"{url}/verify", json=records[0], timeout=60).raise_for_status().json()
    assert paid["reward_components"] == records[0]["reward_components"]
