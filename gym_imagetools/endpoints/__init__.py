"""Models behind OpenAI-compatible endpoints: what each server accepts, and what it answers."""

from __future__ import annotations

from gym_imagetools.endpoints.endpoint import Endpoint
from gym_imagetools.endpoints.failure import EndpointFailure, EndpointRefusal
from gym_imagetools.endpoints.profile import PROFILES, Api, ServerName, ServerProfile
from gym_imagetools.endpoints.reply import ModelReply
from gym_imagetools.endpoints.request import Sampling

__all__ = [
    "PROFILES",
    "Api",
    "Endpoint",
    "EndpointFailure",
    "EndpointRefusal",
    "ModelReply",
    "Sampling",
    "ServerName",
    "ServerProfile",
]
