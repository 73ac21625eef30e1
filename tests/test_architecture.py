"""The order of the rooms: a module imports from its own room and from rooms before it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "gym_imagetools"
# fmt: off
ROOMS = [
    "types", "errors", "excerpt", "coordinates", "affine", "contract",
    "images", "tool_output_images", "tools", "prompts", "graders", "parsing", "spaces",
    "advantages", "metrics", "conversation", "scoring", "episode", "rows", "puzzles", "tasks",
    "settings", "render", "envs", "wrappers", "registration", "factories", "vector", "endpoints",
    "policies", "rollout", "monitor", "report", "export", "bench", "adapters", "cli",
]
# fmt: on
"""Modules and packages right below the root, lowest first."""

LAZY = {"openai", "math_verify", "latex2sympy2_extended", "sympy", "scipy", "jinja2", "mcp", "trl",
        "ray", "torch", "transformers", "datasets", "verifiers", "nemo_gym", "fastapi",
        "inspect_ai", "mo_gymnasium", "openenv", "verl"}  # fmt: skip
"""Imported inside of the functions that need them: they are slow or optional."""

LAZY_ROOMS = {"adapters"}
"""Modules that are themselves imported lazily, as the bridge to one host each."""
LAZY_MODULES = {"graders/math_worker.py"}
"""The worker process of the math grader: no module imports it."""

SOURCES = sorted(PACKAGE.rglob("*.py"))


def room_of(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imported_rooms(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for root, *rest in (name.split(".") for name in names):
            if root == PACKAGE.name:
                # The package itself registers the ids; its version stands there, too.
                yield rest[0] if rest and rest[0] != "__version__" else "registration"


def imported_at_the_top(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


def test_every_room_has_its_place():
    assert len(set(ROOMS)) == len(ROOMS)
    rooms = {room_of(path) for path in SOURCES} - {"__init__", "__main__"}
    assert rooms <= set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_rooms_before_it(room):
    allowed = set(ROOMS[: ROOMS.index(room) + 1])
    for path in SOURCES:
        if room_of(path) == room:
            above = set(imported_rooms(ast.parse(path.read_text()))) - allowed
            assert not above, f"{path.relative_to(PACKAGE)} imports {above} from above"


def test_slow_and_optional_packages_are_imported_where_they_are_used():
    for path in SOURCES:
        name = path.relative_to(PACKAGE).as_posix()
        if room_of(path) not in LAZY_ROOMS and name not in LAZY_MODULES:
            slow = LAZY & set(imported_at_the_top(ast.parse(path.read_text())))
            assert not slow, f"{name} imports {slow} at its top"
