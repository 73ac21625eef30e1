from __future__ import annotations

import copy
import pickle
from collections import Counter

import numpy as np
import pytest

from gym_imagetools.tasks import sources
from gym_imagetools.tasks.curriculum import AdaptiveDifficulty
from gym_imagetools.tasks.sources import MixedSource, PuzzleSource, TaskSource
from gym_imagetools.tasks.split import EVAL_BIT
from gym_imagetools.types import Task

BOTH = ("Maze", "CrowdCensus")


@pytest.fixture
def quick(monkeypatch):
    """Tasks without pictures: what is tested here is which task is chosen."""

    def generate(name, seed, difficulty):
        return Task(
            f"{name}/{difficulty}/{seed}", "", (), "integer", {"expected_answer": "0"},
            family=name, metadata={"difficulty": difficulty, "seed": seed},
        )  # fmt: skip

    monkeypatch.setattr(sources, "generate", generate)


def ids(source: TaskSource, seed: int, num: int) -> list[str]:
    rng = np.random.default_rng(seed)
    source.reset(rng)
    return [source.next(rng).task_id for _ in range(num)]


def seeds(source: TaskSource, num: int = 500) -> set[int]:
    return {int(task_id.split("/")[-1]) for task_id in ids(source, 0, num)}


MAKERS = [
    pytest.param(lambda **kw: PuzzleSource("Maze", **kw), id="PuzzleSource"),
    pytest.param(lambda **kw: MixedSource(BOTH, **kw), id="MixedSource"),
]


def test_a_source_plays_real_puzzles():
    task = PuzzleSource("CrowdCensus", 2).next(np.random.default_rng(0))
    assert task.family == "CrowdCensus"
    assert task.metadata["difficulty"] == 2
    assert task.pictures[0].load().shape == (1024, 1024, 3)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.usefixtures("quick")
class TestEverySource:
    def test_the_same_rng_plays_the_same_tasks(self, make):
        source = make()
        assert ids(source, 3, 20) == ids(source, 3, 20) == ids(make(), 3, 20)
        assert ids(source, 3, 20) != ids(source, 4, 20)

    def test_the_halves_of_the_split_never_meet(self, make):
        train, evaluation = make(split="train"), make(split="eval")
        assert {bool(seed & EVAL_BIT) for seed in seeds(train)} == {False}
        assert {bool(seed & EVAL_BIT) for seed in seeds(evaluation)} == {True}
        chosen = [[source.task(i).task_id for i in range(50)] for source in (train, evaluation)]
        assert not set(chosen[0]) & set(chosen[1])

    def test_without_a_split_both_halves_are_played(self, make):
        assert {bool(s & EVAL_BIT) for s in seeds(make(split=None))} == {False, True}

    @pytest.mark.parametrize(
        ("split", "index"),
        [("train", 4), ("train", 7), ("eval", EVAL_BIT + 7), (None, 4), (None, EVAL_BIT + 7)],
    )
    def test_task_plays_exactly_the_seed(self, make, split, index):
        source = make(split=split)
        assert source.task(index).metadata["seed"] == index
        assert source.task(index).task_id == make(split=split).task(index).task_id

    @pytest.mark.parametrize(
        ("split", "index", "seed"), [("train", EVAL_BIT + 7, 7), ("eval", 7, EVAL_BIT + 7)]
    )
    def test_a_seed_of_the_other_half_gets_the_halfs_bit(self, make, split, index, seed):
        assert make(split=split).task(index).metadata["seed"] == seed

    @pytest.mark.parametrize("split", ["train", "eval", None])
    def test_a_task_that_was_drawn_is_played_again_by_its_seed_and_by_its_id(self, make, split):
        source, rng = make(split=split), np.random.default_rng(0)
        for _ in range(20):
            drawn = source.next(rng)
            assert source.task(drawn.metadata["seed"]).task_id == drawn.task_id
            assert source.task(drawn.task_id).task_id == drawn.task_id

    def test_a_task_id_keeps_its_own_difficulty_and_half(self, make):
        assert make(difficulty=4, split="eval").task("Maze/2/7").task_id == "Maze/2/7"

    @pytest.mark.parametrize(
        "task_id", ["Maze", "Maze/2", "Maze/2/-1", "Maze/2/x", "Puzzle/2/1", "Maze/2/1/1", "2"]
    )
    def test_an_id_of_no_task_is_refused(self, make, task_id):
        with pytest.raises(ValueError, match="task id as family/difficulty/seed"):
            make().task(task_id)

    @pytest.mark.parametrize("index", [-2, 1.0, None])
    def test_an_index_that_is_no_seed_is_refused(self, make, index):
        with pytest.raises(ValueError, match="seed"):
            make().task(index)

    def test_a_source_is_endless(self, make):
        assert make().num_tasks is None

    @pytest.mark.parametrize("difficulty", [1, 5])
    def test_the_difficulty_is_that_of_the_tasks(self, make, difficulty):
        task = make(difficulty=difficulty).next(np.random.default_rng(0))
        assert task.metadata["difficulty"] == difficulty

    @pytest.mark.parametrize("difficulty", [0, 6, 1.5, "hard", True, None])
    def test_a_bad_difficulty_is_refused_when_the_source_is_made(self, make, difficulty):
        with pytest.raises(ValueError, match="difficulty"):
            make(difficulty=difficulty)

    @pytest.mark.parametrize("split", ["test", "", 0])
    def test_a_bad_split_is_refused_when_the_source_is_made(self, make, split):
        with pytest.raises(ValueError, match="split"):
            make(split=split)

    @pytest.mark.parametrize("clone", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
    def test_a_copy_plays_the_same_tasks(self, make, clone):
        source = make(difficulty=2, split="eval")
        assert ids(clone(source), 5, 10) == ids(source, 5, 10)


def families(source: MixedSource, num: int) -> Counter[str]:
    return Counter(task_id.split("/")[0] for task_id in ids(source, 1, num))


@pytest.mark.usefixtures("quick")
class TestMixedSource:
    @pytest.mark.parametrize("weights", [(3, 1), {"CrowdCensus": 0.25, "Maze": 0.75}, [30.0, 10]])
    def test_families_come_as_often_as_their_weights_say(self, weights):
        counts = families(MixedSource(BOTH, weights), 2000)
        assert counts["Maze"] == pytest.approx(1500, abs=4 * (2000 * 3 / 16) ** 0.5)

    def test_equal_weights_are_the_default(self):
        counts = families(MixedSource(BOTH), 2000)
        assert counts["Maze"] == pytest.approx(1000, abs=4 * 500**0.5)

    def test_all_families_are_the_default(self):
        assert set(families(MixedSource(), 3000)) == set(sources.FAMILIES)

    def test_a_weight_of_zero_never_comes(self):
        assert set(families(MixedSource(BOTH, (0, 1)), 300)) == {"CrowdCensus"}

    def test_an_index_determines_its_family_with_the_same_weights(self):
        source = MixedSource(BOTH, (1, 3), split=None)
        drawn = [source.task(index).family for index in range(400)]
        assert drawn == [source.task(index).family for index in range(400)]
        assert drawn.count("CrowdCensus") == pytest.approx(300, abs=4 * 75**0.5)

    @pytest.mark.parametrize(
        "weights",
        [(-1, 2), (0, 0), (1,), (1, 2, 3), (float("nan"), 1), (float("inf"), 1),
         {"Maze": 1}, {"Maze": 1, "CrowdCensus": 1, "Chess": 1}, {"Maze": -1, "CrowdCensus": 1}],
    )  # fmt: skip
    def test_unusable_weights_are_refused(self, weights):
        with pytest.raises(ValueError, match="weights"):
            MixedSource(BOTH, weights)

    @pytest.mark.parametrize("names", [(), "Maze", ("Maze", "Maze"), ("Maze", "Chess")])
    def test_unusable_families_are_refused(self, names):
        with pytest.raises(ValueError, match=r"famil"):
            MixedSource(names)


@pytest.mark.usefixtures("quick")
class TestAdaptiveMixedSource:
    def test_a_solved_family_is_played_harder_and_the_other_is_not(self):
        source = MixedSource(BOTH, difficulty="adaptive")
        rng = np.random.default_rng(0)
        for _ in range(400):
            task = source.next(rng)
            source.observe(task, float(task.family == "Maze"))
        assert source.controller.level("Maze") == 5
        assert source.controller.level("CrowdCensus") == 1

    def test_only_a_full_score_is_a_success(self):
        source = MixedSource(("Maze",), difficulty=AdaptiveDifficulty(window=1, start=3))
        source.observe(source.next(np.random.default_rng(0)), 0.99)
        assert source.controller.level("Maze") == 2

    def test_a_controller_is_shared_by_the_sources_it_is_given_to(self):
        controller = AdaptiveDifficulty(window=2)
        one, two = (MixedSource(("Maze",), difficulty=controller) for _ in range(2))
        for source in (one, two):
            source.observe(source.next(np.random.default_rng(0)), 1.0)
        assert one.task(0).metadata["difficulty"] == two.task(0).metadata["difficulty"] == 2

    def test_a_fixed_difficulty_has_no_controller_and_never_moves(self):
        source = MixedSource(("Maze",), difficulty=2)
        assert source.controller is None
        for _ in range(100):
            source.observe(source.task(0), 1.0)
        assert source.task(0).metadata["difficulty"] == 2
