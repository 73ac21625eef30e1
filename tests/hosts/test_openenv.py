"""The server over real HTTP and WebSocket, asked by the installed package's own client."""

import json

import gymnasium as gym
import pytest

pytest.importorskip("openenv.core", reason="the openenv extra is missing")

import httpx
from openenv.core.generic_client import GenericEnvClient

from gym_imagetools.adapters.openenv import ImageToolsAction, ImageToolsObservation, make_app
from tests.hosts.recipes import run_recipe
from tests.hosts.served import served

# OpenEnv and what it imports warn of each other.
pytestmark = pytest.mark.filterwarnings("default")

MAZE = "ImageTools/Maze-v0"
ROTATE = {"name": "image_rotate_tool", "arguments": {"degrees": 90}}


@pytest.fixture(scope="module")
def maze():
    with served(make_app(MAZE, difficulty=2), ws="auto") as url:
        yield url


@pytest.fixture
def client(maze):
    with GenericEnvClient(base_url=maze).sync() as client:
        yield client


def test_a_reset_shows_the_question_the_pictures_the_prompt_and_the_tools(client):
    env = gym.make(MAZE, difficulty=2, prompt_format="native")
    expected, info = env.reset(seed=11)
    result = client.reset(seed=11)
    observation = result.observation
    assert observation["text"] == expected["text"]
    assert observation["images"] == env.get_wrapper_attr("image_urls")
    assert observation["prompt"] == env.get_wrapper_attr("prompt")
    assert observation["tools"] == env.get_wrapper_attr("function_tools")
    assert observation["task_id"] == info["task_id"]
    assert (result.done, result.reward) == (False, None)


def test_every_form_of_a_turn_is_played_as_in_gymnasium(client):
    env = gym.make(MAZE, difficulty=2)
    env.reset(options={"task": 5})
    client.reset(task=5)
    turns = [
        ROTATE,
        "<tool_call>\n<function=image_flip_tool>\n<parameter=axis>\nvertical\n</parameter>\n"
        "</function>\n</tool_call>",
        [{"type": "function_call", "name": "color_at_tool", "arguments": '{"point_2d": [1, 1]}'}],
        {"role": "assistant", "content": r"\boxed{A}"},
    ]
    for turn in turns:
        expected, reward, terminated, _, info = env.step(turn)
        result = client.step({"turn": turn})
        assert result.observation["text"] == expected["text"]
        assert result.observation["images"] == env.get_wrapper_attr("image_urls")
        assert (result.reward, result.done) == (pytest.approx(reward), terminated)
        assert result.observation["reward_components"] == info["reward_components"]
    assert result.observation["ending"] == "answered"


def test_state_counts_turns_and_reward(client):
    client.reset(task=5, episode_id="mine")
    client.step({"turn": ROTATE})
    state = client.state()
    assert (state["episode_id"], state["step_count"]) == ("mine", 1)
    assert state["task_id"].startswith("Maze/2/")
    assert state["total_reward"] == pytest.approx(0.01)


def test_a_turn_after_the_end_changes_nothing(client):
    client.reset(task=5)
    first = client.step({"turn": "no idea"})
    again = client.step({"turn": ROTATE})
    assert first.done
    assert again.done
    assert (again.reward, again.observation["text"]) == (0.0, "")


def test_clients_do_not_share_an_episode(maze):
    one, other = (GenericEnvClient(base_url=maze).sync() for _ in range(2))
    with one, other:
        one.reset(task=1)
        other.reset(task=2)
        one.step({"turn": ROTATE})
        assert one.state()["step_count"] == 1
        assert other.state()["step_count"] == 0
        assert one.state()["task_id"] != other.state()["task_id"]


@pytest.mark.parametrize("action", [{}, {"turn": 5}, {"turn": None}, {"turn": "x", "more": 1}])
def test_what_is_no_turn_is_refused_and_the_episode_goes_on(client, action):
    client.reset(task=5)
    with pytest.raises(RuntimeError, match=r"VALIDATION_ERROR|validation"):
        client.step(action)
    assert client.step({"turn": ROTATE}).reward == pytest.approx(0.01)


def test_a_task_that_does_not_exist_is_refused(client):
    with pytest.raises(RuntimeError, match="task"):
        client.reset(task="Views3D/1/5")
    assert client.reset(task=5).observation["task_id"].startswith("Maze/2/")


def test_the_schema_of_actions_and_observations_is_served(maze):
    schema = httpx.get(f"{maze}/schema").raise_for_status().json()
    assert schema["action"]["properties"].keys() == ImageToolsAction.model_fields.keys()
    observed = set(schema["observation"]["properties"])
    assert observed == set(ImageToolsObservation.model_fields)
    assert httpx.get(f"{maze}/health").json() == {"status": "healthy"}


def test_a_reset_over_plain_http_shows_the_question(maze):
    reply = httpx.post(f"{maze}/reset", json={"seed": 11}).raise_for_status().json()
    assert reply["observation"]["text"]
    assert "data:image/png;base64," in json.dumps(reply["observation"]["images"])


def test_the_recipe_runs():
    with served(make_app("ImageTools/Maze-v0", difficulty=2), ws="auto") as url:
        run_recipe("OpenEnv", url=url)
