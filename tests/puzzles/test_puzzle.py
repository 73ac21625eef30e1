from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_imagetools.errors import GenerationError
from gym_imagetools.images.cache import PIXELS
from gym_imagetools.puzzles.puzzle import (
    MAX_DERIVED_SEEDS,
    Family,
    Puzzle,
    Streams,
    generate,
    spec_hash,
)


class Plain(Family):
    """Draws a number, and fails with a certain chance first."""

    name = "Plain"
    group = "tests"
    summary = "Says a number."
    answer_type = "integer"
    useful_tools = ()
    necessary_tools = ()
    tools_needed_from = 1
    failure_rate: ClassVar[float] = 0.0

    def draw(self, rngs, difficulty):
        if rngs.latents.random() < self.failure_rate:
            raise GenerationError("Expected luck, got none")
        number = int(rngs.latents.integers(1000))
        image = np.full((64, 96, 3), number % 256, np.uint8)
        return Puzzle(
            "Which number?",
            (image, image + 1),
            "integer",
            {"expected_answer": str(number)},
            {"number": number},
        )

    def oracle(self, question, images):
        yield {"name": "image_crop_tool", "arguments": {}}
        return "0"


class Unlucky(Plain):
    name = "Unlucky"
    failure_rate = 0.6


class Hopeless(Plain):
    name = "Hopeless"
    failure_rate = 1.0


def test_a_hopeless_family_raises_after_a_bounded_number_of_draws():
    with pytest.raises(
        GenerationError, match=rf"Hopeless .*difficulty 3 .*seed 7.* {MAX_DERIVED_SEEDS} "
    ):
        generate(Hopeless(), 7, 3)


def test_a_failed_draw_moves_on_and_is_counted():
    tasks = [generate(Unlucky(), seed, 1) for seed in range(12)]
    counts = [task.metadata["failed_draws"] for task in tasks]
    assert {0} < set(counts)
    assert [generate(Unlucky(), seed, 1).grading for seed in range(12)] == [
        t.grading for t in tasks
    ]


def test_a_derived_draw_keeps_the_id_of_its_seed_and_its_picture_comes_back_after_eviction():
    seed = next(s for s in range(50) if generate(Unlucky(), s, 1).metadata["failed_draws"])
    task = generate(Unlucky(), seed, 1)
    before = [picture.load().copy() for picture in task.pictures]
    PIXELS.clear()
    assert task.task_id == f"Unlucky/1/{seed}"
    assert all(map(np.array_equal, before, [picture.load() for picture in task.pictures]))


def test_pixels_are_in_the_cache_when_a_task_has_been_generated():
    PIXELS.clear()
    task = generate(Plain(), 3, 2)
    assert len(PIXELS) == 2
    misses = PIXELS.misses
    task.pictures[1].load()
    assert PIXELS.misses == misses


def test_a_picture_is_keyed_by_family_level_seed_and_number():
    keys = [picture.key for picture in generate(Plain(), 123456, 2).pictures]
    assert keys == ["puzzle:Plain/2/123456#0", "puzzle:Plain/2/123456#1"]


@pytest.mark.parametrize("difficulty", [0, 6, -1, 2.0, "2", None, True, np.bool_(True), 2**80])
def test_a_difficulty_outside_one_to_five_is_refused_with_keyword_value_and_range(difficulty):
    with pytest.raises(ValueError, match=r"difficulty .*1 to 5.*got"):
        generate(Plain(), 0, difficulty)


@pytest.mark.parametrize("seed", [-1, 0.0, "1", None, False])
def test_a_seed_that_is_no_integer_from_zero_on_is_refused(seed):
    with pytest.raises(ValueError, match=r"seed .*from 0 on.*got"):
        generate(Plain(), seed, 1)


def test_numpy_integers_are_integers_and_leave_no_trace():
    task = generate(Plain(), np.int64(5), np.int32(2))
    assert task.task_id == "Plain/2/5"
    assert type(task.metadata["seed"]) is int
    assert task == generate(Plain(), 5, 2)


@given(st.integers(0, 2**100))
def test_any_seed_from_zero_on_is_played(seed):
    assert generate(Plain(), seed, 1).task_id == f"Plain/1/{seed}"


def _first_draws(streams: Streams) -> list[int]:
    return [int(rng.integers(2**62)) for rng in vars(streams).values()]


def test_streams_of_different_puzzles_and_purposes_never_meet():
    keys = [
        (name, level, seed, derived)
        for name in ("Maze", "Plain")
        for level in (1, 2)
        for seed in (0, 1, 2, 2**32, 2**32 + 1, 2**64)
        for derived in (0, 1, 2)
    ]
    draws = [draw for key in keys for draw in _first_draws(Streams.of(*key))]
    assert len(set(draws)) == 4 * len(keys)


@given(st.dictionaries(st.text(), st.integers() | st.lists(st.integers())))
def test_the_spec_hash_does_not_depend_on_the_order_of_keys(latents):
    assert spec_hash(latents) == spec_hash(dict(reversed(latents.items())))


def test_the_spec_hash_depends_on_the_latents_alone():
    hashes = {generate(Plain(), seed, 1).metadata["spec_hash"] for seed in range(300)}
    numbers = {generate(Plain(), seed, 1).expected_answer for seed in range(300)}
    assert len(hashes) == len(numbers) < 300


def test_families_of_one_class_are_equal():
    assert Plain() == Plain()
    assert Plain() != Unlucky()
    assert len({Plain(), Plain(), Unlucky()}) == 2
