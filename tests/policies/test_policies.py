import json

import gymnasium as gym
import pytest

import gym_imagetools  # noqa: F401
from gym_imagetools.errors import DataError
from gym_imagetools.policies import POLICIES, DemonstrationPolicy, OraclePolicy, RandomPolicy
from gym_imagetools.puzzles.families import FAMILIES
from gym_imagetools.registration import ENTRIES
from gym_imagetools.rollout import play_episode

QUESTION = [{"role": "user", "content": "What now?"}]


def pivot_row(action: dict) -> dict:
    return {"responses_create_params": {"input": QUESTION}, "expected_action": action}


def question_row(**fields) -> dict:
    row = {"responses_create_params": {"input": QUESTION}, "grader": "string_match"}
    return {**row, "expected_answer": "B", **fields}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("difficulty", [1, 3, 4])
def test_the_oracle_earns_everything_through_the_environment(family, difficulty):
    env = gym.make(f"ImageTools/{family}-v0", difficulty=difficulty)
    for seed in range(4):
        rollout = play_episode(env, OraclePolicy(), seed=seed)
        assert (rollout.reward, rollout.final["ending"]) == (1.0, "answered")
        assert rollout.final["tool_error_count"] == 0


def test_the_oracle_sees_delivered_pictures_and_replies_alone():
    """Without the pictures and results that the environment delivers it is lost."""
    env = gym.make("ImageTools/CrowdCensus-v0", difficulty=3)
    observation, info = env.reset(seed=1)
    player = OraclePolicy().start(env, seed=0)
    call = player.act(observation, info)
    assert call["name"] == "color_at_tool"
    _, _, _, _, info = env.step(call)
    lies = json.dumps({"ok": True, "rgb": [1, 2, 3]})
    told = {**info, "tool_results": [{**info["tool_results"][0], "output": lies}]}
    assert player.act({"text": "", "images": ()}, told)["arguments"]["color"] == [1, 2, 3]


def test_the_oracle_answers_when_the_final_turn_is_announced():
    env = gym.make("ImageTools/Maze-v0", difficulty=5, max_tool_calls=3)
    rollout = play_episode(env, OraclePolicy(), seed=2)
    assert rollout.final["ending"] == "answered"
    assert rollout.final["tool_call_count"] == 3
    assert rollout.final["tool_error_count"] == 0


def test_the_oracle_of_a_mixture_is_that_of_each_family():
    families = ["Maze", "CrowdCensus"]
    env = gym.make("ImageTools/Mixed-v0", difficulty=2, families=families)
    rollouts = [play_episode(env, OraclePolicy(), seed=seed) for seed in range(8)]
    assert {rollout.family for rollout in rollouts} == set(families)
    assert all(rollout.reward == 1.0 for rollout in rollouts)


@pytest.mark.parametrize("policy", [OraclePolicy(), DemonstrationPolicy()], ids=lambda p: p.name)
def test_the_weather_is_answered_by_the_expected_call(policy):
    env = gym.make("ImageTools/Weather-v0")
    rollouts = [play_episode(env, policy, seed=seed) for seed in range(20)]
    assert [rollout.reward for rollout in rollouts] == [3.0] * 20


@pytest.mark.parametrize("policy", [OraclePolicy(), DemonstrationPolicy()], ids=lambda p: p.name)
@pytest.mark.parametrize(
    "action",
    [
        {"name": "image_zoom_in_tool", "arguments": {"bbox_2d": [1, 2, 300, 400], "label": "</p"}},
        {"name": "image_flip_tool", "arguments": '{"axis": "vertical"}'},
        {"name": "__answer__", "arguments": {"answer": "B"}},
        {"name": "__answer__", "arguments": {"answer": "B", "extraction_mode": "full_response"}},
        {"name": "__answer__", "arguments": {"answer": "42", "grader": "integer"}},
        {"name": "my_own_tool", "arguments": {"x": 1}},
    ],
)
def test_a_pivot_is_answered_by_the_demonstrated_decision(policy, action):
    env = gym.make("ImageTools/Pivot-v0", data=[pivot_row(action)])
    rollout = play_episode(env, policy)
    assert (rollout.reward, rollout.final["failure"]) == (1.0, "none")


@pytest.mark.parametrize("policy", [OraclePolicy(), DemonstrationPolicy()], ids=lambda p: p.name)
def test_a_row_is_played_as_it_demonstrates(policy):
    row = question_row(demonstration=["Answer: B"])
    env = gym.make("ImageTools/Dataset-v0", data=[row])
    assert play_episode(env, policy).reward == 1.0


@pytest.mark.parametrize("policy", [OraclePolicy(), DemonstrationPolicy()], ids=lambda p: p.name)
def test_a_row_without_a_demonstration_is_named(policy):
    env = gym.make("ImageTools/Dataset-v0", data=[question_row()])
    with pytest.raises(DataError, match="rows#0 to have a demonstration"):
        play_episode(env, policy)


def test_a_puzzle_has_no_demonstration():
    env = gym.make("ImageTools/Maze-v0")
    with pytest.raises(DataError, match="Maze/1/"):
        play_episode(env, DemonstrationPolicy())


def test_a_demonstration_that_does_not_end_is_named():
    call = '<tool_call>{"name": "image_flip_tool", "arguments": {}}</tool_call>'
    row = question_row(demonstration=[call])
    env = gym.make("ImageTools/Dataset-v0", data=[row], terminate_on_invalid_tool_call=False)
    with pytest.raises(DataError, match="rows#0 to end its episode, got 1 turns"):
        play_episode(env, DemonstrationPolicy())


@pytest.mark.parametrize("env_id", ENTRIES)
def test_the_random_policy_plays_every_id_to_its_end(env_id):
    is_single = "Weather" in env_id or "Pivot" in env_id
    lenient = {"terminate_on_invalid_tool_call": False, "max_tool_calls": 6}
    env = gym.make(env_id, **({} if is_single else lenient))
    for seed in range(5):
        rollout = play_episode(env, RandomPolicy(), seed=seed, policy_seed=seed)
        assert rollout.final["ending"]
        assert rollout.reward <= 3.0


def test_the_random_policy_depends_on_its_seed_alone():
    env = gym.make("ImageTools/Maze-v0")
    env.reset(seed=1)

    def turns(seed: int) -> list:
        player = RandomPolicy().start(env, seed=seed)
        return [player.act({}, {}) for _ in range(5)]

    env.action_space.seed(99)
    assert turns(3) == turns(3)
    assert turns(3) != turns(4)


def test_policies_are_registered_under_their_names():
    assert {name: make().name for name, make in POLICIES.items()} == {n: n for n in POLICIES}
    assert set(POLICIES) == {"oracle", "random", "demonstration"}
