"""Multiple choice: which text names an option, in each mode."""

# ruff: noqa: RUF001 - look-alike characters are what is tested

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_imagetools.errors import DataError
from gym_imagetools.graders import GoldError, grade, make_grader

OPTIONS = [{"A": "cat"}, {"B": "dog"}, {"C": "a big dog"}, {"D": "bird"}]
UP_TO_J = [{letter: f"thing {letter}"} for letter in "ABCDEFGHIJ"]
STRICT, BOXED = "strict_single_letter_boxed", "lenient_boxed"
COLON, COLON_MD = "lenient_answer_colon", "lenient_answer_colon_md"
MODES = (STRICT, BOXED, COLON, COLON_MD)


def read(text, mode=STRICT, options=OPTIONS, gold="B", **fields):
    row = {"options": options, "expected_answer": gold, "grading_mode": mode, **fields}
    return grade("mcqa", text, row)


def letter(text, mode=STRICT, options=OPTIONS, **fields):
    """The option that scores, or "" when none does: exactly one gold may agree."""
    letters = [next(iter(option)) for option in options]
    return "".join(x for x in letters if read(text, mode, options, gold=x, **fields).value == 1.0)


@pytest.mark.parametrize(
    "content",
    [
        "B", "b", "(B)", "[B]", "(b)", "B.", "B)", "B:", " B ", "**B**", "$B$", "<B>", r"\{B\}",
        r"\text{B}", r"\textbf{B}", r"\mathrm{B}", r"\text{(B)}", "Ｂ", "B: dog", "B. dog",
        r"\text{B}.", r"\textbf{(B)}", r"(\text{B})", r"\textbf{B.}", r"\mathrm{B}\ ", r"\text{B}~",
        r"\textbf{(B)}\ \text{dog}", r"\text{(B) dog}", r"\textbf{B}: dog", r"\text{\textbf{B}}.",
        r"$\text{B}$.", r"\left(\text{B}\right)", r"\{\text{B}\}", r"\textup{B}",
        "(B) dog", "B) Dog.", "B - dog", r"B: \text{dog}", "b: dog",
    ],
)  # fmt: skip
def test_strict_reads_a_letter_with_nothing_but_its_own_text(content):
    assert letter(f"so \\boxed{{{content}}}") == "B"


@pytest.mark.parametrize(
    "content",
    [
        "", "E", "AB", "A, B", "A or B", "A and B", "A/B", "A B", "A-B", "A-D", "12 B 3", "B1",
        "B - 3", "B = 3", "B+C", "-B", "¬B", r"\neg B", "not B", "E. coli", "C. coli", "B: bird",
        "B: dog or cat", "A: cat, B: dog", "B bird", "dog", "Option B", "B because", "all",
        r"\text{A}, \text{B}", r"\text{not }B", r"\text{A}\text{B}", r"\text{C}. \textit{coli}",
        r"\text{B} - 3", r"\textbf{(A)} \text{ or } \textbf{(B)}", "none of the above", "β",
        "1", "x" * 5000,
    ],
)  # fmt: skip
def test_strict_refuses_look_alikes_and_hedges(content):
    assert letter(f"so \\boxed{{{content}}}") == ""


def test_the_last_box_counts_and_a_cut_one_hides_it():
    assert letter(r"\boxed{A} no, \boxed{B}") == "B"
    assert letter(r"\boxed{A}\boxed{B}") == "B"
    assert letter(r"\boxed{A} no, \boxed{B") == ""
    assert letter("Answer: B") == letter("B") == letter("The answer is B") == ""


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("dog", "B"), ("DOG.", "B"), (r"\text{dog}", "B"), ("a  big dog", "C"), ("B", "B"),
        ("B: dog", "B"), ('"cat"', "A"),
        ("not red", ""), ("not a dog", ""), ("hot dog", ""), ("concatenate", ""), ("big dog", ""),
        ("cat and bird", ""), ("cat, dog", ""), ("dog or cat", ""), ("b", ""), ("", ""),
    ],
)  # fmt: skip
def test_lenient_boxed_reads_whole_option_texts(content, expected):
    assert letter(f"so \\boxed{{{content}}}", BOXED) == expected


def test_an_option_text_inside_of_a_word_is_nothing():
    options = [{"A": "red"}, {"B": "blue"}]
    assert letter(r"\boxed{redundant}", BOXED, options) == ""
    assert letter(r"\boxed{not red}", BOXED, options) == ""
    assert letter(r"\boxed{red}", BOXED, options) == "A"


def test_a_text_that_two_options_share_names_none():
    assert letter(r"\boxed{dog}", BOXED, [{"A": "dog"}, {"B": "Dog."}]) == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Answer: B", "B"), ("answer:b", "B"), (r"Answer: \text{B}", "B"), ("Answer: dog", "B"),
        ("Answer: A big dog", "C"), ("Answer:\nB", "B"), ("Answer: B\nAnswer: unsure", "B"),
        ("Answer: A\nAnswer: B", ""), ("Answer: (B)", ""), ("Answer: B. dog", ""),
        ("Answer: A or B", ""), ("Answer: E", ""), ("Answer: the dog", ""), ("Unanswer: B", ""),
        ("The answer is B", ""), (r"\boxed{B}", ""), ("Answer: I think it is B", ""),
    ],
)  # fmt: skip
def test_answer_colon_reads_a_bare_letter_or_text(text, expected):
    assert letter(text, COLON) == expected


def test_answer_colon_reports_the_first_statement_of_a_contradiction():
    score = read("Answer: A\nAnswer: B", COLON, gold="A")
    assert (score.value, score.extracted) == (0.0, "A")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Answer: B", "B"), ("**Answer:** B", "B"), ("**Answer: B**", "B"), ("Answer: **B**", "B"),
        ("Answer: (B)", "B"), (r"Answer: \text{B}", "B"), (r"Answer: \boxed{B}", "B"),
        ("Answer: B. dog", "B"), ("Answer: B because A is wrong", "B"), ("Answer: b", "B"),
        ("Answer: B. The dog runs", "B"), ("Answer: the right choice is B", "B"),
        ("Answer: A\nAnswer: B", "B"), ("Answer: B\nAnswer: unsure", "B"), ("Answer：Ｂ", "B"),
        ("Answer: ب", "B"), ("Answer: a cat", "A"), ("Answer: A is right", "A"),
        ("Answer: a car is visible", ""), ("Answer: A car is visible", ""), ("Answer: a dog", ""),
        ("Answer: A or B", ""), ("Answer: A, B", ""), ("Answer: A/B", ""), ("Answer: A B", ""),
        ("Answer: A and then B", ""), ("Answer: B, or maybe C", ""), ("Answer: A to D", ""),
        ("Answer: either A or else B", ""), ("Answer: not B", ""), ("Answer: it isn't B", ""),
        ("Answer: all of A to D", ""), ("Answer: B - 3", ""), ("Answer: C. coli", ""),
        ("Answer: E", ""), ("Answer: none", ""), ("Answer: I think it is B", ""), ("B", ""),
        (r"\boxed{B}", ""), ("The answer is B", ""),
    ],
)  # fmt: skip
def test_answer_colon_md_reads_a_letter_with_an_explanation(text, expected):
    assert letter(text, COLON_MD) == expected


HEDGES = [
    "A) B) C)", "A? B?", "A; if wrong B", "A, otherwise B", "A\nAnswer: B or C", "A. B. C.",
    "A - B", "A_B", "A|B", "A/b", "a; if wrong b", "A or dog", "A: dog", "A then c", "A unless B",
    "A → B",
    "(A) or (B)", "**A** or **B**", r"\text{A} or \text{B}", "A. cat or B. dog", "A… B", "A B C D",
    "A because I like it, or B", "A because of this, B because of that", "A because, if not, B",
    "A, B is second best", "A. Option B is fine too", "A, failing that dog",
]  # fmt: skip
DENIALS = [
    "A is wrong", "A is not the answer, B is", "A isn't right", "A isn’t it", "A cannot be",
    "A, no", "A? No.", "A (wrong)", "A: incorrect", "A is out", "A would be wrong",
    "A was eliminated",
    "not A", "A is definitely the wrong one", "A, which is false", "A, but this is wrong",
    "neither A nor B",
    "anything but A", "everything except A", "the wrong one is A", "A\nAnswer: not A", "A not",
    "A. That is not the right answer", "A can definitely not be", "A doesn't fit", "A fails",
]  # fmt: skip
PLAIN = [
    ("A. The car is red", "A"), ("(A) cat", "A"), ("A.", "A"), ("A!", "A"), ("A - cat", "A"),
    ("A (cat)", "A"), ("A, the cat", "A"), ("B, a dog", "B"), ("A. A dog runs", "A"),
    ("A. Not enough light is in the picture", "A"), ("A. No cars are visible", "A"),
    ("A is right", "A"), ("A is correct, no doubt", "A"), ("A, since there is no dog", "A"),
    ("C because B is wrong", "C"), ("C because A, B and D are wrong", "C"), ("B, I am sure", "B"),
    ("B because it isn't a bird", "B"), ("B. The picture doesn't show a bird", "B"),
    ("**B**.", "B"),
    ("A (the cat isn't black)", "A"), ("A — it's the only cat", "A"), (r"\textbf{(B)}", "B"),
    ("A. cat, e.g. the black one", "A"), ("B is the best fit", "B"), ("Option (B)", "B"),
    ("A\nAnswer: unsure", "A"), ("A or B\nAnswer: B", "B"), ("not A\nAnswer: A", "A"),
]  # fmt: skip


@pytest.mark.parametrize("statement", HEDGES + DENIALS)
@pytest.mark.parametrize("mode", MODES)
def test_a_hedge_and_a_denial_score_for_no_option(statement, mode):
    assert letter(f"Answer: {statement}", mode) == ""
    assert letter(f"\\boxed{{{statement}}}", mode) == ""


@pytest.mark.parametrize(("statement", "expected"), PLAIN)
def test_a_plain_statement_with_words_around_it_names_its_letter(statement, expected):
    assert letter(f"Answer: {statement}", COLON_MD) == expected
    assert letter(f"**Answer:** {statement}", COLON_MD) == expected


def test_an_options_own_text_may_hold_letters_and_denials():
    texts = ("not a cat", "Vitamin C", "z", "Both A and B", "No, it is wrong")
    options = [{offered: text} for offered, text in zip("ABCDE", texts, strict=True)]
    for offered, text in zip("ABCDE", texts, strict=True):
        for joint in (". ", ": ", ") ", " - "):
            assert letter(f"Answer: {offered}{joint}{text}", COLON_MD, options) == offered
        hedged = f"Answer: {offered}. {text}, or D"
        assert letter(hedged, COLON_MD, options) == ("D" if offered == "D" else "")


@pytest.mark.parametrize(
    "later", ["B or C", "not A", "(B)", "I think it is B", "B. dog", "A is wrong", "either A or B"]
)
def test_a_later_answer_in_any_form_contradicts_the_first(later):
    assert letter(f"Answer: A\nAnswer: {later}", COLON) == ""
    assert letter("Answer: A\nAnswer: (A)", COLON) == "A"


@pytest.mark.parametrize("offered", ["C", "I"])
def test_the_pronoun_i_is_no_option(offered):
    text = "Answer: I think it is C"
    assert read(text, COLON_MD, UP_TO_J, gold=offered).value == float(offered == "C")
    assert letter("Answer: I'm sure it is D", COLON_MD, UP_TO_J) == "D"
    assert letter("Answer: I", COLON_MD, UP_TO_J) == "I"
    assert letter("Answer: I because of that", COLON_MD, UP_TO_J) == "I"


def test_a_prefix_of_the_template_is_a_marker_with_the_box_as_fallback():
    template = {"template_metadata": {"answer_prefix": "Ответ:"}}
    assert letter("Ответ: B", COLON_MD, **template) == "B"
    assert letter("Answer: A\nответ: B", COLON_MD, **template) == "B"
    assert letter(r"\boxed{B}", COLON_MD, **template) == "B"
    assert letter(r"\boxed{B}", COLON_MD) == ""


BRACKETS = {"template_metadata": {"output_regex": r"\[\[([A-Z])\]\]"}}
SELECTED = {"template_metadata": {"output_regex": r"selected:\s*([A-Za-z])\s*"}}


@pytest.mark.parametrize("mode", MODES)
def test_a_pattern_of_the_template_comes_before_the_mode(mode):
    assert letter("[[A]] then [[b]]", mode, **BRACKETS) == "B"
    assert letter("[[Z]]", mode, **BRACKETS) == ""


@pytest.mark.parametrize("text", ["selected: A or B", "selected: A, B", "selected: A/B"])
def test_a_pattern_that_captures_one_letter_of_a_list_names_nothing(text):
    assert letter(text, **SELECTED) == ""


def test_without_a_match_the_mode_decides():
    assert letter(r"\boxed{B}", **BRACKETS) == "B"
    assert letter("[[Z]] \\boxed{B}", **BRACKETS) == "B"


@pytest.mark.parametrize("text", ["selected: because", "selected: a car", "selected: I think so"])
def test_a_pattern_that_captures_a_piece_of_a_word_names_nothing(text):
    assert letter(text, options=UP_TO_J, **SELECTED) == ""


def test_patterns_are_tried_in_order_and_may_capture_an_options_text():
    template = {"template_metadata": {"output_regex": [r"<<(\w+)>>", r"(?:x|\[(\w+)\])"]}}
    assert letter("<<dog>> [cat]", **template) == "B"
    assert letter("<<mouse>> [cat]", **template) == "A"
    assert letter("[cat]", **template) == "A"


def test_a_pattern_can_stand_without_options():
    row = {"expected_answer": "Q", "template_metadata": {"output_regex": r"\[\[(.)\]\]"}}
    assert grade("mcqa", "[[q]]", row).value == 1.0
    with pytest.raises(GoldError, match="one letter"):
        make_grader("mcqa", {**row, "expected_answer": "no"})


@pytest.mark.parametrize(
    "pattern", ["(", "", 3, ["ok", "["], r"(a+)+$", r"(\w+\s?)+$", r"(?:a|aa)+$", r"(\s*)*\d$"]
)
def test_a_pattern_that_is_broken_or_explodes_is_refused(pattern):
    fields = {"template_metadata": {"output_regex": pattern}}
    with pytest.raises(DataError, match=r"`template_metadata\.output_regex`"):
        read("x", **fields)


def test_a_search_that_takes_too_long_finds_nothing():
    template = {"template_metadata": {"output_regex": r"(q+)+$"}}  # no probe repeats a q
    assert letter("q" * 200 + r"! \boxed{B}", **template) == "B"


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"options": {"A": "cat"}}, "options"),
        ({"options": ["cat", "dog"]}, "options"),
        ({"options": [{"A": 1}]}, "options"),
        ({"options": [{"A": "cat"}, {"a": "dog"}]}, "options"),
        ({"grading_mode": "lenient"}, "grading_mode"),
        ({"template_metadata": "x"}, "template_metadata"),
        ({"template_metadata": {"answer_prefix": 1}}, "template_metadata.answer_prefix"),
        ({"expected_answer": "E"}, "expected_answer"),
        ({"expected_answer": "AB"}, "expected_answer"),
        ({"expected_answer": None}, "expected_answer"),
        ({"expected_answer": ""}, "expected_answer"),
        ({"options": None}, "expected_answer"),
        ({"options": [{"A": "x"}, {"B": None}]}, "expected_answer"),
    ],
)
def test_a_bad_field_is_refused_by_name(fields, name):
    with pytest.raises(DataError, match=f"Expected `{name}`"):
        make_grader("mcqa", {"options": OPTIONS, "expected_answer": "B", **fields})


def test_letters_of_rows_may_be_lower_case():
    assert letter("Answer: B", COLON, [{"a": "x"}, {"b": "y"}]) == "b"
    assert read(r"\boxed{B}", gold="b").value == 1.0


@given(st.sampled_from("ABCD"), st.sampled_from([STRICT, BOXED]))
def test_the_canonical_answer_scores_for_its_option_alone(choice, mode):
    assert letter(f"\\boxed{{{choice}}}", mode) == choice


@given(
    st.text(st.sampled_from("ABCDabi \\boxed{}()Answer:,.;/|\n*orandtext"), max_size=60),
    st.sampled_from(MODES),
)
def test_no_text_raises_or_scores_for_two_options(text, mode):
    assert len(letter(text, mode)) <= 1


@pytest.mark.parametrize("mode", MODES)
def test_a_list_of_all_options_scores_for_none(mode):
    for joined in ("A, B, C, D", "A or B or C or D", "ABCD", "A B C D", "A/B/C/D", "A; B; C and D"):
        for text in (f"\\boxed{{{joined}}}", f"Answer: {joined}"):
            assert letter(text, mode) == ""
