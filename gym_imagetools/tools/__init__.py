"""The image tools: argument models, schemas and the functions behind them.

The functions load with the first use of a name below, so that reading arguments and schemas
(:mod:`~gym_imagetools.tools.arguments`, :mod:`~gym_imagetools.tools.schemas`) needs no image
library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gym_imagetools.tools.registry import TOOLS, Kernel, Tool, add_tool, run, run_tool
    from gym_imagetools.tools.result import ToolResult, ToolSettings

__all__ = [
    "TOOLS",
    "Kernel",
    "Tool",
    "ToolResult",
    "ToolSettings",
    "add_tool",
    "run",
    "run_tool",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from gym_imagetools.tools import registry

    return getattr(registry, name)
