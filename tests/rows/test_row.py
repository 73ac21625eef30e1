from __future__ import annotations

import pytest

from gym_imagetools.errors import DataError
from gym_imagetools.rows import read_row


def test_a_row_becomes_a_task(make_row, picture_url):
    row = make_row(
        picture_url(64, 48),
        category="Maze",
        metadata={"source": "s"},
        demonstration=["<tool_call>…</tool_call>", "\\boxed{red}"],
        uuid="u-1",
        agent_ref={"type": "responses_api_agents", "name": "image_tools_simple_agent"},
    )
    task = read_row(row, "rows.jsonl#17", None)
    assert task.task_id == "rows.jsonl#17"
    assert task.question == "What colour?"
    assert [picture.size for picture in task.pictures] == [(64, 48)]
    assert (task.grader, task.expected_answer, task.family) == ("string_match", "red", "Maze")
    assert task.grading == {"extraction_mode": "boxed", "expected_answer": "red"}
    assert task.demonstration == ("<tool_call>…</tool_call>", "\\boxed{red}")
    assert task.metadata == {"source": "s"}
    assert task.messages[0]["content"][1] == {"type": "input_image", "picture": 0}


@pytest.mark.parametrize(
    ("agent", "grader", "fields"),
    [
        ("string_match_simple_agent", "string_match", {"expected_answer": "red"}),
        ("math_with_judge_simple_agent", "math", {"expected_answer": "7", "question": "?"}),
        (
            "mcqa_simple_agent",
            "mcqa",
            {
                "expected_answer": "B",
                "options": [{"A": "x"}, {"B": "y"}],
                "grading_mode": "strict_single_letter_boxed",
            },
        ),
        ("gui_coordinate_simple_agent", "gui_coordinate", {"expected_answer": "0.5,0.25"}),
    ],
)
def test_the_agents_of_the_reference_choose_the_grader(make_row, agent, grader, fields):
    ref = {"type": "responses_api_agents", "name": agent}
    row = make_row(grader=None, extraction_mode=None, image_tools_base_agent_ref=ref, **fields)
    task = read_row(row, "r#0", None)
    assert task.grader == grader
    assert task.grading == fields


def test_a_grader_named_by_the_row_comes_before_the_agent(make_row):
    row = make_row(grader="string_match", image_tools_base_agent_ref={"name": "mcqa_simple_agent"})
    assert read_row(row, "r#0", None).grader == "string_match"


def test_fields_of_the_grader_are_passed_on_as_they_are(make_row):
    row = make_row(case_sensitive=True, anything={"deep": [1]})
    grading = read_row(row, "r#0", None).grading
    assert (grading["case_sensitive"], grading["anything"]) == (True, {"deep": [1]})


@pytest.mark.parametrize(
    ("fields", "family"),
    [
        ({"category": "Maze"}, "Maze"),
        ({"family": "Maze"}, "Maze"),
        ({"category": "Maze", "family": "Views"}, "Maze"),
        ({"metadata": {"category": "Maze"}}, "Maze"),
        ({"metadata": {"family": "Maze"}}, "Maze"),
        ({"category": "", "family": "Maze"}, "Maze"),
        ({"category": 7}, ""),
        ({}, ""),
    ],
)
def test_the_family_is_the_first_text_that_names_it(make_row, fields, family):
    assert read_row(make_row(**fields), "r#0", None).family == family


def test_a_row_without_a_grader_names_the_field(make_row):
    with pytest.raises(DataError, match=r"`grader` \(or `image_tools_base_agent_ref\.name`\)"):
        read_row(make_row(grader=None), "r#0", None)


@pytest.mark.parametrize("agent", ["mcqa_simple_agnt", "mcqa_agent", "MCQA_simple_agent"])
def test_an_unknown_agent_is_met_with_the_closest_one(make_row, agent):
    row = make_row(grader=None, image_tools_base_agent_ref={"name": agent})
    with pytest.raises(DataError, match=r"ref\.name`.*did you mean 'mcqa_simple_agent'\?"):
        read_row(row, "r#0", None)


def test_an_agent_like_no_other_is_refused(make_row):
    row = make_row(grader=None, image_tools_base_agent_ref={"name": "zzz"})
    with pytest.raises(DataError, match="got 'zzz'; or name a `grader`"):
        read_row(row, "r#0", None)


def test_an_unknown_grader_is_refused(make_row):
    with pytest.raises(DataError, match=r"[Dd]id you mean"):
        read_row(make_row(grader="string_mach"), "r#0", None)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"grader": 5}, "grader"),
        ({"image_tools_base_agent_ref": "mcqa"}, "image_tools_base_agent_ref"),
        ({"image_tools_base_agent_ref": {}}, "image_tools_base_agent_ref.name"),
        ({"demonstration": "one"}, "demonstration"),
        ({"demonstration": [1]}, "demonstration.0"),
        ({"metadata": "text"}, "metadata"),
        ({"responses_create_params": []}, "responses_create_params"),
        ({"responses_create_params": None}, "responses_create_params"),
        ({"expected_answer": None}, "expected_answer"),
        ({"expected_answer": " "}, "expected_answer"),
        ({"extraction_mode": "boxes"}, "extraction_mode"),
    ],
)
def test_a_faulty_field_is_named(make_row, fields, field):
    with pytest.raises(DataError, match=f"`{field}`"):
        read_row(make_row(**fields), "r#0", None)


def test_a_row_with_a_demonstrated_call_is_sent_to_the_pivot_environment(make_row):
    row = make_row(grader=None, expected_answer=None, expected_action={"name": "image_crop_tool"})
    with pytest.raises(DataError, match="Pivot-v0"):
        read_row(row, "r#0", None)
