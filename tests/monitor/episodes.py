"""Episodes in figures, made by hand."""

from gym_imagetools.monitor import EpisodeFigures
from gym_imagetools.monitor.episode import ToolFigures


def episode(group="a", *, right=False, **figures):
    plain = {
        "group": group,
        "task_id": group,
        "family": "Maze",
        "difficulty": "1",
        "reward": float(right),
        "components": {"answer": float(right)},
        "is_right": right,
        "answer": "A" if right else "B",
        "ending": "answered",
        "num_turns": 1,
        "num_calls": 0,
        "num_errors": 0,
        "num_malformed": 0,
        "tools": {},
        "usage": {},
    }
    return EpisodeFigures(**{**plain, **figures})


def calling(num_calls, *, duplicates=0, refused=0, **figures):
    tool = ToolFigures(num_calls + refused, refused, duplicates)
    return episode(
        num_calls=num_calls, num_errors=refused, tools={"image_crop_tool": tool}, **figures
    )
