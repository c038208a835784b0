"""The house rules as tests: imports only run downwards, and the package list matches the tree."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FLOOR = {
    "scheduling": 0,
    "agents": 1,
    "workloads": 1,
    "mechanisms": 2,
    "games": 3,
    "scenarios": 4,
    "verbs": 5,
    "api": 5,
    "reports": 6,
    "experiments": 7,
    "cli": 8,
}
NOT_PACKAGED = {"tests", "benchmarks", "docs", "build", "dist"}
FAMILIES = {"declaration", "federation", "multiuser", "sharing"}


def package_folders() -> list[Path]:
    return sorted(
        init.parent.relative_to(ROOT)
        for init in ROOT.rglob("__init__.py")
        if not (set(init.relative_to(ROOT).parts) & NOT_PACKAGED)
        and not any(part.startswith(".") for part in init.relative_to(ROOT).parts)
    )


def modules() -> list[Path]:
    return [path.relative_to(ROOT) for folder in package_folders() for path in sorted((ROOT / folder).glob("*.py"))]


def imported(path: Path) -> list[tuple[str, ...]]:
    """Absolute places (below the package root) that a module imports, inside functions as well."""
    here = path.parts[:-1]
    found: list[tuple[str, ...]] = []
    for node in ast.walk(ast.parse((ROOT / path).read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = here[: len(here) - (node.level - 1)]
            tail = tuple(node.module.split(".")) if node.module else ()
            if tail:
                found.append(base + tail)
            else:
                found.extend((*base, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "consortium":
            pytest.fail(f"{path}: inside the package use relative imports, found 'from {node.module}'")
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "consortium":
                    pytest.fail(f"{path}: inside the package use relative imports, found 'import {alias.name}'")
    return found


@pytest.mark.parametrize("path", modules(), ids=str)
def test_imports_only_run_downwards(path: Path) -> None:
    room = path.parts[0].removesuffix(".py")
    if room in {"__init__", "__main__"}:
        return
    for target in imported(path):
        if not target or target[0] not in FLOOR:
            continue
        same_room = target[0] == room
        assert same_room or FLOOR[target[0]] < FLOOR[room] or {room, target[0]} == {"api", "verbs"}, (
            f"{path} (floor {FLOOR[room]}) imports {'.'.join(target)} (floor {FLOOR[target[0]]})"
        )
        if room == "mechanisms" and same_room and len(path.parts) > 2 and len(target) > 1:
            assert target[1] not in FAMILIES - {path.parts[1]}, f"{path} imports another family: {'.'.join(target)}"


def test_package_list_matches_the_tree() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    in_tree = [".".join(("consortium", *folder.parts)) for folder in package_folders()]
    assert sorted(listed) == sorted(in_tree)


def test_only_three_modules_stand_at_the_root() -> None:
    assert {path.name for path in ROOT.glob("*.py")} <= {"__init__.py", "__main__.py", "api.py"}


@pytest.mark.parametrize("command", ["import consortium"])
def test_import_is_light(command: str) -> None:
    heavy = ["numpy", "numba", "ortools", "sympy", "matplotlib", "scipy", "nashpy", "networkx", "pydantic"]
    code = f"import sys; {command}; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
