"""Every registered family at every level; see harness.py for what a family brings.

The measures and verdicts are those of ``make verify-puzzles``, on a few seeds.
"""

from __future__ import annotations

import json
import pickle
import re
from base64 import b64decode
from collections import Counter
from dataclasses import dataclass
from io import BytesIO

import gymnasium as gym
import numpy as np
import pytest
from PIL import Image

from gym_imagetools.graders import grade
from gym_imagetools.images.cache import PIXELS
from gym_imagetools.policies import OraclePolicy
from gym_imagetools.puzzles.families import FAMILIES
from gym_imagetools.puzzles.puzzle import Family, Streams, spec_hash
from gym_imagetools.puzzles.registry import family, generate
from gym_imagetools.tools import TOOLS
from gym_imagetools.types import Pixels, Task
from tests.puzzles.harness import FAMILY_LEVELS, option_crops, solver_of
from tests.puzzles.measures import answer_row, needs_row, oracle_row, tool_row
from tests.puzzles.verdicts import judge_answers, judge_needs, judge_oracle, judge_tools

SEEDS = range(20)
NUM_DECEIVED, NUM_PLAYED = 2, 6


@dataclass(frozen=True)
class Batch:
    """Tasks of one family and level, with their pixels held so that none is drawn twice."""

    name: str
    level: int
    tasks: tuple[Task, ...]
    pixels: tuple[tuple[Pixels, ...], ...]

    def __iter__(self):
        return iter(self.tasks)


@pytest.fixture(scope="module", params=FAMILY_LEVELS, ids=lambda pair: f"{pair[0]}-{pair[1]}")
def batch(request):
    name, level = request.param
    tasks = tuple(generate(name, seed, level) for seed in SEEDS)
    return Batch(name, level, tasks, tuple(tuple(p.load() for p in t.pictures) for t in tasks))


def test_answers_are_solved_unique_balanced_and_not_guessed(batch):
    verdict = judge_answers([answer_row(task) for task in batch], batch.level)
    assert [*verdict.problems, *verdict.suspicions.values()] == []


def test_the_oracle_solves_it_with_tools_within_the_budget(batch):
    rows = [oracle_row(task) for task in batch.tasks[NUM_DECEIVED:NUM_PLAYED]]
    assert judge_oracle(rows).problems == []


def test_the_oracle_is_lost_where_tools_work_on_other_pictures(batch):
    rows = [tool_row(task) for task in batch.tasks[:NUM_DECEIVED]]
    verdict = judge_tools(batch.name, rows, batch.level)
    assert [*verdict.problems, *verdict.suspicions.values()] == []


def test_without_a_necessary_tool_the_oracle_is_near_chance(batch):
    if batch.level < family(batch.name).tools_needed_from:
        pytest.skip("the preview may decide at this level")
    rows = [needs_row(task) for task in batch]
    assert judge_needs(batch.name, rows, batch.level).suspicions == {}


@pytest.mark.parametrize(("name", "level"), FAMILY_LEVELS[::2])
def test_a_demonstration_is_not_punished_under_the_strict_policy(name, level):
    env = gym.make(f"ImageTools/{name}-v0", difficulty=level, reward_policy="strict")
    observation, info = env.reset(seed=0, options={"task": 3})
    player, done = OraclePolicy().start(env, seed=0), False
    while not done:
        turn = player.act(observation, info)
        observation, _, terminated, truncated, info = env.step(turn)
        done = terminated or truncated
        assert not [r for r in info["tool_results"] if not r["ok"] or r["duplicate"]]
    assert info["base_reward"] == 1.0


@pytest.mark.parametrize("name", FAMILIES)
def test_nothing_an_agent_gets_holds_the_task(name):
    env = gym.make(f"ImageTools/{name}-v0")
    observation, info = env.reset(seed=0)
    assert info["expected_answer"] == info["extracted_answer"] == ""
    assert set(observation) == {"text", "images"}
    assert b"gym_imagetools" not in pickle.dumps((observation, info))
    urls = re.findall(r"data:image/png;base64,([^'\"]+)", str(env.get_wrapper_attr("prompt")))
    assert len(urls) == len(observation["images"])
    for url in urls:
        with Image.open(BytesIO(b64decode(url))) as picture:
            assert (picture.mode, picture.info) == ("RGB", {})


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


def test_the_master_is_sharper_than_its_preview(batch):
    assert all(512 <= max(picture.size) <= 2048 for task in batch for picture in task.pictures)


def test_seeds_differ_in_what_they_ask(batch):
    hashes = Counter(task.metadata["spec_hash"] for task in batch)
    assert len(hashes) >= len(batch.tasks) - (1 if batch.level <= 2 else 0)


def test_every_lettered_option_of_a_form_with_pictures_is_cut_out(batch):
    for task in batch.tasks[:3]:
        crops = option_crops(task)
        if task.grader == "mcqa" and crops:
            assert len(crops) == len(task.grading["options"])
            # Places are rounded to whole pixels, so that sides may differ by one.
            assert np.ptp([crop.shape for crop in crops], axis=0).max() <= 1


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
