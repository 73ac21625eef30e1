"""The resources server over real HTTP, without NeMo Gym."""

import json
from concurrent.futures import ThreadPoolExecutor

import gymnasium as gym
import pytest

pytest.importorskip("fastapi")
pytest.importorskip("itsdangerous")
pytest.importorskip("uvicorn")

import httpx2

from gym_imagetools.adapters.nemo_gym import make_app, task_rows
from gym_imagetools.conversation import Conversation
from gym_imagetools.policies import OraclePolicy
from gym_imagetools.rollout import RunFolder, plan, play
from gym_imagetools.tool_output_images import split_tool_output_images
from tests.hosts.play_nemo_gym import answer_item, call_item, response_of, run_rollout, task_id_of
from tests.hosts.recipes import run_recipe
from tests.hosts.rollouts import RECORDINGS, Recording, expected, recording
from tests.hosts.served import served

MAZE = "ImageTools/Maze-v0"
ROW = {"task_id": "Maze/1/5"}
ROTATE = {"name": "image_rotate_tool", "arguments": {"degrees": 90}}
FLIP = {"name": "image_flip_tool", "arguments": {"axis": "vertical"}}


@pytest.fixture(scope="module")
def maze():
    with served(make_app(MAZE)) as url:
        yield url


@pytest.fixture
def client(maze):
    with httpx2.Client(base_url=maze, timeout=60) as client:
        yield client


def test_rows_are_tasks_with_tools_and_pictures_for_native_calls():
    rows = list(task_rows(MAZE, num_tasks=3, seed=4, difficulty=2))
    assert len({row["task_id"] for row in rows}) == 3
    for row in json.loads(json.dumps(rows)):
        assert row["task_id"].startswith("Maze/2/")
        request = row["responses_create_params"]
        assert request["tools"][0]["name"] == "image_zoom_in_tool"
        parts = [part for message in request["input"] for part in message["content"]]
        assert any(
            part["image_url"].startswith("data:image/png;base64,")
            for part in parts
            if isinstance(part, dict) and part["type"] == "input_image"
        )
        assert "<tool_call>" not in json.dumps(request["input"])


def test_rows_of_data_are_walked_in_order():
    ids = [row["task_id"] for row in task_rows("ImageTools/Dataset-v0", num_tasks=2)]
    assert ids == [task_id_of(Recording("ImageTools/Dataset-v0", row, ())) for row in (0, 1)]


def test_a_reply_holds_the_result_and_the_picture_as_the_environment_gives_it(client):
    env = gym.make(MAZE)
    env.reset(options={"task": ROW["task_id"]})
    _, _, _, _, info = env.step(ROTATE)
    client.post("/seed_session", json=ROW).raise_for_status()
    reply = client.post("/image_rotate_tool", json=ROTATE["arguments"]).json()
    rest, images = split_tool_output_images(reply)
    assert rest == json.loads(info["tool_results"][0]["output"])
    assert [image.image_url for image in images] == env.get_wrapper_attr("image_urls")


def test_a_conversation_shows_the_pictures_of_a_reply(client):
    client.post("/seed_session", json=ROW).raise_for_status()
    reply = client.post("/image_rotate_tool", json=ROTATE["arguments"]).text
    talk = Conversation([{"role": "user", "content": "?"}], tool_calls="native")
    talk.add_turn([call_item(0, ROTATE)])
    result = {"call_id": "call_0", "name": ROTATE["name"], "arguments": ROTATE["arguments"]}
    info = {"tool_results": [{**result, "ok": True, "duplicate": "", "output": reply}]}
    talk.add_reply({"text": reply, "images": ()}, {**info, "notice": ""})
    assert "tool_output_images" not in json.dumps(talk.messages)
    assert "data:image/png;base64," in json.dumps(talk.messages)


@pytest.mark.parametrize(
    ("tool", "body"),
    [
        ("no_such_tool", {}),
        ("image_rotate_tool", {}),
        ("image_rotate_tool", {"degrees": "much"}),
        ("image_rotate_tool", [90]),
        ("image_rotate_tool", "90"),
        ("image_rotate_tool", None),
        ("verify_me", {"degrees": 90}),
    ],
)
def test_what_a_model_calls_wrongly_is_answered_and_fined(client, tool, body):
    client.post("/seed_session", json=ROW).raise_for_status()
    reply = client.post(f"/{tool}", json=body)
    assert reply.status_code == 200
    assert reply.json()["ok"] is False
    output = [{**call_item(0, ROTATE), "name": tool, "arguments": json.dumps(body)}]
    paid = client.post("/verify", json={**ROW, "response": response_of(output)}).json()
    assert paid["ending"] == "invalid_call"
    assert paid["reward_components"] == {"answer": 0.0, "tool_use": -0.01}


def test_an_episode_that_is_over_runs_nothing_more(client):
    client.post("/seed_session", json=ROW).raise_for_status()
    client.post("/no_such_tool", json={})
    reply = client.post("/image_rotate_tool", json={"degrees": 90}).json()
    assert "The episode is over" in reply["error"]


def test_sessions_are_apart_also_side_by_side(maze):
    def play_alone(number: int) -> int:
        with httpx2.Client(base_url=maze, timeout=60) as client:
            client.post("/seed_session", json={"task_id": f"Maze/1/{number}"}).raise_for_status()
            replies = [
                client.post("/image_rotate_tool", json={"degrees": 10 + degrees}).json()
                for degrees in range(number)
            ]
        assert [reply["new_img_indices"] for reply in replies] == [[1 + n] for n in range(number)]
        return len(replies)

    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(play_alone, range(6))) == list(range(6))


def test_a_session_is_seeded_once_and_closed_for_good(client, maze):
    seed = {
        "resources_session_id": "caller's own",
        "episode_id": {"rollout_id": "r0"},
        "task_id": {"taskset": "t", "task_id": ROW["task_id"]},
        "task_data": ROW,
    }
    client.post("/seed_session", json=seed).raise_for_status()
    client.post("/image_rotate_tool", json={"degrees": 90}).raise_for_status()
    again = client.post("/seed_session", json=seed).raise_for_status()
    assert again.json() == {"resources_session_id": "caller's own"}
    reply = client.post("/image_flip_tool", json=FLIP["arguments"]).json()
    assert reply["new_img_indices"] == [2]
    for _ in range(2):
        closed = client.post("/close_session", json={"resources_session_id": "caller's own"})
        assert closed.raise_for_status().json() == {"resources_session_id": "caller's own"}
    assert client.post("/image_flip_tool", json={}).status_code == 409
    assert client.post("/seed_session", json=seed).status_code == 409
    with httpx2.Client(base_url=maze) as stranger:
        assert stranger.post("/image_flip_tool", json={}).status_code == 409


@pytest.mark.parametrize("path", ["/seed_session", "/verify"])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"task_id": 5, "response": {}}',
        b'{"task_id": "Maze/9/5", "response": {}}',
        b'{"task_id": "Views3D/1/5", "response": {}}',
    ],
)
def test_a_request_without_a_task_of_the_environment_is_refused(client, path, content):
    assert client.post(path, content=content).status_code == 422


def test_verify_asks_for_a_response(client):
    assert client.post("/verify", json=ROW).status_code == 422


@pytest.mark.parametrize("name", RECORDINGS)
def test_components_sum_to_the_reward_and_stand_at_the_top(name):
    played, outcome = recording(name), expected(name)
    with (
        served(make_app(played.env_id, **played.keywords)) as url,
        httpx2.Client(base_url=url, timeout=60) as client,
    ):
        paid = run_rollout(client, task_id_of(played), played)
    assert sum(paid["reward_components"].values()) == pytest.approx(paid["reward"])
    assert {key: paid[key] for key in paid["reward_components"]} == paid["reward_components"]
    for key in ("base_reward", "ending", "extracted_answer", "expected_answer"):
        assert paid[key] == outcome.info[key]
    assert paid["image_tools_call_count"] == outcome.info["tool_call_count"]
    assert paid["responses_create_params"] == {"input": []}


def test_a_response_without_an_answer_is_paid_no_answer(client):
    for output in ([], [call_item(0, ROTATE)]):
        paid = client.post("/verify", json={**ROW, "response": response_of(output)}).json()
        assert paid["base_reward"] == 0.0
        assert paid["ending"] == "incomplete"


def test_a_reply_that_was_cut_is_graded_zero(client):
    (oracle,) = play(gym.make(MAZE), OraclePolicy(), plan(0, num_tasks=1))
    row = {"task_id": oracle.task_id}
    response = response_of([answer_item(rf"\boxed{{{oracle.final['expected_answer']}}}")])
    whole = client.post("/verify", json={**row, "response": response}).json()
    response["incomplete_details"] = {"reason": "max_output_tokens"}
    cut = client.post("/verify", json={**row, "response": response}).json()
    assert (whole["reward"], cut["reward"]) == (1.0, 0.0)


def test_calls_of_one_model_response_are_played_as_the_agent_runs_them(client):
    client.post("/seed_session", json=ROW).raise_for_status()
    output = [call_item(0, ROTATE), call_item(1, FLIP)]
    for number, call in enumerate((ROTATE, FLIP)):
        reply = client.post(f"/{call['name']}", json=call["arguments"]).text
        given = {"type": "function_call_output", "call_id": f"call_{number}", "output": reply}
        output.append(given)
    paid = client.post("/verify", json={**ROW, "response": response_of(output)}).json()
    assert paid["image_tools_call_count"] == 2


def test_recorded_rollouts_are_verified_as_they_were_paid(client, tmp_path):
    folder = RunFolder(tmp_path / "run")
    for rollout in play(gym.make(MAZE), OraclePolicy(), plan(3, num_tasks=3, group_size=2)):
        record = json.loads(folder.write(rollout).line())
        paid = client.post("/verify", json=record).json()
        same = ("reward", "reward_components", "reward_scores", "ending", "extracted_answer")
        assert {key: paid[key] for key in same} == {key: record[key] for key in same}


def test_weather_is_served_as_well():
    env_id = "ImageTools/Weather-v0"
    played = Recording(env_id, 0, ())
    env = gym.make(env_id)
    env.reset(options={"task": 0})
    item = call_item(0, env.get_wrapper_attr("task").expected_call)
    with served(make_app(env_id)) as url, httpx2.Client(base_url=url, timeout=60) as client:
        row = {"task_id": task_id_of(played)}
        client.post("/seed_session", json=row).raise_for_status()
        reply = client.post(f"/{item['name']}", content=item["arguments"]).raise_for_status()
        paid = client.post("/verify", json={**row, "response": response_of([item])}).json()
    assert "weather" in reply.text
    assert paid["reward_components"] == {"correctness": 1.0, "schema_valid": 1.0, "format": 1.0}
    assert paid["reward"] == 3.0


def test_the_recipe_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_recipe("NeMo Gym")
    assert len((tmp_path / "train.jsonl").read_text().splitlines()) == 20
