"""The prompt, the model's turns and the environment's answers as messages of OpenAI's dialects."""

from gym_imagetools.conversation.conversation import Conversation
from gym_imagetools.conversation.placeholders import defuse, restore

__all__ = ["Conversation", "defuse", "restore"]
