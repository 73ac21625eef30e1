"""The class and the functions that TRL gets, by the rules that TRL sets; TRL is not needed."""

import inspect
import typing

import pytest
from PIL import Image

from gym_imagetools.adapters.trl import (
    episode_reward,
    make_environment,
    make_rows,
    reward_funcs,
    reward_weights,
)
from gym_imagetools.prompts import replies
from gym_imagetools.tools.schemas import FUNCTION_TOOLS, PARAMETERS
from tests.hosts.play_trl import completion_of
from tests.hosts.rollouts import RECORDINGS, expected, recording

ZOOM = {"bbox_2d": [100, 100, 500, 500]}


@pytest.fixture
def maze():
    environment = make_environment("ImageTools/Maze-v0", difficulty=2)()
    environment.parts = environment.reset(prompt=[{"role": "user", "content": ""}], task=3)
    return environment


def public_functions(environment):
    members = inspect.getmembers(type(environment), inspect.isfunction)
    return {name for name, _ in members if not name.startswith("_")}


def texts(parts):
    return [part["text"] for part in parts if part["type"] == "text"]


def pictures(parts):
    return [part["image"] for part in parts if part["type"] == "image"]


def said(text):
    return [{"role": "assistant", "content": text}]


def test_the_public_functions_are_reset_and_the_tools(maze):
    assert public_functions(maze) == {"reset", *PARAMETERS}


@pytest.mark.parametrize("tool", FUNCTION_TOOLS, ids=lambda tool: tool["name"])
def test_signature_and_docstring_say_what_the_schema_says(maze, tool):
    method = getattr(maze, tool["name"])
    signature = inspect.signature(method)
    schema = tool["parameters"]
    assert list(signature.parameters) == list(schema["properties"])
    required = [p.name for p in signature.parameters.values() if p.default is p.empty]
    assert required == schema["required"]
    assert set(typing.get_type_hints(method)) == {*schema["properties"], "return"}
    assert method.__doc__.startswith(tool["description"])
    for name, field in schema["properties"].items():
        assert f"    {name}: {field['description']}" in method.__doc__.splitlines()
        if "default" in field:
            assert signature.parameters[name].default == field["default"]


@pytest.mark.parametrize(
    ("tool", "name", "hint"),
    [
        ("image_zoom_in_tool", "bbox_2d", list[float]),
        ("image_zoom_in_tool", "factor", float),
        ("image_zoom_in_tool", "label", str),
        ("image_flip_tool", "axis", typing.Literal["horizontal", "vertical"]),
        ("image_side_by_side_tool", "labels", list[str]),
        ("count_objects_tool", "color", list[int]),
    ],
)
def test_type_hints_follow_the_schema(maze, tool, name, hint):
    assert typing.get_type_hints(getattr(maze, tool))[name] == hint


def test_reset_returns_question_and_pictures_as_content_parts(maze):
    (question,) = texts(maze.parts)
    assert question.startswith("This maze has")
    assert all(isinstance(picture, Image.Image) for picture in pictures(maze.parts))
    assert max(pictures(maze.parts)[0].size) <= 512


def test_a_row_of_several_messages_is_shown_as_a_transcript():
    parts = make_environment("ImageTools/Pivot-v0")().reset(task=7)
    (text,) = texts(parts)
    assert [line.partition(":")[0] for line in text.split("\n\n")] == ["user", "assistant", "user"]
    assert text.count("[picture ") == len(pictures(parts)) > 0


def test_a_call_returns_its_picture_and_its_result(maze):
    parts = maze.image_zoom_in_tool(**ZOOM)
    assert len(pictures(parts)) == 1
    assert '"ok": true' in texts(parts)[0]


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"bbox_2d": "everywhere"},
        {"bbox_2d": [1, 2]},
        {"bbox_2d": ZOOM["bbox_2d"], "img_idx": 9},
    ],
)
def test_what_a_model_writes_wrong_is_answered_and_fined_never_raised(maze, arguments):
    (text,) = texts(maze.image_zoom_in_tool(**arguments))
    assert '"ok": false' in text
    assert maze._episode.info["tool_error_count"] == 1
    assert maze._episode.reward == pytest.approx(-0.01)


def test_arguments_that_are_no_parameters_are_ignored(maze):
    assert pictures(maze.image_zoom_in_tool(**ZOOM, self="me", note="?"))


def test_a_notice_stands_beside_the_result(maze):
    maze.image_zoom_in_tool(**ZOOM)
    (text,) = texts(maze.image_zoom_in_tool(**ZOOM))
    assert replies.FINAL_TURN in text


def test_after_the_end_nothing_is_run_and_nothing_counts(maze):
    maze.image_zoom_in_tool(img_idx=99, **ZOOM)
    paid = maze._episode.reward
    parts = maze.image_zoom_in_tool(**ZOOM)
    assert not pictures(parts)
    assert replies.EPISODE_IS_OVER in texts(parts)[0]
    answer = maze._episode.env.get_wrapper_attr("task").expected_answer
    assert episode_reward([said(rf"\boxed{{{answer}}}")], [maze]) == [paid]


@pytest.mark.parametrize(
    "completion",
    [
        [],
        [{"role": "assistant", "content": "", "tool_calls": [{"type": "function"}]}],
        [{"role": "tool", "name": "image_zoom_in_tool", "content": []}],
        said("<tool_call>\n<function=image_zoom_in_tool>\n</function>\n</tool_call>"),
    ],
)
def test_a_rollout_without_a_last_word_is_no_answer(maze, completion):
    assert episode_reward([completion], [maze]) == [0.0]
    assert maze._episode.info["ending"] == "incomplete"


def test_markup_that_trl_could_not_read_is_refused():
    environment = make_environment("ImageTools/Maze-v0")()
    environment.reset(task=3)
    assert episode_reward([said("<tool_call>{")], [environment]) == [-0.01]
    assert environment._episode.info["ending"] == "invalid_call"


def test_an_answer_in_content_parts_counts(maze):
    answer = maze._episode.env.get_wrapper_attr("task").expected_answer
    completion = said([{"type": "text", "text": rf"\boxed{{{answer}}}"}])
    assert episode_reward([completion], [maze]) == [1.0]


def test_rewards_are_asked_in_any_order_and_often(maze):
    maze.image_zoom_in_tool(**ZOOM)
    answer = maze._episode.env.get_wrapper_attr("task").expected_answer
    given = {"completions": [said(rf"\boxed{{{answer}}}")], "environments": [maze], "prompts": []}
    answered, tool_use = reward_funcs(type(maze))
    assert [tool_use(**given), answered(**given), tool_use(**given)] == [[0.01], [1.0], [0.01]]


def test_an_instance_is_reset_for_the_next_rollout(maze):
    maze.image_zoom_in_tool(img_idx=99, **ZOOM)
    maze.reset(task=4)
    assert pictures(maze.image_zoom_in_tool(**ZOOM))
    assert maze._episode.reward == pytest.approx(0.01)


def test_environments_of_others_get_no_score(maze):
    functions = [*reward_funcs(type(maze)), episode_reward]
    given = {"completions": [said("?"), said("?")], "environments": [object(), maze]}
    assert [function(**given)[0] for function in functions] == [None] * 3


def test_weights_follow_the_functions(maze):
    names = [function.__name__ for function in reward_funcs(type(maze))]
    assert dict(zip(names, reward_weights(type(maze)), strict=True)) == {
        "answer": 1.0,
        "tool_use": 0.05,
    }


def test_keywords_reach_the_environment():
    environment = make_environment("ImageTools/Maze-v0", tool_success_reward=0.02)()
    environment.reset(task=1)
    environment.image_zoom_in_tool(**ZOOM)
    assert environment._episode.reward == pytest.approx(0.02)


def test_rows_name_their_task_and_leave_the_tools_to_the_template():
    rows = make_rows("ImageTools/Maze-v0", [5, 6], difficulty=3)
    assert [row["task"] for row in rows] == [5, 6]
    system, user = rows[0]["prompt"]
    assert system["role"] == "system"
    assert "<tools>" not in system["content"]
    assert user == {"role": "user", "content": ""}


@pytest.mark.parametrize("name", RECORDINGS)
def test_the_episode_reward_is_that_of_plain_gymnasium(name):
    played = recording(name)
    environment = make_environment(played.env_id, **played.keywords)()
    environment.reset(task=played.task)
    for call in played.calls:
        getattr(environment, call["name"])(**call["arguments"])
    rewards = episode_reward([completion_of(played)], [environment])
    assert rewards == pytest.approx([expected(name).reward])
