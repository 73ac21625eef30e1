"""Mathematics: symbolic equality, and a worker process that never outlives its use."""

import json
import multiprocessing
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gym_imagetools.errors import DataError
from gym_imagetools.graders import GoldError, grade, make_grader, math_process
from gym_imagetools.graders.math_process import MATH_PROCESS, MathProcess
from tests.graders.test_blank import BLANKS

# ruff: noqa: RUF001 - look-alike characters are what is tested


def value(answer, gold, **fields):
    return grade("math", f"so \\boxed{{{answer}}}", {"expected_answer": gold, **fields}).value


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("42", "42"), ("42.0", "42"), (r"\frac{1}{2}", "0.5"), ("0.5", r"\frac12"), ("1/2", "0.5"),
        (r"\frac{2}{4}", "1/2"), (r"1\frac{1}{2}", "1.5"), (r"\sqrt{8}", r"2\sqrt{2}"),
        ("x^2+2x+1", "(x+1)^2"), ("1+x", "x+1"), (r"\pi", r"\pi"), ("10^{10}", "10000000000"),
        ("7{,}250", "7250"), (r"7\,250", "7250"), ("7,250", "7250"), ("−5", "-5"), ("–5", "-5"),
        ("[4,7]", "[4,7]"), ("(1,2)", "(1, 2)"), (r"\{3,2\}", r"\{2,3\}"), ("5", "x=5"),
        ("x=5", "x=5"), (r"5\text{ cm}", "5"), (r"5\text{ cm}", r"5\text{ cm}"),
        (r"\text{cat}", "cat"), ("42", "$42$"), ("42", r"\(42\)"), ("42", r"\boxed{42}"),
        (r"\frac{3}{7}", r"\frac{3}{7}"), ("0.333333", r"\frac13"), ("3.141593", r"\pi"),
        ("0.5", r"50\%"), ("10!", "3628800"),
        ("90", r"90^\circ"), (r"50\%", r"50\%"), (r"50\%", "50"),
    ],
)  # fmt: skip
def test_equal_expressions_score(answer, gold):
    assert value(answer, gold) == 1.0


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("43", "42"), (r"\frac{3}{8}", r"\frac{3}{7}"), ("0.3333", r"\frac13"), ("2004", "1998"),
        ("99", "100"), ("3000", "3001"), ("0.0000002", "0.0000001"), ("100.0000001", "100"),
        ("(47)", "(4,7)"), ("47", "4,7"), ("47", r"\{4,7\}"), ("(4,7)", "[4,7]"),
        ("[4,7)", "[4,7]"),
        ("[4,7]", "(4,7)"), ("(2,1)", "(1,2)"), ("x=5", "5"), ("x=4=5", "5"), ("6=5", "5"),
        (r"7 \text{ or } 8", "7"), ("7, 8", "7"), (r"7 \pm 1", "7"), ("7;8", "8"),
        (r"5\text{ cm}", r"5\text{ m}"), ("5", r"5\text{ m}"), ("-5", "5"), ("1e3", "1000"),
        ("", "42"), (" ", "42"), (r"\text{}", "42"), ("?", "42"), ("all", "42"),
    ],
)  # fmt: skip
def test_other_values_and_hedges_score_0(answer, gold):
    assert value(answer, gold) == 0.0


@pytest.mark.parametrize(
    "gold", ["cat", "no", "east", "New York", "level 2", "x-ray", r"\text{red}"]
)
def test_a_gold_of_words_is_compared_as_text(gold):
    bare = gold.removeprefix(r"\text{").removesuffix("}")
    for same in (
        gold,
        bare,
        bare.upper(),
        rf"\text{{{bare}}}",
        rf"\textbf{{{bare}}}.",
        f" {bare} ",
    ):
        assert value(same, gold) == 1.0, same
    letters = bare.replace(" ", "")
    for other in (bare[::-1], letters[1:] + letters[0], r" \cdot ".join(letters), f"not {bare}"):
        assert value(other, gold) == 0.0, other


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("dog and cat", "cat, dog"), ("dog, cat", "cat, dog"), ("yx", "xy"), ("b a", "a b"),
        (r"b \cdot a", r"a \cdot b"), (r"\pm 5", "-5, 5"), (r"\log 8", r"\log(8)"),
        ("z+ab", "ab+z"),
        (r"\sin x", r"\sin(x)"), (r"\infty", r"\infty"), ("(1,2)", r"\left(1,2\right)"),
        (r"\{1,2\}", "1,2"), ("2,1", "1,2"), (r"x \geq 5", r"x \ge 5"), ("x<5", "x<5"),
        (r"7 \text{ or } 8", "7, 8"), (r"x \in [1,2]", "[1,2]"),
    ],
)  # fmt: skip
def test_marked_products_functions_and_lists_stay_mathematics(answer, gold):
    assert value(answer, gold) == 1.0


@pytest.mark.parametrize("unit", ["lb", "apples", "m/s", "cm^2", "square feet", "kg"])
@pytest.mark.parametrize(
    "form", [r"5\text{ UNIT}", r"5\,\mathrm{UNIT}", r"5~\text{UNIT}", "5 UNIT"]
)
def test_two_units_must_be_the_same(form, unit):
    gold = form.replace("UNIT", unit)
    for other in ("ft", "pears", "km/h", "cm^3", "square miles"):
        assert value(form.replace("UNIT", other), gold) == 0.0, other
        assert value(rf"5\text{{ {other}}}", gold) == 0.0, other
    if "~" not in form and " " not in form + unit and "/" not in unit:
        assert value(gold, gold) == 1.0


def test_a_unit_on_one_side():
    assert value(r"5\text{ lb}", "5") == value(r"7\text{ apples}", "7") == 1.0  # golden row 014
    assert value("7", r"7\text{ apples}") == 1.0
    assert value("5", r"5\text{ kg}") == value("5", r"5\text{ cm}") == 0.0


@pytest.mark.parametrize(
    "relation",
    [
        ">", "<", r"\le", r"\ge", r"\leq", r"\geq", r"\leqslant", r"\lt", r"\gt", r"\ne", r"\neq",
        r"\approx", r"\sim", r"\simeq", r"\cong", r"\lesssim", r"\nless", r"\neg", "≤", "≥", "≠",
        "≈", "x >", r"x \approx", "=", "x =", "about", "at most", r"\text{less than}", "not",
        r"\pm", "±",
    ],
)  # fmt: skip
@pytest.mark.parametrize("gold", ["5", r"\frac{1}{2}"])
def test_a_relation_or_a_hedge_is_no_value(relation, gold):
    assert value(f"{relation} {gold}", gold) == 0.0
    assert value(f"{relation} {gold}.", gold) == 0.0


@pytest.mark.parametrize("tail", [r"\text{ or more}", r"\text{ or less}", " or so", "+", "?", "-"])
def test_a_hedge_behind_a_number_is_no_value(tail):
    assert value(f"5{tail}", "5") == 0.0


@pytest.mark.parametrize(
    "answer", ["(1,2)", "[1,2]", r"\left(1,2\right)", r"\big(1,2\big)", "(1,2]"]
)
def test_a_tuple_or_an_interval_is_no_list(answer):
    assert value(answer, "1,2") == 0.0


def test_only_the_last_box_is_an_answer():
    gold = {"expected_answer": "42"}
    assert grade("math", r"\boxed{41} no \boxed{42}", gold).value == 1.0
    assert grade("math", r"\fbox{42}", gold).value == 1.0
    for text in (
        r"\boxed{42} no \boxed{41}",
        r"\boxed{42} no \boxed{41",
        "The answer is $42$",
        r"<think>\boxed{42}",
        r"\boxed{42}".replace("42", "4" * 5000),
        r"\boxed{41}$42$",
    ):
        assert grade("math", text, gold).value == 0.0


@pytest.mark.parametrize("gold", ["$$", r"\(\)", r"\boxed{}", r"$\!$", None, *BLANKS])
def test_an_unusable_gold_is_refused_at_load_and_scores_0(gold):
    with pytest.raises(GoldError, match="Expected `expected_answer`"):
        make_grader("math", {"expected_answer": gold})
    for blank in BLANKS:
        assert value(blank, gold) == value(blank, "42") == 0.0


@pytest.mark.parametrize(
    "deadline_s", [0, -1, "soon", float("inf"), float("nan"), 1e30, 3600.1, 10**400, True, "5"]
)
def test_a_bad_deadline_is_refused(deadline_s):
    with pytest.raises(DataError, match="Expected `deadline_s`"):
        make_grader("math", {"expected_answer": "1", "deadline_s": deadline_s})


@pytest.mark.parametrize("deadline_s", [3600, 3600.0, 2, 0.001])
def test_a_deadline_of_up_to_an_hour_is_taken(deadline_s):
    grader = make_grader("math", {"expected_answer": "1", "deadline_s": deadline_s})
    assert grader.deadline_s == deadline_s


@pytest.fixture
def process():
    process = MathProcess()
    yield process
    process.close()


@pytest.mark.parametrize("answer", ["9^{9^{9^{9}}}", r"2^{2^{2^{2^{2^{2}}}}}"])
def test_an_answer_that_never_ends_scores_0_and_costs_its_worker(answer):
    assert value("1", "1") == 1.0
    worker = MATH_PROCESS._process
    assert value(answer, "1", deadline_s=0.5) == 0.0
    assert worker.returncode is not None  # killed and reaped
    assert worker.stdout.closed
    assert value("1", "1") == 1.0


@pytest.mark.parametrize("answer", ["100000!", "(" * 900 + "1" + ")" * 900, r"\frac{1}{0}"])
def test_a_monstrous_answer_scores_0_within_the_deadline(answer):
    assert value(answer, "1", deadline_s=2) == 0.0
    assert value("1", "1") == 1.0


def test_one_worker_serves_requests_and_is_gone_after_close(process):
    assert process.ask("1", "1", 5.0)["equal"]
    worker = process._process
    assert process.ask("1", "2", 5.0) == {"equal": False, "extracted": "2"}
    assert process._process is worker
    process.close()
    assert worker.returncode == 0
    process.close()  # closing twice is no harm


def test_a_worker_that_died_is_replaced(process):
    process.ask("1", "1", 5.0)
    process._process.kill()
    process._process.wait()
    assert process.ask("1", "1", 5.0)["equal"]


def test_threads_share_the_worker_and_get_their_own_replies():
    with ThreadPoolExecutor(8) as pool:
        values = pool.map(lambda n: value(str(n), str(n - n % 2)), range(40))
    assert list(values) == [1.0, 0.0] * 20


def test_a_thread_that_is_no_main_thread_can_be_the_first():
    MATH_PROCESS.close()
    found = []
    thread = threading.Thread(target=lambda: found.append(value("1/2", "0.5")))
    thread.start()
    thread.join()
    assert found == [1.0]


def _grade_in_child(queue):
    queue.put((os.getpid(), value("1/2", "0.5"), MATH_PROCESS._process.pid))


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_daemonic_process_has_a_worker_of_its_own(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"{method} is not available here")
    assert value("1", "1") == 1.0
    ours = MATH_PROCESS._process.pid
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    child = context.Process(target=_grade_in_child, args=(queue,), daemon=True)
    child.start()
    _, right, theirs = queue.get(timeout=120)
    child.join()
    queue.close()
    assert right == 1.0
    assert theirs != ours
    assert value("1", "1") == 1.0
    assert MATH_PROCESS._process.pid == ours


def test_a_program_that_grades_prints_nothing_and_leaves_no_process():
    code = (
        "from gym_imagetools.graders import grade, math_process\n"
        r"assert grade('math', r'\boxed{\frac12}', {'expected_answer': '0.5'}).value == 1.0"
        "\nprint(math_process.MATH_PROCESS._process.pid)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)


def test_a_worker_that_cannot_start_is_an_error_of_the_program(monkeypatch, process):
    monkeypatch.setattr(math_process, "_COMMAND", ("-c", "raise SystemExit('no math here')"))
    with pytest.raises(RuntimeError, match="no math here"):
        process.ask("1", "1", 5.0)
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(RuntimeError, match="Expected to start the math worker"):
        process.ask("1", "1", 5.0)


def test_an_interrupted_request_does_not_leave_its_reply_for_the_next(monkeypatch, process):
    process.ask("1", "1", 5.0)

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(json, "dumps", interrupt)
        with pytest.raises(KeyboardInterrupt):
            process.ask("1", "2", 5.0)
    assert process._process is None
    assert process.ask("1", "1", 5.0)["equal"]


@settings(max_examples=40, deadline=None)
@given(st.text(st.sampled_from("0123456789xyab+-*/^_=<>(){}[],.\\ !%$\n−²\ud800"), max_size=30))
def test_no_text_raises_and_junk_never_scores(text):
    assume("12345" not in text)
    assert value(text, "123456789.5", deadline_s=1) == 0.0


@settings(max_examples=30, deadline=None)
@given(st.fractions(max_denominator=999))
def test_a_fraction_scores_as_it_is_written(number):
    gold = f"{number.numerator}/{number.denominator}"
    sign = "-" if number < 0 else ""
    tex = rf"{sign}\frac{{{abs(number.numerator)}}}{{{number.denominator}}}"
    assert value(tex, gold) == value(gold, gold) == 1.0
    assert value(tex, f"{number.numerator + 1}/{number.denominator}") == 0.0
