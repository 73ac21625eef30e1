"""Vector environments whose episodes run on threads; ``gymnasium.make_vec`` makes them."""

from __future__ import annotations

from gym_imagetools.vector.thread_vector_env import ThreadVectorEnv

__all__ = ["ThreadVectorEnv"]
