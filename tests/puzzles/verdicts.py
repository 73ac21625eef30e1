"""What the measured facts of a family and level may be; each problem is one sentence with seeds.

Whatever could be chance is a *suspicion*: it counts only when fresh seeds show it again.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from gym_imagetools.puzzles.registry import family
from tests.puzzles.measures import Row
from tests.puzzles.odds import dependence, evenness, surprise

Z_ALARM = 3.5
P_ALARM = 1e-3
MAX_DUPLICATES = 1e-3
NUM_SHUFFLES = 1999
_COUNTS = ("integer", "intlist", "compare")


@dataclass
class Verdict:
    """What a measure shows.

    Attributes:
        problems: What is wrong for certain.
        suspicions: By a short name, what is wrong unless it is chance.
        figures: For tables, by name.
    """

    problems: list[str] = field(default_factory=list)
    suspicions: dict[str, str] = field(default_factory=dict)
    figures: dict[str, float] = field(default_factory=dict)

    def confirmed_by(self, fresh: Verdict) -> list[str]:
        """The problems, and the suspicions that fresh seeds raise again."""
        both = [text for name, text in self.suspicions.items() if name in fresh.suspicions]
        return [*self.problems, *fresh.problems, *both]


def judge_answers(rows: Sequence[Row], level: int) -> Verdict:
    """Judge rows of ``measure_answers`` of one family and level."""
    verdict = Verdict()
    _expect_none(verdict, "solver disagrees", (r for r in rows if r["problem"]))
    _expect_none(verdict, "right options are not one", (r for r in rows if r["right_options"] != 1))
    _expect_none(verdict, "options alike", (r for r in rows if r["equal_options"]))
    _expect_none(verdict, "no plain RGB", (r for r in rows if not r["plain"]))
    sizes = Counter(str((r["form"], r["sizes"])) for r in rows)
    forms = {r["form"] for r in rows}
    if len(sizes) > len(forms):
        verdict.problems.append(f"sizes differ within a form: {dict(sizes)}")
    repeats = len(rows) - len({r["spec"] for r in rows})
    verdict.figures["duplicates"] = repeats / max(1, len(rows))
    if level >= 3 and repeats > max(MAX_DUPLICATES * len(rows), 0.5):
        verdict.problems.append(f"{repeats} of {len(rows)} puzzles repeat another")
    _judge_guesses(verdict, rows)
    _judge_balance(verdict, rows)
    _judge_bytes(verdict, rows)
    times = [r["cpu_ms"] for r in rows]
    verdict.figures |= {
        "seeds": len(rows),
        "agree": sum(not r["problem"] for r in rows),
        "median_ms": float(np.median(times)),
        "p95_ms": float(np.percentile(times, 95)),
    }
    return verdict


def _expect_none(verdict: Verdict, what: str, rows: Iterable[Row]) -> None:
    found = list(rows)
    if found:
        seeds = ", ".join(str(row["seed"]) for row in found[:8])
        verdict.problems.append(
            f"{what}: {len(found)} seeds ({seeds}) {found[0]['problem']}".strip()
        )


def _judge_guesses(verdict: Verdict, rows: Sequence[Row]) -> None:
    """Named attacks, and the commonest answer of a form or of a question.

    An attack may be right seldom, for some look at the sample: the option most like it is rarely
    its mirror image. What is learned of the options alone is held to both sides.
    """
    chances = [r["chance"] for r in rows]
    tails = {name: surprise([r["hits"][name] for r in rows], chances) for name in rows[0]["hits"]}
    for name, key in (("modal answer", "form"), ("answer by question", "question")):
        tails[name] = surprise(_modal_hits(rows, key), chances)
    verdict.figures["worst_guess"] = max(tails.values())
    for name, tail in tails.items():
        if tail > Z_ALARM:
            verdict.suspicions[f"guess {name}"] = f"blind guess {name!r}: {tail:+.1f} sigma"


def _modal_hits(rows: Sequence[Row], key: str) -> list[bool]:
    """Whether the commonest answer of the other half, among equal keys, is right."""
    hits = [False] * len(rows)
    for half in (0, 1):
        answers: dict[str, Counter] = defaultdict(Counter)
        for row in rows[1 - half :: 2]:
            answers[row[key]][row["answer"]] += 1
        for index in range(half, len(rows), 2):
            seen = answers[rows[index][key]].most_common(1)
            hits[index] = bool(seen) and seen[0][0] == rows[index]["answer"]
    return hits


def _judge_balance(verdict: Verdict, rows: Sequence[Row]) -> None:
    """Letters, positions and numbers, wherever they should be even."""
    groups: dict[tuple, list] = defaultdict(list)
    for row in rows:
        for part, value, categories in _parts(row):
            groups[row["form"], part, categories].append(value)
    least = 1.0
    for (form, part, categories), values in groups.items():
        count = categories or max(values)
        likelihood = evenness(values, count)
        least = min(least, likelihood)
        if likelihood < P_ALARM:
            text = f"{part} of {form!r} uneven, p {likelihood:.1g}: {dict(Counter(values))}"
            verdict.suspicions[f"balance {form} {part}"] = text[:300]
    verdict.figures["balance_p"] = least


def _parts(row: Row) -> Iterable[tuple[str, object, int]]:
    """The parts of an answer that are drawn evenly: name, value, number of categories.

    0 categories stand for 1..the largest that is seen.
    """
    answer, grader = row["answer"], row["form"].split()[-1]
    if grader == "mcqa":
        yield "letters", answer, row["options"]
    elif grader == "coord":
        across = answer.strip("()").split(",")
        yield "rows", int(across[0]), 0
        yield "columns", int(across[1]), 0
    elif grader == "pairs" and re.fullmatch(r"\d+-\d+", answer):
        yield from (("paired numbers", int(number), 0) for number in answer.split("-"))
    elif grader == "integer" and abs(1 / row["chance"] - round(1 / row["chance"])) < 1e-6:
        yield "numbers", int(answer), round(1 / row["chance"])


def _judge_bytes(verdict: Verdict, rows: Sequence[Row]) -> None:
    """The length of the PNG files; a count is seen in a picture, and so in its length."""
    least = 1.0
    for form in sorted({r["form"] for r in rows}):
        same = [r for r in rows if r["form"] == form]
        if form.split()[-1] in _COUNTS or len({r["answer"] for r in same}) > len(same) / 10:
            continue
        likelihood = dependence(
            [r["bytes"] for r in same], [r["answer"] for r in same], NUM_SHUFFLES
        )
        least = min(least, likelihood)
        if likelihood < P_ALARM:
            text = f"bytes of the PNG tell of the answer of {form!r}, p {likelihood:.1g}"
            verdict.suspicions[f"bytes {form}"] = text
    verdict.figures["bytes_p"] = least


def judge_tools(name: str, rows: Sequence[Row], level: int) -> Verdict:
    """Judge rows of ``measure_tools`` of one family and level."""
    verdict, needs = judge_oracle(rows), judge_needs(name, rows, level)
    verdict.figures |= needs.figures
    verdict.suspicions |= needs.suspicions
    verdict.figures["weak"] = float(np.mean([r["weak"] for r in rows]))
    chances = [r["chance"] for r in rows]
    for key in ("black", "shuffled"):
        hits = [r[key] for r in rows]
        verdict.figures[key] = float(np.mean(hits))
        tail = surprise(hits, chances)
        if tail > Z_ALARM and level >= family(name).tools_needed_from:
            verdict.suspicions[key] = f"right with {key} pictures: {tail:+.1f} sigma"
    return verdict


def judge_oracle(rows: Sequence[Row]) -> Verdict:
    """Judge how the oracle fares with all its tools."""
    missed = [r["seed"] for r in rows if not r["oracle"]]
    verdict = Verdict()
    if missed:
        verdict.problems.append(f"the oracle fails on {len(missed)} seeds: {missed[:8]}")
    verdict.figures = {
        "played": len(rows),
        "oracle": len(rows) - len(missed),
        "calls": max(r["calls"] for r in rows),
    }
    return verdict


def judge_needs(name: str, rows: Sequence[Row], level: int) -> Verdict:
    """Judge what the oracle does without the tools that it should need."""
    verdict = Verdict()
    needs_tools = level >= family(name).tools_needed_from
    chances = [r["chance"] for r in rows]
    verdict.figures |= {"chance": float(np.mean(chances)), "needs_tools": needs_tools}
    runs = {f"without {g}": [r["without"][g] for r in rows] for g in rows[0]["without"]}
    runs["by the preview alone"] = [r["preview"] for r in rows]
    verdict.figures["without"] = max(float(np.mean(hits)) for hits in runs.values())
    for what, hits in runs.items():
        tail = surprise(hits, chances)
        if tail > Z_ALARM and needs_tools:
            verdict.suspicions[what] = f"right {what}: {tail:+.1f} sigma"
    return verdict


def judge_learned(rows: Sequence[Row]) -> Verdict:
    """Judge rows of ``measure_learned`` of one family and level."""
    verdict = Verdict()
    if rows:
        tail = surprise([r["hit"] for r in rows], [r["chance"] for r in rows])
        verdict.figures = {"learned": tail, "learned_tasks": len(rows)}
        if abs(tail) > Z_ALARM:
            verdict.suspicions["learned"] = f"learned from the options: {tail:+.1f} sigma"
    return verdict


def judge_again(rows: Sequence[Row]) -> Verdict:
    """Judge rows of ``measure_again`` of one family and level."""
    verdict = Verdict(figures={"drawn_again": len(rows)})
    changed = [r["seed"] for r in rows if not r["same"]]
    if changed:
        verdict.problems.append(f"another process draws {len(changed)} otherwise: {changed[:8]}")
    return verdict


def judge(check: str, name: str, level: int, rows: Sequence[Row]) -> Verdict:
    """Judge the rows of a check by its name."""
    if check == "answers":
        return judge_answers(rows, level)
    if check == "tools":
        return judge_tools(name, rows, level)
    return judge_learned(rows) if check == "learned" else judge_again(rows)
