import pytest

from gym_imagetools.rollout import plan


def test_the_members_of_a_group_share_its_seed_and_differ_in_that_of_the_policy():
    episodes = plan(5, num_tasks=3, group_size=2)
    assert [(one.group, one.member) for one in episodes] == [
        (0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1),
    ]  # fmt: skip
    assert len({(one.group, one.seed) for one in episodes}) == 3
    assert len({one.seed for one in episodes}) == 3
    assert len({one.policy_seed for one in episodes}) == 6


def test_a_longer_run_begins_with_a_shorter_one():
    assert plan(5, num_tasks=9)[:4] == plan(5, num_tasks=4)
    wide = plan(5, num_tasks=4, group_size=3)
    assert [one for one in wide if one.member == 0] == plan(5, num_tasks=4)


def test_other_seeds_play_other_tasks():
    seeds = [{one.seed for one in plan(seed, num_tasks=50)} for seed in range(4)]
    assert len(set.union(*seeds)) == 200


def test_rows_are_walked_in_order_and_endless_tasks_are_left_to_the_seed():
    assert [one.task for one in plan(0, num_tasks=3, available=7)] == [0, 1, 2]
    assert [one.task for one in plan(0, num_tasks=3)] == [None] * 3


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"seed": -1, "num_tasks": 1}, "seed >= 0, got -1"),
        ({"seed": 0, "num_tasks": 0}, "num_tasks >= 1, got 0"),
        ({"seed": 0, "num_tasks": 1, "group_size": 0}, "group_size >= 1, got 0"),
        ({"seed": 0, "num_tasks": 8, "available": 7}, "num_tasks <= 7"),
    ],
)
def test_a_number_outside_of_its_range_is_named(keywords, message):
    with pytest.raises(ValueError, match=message):
        plan(**keywords)
