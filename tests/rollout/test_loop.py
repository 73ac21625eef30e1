import warnings

import gymnasium as gym
import numpy as np
import pytest

import gym_imagetools  # noqa: F401
from gym_imagetools.images.data_url import encode_data_url
from gym_imagetools.images.encode import encode
from gym_imagetools.policies import DemonstrationPolicy, OraclePolicy, RandomPolicy
from gym_imagetools.rollout import Session, plan, play, play_episode
from gym_imagetools.rollout.wording import calls_in_words, ending_in_words
from gym_imagetools.types import Turn

FLIP = {"name": "image_flip_tool", "arguments": {"axis": "vertical"}}


class Scripted:
    """Plays given turns, and keeps what it was shown."""

    name = "scripted"

    def __init__(self, *turns):
        self.turns = turns
        self.seeds = []
        self.shown = []

    def start(self, env, *, seed):
        self.seeds.append(seed)
        turns = iter(self.turns)

        class Player:
            def act(_, observation, info):
                self.shown.append((observation, info))
                return next(turns)

        return Player()


@pytest.fixture
def maze():
    return gym.make("ImageTools/Maze-v0", difficulty=2)


def test_a_rollout_tells_every_step(maze):
    rollout = play_episode(maze, Scripted(FLIP, "\\boxed{Z}"), seed=4)
    assert [step.reward for step in rollout.steps] == pytest.approx([0.01, 0.0])
    assert rollout.reward == pytest.approx(0.01)
    assert rollout.final["reward_components"] == pytest.approx({"answer": 0.0, "tool_use": 0.01})
    assert rollout.final["ending"] == "answered"
    assert "<tool_response>" in rollout.steps[0].observation
    assert [len(step.image_urls) for step in rollout.steps] == [1, 0]
    assert (rollout.env_id, rollout.family) == ("ImageTools/Maze-v0", "Maze")
    assert rollout.env_kwargs == {"difficulty": 2}
    assert rollout.task_id.startswith("Maze/2/")


def test_the_player_sees_what_the_environment_returns(maze):
    policy = Scripted(FLIP, "\\boxed{Z}")
    rollout = play_episode(maze, policy, seed=4, policy_seed=77)
    assert policy.seeds == [77]
    assert [observation["text"] for observation, _ in policy.shown] == [
        rollout.question,
        rollout.steps[0].observation,
    ]
    assert [info["turn"] for _, info in policy.shown] == [0, 1]


def test_the_messages_alternate_and_hold_the_pictures(maze):
    rollout = play_episode(maze, Scripted(FLIP, "\\boxed{Z}"), seed=4)
    assert [item["role"] for item in rollout.prompt] == ["system", "user"]
    assert [item["role"] for item in rollout.output] == ["assistant", "user", "assistant"]
    picture = rollout.output[1]["content"][-1]
    assert picture["image_url"] == rollout.steps[0].image_urls[0]


@pytest.mark.parametrize(
    ("prompt_format", "expected"),
    [
        ("xml", "<function=image_flip_tool>"),
        ("json", '{"name": "image_flip_tool", "arguments": {"axis": "vertical"}}'),
    ],
)
def test_a_bare_call_is_written_in_the_notation_of_the_prompt(prompt_format, expected):
    env = gym.make("ImageTools/Maze-v0", prompt_format=prompt_format)
    rollout = play_episode(env, Scripted(FLIP, "A"))
    assert expected in rollout.output[0]["content"]


def test_with_native_calls_a_bare_call_is_an_item_with_its_output():
    env = gym.make("ImageTools/Maze-v0", prompt_format="native")
    rollout = play_episode(env, Scripted(FLIP, "A"))
    kinds = [item.get("type") or item["role"] for item in rollout.output]
    assert kinds[:2] == ["function_call", "function_call_output"]


def test_a_name_that_xml_cannot_say_is_written_as_json(maze):
    rollout = play_episode(maze, Scripted({"name": "a b", "arguments": {}}))
    assert '"name": "a b"' in rollout.output[0]["content"]
    assert rollout.final["ending"] == "invalid_call"


def test_what_a_model_wrote_is_recorded_to_the_letter(maze):
    said = "<|image_pad|> " + "x" * 300_000 + " \\boxed{A}"
    rollout = play_episode(maze, Scripted(said))
    assert rollout.output[0]["content"] == said


def test_a_cut_reply_ends_the_rollout(maze):
    rollout = play_episode(maze, Scripted(Turn("\\boxed{", "", incomplete=True)))
    assert (rollout.final["ending"], rollout.reward) == ("incomplete", 0.0)
    assert ending_in_words(rollout) == "reply cut off by the token limit"


def test_a_task_can_be_chosen_by_its_number_or_its_id(maze):
    by_seed = play_episode(maze, Scripted("A"), task=123456)
    assert by_seed.task_id == "Maze/2/123456"
    assert play_episode(maze, Scripted("A"), task="Maze/2/123456").prompt == by_seed.prompt


@pytest.mark.parametrize("keywords", [{"difficulty": 1}, {"difficulty": "adaptive"}])
def test_the_members_of_a_group_play_the_same_task(keywords):
    env = gym.make("ImageTools/Mixed-v0", families=["CrowdCensus"], **keywords)
    rollouts = list(play(env, OraclePolicy(), plan(1, num_tasks=9, group_size=3)))
    tasks = [(one.assignment.group, one.task_id) for one in rollouts]
    assert len(set(tasks)) == 9
    levels = {task_id.split("/")[1] for _, task_id in tasks}
    assert (len(levels) > 1) == (keywords["difficulty"] == "adaptive")


def test_random_members_of_a_group_play_differently(maze):
    env = gym.make("ImageTools/Maze-v0", terminate_on_invalid_tool_call=False, max_tool_calls=3)
    rollouts = list(play(env, RandomPolicy(), plan(1, num_tasks=1, group_size=4)))
    assert len({rollout.task_id for rollout in rollouts}) == 1
    assert len({str(rollout.output) for rollout in rollouts}) == 4


def test_a_session_leaves_the_waiting_to_its_caller(maze):
    session = Session(maze, plan(3, num_tasks=1)[0])
    assert not session.is_over
    session.play(FLIP)
    assert session.info["tool_call_count"] == 1
    session.play("A")
    assert session.is_over
    assert session.rollout("me").policy == "me"


def test_an_environment_without_a_spec_is_refused(maze):
    bare = gym.make("ImageTools/Maze-v0").unwrapped
    bare.spec = None
    with pytest.raises(ValueError, match=r"gymnasium\.make"):
        play_episode(bare, Scripted("A"))


@pytest.mark.parametrize(
    ("row", "calls", "ending"),
    [
        (2, "13", "answered"),
        (3, "3 (1 invalid)", "duplicate warning, then another call (invalid, ends)"),
        (
            6,
            "20",
            "20th call hit max_tool_calls; max_steps used up before the forced final turn",
        ),
    ],
)
def test_the_published_rows_are_told_in_the_published_words(row, calls, ending):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="max_steps=21")
        env = gym.make("ImageTools/Dataset-v0", max_steps=21)
    rollout = play_episode(env, DemonstrationPolicy(), task=row)
    assert (calls_in_words(rollout), ending_in_words(rollout)) == (calls, ending)


@pytest.mark.parametrize(
    ("keywords", "turns", "ending"),
    [
        ({}, [{"name": "no_tool", "arguments": {}}], "invalid call (ends)"),
        (
            {"max_tool_calls": 0},
            [FLIP, FLIP],
            "final turn announced, then another call (invalid, ends)",
        ),
        ({"max_tool_calls": 1, "max_steps": 3}, [FLIP, "A"], "answered"),
    ],
)
def test_endings_are_told_with_their_cause(keywords, turns, ending):
    env = gym.make("ImageTools/Maze-v0", **keywords)
    assert ending_in_words(play_episode(env, Scripted(*turns))) == ending


@pytest.mark.parametrize(
    ("max_tool_calls", "ending"),
    [
        (1, "1st call hit max_tool_calls; max_steps used up before the forced final turn"),
        (5, "max_steps used up"),
    ],
)
def test_running_out_of_turns_is_told_with_its_cause(max_tool_calls, ending):
    with pytest.warns(UserWarning, match="max_steps=1"):
        env = gym.make("ImageTools/Maze-v0", max_tool_calls=max_tool_calls, max_steps=1)
    rollout = play_episode(env, Scripted(FLIP))
    assert ending_in_words(rollout) == ending
    assert [item["role"] for item in rollout.output] == ["assistant", "user"]


@pytest.mark.parametrize(("calls", "ordinal"), [(2, "2nd"), (3, "3rd"), (11, "11th"), (22, "22nd")])
def test_the_last_call_is_counted_in_words(calls, ordinal):
    picture = encode_data_url(encode(np.zeros((8, 8, 3), np.uint8), "png"), "image/png")
    content = [{"type": "input_text", "text": "?"}, {"type": "input_image", "image_url": picture}]
    row = {
        "responses_create_params": {"input": [{"role": "user", "content": content}]},
        "grader": "integer",
        "expected_answer": "1",
    }
    limits = {"max_tool_calls": calls, "max_steps": calls}
    with pytest.warns(UserWarning, match="max_steps"):
        env = gym.make("ImageTools/Dataset-v0", data=[row], **limits)
    turns = [
        {"name": "image_rotate_tool", "arguments": {"degrees": n}} for n in range(1, calls + 1)
    ]
    assert ending_in_words(play_episode(env, Scripted(*turns))).startswith(f"{ordinal} call hit")
