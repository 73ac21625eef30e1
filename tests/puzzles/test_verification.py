"""The alarms of the verification ring when they should, and a run goes on where one stopped."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import typer
from scipy.stats import norm
from typer.testing import CliRunner

from tests.puzzles import shards, verify
from tests.puzzles.archive import pack, unpack
from tests.puzzles.learned import guesses, look
from tests.puzzles.measures import measure_again, measure_answers, measure_learned, measure_tools
from tests.puzzles.odds import dependence, evenness, surprise
from tests.puzzles.shards import Shard, code_key, code_of
from tests.puzzles.verdicts import Verdict, judge, judge_answers, judge_tools
from tests.puzzles.verification import Amounts, Cell, falls_with_difficulty, look_up
from tests.puzzles.verification_page import page, problems_of

FAMILY, LEVEL = "OverlayPatterns", 1
SMALL = Amounts(seeds=6, many=0, played=2, again=1)


@pytest.fixture(scope="module")
def rows():
    return list(measure_answers(FAMILY, LEVEL, range(60)))


def test_surprise_is_the_exact_tail():
    rng = np.random.default_rng(0)
    chances = rng.uniform(0.0, 0.3, 40).tolist()
    sums = (rng.random((200_000, 40)) < chances).sum(axis=1)
    for hits in (2, 6, 11):
        drawn = surprise([True] * hits + [False] * (40 - hits), chances)
        more = (sums > hits).mean() + (sums == hits).mean() / 2
        assert drawn == pytest.approx(norm.isf(more), abs=0.05)


def test_one_lucky_hit_of_a_tiny_chance_is_an_alarm_only_if_it_is_tiny_in_all():
    assert surprise([True] + [False] * 99, [1e-3] * 100) < 3.5
    assert surprise([True] + [False] * 99, [1e-7] * 100) > 3.5


@pytest.mark.parametrize(("values", "categories"), [("A" * 30 + "B" * 5, 2), ("AABBCC", 2)])
def test_uneven_letters_are_found(values, categories):
    assert evenness(values, categories) < 1e-3


@pytest.mark.parametrize(("values", "categories"), [("AB" * 20, 2), ("AB", 4), ("A" * 9, 9)])
def test_even_letters_or_too_few_of_them_are_no_alarm(values, categories):
    assert evenness(values, categories) > 0.01


def test_sizes_that_tell_are_found_and_others_are_not():
    rng = np.random.default_rng(1)
    letters = rng.choice(list("ABCD"), 400).tolist()
    noise = rng.normal(1000, 30, 400)
    telling = noise + np.array([20 * (letter == "A") for letter in letters])
    assert dependence(telling, letters, 1999) < 1e-3
    assert dependence(noise, letters, 1999) > 1e-3


def test_a_trace_in_the_right_option_is_learned_and_nothing_where_there_is_none():
    rng = np.random.default_rng(2)
    right = rng.integers(4, size=400)
    for trace, least, most in ((6, 0.6, 1.0), (0, 0.15, 0.35)):
        looks = []
        for index in right:
            crops = rng.integers(60, 190, (4, 40, 40, 3), dtype=np.uint8)
            crops[index, 10:14, 10:14] += np.uint8(10 * trace)
            looks.append(look(crops))
        hits = np.array(guesses(looks, right.tolist())) == right
        assert least < hits.mean() <= most


def test_rows_of_a_sound_family_raise_nothing(rows):
    verdict = judge_answers(rows, LEVEL)
    assert (verdict.problems, verdict.suspicions) == ([], {})
    assert verdict.figures["agree"] == verdict.figures["seeds"] == 60


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"problem": "solver: B"}, "solver disagrees: 1 seeds (7) solver: B"),
        ({"right_options": 2}, "right options are not one"),
        ({"equal_options": 1}, "options alike"),
        ({"plain": False}, "no plain RGB"),
        ({"sizes": [[1, 1]]}, "sizes differ"),
    ],
)
def test_one_bad_seed_is_a_problem(rows, change, words):
    bad = [*rows[:7], {**rows[7], **change}, *rows[8:]]
    (problem,) = judge_answers(bad, LEVEL).problems
    assert words in problem


def test_a_guess_that_knows_is_suspected(rows):
    known = [{**row, "hits": {"x": True, "y": False}} for row in rows]
    assert set(judge_answers(known, LEVEL).suspicions) == {"guess x"}


@pytest.mark.parametrize("hit", [True, False])
def test_what_is_learned_of_options_may_be_right_neither_often_nor_seldom(hit):
    rows = [{"seed": seed, "hit": hit, "chance": 0.25} for seed in range(60)]
    assert "learned" in judge("learned", FAMILY, LEVEL, rows).suspicions


def test_repeats_and_constant_letters_are_found_at_high_levels(rows):
    same = [{**row, "spec": "x", "answer": "A"} for row in rows]
    verdict = judge_answers(same, 3)
    assert "repeat another" in verdict.problems[0]
    assert any(name.startswith("balance") for name in verdict.suspicions)


def test_an_oracle_that_fails_or_needs_no_tools_is_found():
    rows = list(measure_tools(FAMILY, 5, range(2)))
    assert judge_tools(FAMILY, rows, 5).problems == []
    assert (
        "fails on 2" in judge_tools(FAMILY, [{**r, "oracle": False} for r in rows], 5).problems[0]
    )
    cheats = {"black": True, "shuffled": True, "preview": True, "chance": 1e-3}
    cheats["without"] = dict.fromkeys(rows[0]["without"], True)
    verdict = judge_tools(FAMILY, [{**row, **cheats} for row in rows * 10], 5)
    assert {"black", "shuffled", "by the preview alone"} < set(verdict.suspicions)
    assert any(name.startswith("without") for name in verdict.suspicions)


def test_a_suspicion_counts_only_when_fresh_seeds_raise_it_too():
    first = Verdict(problems=["wrong"], suspicions={"a": "maybe", "b": "perhaps"})
    assert first.confirmed_by(Verdict(suspicions={"b": "again"})) == ["wrong", "perhaps"]


def test_options_are_learned_from_where_there_are_enough():
    assert list(measure_learned(FAMILY, LEVEL, range(10))) == []
    assert list(measure_learned("Maze", LEVEL, range(3))) == []


def test_another_process_draws_the_same():
    rows = list(measure_again(FAMILY, LEVEL, range(2)))
    assert rows == [{"seed": 0, "same": True}, {"seed": 1, "same": True}]
    assert judge("again", FAMILY, LEVEL, [{"seed": 4, "same": False}]).problems


def test_a_shard_is_read_back_until_the_code_changes(tmp_path, monkeypatch):
    shard = Shard(FAMILY, LEVEL, "answers", 5, 2)
    assert shard.read(tmp_path) is None
    shard.measure(tmp_path)
    assert [row["seed"] for row in shard.read(tmp_path)] == [5, 6]
    monkeypatch.setattr(shards, "code_key", lambda name: "changed")
    assert shard.read(tmp_path) is None
    shard.measure(tmp_path)
    assert len(list(tmp_path.rglob("*.json"))) == 1


def test_the_key_is_of_the_code_and_not_of_its_words():
    plain = "def f(x):\n    return x + 1\n"
    worded = '"""Text."""\n\n\ndef f(x):\n    """Text."""\n    # why\n    return (x + 1)\n'
    assert code_of(plain) == code_of(worded) != code_of(plain.replace("1", "2"))
    assert code_key("Maze") != code_key("Views3D")


def test_a_plan_asks_for_what_is_missing_and_judges_what_is_there(tmp_path):
    cell = look_up(FAMILY, LEVEL, SMALL, tmp_path)
    assert {shard.check for shard in cell.missing} == {"answers", "learned", "tools", "again"}
    assert sum(shard.count for shard in cell.missing if shard.check == "answers") == 6
    for shard in cell.missing:
        shard.measure(tmp_path)
    done = look_up(FAMILY, LEVEL, SMALL, tmp_path)
    assert (done.missing, done.problems) == ([], [])
    assert (done.figures["agree"], done.figures["oracle"]) == (6, 2)
    more = look_up(FAMILY, LEVEL, replace(SMALL, many=60, cheap_ms=1e6), tmp_path)
    assert sum(shard.count for shard in more.missing) > 50


def test_a_weak_agent_that_fares_better_at_level_five_is_told():
    def cells(easy, hard):
        return [Cell("X", n, figures={"weak": w, "played": 200}) for n, w in ((1, easy), (5, hard))]

    assert falls_with_difficulty(cells(0.2, 0.6))
    assert falls_with_difficulty(cells(0.6, 0.2)) == falls_with_difficulty(cells(0.3, 0.35)) == []


def test_the_page_tells_what_failed_and_what_is_missing():
    cells = [
        Cell("A", 1, problems=["solver disagrees: 1 seeds (7)"], figures={"agree": 9, "seeds": 10}),
        Cell("A", 2, missing=[Shard("A", 2, "tools", 0, 9)]),
        Cell("B", 1, figures={"agree": 1000, "seeds": 1000, "worst_guess": 1.25}),
    ]
    text = page(cells)
    assert problems_of(cells) == ["A 1: solver disagrees: 1 seeds (7)"]
    for line in (
        "- A 1: solver disagrees: 1 seeds (7)",
        "Still to be measured in part: A.",
        "| A | 1 | 9 of 10 | - | - | - | - | - | **failed** |",
        "| A | 2 | - | - | - | - | - | - | incomplete |",
        "| B | 1 | 1,000 of 1,000 | +1.2 | - | - | - | - | passed |",
    ):
        assert line in text


def test_a_run_stops_at_its_budget_and_still_writes_the_page(tmp_path):
    app, written = typer.Typer(), tmp_path / "page.md"
    app.command()(verify.main)
    options = ["--families", FAMILY, "--levels", "1", "--budget-s", "1e-9", "--jobs", "1"]
    options += ["--out", str(tmp_path / "shards"), "--archive", str(tmp_path / "packed")]
    run = CliRunner().invoke(app, [*options, "--write", str(written)])
    assert run.exit_code == 0
    assert "incomplete" in written.read_text("utf-8")
    assert list(tmp_path.rglob("*.json")) == []


def test_what_is_packed_is_read_back_elsewhere_and_stale_shards_are_dropped(tmp_path):
    shard = Shard(FAMILY, LEVEL, "again", 3, 1)
    shard.measure(tmp_path / "here")
    stale = shard.path(tmp_path / "here").with_name("again-4-1-0123456789abcdef.json")
    stale.write_text("[]", "utf-8")
    pack(tmp_path / "here", tmp_path / "packed")
    packed = tmp_path / "packed" / f"{FAMILY}.json.xz"
    content = packed.read_bytes()

    unpack(tmp_path / "packed", tmp_path / "there")
    assert shard.read(tmp_path / "there") == shard.read(tmp_path / "here") is not None
    assert [path.name for path in (tmp_path / "there").rglob("*.json")] == [
        shard.path(tmp_path).name
    ]
    pack(tmp_path / "there", tmp_path / "packed")
    assert packed.read_bytes() == content
    pack(tmp_path / "empty", tmp_path / "packed")
    assert list((tmp_path / "packed").iterdir()) == []


def test_unpacking_leaves_what_is_there_as_it_is(tmp_path):
    unpack(tmp_path / "none", tmp_path / "shards")
    shard = Shard(FAMILY, LEVEL, "again", 3, 1)
    shard.measure(tmp_path / "shards")
    pack(tmp_path / "shards", tmp_path / "packed")
    shard.path(tmp_path / "shards").write_text("[]", "utf-8")
    unpack(tmp_path / "packed", tmp_path / "shards")
    assert shard.read(tmp_path / "shards") == []


def test_shards_are_measured_by_processes(tmp_path):
    todo = [Shard(FAMILY, LEVEL, "answers", first, 1) for first in (0, 1)]
    assert verify.run(todo, tmp_path, jobs=1, deadline=None)
    assert [json.loads(path.read_text())[0]["seed"] for path in sorted(tmp_path.rglob("*.json"))]
