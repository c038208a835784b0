"""Names are the field's and plain English: no module, function, class, argument or variable is a retired word."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
OUTSIDE = {"tests", "docs", "benchmarks", "theorems", "build", "dist"}
RETIRED: dict[str, str] = tomllib.loads((ROOT / "docs" / "glossary.toml").read_text())["retired"]
ALLOWED = {
    "scenarios/schema.py:accepted",  # a key of `consortium rules --json`
    "mechanisms/multiuser/refinement.py:boxes",  # of a grid
    "verbs/multiuser/records.py:boxes",  # a key of records
}


def modules() -> list[Path]:
    paths = [path.relative_to(ROOT) for path in sorted(ROOT.rglob("*.py"))]
    return [path for path in paths if path.parts[0] not in OUTSIDE and not any(p.startswith(".") for p in path.parts)]


def bound_names(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Names that a module binds, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno


@pytest.mark.parametrize("room", sorted({path.parts[0] for path in modules()}))
def test_no_name_is_a_retired_word(room: str) -> None:
    wrong = [
        f"{path}:{line}: {name}: say {RETIRED[name.strip('_').lower()]}"
        for path in modules()
        if path.parts[0] == room
        for name, line in [(path.stem, 1), *bound_names(ast.parse((ROOT / path).read_text()))]
        if name.strip("_").lower() in RETIRED and f"{path}:{name}" not in ALLOWED
    ]
    assert wrong == []
