"""One job each: limits on the way in, rewards on the way out.

The registered stack, inside out: the environment, ``ToolCallLimit``, ``StepLimit``,
``ToolUseReward``, ``RewardCap``, ``RewardComponents``.
"""

from gym_imagetools.wrappers.episodic_reward import EpisodicReward
from gym_imagetools.wrappers.reward_cap import RewardCap
from gym_imagetools.wrappers.reward_components import RewardComponents
from gym_imagetools.wrappers.step_limit import StepLimit
from gym_imagetools.wrappers.tool_call_limit import ToolCallLimit
from gym_imagetools.wrappers.tool_use_reward import ToolUseReward
from gym_imagetools.wrappers.vector_reward import VectorReward

__all__ = [
    "EpisodicReward",
    "RewardCap",
    "RewardComponents",
    "StepLimit",
    "ToolCallLimit",
    "ToolUseReward",
    "VectorReward",
]
