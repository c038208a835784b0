"""``pyproject.toml`` names what the package imports, and nothing else."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
DISTRIBUTION = {"cosmic_ray": "cosmic-ray", "pydantic_core": "pydantic", "yaml": "pyyaml", "z3": "z3-solver"}
"""Where the distribution that a user asks for is not called like what is imported."""
DEVELOPMENT = {"test", "browser", "mutants", "release", "lint", "docs"}
"""Extras whose distributions are programs, plugins or imported by tests, benchmarks and docs only."""

REFERENCE = re.compile(r"(numba|sympy|ortools)(?:\.\w+)*:\w+")
"""What is loaded late, by a reference."""


def package_modules() -> list[Path]:
    rooms = [ROOT.joinpath(*name.split(".")[1:]) for name in PROJECT["tool"]["setuptools"]["packages"]]
    return [path for room in rooms for path in room.glob("*.py")]


@cache
def imported_by_package() -> set[str]:
    return imported(package_modules())


def imported(paths: Iterable[Path]) -> set[str]:
    """Top-level names of what the modules import, inside functions and for type checkers as well."""
    names: set[str] = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                names.add(node.module.split(".")[0])
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "optional":
                # the door of what few need
                names.add(ast.literal_eval(node.args[0]).split(".")[0])
            elif isinstance(node, ast.Constant) and (reference := REFERENCE.fullmatch(str(node.value))):
                names.add(reference[1])
    return names - set(sys.stdlib_module_names) - {"consortium"}


def named(requirements: Iterable[str]) -> set[str]:
    """Names of distributions in a list of requirements."""
    return {re.match(r"[A-Za-z0-9_.-]+", text)[0].lower() for text in requirements}  # type: ignore[index]


def test_dependencies_are_what_the_package_imports() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    optional = named(text for extra in set(extras) - DEVELOPMENT for text in extras[extra])
    declared = named(PROJECT["project"]["dependencies"])
    assert not declared & optional
    assert declared | optional == {DISTRIBUTION.get(name, name).lower() for name in imported_by_package()}


def test_what_tests_and_benchmarks_import_is_declared() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    declared = named([*PROJECT["project"]["dependencies"], *(text for extra in extras.values() for text in extra)])
    outside = [path for folder in ("tests", "benchmarks", "docs") for path in (ROOT / folder).rglob("*.py")]
    own = {path.stem for path in outside} | {"tests"}
    assert {DISTRIBUTION.get(name, name).lower() for name in imported(outside) - own} <= declared


def test_mypy_overlooks_only_untyped_imports_of_the_package() -> None:
    overrides = PROJECT["tool"]["mypy"]["overrides"]
    overlooked = {name.removesuffix(".*") for override in overrides for name in override["module"]}
    assert overlooked - {"IPython"} <= imported_by_package()  # asked for by name, where a notebook has it
