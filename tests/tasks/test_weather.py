import json
from collections import Counter

import numpy as np
import pytest

from gym_imagetools.scoring.weather import score_weather
from gym_imagetools.tasks.split import EVAL_BIT
from gym_imagetools.tasks.weather import WeatherSource, generate_weather

TASKS = [generate_weather(seed) for seed in range(400)]


def test_the_same_seed_asks_the_same_question():
    assert [generate_weather(seed) for seed in range(20)] == TASKS[:20]


def test_the_expected_call_scores_three_and_the_question_holds_its_city():
    for task in TASKS:
        assert score_weather(dict(task.expected_call), task.expected_call, task.tools).reward == 3.0
        assert task.expected_call["arguments"]["city"] in task.question


def test_the_unit_is_asked_for_just_where_the_tool_requires_it():
    for task in TASKS:
        (weather,) = [tool for tool in task.tools if tool["name"] == "get_weather"]
        unit = task.expected_call["arguments"].get("unit")
        assert ("unit" in weather["parameters"]["required"]) == (unit is not None)
        assert unit is None or f"degrees {unit.title()}" in task.question


def test_questions_and_declared_tools_vary():
    assert len({task.question for task in TASKS}) > 350
    counts = Counter(len(task.tools) for task in TASKS)
    assert set(counts) == {1, 2, 3, 4, 5}
    first = Counter(task.tools[0]["name"] for task in TASKS)
    assert len(first) == 5


def test_tasks_are_json_and_their_tools_are_function_tools():
    for task in TASKS:
        json.dumps([task.messages, task.tools, task.expected_call])
        assert all(tool["type"] == "function" and tool["description"] for tool in task.tools)


def test_the_halves_of_the_split_never_meet():
    rng = np.random.default_rng(0)
    seeds = {
        split: {int(WeatherSource(split).next(rng).task_id.split("/")[1]) for _ in range(200)}
        for split in ("train", "eval")
    }
    assert not any(seed & EVAL_BIT for seed in seeds["train"])
    assert all(seed & EVAL_BIT for seed in seeds["eval"])


def test_a_recorded_question_is_asked_again_by_its_id():
    assert WeatherSource("eval").task("Weather/7") == generate_weather(7)
    with pytest.raises(ValueError, match="task id as Weather/seed"):
        WeatherSource().task("Maze/1/7")
