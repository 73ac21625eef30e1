"""The real Inspect AI plays our environments, from Python and from its command line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("inspect_ai", reason="the inspect extra is missing")
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelOutput
from inspect_ai.tool import ToolCall

from gym_imagetools.adapters.inspect_ai import make_task
from gym_imagetools.prompts import replies
from gym_imagetools.registration import ENTRIES
from tests.hosts.play_inspect_ai import MODEL, evaluate
from tests.hosts.recipes import run_recipe
from tests.hosts.rollouts import recording

ZOOM = {"name": "image_zoom_in_tool", "arguments": {"bbox_2d": [100, 100, 500, 500]}}


def said(text, *calls, stop_reason="stop"):
    message = ChatMessageAssistant(content=text, tool_calls=list(calls) or None)
    choice = ChatCompletionChoice(message=message, stop_reason=stop_reason)
    return ModelOutput(model=MODEL, choices=[choice])


def call(number, name=ZOOM["name"], arguments=ZOOM["arguments"], **keywords):
    return ToolCall(id=f"id_{number}", function=name, arguments=arguments, **keywords)


def play(turns, env_id="ImageTools/Maze-v0", task=None, **settings):
    log = evaluate(task or make_task(env_id, num_tasks=1), turns, **settings)
    assert log.status == "success", log.error
    (sample,) = log.samples
    return sample, sample.scores["reward_components"]


@pytest.mark.parametrize(
    "wrong",
    [
        call(1, name="look_harder"),
        call(1, arguments={}),
        call(1, arguments={"bbox_2d": "everywhere"}),
        call(1, arguments={}, parse_error="Expecting value: line 1 column 1"),
    ],
)
def test_a_call_that_inspect_would_refuse_is_fined(wrong):
    sample, score = play([said("", wrong)])
    assert score.value == {"answer": 0.0, "tool_use": pytest.approx(-0.01)}
    assert score.metadata["ending"] == "invalid_call"
    assert sample.messages[-1].role == "assistant"


def test_a_cut_reply_is_graded_0():
    gold = make_task("ImageTools/Maze-v0", num_tasks=1).dataset[0].target
    _, score = play([said(rf"\boxed{{{gold}}}", stop_reason="max_tokens")])
    assert score.metadata["ending"] == "incomplete"
    assert score.value["answer"] == 0.0


def test_of_several_calls_in_one_message_the_first_is_run_and_all_are_answered():
    calls = [call(1), call(2, name="image_flip_tool", arguments={"axis": "vertical"})]
    sample, score = play([said("Let me see.", *calls), "A"])
    answered = [message for message in sample.messages if message.role == "tool"]
    assert [message.tool_call_id for message in answered] == ["id_1", "id_2"]
    assert '"ok": true' in answered[0].text
    assert "Not" in answered[1].text
    assert replies.only_first(1) in sample.messages[-2].text
    assert score.metadata["tool_call_count"] == 1


def test_pictures_of_tools_are_shown_by_the_tool():
    sample, _ = play([ZOOM, "A"])
    (shown,) = [message for message in sample.messages if message.role == "tool"]
    assert [part.type for part in shown.content if part.type == "image"] == ["image"]


def test_pictures_of_tools_are_shown_by_the_user_where_a_server_needs_it():
    task = make_task("ImageTools/Maze-v0", num_tasks=1, image_role="user")
    sample, _ = play([ZOOM, "A"], task=task)
    assert [message.role for message in sample.messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "user",
        "assistant",
    ]
    assert any(part.type == "image" for part in sample.messages[-2].content)


def test_a_sample_that_a_limit_stops_is_scored_as_it_stands():
    _, score = play([ZOOM] * 3, message_limit=4)
    assert score.value == {"answer": 0.0, "tool_use": pytest.approx(0.01)}
    assert score.metadata["ending"] == "incomplete"


def test_the_model_is_offered_the_tools():
    sample, _ = play(["A"])
    (asked,) = [event for event in sample.events if event.event == "model"]
    assert [tool.name for tool in asked.tools][:2] == ["image_zoom_in_tool", "image_crop_tool"]
    assert asked.tools[0].parameters.required == ["bbox_2d"]


def test_every_objective_has_its_mean_in_the_log():
    task = make_task("ImageTools/Dataset-v0", num_tasks=2, order="sequential")
    golds = [sample.target for sample in task.dataset]
    log = evaluate(task, [ZOOM, rf"\boxed{{{golds[0]}}}", r"\boxed{Z}"], max_samples=1)
    means = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert means == {"answer": 0.5, "tool_use": pytest.approx(0.0)}


def test_samples_are_the_tasks_from_the_first_one_on():
    samples = make_task("ImageTools/Maze-v0", num_tasks=3, first_task=5, difficulty=2).dataset
    assert [sample.metadata["task"] for sample in samples] == [5, 6, 7]
    assert [sample.id for sample in samples] == [f"Maze/2/{seed}" for seed in (5, 6, 7)]


def test_a_data_set_ends_where_it_ends():
    assert len(make_task("ImageTools/Dataset-v0", num_tasks=99).dataset) == 12


def test_a_pivot_is_one_decision():
    sample, score = play([ZOOM], env_id="ImageTools/Pivot-v0")
    assert set(score.value) == {"match"}
    assert sample.messages[-1].role == "assistant"


def test_a_weather_question_is_scored_on_three_objectives():
    _, score = play(
        [{"name": "get_weather", "arguments": {"city": "Nowhere"}}], env_id="ImageTools/Weather-v0"
    )
    assert score.value == {"correctness": 0.0, "schema_valid": 1.0, "format": 1.0}


def test_a_transcript_before_the_decision_is_shown_message_by_message():
    task = make_task("ImageTools/Pivot-v0", num_tasks=1, first_task=7)
    assert [message.role for message in task.dataset[0].input] == ["user", "assistant", "user"]


def inspect_command(*arguments, folder):
    """Run Inspect's command line, without the network that it counts tokens by."""
    folder.mkdir(exist_ok=True)
    counter = "class Tokens:\n    def encode(self, text, **_):\n        return list(text)\n"
    getter = "def get_encoding(name):\n    return Tokens()\n"
    (folder / "tiktoken.py").write_text(counter + getter)
    command = [str(Path(sys.executable).parent / "inspect"), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_the_command_line_evaluates_an_id(tmp_path):
    logs = tmp_path / "logs"
    ran = inspect_command(
        *("eval", "gym_imagetools/Maze", "--model", MODEL, "--display", "plain"),
        *("-T", "num_tasks=2", "-T", "difficulty=2", "--log-dir", str(logs)),
        folder=tmp_path,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (found,) = list_eval_logs(str(logs))
    log = read_eval_log(found)
    assert log.status == "success"
    assert log.eval.task == "gym_imagetools/Maze"
    assert [sample.id for sample in log.samples] == ["Maze/2/0", "Maze/2/1"]
    assert {score.name for score in log.results.scores} == {"answer", "tool_use"}


def test_the_command_line_says_what_is_wrong_with_a_keyword(tmp_path):
    ran = inspect_command(
        *("eval", "gym_imagetools/Maze", "--model", MODEL, "-T", "difficulty=9"), folder=tmp_path
    )
    assert ran.returncode != 0
    assert "difficulty" in ran.stdout + ran.stderr


def test_every_id_is_a_task():
    from inspect_ai._util.registry import registry_find

    found = registry_find(lambda info: info.type == "task")
    names = {item.__registry_info__.name for item in found}
    assert {f"gym_imagetools/{env_id[11:-3]}" for env_id in ENTRIES} <= names


def test_the_recipe_runs():
    played = recording("one_wrong_call")
    names = run_recipe("Inspect AI", evaluate=evaluate, turns=played.turns)
    assert names["score"].value == {"answer": 1.0, "tool_use": 0.0}
