"""Runs to report on."""

import gymnasium as gym

import gym_imagetools  # noqa: F401
from gym_imagetools.rollout import RunFolder, RunSettings, plan, play
from gym_imagetools.rollout.finished_run import FinishedRun

ENV_ID = "ImageTools/Maze-v0"


class Members:
    """Plays given turns, other ones for each member of a group."""

    name = "members"

    def __init__(self, *scripts):
        self.scripts = scripts
        self.started = 0

    def start(self, env, *, seed):
        turns = iter(self.scripts[self.started % len(self.scripts)])
        self.started += 1

        class Player:
            def act(self, observation, info):
                return next(turns)

        return Player()


def write_run(folder, *scripts, env_id=ENV_ID, num_tasks=1, **keywords):
    """Play the scripts as the members of each group."""
    env = gym.make(env_id, **keywords)
    run = RunFolder(folder)
    settings = RunSettings(
        env_id=env_id,
        env_kwargs=keywords,
        policy="members",
        num_tasks=num_tasks,
        group_size=len(scripts),
        seed=1,
    )
    run.write_settings(settings)
    for rollout in play(
        env, Members(*scripts), plan(1, num_tasks=num_tasks, group_size=len(scripts))
    ):
        run.write(rollout)
    return FinishedRun.find(folder)


def call(name, **arguments):
    return {"name": name, "arguments": arguments}
