"""The public golden rows of the reference's graders, and where ours differ on purpose."""

import json
from pathlib import Path

import pytest

from gym_imagetools.graders import GoldError, grade, make_grader

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "golden" / "graders.public.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]

NO_LETTERS_OUT_OF_WORDS = (99, 100, 102, 103, 104, 105, 106, 118, 119, 120)
UNITS_ARE_COMPARED = (6, 9, 10, 23, 24, 25, 26, 32, 128)
TOLERANCE_ONLY_WHERE_ASKED = (12, 14, 16, 17, 21, 48, 122, 123)
TRUE_THOUSANDS_GROUPS_ONLY = (45, 125)
SAME_ANSWER = (3, 38, 39, 40, 53, 93, 94, 96, 112, 117)

RIGHT_VALUES = {
    **{
        f"string_match-full_response-{number:03}": 0.0
        for number in NO_LETTERS_OUT_OF_WORDS
        + UNITS_ARE_COMPARED
        + TOLERANCE_ONLY_WHERE_ASKED
        + TRUE_THOUSANDS_GROUPS_ONLY
    },
    **{f"string_match-full_response-{number:03}": 1.0 for number in SAME_ANSWER},
    "string_match-final_answer-014": 1.0,  # Markdown around the marker
    "string_match-final_answer-015": 1.0,  # Markdown around the answer
    "string_match-final_answer-026": 0.0,  # "Unanswer:" is no marker
    "mcqa-strict_single_letter_boxed-031": 0.0,  # E. coli
    "mcqa-strict_single_letter_boxed-032": 0.0,  # A-B
    "mcqa-strict_single_letter_boxed-034": 0.0,  # 12 B 3
    "mcqa-lenient_boxed-026": 0.0,  # an option's text inside of a longer one
    "mcqa-lenient_boxed-027": 0.0,  # "not a dog"
    "mcqa-lenient_boxed-029": 0.0,  # "concatenate"
    "mcqa-lenient_boxed-032": 0.0,
    "mcqa-strict_single_letter_boxed-template_regex-003": 0.0,  # not offered
    "gui_coordinate-point-007": 1.0,  # decimals are read
    "gui_coordinate-point-023": 0.0,  # a gold that is no number
    "gui_coordinate-point-029": 1.0,  # reasoning is no answer
    "math_library-boxed-012": 0.0,  # an equation is no value
}
"""Rows on which the reference is wrong, and what is right."""

UNUSABLE_GOLD = {
    "string_match-final_answer-027",
    "string_match-final_answer-028",
    "mcqa-strict_single_letter_boxed-027",
    "mcqa-strict_single_letter_boxed-029",
    "gui_coordinate-point-018",
    "gui_coordinate-point-019",
    "gui_coordinate-point-020",
    "gui_coordinate-point-022",
    "gui_coordinate-point-023",
    "math_library-boxed-042",
}
"""Rows that the reference grades although no answer can be right; ours refuses them at load."""


def grader_and_fields(row):
    options = row["options"]
    fields = {"expected_answer": row["gold"]}
    match row["grader"]:
        case "string_match":
            return "string_match", {**fields, **options, "extraction_mode": row["mode"]}
        case "mcqa":
            mode = options["config_grading_mode"] or row["mode"]
            template = options["template_metadata"]
            return "mcqa", {
                **fields,
                "options": options["options"],
                "grading_mode": mode,
                "template_metadata": template,
            }
        case "gui_coordinate":
            return "gui_coordinate", {**fields, **options}
        case _:
            return "math", fields


def extracted_text(extracted):
    if isinstance(extracted, list):
        return ",".join(str(number) for number in extracted)
    return extracted or ""


def ids(rows):
    return [row["id"] for row in rows]


USABLE = [row for row in ROWS if row["id"] not in UNUSABLE_GOLD]
AS_REFERENCE = [row for row in USABLE if row["id"] not in RIGHT_VALUES]
DEVIATIONS = [row for row in USABLE if row["id"] in RIGHT_VALUES]


@pytest.mark.parametrize("row", AS_REFERENCE, ids=ids(AS_REFERENCE))
def test_reward_and_extracted_answer_are_the_references(row):
    grader, fields = grader_and_fields(row)
    score = grade(grader, "\n".join(row["texts"]), fields)
    assert score.value == pytest.approx(row["expect"]["reward"], abs=1e-9)
    assert score.extracted == extracted_text(row["expect"]["extracted_answer"])


@pytest.mark.parametrize("row", DEVIATIONS, ids=ids(DEVIATIONS))
def test_rows_the_reference_gets_wrong_are_right(row):
    grader, fields = grader_and_fields(row)
    assert grade(grader, "\n".join(row["texts"]), fields).value == RIGHT_VALUES[row["id"]]


@pytest.mark.parametrize("row", [row for row in ROWS if row["id"] in UNUSABLE_GOLD])
def test_a_gold_that_cannot_be_used_scores_0_and_is_refused_at_load(row):
    grader, fields = grader_and_fields(row)
    assert grade(grader, "\n".join(row["texts"]), fields).value == 0.0
    with pytest.raises(GoldError, match="expected_answer"):
        make_grader(grader, fields)


def test_every_row_is_in_the_file_once():
    assert len({row["id"] for row in ROWS}) == len(ROWS) == 266
    assert set(ids(ROWS)) >= UNUSABLE_GOLD | set(RIGHT_VALUES)
