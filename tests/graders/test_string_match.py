"""Text and number equality: what is the same answer, and what only looks like it."""

# ruff: noqa: RUF001 - look-alike characters are what is tested

import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gym_imagetools.errors import DataError
from gym_imagetools.graders import GoldError, grade, make_grader, string_match
from tests.graders.test_blank import BLANKS


def value(answer, gold, **fields):
    fields = {"extraction_mode": "full_response", **fields}
    return grade("string_match", answer, {"expected_answer": gold, **fields}).value


SAME = [
    ("red", "red"),
    ("Red.", "red"),
    (" RED! ", "red"),
    ('"red"', "red"),
    ("“red”", "red"),
    (r"\text{red}", "red"),
    (r"\textbf{red} car", "red car"),
    (r"\boxed{red}", "red"),
    (r"\fbox{7}", "7"),
    ("$x$", "x"),
    ("a, b, c", "a b c"),
    ("a; b; c", "a, b, c"),
    ("New York", "NY"),
    ("new york city", "NY city"),
    ("42.0", "42"),
    ("4.2e1", "42"),
    ("+7", "7"),
    ("1,234", "1234"),
    ("1,234,567.50", "1234567.5"),
    ("7{,}250", "7250"),
    (r"7\,250", "7250"),
    ("−5", "-5"),
    ("–5", "-5"),
    ("-5", "−5"),
    ("½", "0.5"),
    (r"\frac12", "1/2"),
    (r"1\frac{1}{2}", "1.5"),
    ("x²", "x^2"),
    (r"\sqrt{2}", "√2"),
    (r"2\pi", "2π"),
    ("90°", r"90^\circ"),
    ("5cm", "5.0 cm"),
    (r"5\text{ cm}", "5 cm"),
    (r"5\text{ cm}", "5"),
    ("3 m²", "3 m^2"),
    ("(B)", "B"),
    ("infinity", "inf"),
    ("Ｂ", "B"),
    ("٥", "5"),
]


@pytest.mark.parametrize(("answer", "gold"), SAME)
def test_the_same_answer_in_another_notation_scores(answer, gold):
    assert value(answer, gold) == 1.0


DIFFERENT = [
    ("redundant", "red"),
    ("not red", "red"),
    ("red or blue", "red"),
    ("red, blue", "red"),
    ("red and blue", "blue"),
    ("red\nblue", "red"),
    ("25", "5"),
    ("5", "25"),
    ("-5", "5"),
    ("5 or 6", "5"),
    ("5 ± 1", "5"),
    ("5 apples", "5"),
    ("five", "5"),
    ("2004", "1998"),
    ("99", "100"),
    ("3000", "3001"),
    ("99.9999999", "100"),
    ("3.14", "3.1415926"),
    ("12", "1,2"),
    ("1,2", "12"),
    ("47", "4,7"),
    ("(47)", "(4,7)"),
    ("12,34", "1234"),
    ("(4,7)", "[4,7]"),
    ("[4,7)", "[4,7]"),
    ("5 cm", "5 m"),
    ("5", "5 cm"),
    ("5 cm", "5"),
    (r"5\text{ cm}", "5 m"),
    ("5%", "5"),
    ("€5", "£5"),
    ("x2", "x²"),
    ("102", "10²"),
    ("11/2", r"1\frac{1}{2}"),
    ("comma", "coa"),
    ("kmart", "art"),
    ("sand", "s"),
    ("orange", "ange"),
    ("arkansas", "ARKS"),
    ("- 7", "-7"),
    ("1/0", "0"),
    ("nan", "0"),
    ("True", "1"),
    ("9" * 400, "9" * 401),
    ("all of the above", "red"),
]


@pytest.mark.parametrize(("answer", "gold"), DIFFERENT)
def test_a_look_alike_never_scores(answer, gold):
    assert value(answer, gold) == 0.0


@pytest.mark.parametrize("gold", ["cm", "m", "kg", "°", "x"])
@pytest.mark.parametrize("answer", [r"\boxed{}", r"\boxed{ }", r"\boxed{\text{}}", ",", *BLANKS])
def test_an_empty_answer_never_scores(answer, gold):
    for mode in ("boxed", "final_answer", "last_line", "full_response"):
        assert value(answer, gold, extraction_mode=mode) == 0.0


@pytest.mark.parametrize("gold", [*BLANKS, ",", None, True, ["red"]])
def test_an_unusable_gold_is_refused_at_load_and_scores_0(gold):
    with pytest.raises(GoldError, match="Expected `expected_answer`"):
        make_grader("string_match", {"expected_answer": gold})
    assert value(r"\boxed{}", gold) == 0.0


def test_a_number_is_a_usable_gold():
    assert value("5", 5) == value("5", 5.0) == 1.0


def test_case_sensitive_compares_the_very_characters():
    assert value("Red", "Red", case_sensitive=True) == 1.0
    for answer in ("red", "Red.", '"Red"', "Ｒed"):
        assert value(answer, "Red", case_sensitive=True) == 0.0


@pytest.mark.parametrize("gold", ["red", "x" * 30_000, "\ufdfa" * 16_000, "\ufdfa" * 30_000])
def test_a_long_answer_is_never_normalised(gold, monkeypatch):
    real, folded = string_match.fold, []
    monkeypatch.setattr(string_match, "fold", lambda text: folded.append(len(text)) or real(text))
    for answer in ("\ufdfa" * 300_000, "\ufdfa" * 30_001):
        assert value(answer, gold) == 0.0
    assert max(folded) <= 20_000
    assert value(gold, gold) == 1.0


@pytest.mark.parametrize("mode", ["boxed", "final_answer", "last_line", "full_response"])
def test_each_mode_reads_only_its_place(mode):
    texts = {
        "boxed": "red is \\boxed{blue} here",
        "final_answer": "I say\nAnswer: blue\nbye",
        "last_line": "red\nblue\n",
        "full_response": "blue",
    }
    for name, text in texts.items():
        expected = name == mode or (name == "full_response" and mode == "last_line")
        expected = expected or (name == "boxed" and mode == "final_answer")
        assert value(text, "blue", extraction_mode=mode) == float(expected), name


def test_the_default_mode_is_final_answer():
    assert grade("string_match", "Answer: red", {"expected_answer": "red"}).value == 1.0
    assert grade("string_match", "red", {"expected_answer": "red"}).value == 0.0


@pytest.mark.parametrize(
    "answer", ["1, 2, 3", "3, 1 and 2", r"\{2, 3, 1\}", "3; 2; 1.0", "[1,2,3]"]
)
def test_unordered_items_may_come_in_any_order(answer):
    assert value(answer, "1, 2 and 3", unordered=True) == 1.0


@pytest.mark.parametrize(
    "answer", ["1, 2", "1, 2, 3, 4", "1, 1, 2, 3", "1 2 3", "1, 2 or 3", "123", ""]
)
def test_unordered_items_must_be_all_of_them_and_once(answer):
    assert value(answer, "1, 2 and 3", unordered=True) == 0.0


def test_order_counts_where_the_row_marks_no_set():
    assert value("3, 2, 1", "1, 2, 3") == 0.0


def test_tolerance_only_where_the_row_asks():
    assert value("99", "100", tolerance=1) == 1.0
    assert value("98.9", "100", tolerance=1) == 0.0
    assert value("1,010 kg", "1000 kg", relative_tolerance=0.01) == 1.0
    assert value("1,011 kg", "1000 kg", relative_tolerance=0.01) == 0.0
    assert value("99 cm", "100 kg", tolerance=5) == 0.0


@pytest.mark.parametrize(
    "fields",
    [
        {"extraction_mode": "anywhere"},
        {"case_sensitive": "yes"},
        {"unordered": 1},
        {"tolerance": -1},
        {"tolerance": float("nan")},
        {"relative_tolerance": "1%"},
        {"case_sensitive": True, "tolerance": 1},
        {"case_sensitive": True, "unordered": True},
    ],
)
def test_a_bad_field_is_refused_by_name(fields):
    with pytest.raises(DataError, match=f"Expected `{next(iter(fields))}`"):
        make_grader("string_match", {"expected_answer": "red", **fields})


def test_null_fields_mean_the_default():
    fields = {"extraction_mode": None, "case_sensitive": None, "tolerance": None, "metadata": {}}
    assert value("Answer: Red", "red", **fields) == 1.0


TEXT = st.text(
    st.characters(codec="utf-8") | st.sampled_from("\\{}$^.,;\"' 0123456789-−½²°"), max_size=40
)


@given(TEXT.filter(lambda text: any(c in string.ascii_letters for c in text)))
def test_the_gold_itself_scores_in_its_box(gold):
    gold = " ".join(gold.split())
    try:
        make_grader("string_match", {"expected_answer": gold})
    except GoldError:
        return
    assert value(gold, gold) == 1.0


@given(TEXT, st.sampled_from(["boxed", "final_answer", "last_line", "full_response"]))
def test_no_text_raises_and_junk_never_scores(text, mode):
    assume("another" not in text)
    assert value(text, "quite another answer", extraction_mode=mode) == 0.0
