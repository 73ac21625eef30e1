"""What holds for every grader: making one, a task's fields, reasoning, long texts, public cases."""

import json
import pickle
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from gym_imagetools.errors import DataError
from gym_imagetools.graders import GRADERS, GoldError, grade, make_grader
from gym_imagetools.types import Task

# ruff: noqa: RUF001 - look-alike characters are what is tested

CASES = {
    case["id"]: case
    for case in map(
        json.loads,
        (Path(__file__).parents[1] / "cases" / "grading.jsonl")
        .read_text(encoding="utf-8")
        .splitlines(),
    )
}

FIELDS = {
    "string_match": {"expected_answer": "red", "extraction_mode": "boxed"},
    "mcqa": {"expected_answer": "B", "options": [{"A": "cat"}, {"B": "dog"}]},
    "math": {"expected_answer": "1/2"},
    "gui_coordinate": {"expected_answer": "0.5,0.5"},
    "integer": {"expected_answer": "42"},
    "coord": {"expected_answer": "3,5"},
    "pairs": {"expected_answer": "1-4, 2-3"},
    "set": {"expected_answer": "A, C"},
    "intlist": {"expected_answer": "3, 1, 2"},
    "compare": {"expected_answer": "<"},
}


def right_text(grader):
    if grader == "gui_coordinate":
        return "<point>(500,500)</point>"
    return f"\\boxed{{{FIELDS[grader]['expected_answer']}}}"


def test_every_grader_is_tested_here():
    assert FIELDS.keys() == GRADERS.keys()


@pytest.mark.parametrize("grader", GRADERS)
class TestEveryGrader:
    def test_the_canonical_answer_scores_1(self, grader):
        score = grade(grader, right_text(grader), FIELDS[grader])
        assert score.value == 1.0
        assert score.extracted
        assert score.reason

    def test_a_task_is_graded_by_its_fields(self, grader):
        task = Task("t", "?", (), grader, FIELDS[grader])
        assert grade(grader, right_text(grader), task).value == 1.0

    def test_reasoning_never_counts(self, grader):
        right = right_text(grader)
        for text in (f"<think>{right}", f"<think>{right}</think>", f"{right}</think>no"):
            assert grade(grader, text, FIELDS[grader]).value == 0.0
        assert grade(grader, f"<think>hm</think>\n{right}", FIELDS[grader]).value == 1.0
        assert grade(grader, f"hm</think>\n{right}", FIELDS[grader]).value == 1.0

    def test_an_empty_reply_scores_0(self, grader):
        for text in ("", " \n", r"\boxed{}", r"\fbox{ }", "<point></point>"):
            assert grade(grader, text, FIELDS[grader]).value == 0.0

    def test_a_missing_gold_is_refused_at_load_and_scores_0(self, grader):
        for gold in (None, "", " ", "$"):
            fields = {**FIELDS[grader], "expected_answer": gold}
            with pytest.raises(GoldError, match="expected_answer"):
                make_grader(grader, fields)
            assert grade(grader, right_text(grader), fields).value == 0.0

    def test_a_grader_is_frozen_and_can_be_sent_to_another_process(self, grader):
        made = make_grader(grader, FIELDS[grader])
        with pytest.raises(FrozenInstanceError):
            made.gold = "x"
        copy = pickle.loads(pickle.dumps(made))
        assert copy.grade(right_text(grader)).value == 1.0

    @pytest.mark.parametrize(
        "unit",
        [
            "a", " ", "{", "}", "\\boxed{", "\\boxed ", "\\boxed{A}", "\\text{", "\\boxed{\\text{",
            "answer", "answer   ", "Answer: B ", "Answer: B\n", "final ", "*", "<point>(", "1,",
            "1,000,", "9", "<think>", "</think>", "and ", "\\frac{1}", "\\sqrt", "^{", "²", "½",
            "\n", "A ", "(", "$", "\u3000", "ﷺ",
        ],
    )  # fmt: skip
    def test_a_long_text_of_anything_is_read_in_one_pass(self, grader, unit):
        junk = unit * (200_000 // len(unit))
        assert grade(grader, junk, FIELDS[grader]).value == 0.0
        assert grade(grader, f"\\boxed{{{junk}}}", FIELDS[grader]).value == 0.0


def test_an_unknown_grader_is_refused_with_a_hint():
    with pytest.raises(DataError, match="did you mean 'string_match'"):
        make_grader("string_macth", {"expected_answer": "x"})
    with pytest.raises(DataError, match="Expected a grader out of"):
        grade("judge", "x", {"expected_answer": "x"})


BOXED = {"extraction_mode": "boxed"}
RED_OR_BLUE = [{"A": "red"}, {"B": "blue"}]
A_TO_D = [{letter: f"thing {letter}"} for letter in "ABCD"]
A_TO_J = [{letter: f"thing {letter}"} for letter in "ABCDEFGHIJ"]
STRICT = {"options": A_TO_D}
MD = {"options": A_TO_D, "grading_mode": "lenient_answer_colon_md"}

# (case, grader, gold, other fields, text, value)
PUBLIC = [
    *(("GR01", name, r"\frac{3}{7}", f, r"\boxed{\frac{3}{7}}", 1) for name, f in
      (("string_match", BOXED), ("math", {}))),
    *(("GR01", name, r"\frac{3}{7}", f, r"\boxed{\frac{3}{8}}", 0) for name, f in
      (("string_match", BOXED), ("math", {}))),
    *(("GR03", name, "7", f, text, 1) for text in (r"\fbox{7}", r"\boxed {7}", r"\boxed 7")
      for name, f in (("string_match", BOXED), ("math", {}), ("integer", {}))),
    *(("GR04", "string_match", gold, BOXED, r"\boxed{}", 0)
      for gold in ("cm", "m", "kg", "$", " ")),
    *(("GR06", "mcqa", "A", {"options": RED_OR_BLUE, "grading_mode": "lenient_boxed"}, text, 0)
      for text in (r"\boxed{not red}", r"\boxed{redundant}")),
    *(("GR07", name, gold, f, text, 0) for gold, text in
      (("(4,7)", r"\boxed{(47)}"), ("4,7", r"\boxed{47}"))
      for name, f in (("string_match", BOXED), ("math", {}))),
    ("GR07", "coord", "4,7", {}, r"\boxed{47}", 0),
    *(("GR08", name, "7250", f, text, 1) for text in (r"\boxed{7{,}250}", r"\boxed{7\,250}")
      for name, f in (("string_match", BOXED), ("math", {}), ("integer", {}))),
    *(("GR09", name, gold, f, text, 0) for gold, text in
      (("1998", r"\boxed{2004}"), ("100", r"\boxed{99}"), ("3001", r"\boxed{3000}"))
      for name, f in (("string_match", BOXED), ("math", {}), ("integer", {}))),
    *(("GR11", name, "-5", f, text, 1) for text in (r"\boxed{−5}", r"\boxed{–5}")
      for name, f in (("string_match", BOXED), ("math", {}), ("integer", {}))),
    ("GR13", "mcqa", "B", STRICT, r"\boxed{b}", 1),
    ("GR13", "mcqa", "A", MD, "Answer: a car is visible", 0),
    ("GR14", "mcqa", "I", {**MD, "options": A_TO_J}, "Answer: I think it is C", 0),
    ("GR14", "mcqa", "C", {**MD, "options": A_TO_J}, "Answer: I think it is C", 1),
    ("GR16", "mcqa", "B", STRICT, r"\boxed{B - 3}", 0),
    ("GR16", "mcqa", "C", STRICT, r"\boxed{C. coli}", 0),
    *(("GR17", "mcqa", "A", STRICT, rf"\boxed{{{text}}}", 1)
      for text in ("(A)", "A.", r"\text{A}", r"\textbf{A}", "Ａ", "(A) thing A")),
    *(("GR19", name, "[4,7]", f, r"\boxed{(4,7)}", 0) for name, f in
      (("string_match", BOXED), ("math", {}))),
    ("GR20", "string_match", "1, 2 and 3", {**BOXED, "unordered": True}, r"\boxed{1, 2, 3}", 1),
    ("GR20", "set", "1, 2 and 3", {}, r"\boxed{1, 2, 3}", 1),
    *(("GR21", name, gold, STRICT, r"\boxed{}", 0) for gold in (" ", "$") for name in GRADERS),
    *(("GR23", "math", "1", {"deadline_s": 1.0}, rf"\boxed{{{text}}}", 0)
      for text in ("9^{9^{9^{9}}}", "100000!")),
    ("GR25", "gui_coordinate", "0.5125,0.3", {}, "<point>(512.5, 300)</point>", 1),
    ("GR25", "gui_coordinate", "0.0,0.88", {}, "<point>(-3, 880)</point>", 0),
    *(("GR28", "gui_coordinate", "0.5,0.5", {}, f"<point>({'9' * n},1)</point>", 0)
      for n in (5000, 400)),
    ("GR28", "integer", "5", {}, rf"\boxed{{{'9' * 5000}}}", 0),
    *(("GR29", "string_match", "yes", {"extraction_mode": mode}, r"<think>maybe \boxed{yes}", 0)
      for mode in ("boxed", "final_answer", "last_line", "full_response")),
]  # fmt: skip


@pytest.mark.parametrize(("case", "grader", "gold", "fields", "text", "value"), PUBLIC)
def test_public_fault_reports(case, grader, gold, fields, text, value):
    assert case in CASES
    assert grade(grader, text, {"expected_answer": gold, **fields}).value == value


def test_every_public_case_has_a_test():
    assert {row[0] for row in PUBLIC} == CASES.keys()
