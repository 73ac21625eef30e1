"""Plays an episode as a model behind an endpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gym_imagetools.conversation import Conversation
from gym_imagetools.endpoints import Endpoint, ServerProfile
from gym_imagetools.policies.policy import Env
from gym_imagetools.rollout.session import call_form


class ModelPlayer:
    """Holds the conversation of one episode in the dialect of the endpoint.

    It waits on nobody: the caller sends each request, and tells what came of it::

        player = ModelPlayer(endpoint, await endpoint.open(), env)
        while True:
            reply = await endpoint.send(player.request())
            observation, reward, terminated, truncated, info = env.step(reply.action)
            if terminated or truncated:
                break
            player.hear(reply.action, observation, info)

    Args:
        endpoint: The model.
        profile: What its server takes.
        env: The environment, after ``reset``.
        seed: Tells the episodes of a run apart where sampling is seeded.
    """

    def __init__(self, endpoint: Endpoint, profile: ServerProfile, env: Env, seed: int = 0) -> None:
        is_native = call_form(env) == "native"
        takes_pictures = endpoint.api in profile.pictures_in_outputs
        self._endpoint = endpoint
        self._profile = profile
        self._seed = seed
        self._tools = env.get_wrapper_attr("function_tools") if is_native else []
        self._num_turns = 0
        self._conversation = Conversation(
            env.get_wrapper_attr("prompt"),
            endpoint.api,
            tool_calls="native" if is_native else "text",
            image_role="tool" if takes_pictures else "user",
        )

    def request(self) -> bytes:
        """Return the body of the request for the next turn."""
        return self._endpoint.encode(
            self._profile, self._conversation.messages, self._tools, seed=self._turn_seed()
        )

    def hear(
        self,
        action: Any,
        observation: Mapping[str, Any],
        info: Mapping[str, Any],
        image_urls: Sequence[str] | None = None,
    ) -> None:
        """Take note of a turn and of what the environment answered.

        Args:
            action: The action of the model's reply.
            observation: What ``step`` returned.
            info: The info of the same step.
            image_urls: The pictures of the observation as ``data:`` URLs, where they are
                encoded already.
        """
        self._conversation.add_turn(action)
        self._conversation.add_reply(observation, info, image_urls)
        self._num_turns += 1

    def _turn_seed(self) -> int | None:
        """Return a seed of this turn alone, or the members of a group would say the same."""
        run_seed = self._endpoint.sampling.seed
        if run_seed is None:
            return None
        entropy = (run_seed, self._seed, self._num_turns)
        # Servers take the seed for a signed number of 32 bits.
        return int(np.random.SeedSequence(entropy).generate_state(1)[0] >> 1)
