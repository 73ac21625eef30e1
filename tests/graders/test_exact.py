"""The puzzles' exact graders: what is accepted and refused, one table a grader."""

# ruff: noqa: RUF001 - look-alike characters are what is tested

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gym_imagetools.graders import GoldError, grade, make_grader

ACCEPTED = {
    "integer": (
        "42",
        ["42", " 42 ", "+42", "042", "42.", "$42$", r"\text{42}", r"\textbf{42}", "４２", "٤٢"],
    ),
    "coord": (
        "3,5",
        ["3,5", "(3,5)", "( 3 , 5 )", "[3, 5]", "3, 5", "3;5", "$(3,5)$", "(3,5).", r"\text{3,5}"],
    ),
    "pairs": (
        "1-4, 2-3",
        ["1-4, 2-3", "2-3,1-4", "4-1; 3-2", "1-4 and 2-3", "(1-4), (2-3)", "1 - 4, 2 - 3",
         "1–4, 2−3", "1-4\n2-3", "{1-4, 2-3}"],
    ),
    "set": (
        "A, C and F",
        ["A, C, F", "F,C,A", "a, c, f", "{A, C, F}", r"\{A, C, F\}", "[A; C; F]", "A and C and F",
         "A, C, and F", "A\nC\nF", r"\text{A, C, F}"],
    ),
    "intlist": (
        "3, 1, 2",
        ["3, 1, 2", "3,1,2", "[3, 1, 2]", "(3,1,2)", "3 1 2", "3; 1; 2", "3\n1\n2", "+3, 01, 2."],
    ),
    "compare": ("<", ["<", " < ", "$<$", r"\lt", "&lt;", "＜", r"\text{<}"]),
}  # fmt: skip

REFUSED = {
    "integer": (
        "42",
        ["", "41", "-42", "4", "421", "42.0", "42.5", "4 2", "42 or 43", "41, 42", "42, 42", "4,2",
         "about 42", "42 cubes", "forty-two", "[42]", "40-45", "42?", "x=42", "0x2A", "4e1", "∞",
         "10, 20, 42", "all", "Answer: 42", "42" * 3000],
    ),
    "coord": (
        "3,5",
        ["", "5,3", "3", "3,5,7", "0,5", "3,0", "-3,5", "3.0,5", "3 5", "35", "(3,5) or (5,3)",
         "(3,5), (5,3)", "row 3, column 5", "R3C5", "[[3,5]]", "3-5", "3,5?", "all", "1,1 3,5"],
    ),
    "pairs": (
        "1-4, 2-3",
        ["", "1-4", "1-4, 2-3, 5-6", "1-3, 2-4", "1-4, 2-3, 1-4", "1-4, 1-4", "1-1, 2-3", "14, 23",
         "1,4,2,3", "1-4 or 2-3", "1-4-2-3", "1-2, 1-3, 1-4, 2-3, 2-4, 3-4", "1-4,, 2-3", "1-4,",
         "the pairs 1-4, 2-3", "all"],
    ),
    "set": (
        "A, C and F",
        ["", "A, C", "A, C, F, G", "A, B, C, D, E, F", "A, A, C, F", "ACF", "A C F", "A, C or F",
         "A, C, F, F", "A,, C, F", ", A, C, F", "not A, C, F", "all", "{}", "A; C F", "A/C/F"],
    ),
    "intlist": (
        "3, 1, 2",
        ["", "1, 2, 3", "3, 1", "3, 1, 2, 2", "312", "3, 1, 2.0", "3, 1, two", "3,, 1, 2", "3-1-2",
         "3, 1 or 2", "3 and 1 and 2", "3, 1, -2", "all", "[[3,1,2]]", "3, 1, 2,"],
    ),
    "compare": (
        "<",
        ["", ">", "=", "<=", "<>", "< >", "< or >", "<, >, =", "less", "smaller", "a < b", "≤",
         "=<", "!<", "all", "<<", "1 < 2"],
    ),
}  # fmt: skip


def rows(table):
    return [(name, gold, text) for name, (gold, texts) in table.items() for text in texts]


@pytest.mark.parametrize(("grader", "gold", "answer"), rows(ACCEPTED))
def test_other_spellings_of_the_value_score_bare_and_boxed(grader, gold, answer):
    for text in (answer, f"I see it: \\boxed{{{answer}}} done", f"<think>{answer}</think>{answer}"):
        assert grade(grader, text, {"expected_answer": gold}).value == 1.0


@pytest.mark.parametrize(("grader", "gold", "answer"), rows(REFUSED))
def test_other_values_hedges_and_prose_score_0(grader, gold, answer):
    for text in (answer, f"\\boxed{{{answer}}}", f"\\boxed{{{gold}}} no: \\boxed{{{answer}}}"):
        assert grade(grader, text, {"expected_answer": gold}).value == 0.0


@pytest.mark.parametrize("grader", ACCEPTED)
def test_the_last_box_counts_and_a_cut_one_hides_it(grader):
    gold = {"expected_answer": ACCEPTED[grader][0]}
    boxed = f"\\boxed{{{gold['expected_answer']}}}"
    assert grade(grader, rf"\boxed{{7-8}} no, {boxed}", gold).value == 1.0
    assert grade(grader, boxed + r" or \boxed{x", gold).value == 0.0
    assert grade(grader, f"<think>{boxed}", gold).value == 0.0


@pytest.mark.parametrize(
    ("grader", "gold"),
    [
        ("integer", "4.5"), ("integer", "four"), ("coord", "3"), ("coord", "0,1"),
        ("pairs", "1-1"), ("pairs", "12"), ("set", "A, A"), ("set", "{}"), ("intlist", "1, b"),
        ("compare", "<="), *[(name, "") for name in ACCEPTED], *[(name, None) for name in ACCEPTED],
    ],
)  # fmt: skip
def test_a_gold_of_another_type_is_refused_at_load(grader, gold):
    with pytest.raises(GoldError, match="Expected `expected_answer`"):
        make_grader(grader, {"expected_answer": gold})
    assert grade(grader, str(gold), {"expected_answer": gold}).value == 0.0


def test_thousands_groups_are_read_where_a_comma_cannot_separate():
    assert grade("integer", "1,024", {"expected_answer": 1024}).value == 1.0
    assert grade("integer", r"\boxed{7{,}250}", {"expected_answer": "7250"}).value == 1.0
    assert grade("intlist", "1,024", {"expected_answer": "1, 24"}).value == 1.0
    assert grade("intlist", "1,024", {"expected_answer": "1024"}).value == 0.0


@given(st.sampled_from(sorted(ACCEPTED)), st.text(max_size=40))
def test_no_text_raises_and_junk_never_scores(grader, text):
    gold = {"integer": "987654", "compare": ">"}.get(grader, "971-973")
    gold = {"coord": "97,98", "intlist": "97, 98"}.get(grader, gold)
    assume(gold not in text)
    assert grade(grader, text, {"expected_answer": gold}).value == 0.0


@given(st.integers(-(10**12), 10**12))
def test_an_integer_scores_as_it_is_written(number):
    for text in (str(number), f"{number:,}", f"{number:_}".replace("_", "{,}")):
        assert grade("integer", f"\\boxed{{{text}}}", {"expected_answer": number}).value == 1.0
        other = {"expected_answer": number + 1}
        assert grade("integer", f"\\boxed{{{text}}}", other).value == 0.0


@given(st.lists(st.integers(1, 30), min_size=2, max_size=8, unique=True), st.randoms())
def test_order_counts_in_lists_and_not_in_sets(numbers, random):
    shuffled = random.sample(numbers, len(numbers))
    gold = {"expected_answer": ", ".join(map(str, numbers))}
    text = ", ".join(map(str, shuffled))
    assert grade("set", text, gold).value == 1.0
    assert grade("intlist", text, gold).value == float(shuffled == numbers)
