"""Vector environments: every autoreset mode, serial and in processes of their own."""

import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

from tests.envs.play import (
    PIVOT,
    PIVOT_ROWS,
    RIGHT,
    TOOL_IDS,
    WRONG,
    dataset_row,
    digest,
    frozen,
    make,
    make_rows,
    rotate,
    zoom,
)

ROWS = [dataset_row(answer=name, question=f"Row {name}?") for name in ("umbrella", "b", "c", "d")]
CALL = zoom(100, 100, 500, 500)
MODES = list(AutoresetMode)


def in_this_process(makers, mode):
    return SyncVectorEnv(makers, autoreset_mode=mode)


def in_workers(makers, mode):
    return AsyncVectorEnv(makers, shared_memory=False, autoreset_mode=mode)


def one_env():
    return make_rows(*ROWS, order="sequential", force_final_after_duplicate=False)


@pytest.fixture(params=[in_this_process, in_workers])
def vectorised(request):
    """Makes a closed-after-use vector environment of two equal environments."""
    envs = []

    def build(mode, maker=one_env, num_envs=2):
        envs.append(request.param([maker] * num_envs, mode))
        return envs[-1]

    yield build
    for env in envs:
        env.close()


def test_the_components_of_all_environments_come_as_arrays(vectorised):
    envs = vectorised(AutoresetMode.NEXT_STEP)
    envs.reset(seed=3)
    observations, rewards, *_, info = envs.step([rotate(10), WRONG])
    assert len(observations["text"]) == len(observations["images"]) == 2
    assert [len(images) for images in observations["images"]] == [1, 0]
    np.testing.assert_allclose(rewards, [0.01, 0.0])
    np.testing.assert_allclose(info["reward_components"]["tool_use"], [0.01, 0.0])
    assert info["reward_components"]["tool_use"].dtype == np.float64
    assert info["ending"].tolist() == ["", "answered"]
    assert info["turn"].dtype.kind == "i"


def test_texts_change_from_step_to_step(vectorised):
    envs = vectorised(AutoresetMode.NEXT_STEP)
    first, _ = envs.reset(seed=3)
    second, *_ = envs.step([rotate(10)] * 2)
    third, *_ = envs.step([rotate(20)] * 2)
    texts = [observation["text"][0] for observation in (first, second, third)]
    assert len(set(texts)) == 3
    assert "10" in texts[1]
    assert "20" in texts[2]


def test_shared_memory_is_refused_rather_than_read_once():
    """The default of AsyncVectorEnv has no form for texts and pictures of any size."""
    with pytest.raises((ValueError, TypeError), match=r"shared_memory=False|shared memory"):
        AsyncVectorEnv([one_env])


def test_next_step_plays_the_reset_and_pays_nothing_for_the_action(vectorised):
    envs = vectorised(AutoresetMode.NEXT_STEP)
    envs.reset(seed=3)
    _, rewards, terminated, _, info = envs.step([RIGHT, CALL])
    assert rewards[0] == 1.0
    assert terminated.tolist() == [True, False]
    assert info["base_reward"].tolist() == [1.0, 0.0]
    assert info["expected_answer"].tolist() == ["umbrella", ""]
    observations, rewards, terminated, _, info = envs.step(["<tool_call>{", CALL])
    assert rewards[0] == 0.0
    assert not terminated[0]
    assert observations["text"][0] == "Row b?"
    assert info["turn"].tolist() == [0, 2]
    assert info["tool_error_count"].tolist() == [0, 0]
    assert info["reward_components"]["answer"].tolist() == [0.0, 0.0]
    # The ignored action has left no trace: the next one is the first turn.
    info = envs.step([CALL, CALL])[4]
    assert info["turn"].tolist() == [1, 3]
    assert info["tool_results"][0][0]["duplicate"] == ""


def test_same_step_gives_the_last_observation_and_info_apart(vectorised):
    envs = vectorised(AutoresetMode.SAME_STEP)
    envs.reset(seed=3)
    envs.step([CALL, CALL])
    observations, rewards, terminated, _, info = envs.step([RIGHT, CALL])
    assert terminated.tolist() == [True, False]
    assert rewards[0] == pytest.approx(0.99)
    assert observations["text"][0] == "Row b?"
    assert len(observations["images"][0]) == 1
    final = info["final_info"]
    assert final["_ending"].tolist() == [True, False]
    assert (final["ending"][0], final["base_reward"][0]) == ("answered", 1.0)
    assert final["expected_answer"][0] == "umbrella"
    assert final["reward_components"]["answer"][0] == 1.0
    assert info["final_obs"][0] == {"text": "", "images": ()}
    assert info["final_obs"][1] is None
    assert info["turn"].tolist() == [0, 2]
    assert info["ending"].tolist() == ["", ""]


def test_disabled_resets_what_the_mask_names_and_lets_the_others_run(vectorised):
    envs = vectorised(AutoresetMode.DISABLED)
    envs.reset(seed=3)
    envs.step([CALL, RIGHT])
    mask = np.array([False, True])
    observations, info = envs.reset(options={"reset_mask": mask})
    assert observations["text"][1] == "Row b?"
    _, rewards, _, _, info = envs.step([CALL, CALL])
    np.testing.assert_allclose(rewards, [-0.02, 0.01])
    assert info["turn"].tolist() == [2, 1]


@pytest.mark.parametrize("mode", MODES)
def test_both_kinds_of_vector_environment_play_the_same(mode):
    seen = []
    for build in (in_this_process, in_workers):
        envs = build([one_env] * 2, mode)
        steps = [envs.reset(seed=5)]
        for actions in ([CALL, WRONG], [rotate(5), CALL], [CALL, CALL]):
            steps.append(envs.step(actions))
            if mode == AutoresetMode.DISABLED and (mask := steps[-1][2] | steps[-1][3]).any():
                steps.append(envs.reset(options={"reset_mask": mask}))
        envs.close()
        seen.append([frozen(step[0]) for step in steps] + [frozen(step[1:-1]) for step in steps])
    assert seen[0] == seen[1]


def test_equal_seeds_play_equal_episodes_over_several_resets():
    digests = []
    for _ in range(2):
        envs = in_this_process([lambda: make(TOOL_IDS[0])] * 2, AutoresetMode.NEXT_STEP)
        steps = [envs.reset(seed=11)]
        steps += [envs.step([WRONG, WRONG]) for _ in range(5)]
        digests.append(digest([step[0] for step in steps]))
    assert digests[0] == digests[1]


def test_every_id_runs_in_a_vector(env_id):
    envs = in_this_process([lambda: make(env_id)] * 2, AutoresetMode.SAME_STEP)
    observations, info = envs.reset(seed=1)
    assert envs.observation_space.contains(observations)
    keys = {key for key in info if not key.startswith("_")}
    observations, _, terminated, _, info = envs.step([WRONG, WRONG])
    assert envs.observation_space.contains(observations)
    assert terminated.all()
    assert keys <= info.keys()
    assert keys == {key for key in info["final_info"] if not key.startswith("_")}


def test_the_math_grader_works_in_daemonic_workers():
    row = {**dataset_row(answer=r"\frac{1}{2}"), "grader": "math"}
    del row["extraction_mode"]
    envs = in_workers([lambda: make_rows(row)] * 2, AutoresetMode.NEXT_STEP)
    envs.reset(seed=0)
    _, rewards, _, _, info = envs.step([r"\boxed{0.5}", r"\boxed{1/3}"])
    envs.close()
    assert rewards.tolist() == [1.0, 0.0]
    assert info["expected_answer"].tolist() == [r"\frac{1}{2}"] * 2


def test_pivots_are_scored_in_a_vector():
    envs = in_this_process(
        [lambda: make(PIVOT, data=PIVOT_ROWS, order="sequential")] * 2, AutoresetMode.NEXT_STEP
    )
    envs.reset(seed=0)
    _, rewards, terminated, _, info = envs.step([zoom(100, 100, 500, 500), rotate(3)])
    assert rewards.tolist() == [1.0, 0.0]
    assert terminated.all()
    assert info["failure"].tolist() == ["none", "tool_name_mismatch"]
