"""Runs the recipes of docs/hosts.md, each in the environment of its host."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "hosts.md"
_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def section(heading: str) -> str:
    """Return the text below a second-level heading of the page.

    Args:
        heading: The text of the heading.
    """
    _, _, rest = PAGE.read_text(encoding="utf-8").partition(f"\n## {heading}\n")
    return rest.partition("\n## ")[0]


def run_recipe(heading: str, **given: Any) -> dict[str, Any]:
    """Run the Python blocks below a heading of the page, and return the names they leave.

    Args:
        heading: The text of a second-level heading.
        given: Names that the blocks find, such as a model.
    """
    blocks = _BLOCK.findall(section(heading))
    assert blocks, f"{PAGE} has no recipe {heading!r}"
    names = {"__name__": "recipe", **given}
    exec(compile("\n".join(blocks), f"{PAGE}: {heading}", "exec"), names)
    return names
