"""A recorded episode, played through MO-Gymnasium."""

import mo_gymnasium

from gym_imagetools.wrappers import VectorReward
from tests.hosts.rollouts import Outcome, Recording


def play(recording: Recording) -> Outcome:
    """Return what the episode paid: the sum of its reward vectors, and its last info."""
    env = VectorReward(mo_gymnasium.make(recording.env_id, **recording.keywords))
    env.reset(options={"task": recording.task})
    total = 0.0
    for turn in recording.turns:
        _, reward, _, _, info = env.step(turn)
        total = total + reward
    components = dict(zip(env.get_wrapper_attr("reward_weights"), total.tolist(), strict=True))
    return Outcome(sum(components.values()), {**info, "reward_components": components})
