"""Shards of the verification: small JSON files, each the rows of one measure on a few seeds.

A shard's name holds a key of the code that decides it: the family, all parts of puzzles that it
imports, its solver and the measures. A family whose code changes is verified anew, no other is;
comments, docstrings and layout do not count.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gym_imagetools.puzzles.families import FAMILIES
from tests.puzzles.harness import solver_of
from tests.puzzles.measures import MEASURES, Row

ROOT = Path(__file__).parents[2]
_ROOMS = ("gym_imagetools.puzzles.", "tests.puzzles.solvers.")
_MACHINERY = ("harness", "learned", "measures")


@dataclass(frozen=True, order=True)
class Shard:
    """A measure of a family and level on the seeds from ``first`` on.

    Attributes:
        check: A key of ``MEASURES``.
    """

    family: str
    level: int
    check: str
    first: int
    count: int

    def path(self, folder: Path) -> Path:
        name = f"{self.check}-{self.first}-{self.count}-{code_key(self.family)}.json"
        return folder / self.family / str(self.level) / name

    def read(self, folder: Path) -> list[Row] | None:
        """Return the rows; None when it has not been measured with the code as it is."""
        path = self.path(folder)
        return json.loads(path.read_text("utf-8")) if path.exists() else None

    def measure(self, folder: Path) -> None:
        """Measure and write the rows, all or nothing."""
        seeds = range(self.first, self.first + self.count)
        rows = list(MEASURES[self.check](self.family, self.level, seeds))
        path = self.path(folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        for stale in path.parent.glob(f"{self.check}-{self.first}-{self.count}-*.json"):
            stale.unlink()
        partial = path.with_suffix(f".{os.getpid()}.part")
        partial.write_text(json.dumps(rows), encoding="utf-8")
        partial.replace(path)


@cache
def code_key(name: str) -> str:
    """Return a digest of the code that decides a family's shards."""
    module = FAMILIES[name].partition(":")[0]
    modules = {module, solver_of(name).__name__}
    waiting = list(modules)
    while waiting:
        for imported in _imports(_path_of(waiting.pop())):
            is_part = imported.startswith(_ROOMS) and _path_of(imported).exists()
            if is_part and imported not in modules:
                modules.add(imported)
                waiting.append(imported)
    modules |= {f"tests.puzzles.{part}" for part in _MACHINERY}
    found = hashlib.sha256()
    for part in sorted(modules):
        found.update(code_of(_path_of(part).read_text("utf-8")).encode())
    return found.hexdigest()[:16]


def code_of(source: str) -> str:
    """Return what a module does: its syntax tree without docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [part for part in body if not _is_text(part)]
    return ast.dump(tree)


def _is_text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _imports(path: Path) -> Iterator[str]:
    """Yield the modules that a module imports, or imports names of."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (
                inner
                for inner in (f"{node.module}.{name.name}" for name in node.names)
                if _path_of(inner).exists()
            )
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def _path_of(module: str) -> Path:
    return ROOT / (module.replace(".", "/") + ".py")
