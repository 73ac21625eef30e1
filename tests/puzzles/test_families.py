"""Every registered family at every level; see harness.py for what a family brings."""

from __future__ import annotations

import json
import pickle
from collections import Counter

import numpy as np
import pytest

from gym_imagetools.graders import grade
from gym_imagetools.images.cache import PIXELS
from gym_imagetools.puzzles.families import FAMILIES
from gym_imagetools.puzzles.puzzle import Family, Streams, spec_hash
from gym_imagetools.puzzles.registry import family, generate
from gym_imagetools.tools import TOOLS
from tests.puzzles.harness import (
    FAMILY_LEVELS,
    MAX_TOOL_CALLS,
    attack_score,
    make_batch,
    play_oracle,
    solver_of,
    z_score,
)

SEEDS = range(20)
NUM_ORACLE_TASKS = 6
ATTACK_SEEDS = range(1000, 1200)
ATTACK_LEVEL = 3
Z_ALARM = 3.5


@pytest.fixture(scope="module", params=FAMILY_LEVELS, ids=lambda pair: f"{pair[0]}-{pair[1]}")
def batch(request):
    return make_batch(*request.param, SEEDS)


@pytest.fixture(scope="module", params=FAMILIES)
def many_tasks(request):
    return [generate(request.param, seed, ATTACK_LEVEL) for seed in ATTACK_SEEDS]


def test_the_independent_solver_agrees(batch):
    solve = solver_of(batch.name).solve
    solved = {task.task_id: solve(task) for task in batch}
    assert solved == {task.task_id: task.expected_answer for task in batch}


def test_the_oracle_solves_it_with_tools_within_the_budget(batch):
    for task in batch.tasks[:NUM_ORACLE_TASKS]:
        played = play_oracle(task)
        score = grade(task.grader, played.answer, task)
        assert score.value == 1.0, f"{task.task_id}: {played.answer}, not {task.expected_answer}"
        assert played.num_calls <= MAX_TOOL_CALLS


def test_without_a_necessary_tool_the_oracle_is_near_chance(batch):
    kind = family(batch.name)
    if batch.level < kind.tools_needed_from:
        pytest.skip("the preview may decide at this level")
    for group in kind.necessary_tools:
        hits = [
            grade(task.grader, play_oracle(task, without=group).answer, task).value == 1.0
            for task in batch
        ]
        chances = [solver_of(batch.name).chance(task) for task in batch]
        assert z_score(hits, chances) < Z_ALARM, f"without {group}"


def test_drawing_again_gives_the_same_puzzle(batch):
    kind = family(batch.name)
    for task, pixels in zip(batch.tasks[:5], batch.pixels, strict=False):
        assert task.metadata["failed_draws"] == 0
        again = kind.draw(Streams.of(batch.name, batch.level, task.metadata["seed"]), batch.level)
        assert (again.question, again.grader) == (task.question, task.grader)
        assert dict(again.grading) == dict(task.grading)
        assert spec_hash(again.latents) == task.metadata["spec_hash"]
        assert all(map(np.array_equal, again.images, pixels))


def test_pictures_are_plain_read_only_rgb_of_the_size_the_recipe_names(batch):
    for task, pixels in zip(batch.tasks, batch.pixels, strict=True):
        for picture, array in zip(task.pictures, pixels, strict=True):
            assert type(array) is np.ndarray
            assert array.dtype == np.uint8
            assert array.shape == (picture.size[1], picture.size[0], 3)
            assert not array.flags.writeable


def test_the_size_does_not_depend_on_the_seed(batch):
    assert len({tuple(picture.size for picture in task.pictures) for task in batch}) == 1


def test_the_master_is_sharper_than_its_preview(batch):
    assert all(512 <= max(picture.size) <= 2048 for task in batch for picture in task.pictures)


def test_seeds_differ_in_what_they_ask(batch):
    hashes = Counter(task.metadata["spec_hash"] for task in batch)
    assert len(hashes) >= len(batch.tasks) - (1 if batch.level <= 2 else 0)


def test_the_right_answer_scores_one_and_others_zero(batch):
    for task in batch:
        others = {other.expected_answer for other in batch if other.grader == task.grader}
        right = grade(task.grader, rf"I think \boxed{{{task.expected_answer}}}", task)
        assert right.value == 1.0
        for other in others - {task.expected_answer}:
            assert grade(task.grader, rf"\boxed{{{other}}}", task).value == 0.0


def test_listing_every_option_scores_nothing(batch):
    for task in batch:
        letters = [letter for option in task.grading.get("options", ()) for letter in option]
        assert grade(task.grader, rf"\boxed{{{', '.join(letters)}}}", task).value == 0.0


def test_latents_and_metadata_are_json(batch):
    for task in batch:
        json.dumps(dict(task.metadata), allow_nan=False)
        assert task.metadata["attempts"] >= 1


def test_a_task_pickles_to_a_few_kilobytes_and_its_pictures_to_less(batch):
    for task in batch:
        assert len(pickle.dumps(task)) < 8_000
        assert len(pickle.dumps(task.pictures)) < 250 * len(task.pictures)
        assert pickle.loads(pickle.dumps(task)).pictures == task.pictures


def test_an_evicted_picture_comes_back_identical(batch):
    picture, pixels = batch.tasks[0].pictures[0], batch.pixels[0][0]
    PIXELS.clear()
    assert np.array_equal(pickle.loads(pickle.dumps(picture)).load(), pixels)


@pytest.mark.parametrize("name", FAMILIES)
def test_pinned_seeds_keep_their_spec_for_ever(name):
    pinned = solver_of(name).SPEC_HASHES
    assert len(pinned) >= 3
    drawn = {key: generate(name, key[1], key[0]).metadata["spec_hash"] for key in pinned}
    assert drawn == pinned


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_describes_itself(name):
    kind = family(name)
    assert isinstance(kind, Family)
    assert kind.name == name
    assert all((kind.group, kind.answer_type, kind.summary.endswith(".")))
    assert set(kind.useful_tools) <= set(TOOLS)
    assert all(group and set(group) <= set(TOOLS) for group in kind.necessary_tools)
    assert 1 <= kind.tools_needed_from <= 5


def test_the_alarm_rings_for_an_attack_that_knows(many_tasks):
    assert attack_score(many_tasks, lambda task: task.expected_answer) > Z_ALARM


def test_blind_attacks_stay_near_chance(many_tasks):
    attacks = solver_of(many_tasks[0].family).ATTACKS
    scores = {name: attack_score(many_tasks, attack) for name, attack in attacks.items()}
    assert max(scores.values()) < Z_ALARM, scores


def test_the_most_frequent_answer_of_other_puzzles_stays_near_chance(many_tasks):
    half = len(many_tasks) // 2
    answers = {task.grader: Counter() for task in many_tasks}
    for task in many_tasks[:half]:
        answers[task.grader][task.expected_answer] += 1
    modal = {grader: counts.most_common(1)[0][0] for grader, counts in answers.items()}
    assert attack_score(many_tasks[half:], lambda task: modal[task.grader]) < Z_ALARM
