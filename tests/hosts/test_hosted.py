"""The episode that hosts play: whole turns, single calls, and how it ends."""

import pytest

from gym_imagetools.adapters.hosted import HostedEpisode
from gym_imagetools.prompts import replies
from gym_imagetools.tools.schemas import FUNCTION_TOOLS

ZOOM = {"bbox_2d": [100, 100, 500, 500]}


@pytest.fixture
def maze():
    episode = HostedEpisode("ImageTools/Maze-v0", difficulty=2)
    episode.reset(3)
    return episode


def gold(episode):
    return episode.env.get_wrapper_attr("task").expected_answer


@pytest.mark.parametrize("env_id", ["ImageTools/Maze-v0", "gym_imagetools:ImageTools/Maze-v0"])
def test_the_host_describes_the_tools(env_id):
    episode = HostedEpisode(env_id)
    episode.reset(1)
    assert "<tools>" not in episode.prompt[0]["content"]


def test_a_prompt_format_of_ones_own_is_kept():
    episode = HostedEpisode("ImageTools/Maze-v0", prompt_format="json")
    episode.reset(1)
    assert "<tools>" in episode.prompt[0]["content"]


@pytest.mark.parametrize("env_id", ["ImageTools/Maze-v0", "ImageTools/Pivot-v0"])
def test_tools_are_those_of_the_environment(env_id):
    episode = HostedEpisode(env_id)
    episode.reset(0)
    assert episode.function_tools == FUNCTION_TOOLS


def test_declared_tools_are_those_of_the_question():
    episode = HostedEpisode("ImageTools/Weather-v0")
    episode.reset(0)
    assert "get_weather" in [tool["name"] for tool in episode.function_tools]


def test_calls_and_the_answer_pay_as_turns_do(maze):
    turns = HostedEpisode("ImageTools/Maze-v0", difficulty=2)
    turns.reset(3)
    turns.play({"name": "image_zoom_in_tool", "arguments": ZOOM})
    turns.play(rf"\boxed{{{gold(turns)}}}")
    maze.call("image_zoom_in_tool", ZOOM)
    maze.finish(rf"\boxed{{{gold(maze)}}}")
    assert maze.info == turns.info
    assert maze.reward == turns.reward == 1.0
    assert sum(maze.components.values()) == maze.reward


@pytest.mark.parametrize(
    "answer", [None, "<tool_call><function=image_flip_tool></function></tool_call>"]
)
def test_a_rollout_that_was_stopped_is_graded_0(maze, answer):
    maze.finish(answer)
    assert maze.info["ending"] == "incomplete"
    assert maze.reward == 0.0


def test_the_last_turn_ends_the_episode_whatever_it_is():
    episode = HostedEpisode("ImageTools/Maze-v0", terminate_on_invalid_tool_call=False)
    episode.reset(3)
    episode.finish("<tool_call>{")
    assert episode.is_over
    assert episode.reward == pytest.approx(-0.01)


def test_what_comes_after_the_end_changes_nothing(maze):
    maze.finish("no idea")
    info = dict(maze.info)
    assert maze.play(rf"\boxed{{{gold(maze)}}}") == {"text": "", "images": ()}
    reply = maze.call("image_zoom_in_tool", ZOOM)
    maze.finish(rf"\boxed{{{gold(maze)}}}")
    assert replies.EPISODE_IS_OVER in reply.text
    assert reply.images == ()
    assert (maze.info, maze.reward) == (info, 0.0)


def test_another_episode_shares_the_rows_and_nothing_else():
    one = HostedEpisode("ImageTools/Dataset-v0")
    other = one.another()
    sources = [episode.env.get_wrapper_attr("source") for episode in (one, other)]
    assert sources[0] is sources[1]
    one.reset(0)
    other.reset(1)
    one.call("image_zoom_in_tool", ZOOM)
    assert (one.reward, other.reward) == (0.01, 0.0)
    assert one.info["task_id"] != other.info["task_id"]
