"""A recorded episode, played as TRL's tool loop plays it; TRL itself is not needed."""

from gym_imagetools.adapters.trl import make_environment, reward_funcs
from tests.hosts.rollouts import Outcome, Recording


def completion_of(recording: Recording) -> list[dict]:
    """Return the messages that TRL hands to reward functions."""
    messages: list[dict] = []
    for call in recording.calls:
        function = {"type": "function", "function": call}
        messages.append({"role": "assistant", "content": "", "tool_calls": [function]})
        messages.append({"role": "tool", "name": call["name"], "content": "..."})
    if recording.answer or not messages:
        messages.append({"role": "assistant", "content": recording.answer})
    return messages


def play(recording: Recording) -> Outcome:
    """Return what the episode paid."""
    environment_class = make_environment(recording.env_id, **recording.keywords)
    environment = environment_class()
    environment.reset(prompt=[], task=recording.task)
    for call in recording.calls:
        getattr(environment, call["name"])(**call["arguments"])
    completions = [completion_of(recording)]
    scores = {
        function.__name__: function(completions=completions, environments=[environment])[0]
        for function in reward_funcs(environment_class)
    }
    episode = environment._episode
    return Outcome(episode.reward, {**episode.info, "reward_scores": scores})
