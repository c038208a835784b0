"""The house rules as tests: imports only run downwards and never in a circle, three kinds of games' modules do not mix,
loading by name has one door, and the package list matches the tree.

Imports inside functions count, those for type checkers only (``if TYPE_CHECKING:``) do not. A name imported from a
room's face counts as imported from the module that its stub names. A *reference* is a string ``".room.module:name"``,
which :mod:`consortium.support.loading` loads: it counts as an import, except in a table of references.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import networkx
import pytest

from consortium.games.registry import CLASSES

ROOT = Path(__file__).resolve().parent.parent
FLOOR = {
    "support": 0,
    "scheduling": 1,
    "agents": 2,
    "workloads": 2,
    "parallel": 2,
    "mechanisms": 3,
    "games": 4,
    "scenarios": 5,
    "verbs": 6,
    "reports": 7,
    "api": 8,
    "explorer": 8,
    "studies": 8,
    "cli": 9,
}
NOT_PACKAGED = {"tests", "benchmarks", "docs", "build", "dist", "theorems"}
FAMILIES = {"declaration", "federation", "multiuser", "sharing"}
LOADING = "support.loading"
TABLES = re.compile(r"mechanisms\.(kinds|\w+\.catalogue)|games\.registry")
"""Modules whose references are data that others resolve: they exist, but nothing is imported by listing them."""
REFERENCE = re.compile(r"\.([a-z_]\w*(?:\.\w+)*):([A-Za-z_]\w*)")

GAMES = {
    "record": """protocol results registry verification.domain verification.results verification.coalitions
        equilibria.coalitions.results placement.certificate""",
    "model": """normal_form interchange verification.prior declaration.game equilibria.learning.lines
        equilibria.correlated.results placement.game placement.table""",
    "checker": """reading checkers proofs.certified proofs.check_proof design.certified design.check_design
        design.check_bound verification.running
        verification.expectations sharing.axioms equilibria.learning.regrets equilibria.coalitions.checker
        placement.all_lengths.check_shape equilibria.mixed.profiles equilibria.correlated.checker placement.checker
        placement.joint_deviations""",
}
"""Modules of ``games/`` that are words for all, models of games, or checks from the definition; the others solve."""
MAY_IMPORT = {
    "record": {"record"},
    "model": {"record", "model"},
    "checker": {"record", "model", "checker"},
    "solver": {"record", "model", "checker", "solver"},
}
LISTED = {f"games.{name}": kind for kind, names in GAMES.items() for name in names.split()}


def package_folders() -> list[Path]:
    return sorted(
        init.parent.relative_to(ROOT)
        for init in ROOT.rglob("__init__.py")
        if not (set(init.relative_to(ROOT).parts) & NOT_PACKAGED)
        and not any(part.startswith(".") for part in init.relative_to(ROOT).parts)
    )


@cache
def modules() -> dict[str, Path]:
    """Every module by its dotted name below the package; a room's name stands for its ``__init__``."""
    paths = [path.relative_to(ROOT) for folder in package_folders() for path in sorted((ROOT / folder).glob("*.py"))]
    return {".".join(p.with_suffix("").parts).removesuffix("__init__").rstrip("."): p for p in paths}


@cache
def tree(module: str) -> ast.Module:
    return ast.parse((ROOT / modules()[module]).read_text())


def running(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that only type checkers see."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        yield from running(child)


@cache
def face(room: str) -> dict[str, str]:
    """Public names of a room with a stub, and the module that each comes from."""
    stub = (ROOT / modules()[room]).with_suffix(".pyi")
    nodes = ast.parse(stub.read_text()).body if stub.exists() else []
    return {
        alias.asname or alias.name: ".".join(filter(None, (room, node.module)))
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def home(place: str, name: str) -> str:
    """The module that ``from place import name`` reads, below the package."""
    inside = f"{place}.{name}".lstrip(".")
    return inside if inside in modules() else face(place).get(name, place)


@cache
def imported(module: str) -> tuple[str, ...]:
    """Modules of the package that a module imports."""
    path, found = modules()[module], list[str]()
    for node in running(tree(module)):
        if isinstance(node, ast.ImportFrom) and node.level:
            here = path.parts[:-1]
            base = ".".join((*here[: len(here) - (node.level - 1)], *([node.module] if node.module else [])))
            found += [home(base, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            if any(name.split(".")[0] == "consortium" for name in names):
                pytest.fail(f"{path}: inside the package use relative imports, found {ast.unparse(node)!r}")
    return tuple(dict.fromkeys(found))


def mentions(module: str) -> bool:
    """Whether there is anything in a module that looks like a reference: quick, without parsing."""
    return bool(re.search(rf"""["']{REFERENCE.pattern}["']""", (ROOT / modules()[module]).read_text()))


@cache
def references(module: str) -> tuple[tuple[str, str], ...]:
    """The references in a module: (module, name)."""
    if not mentions(module):
        return ()
    nodes = list(ast.walk(tree(module)))
    pieces = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and id(node) not in pieces]
    matches = [REFERENCE.fullmatch(text) for text in texts if isinstance(text, str)]
    return tuple((match[1], match[2]) for match in matches if match)


def needs(module: str) -> list[str]:
    """What a module imports or loads by a reference of its own."""
    loaded = [] if TABLES.fullmatch(module) else [home(*reference) for reference in references(module)]
    return [*imported(module), *loaded]


def defined(module: str) -> set[str]:
    """Names at the top of a module."""
    names = set(face(module))
    for node in tree(module).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


def astray(module: str, target: str) -> bool:
    """Whether an import runs upwards, or into another family of mechanisms."""
    (room, *inside), (there, *rest) = module.split("."), target.split(".")
    if room not in FLOOR or there not in FLOOR:
        return False
    on_studies = there == "studies" and room == "api"
    if there != room and FLOOR[there] >= FLOOR[room] and not on_studies:
        return True
    families = room == there == "mechanisms" and len(inside) > 1 and rest
    return bool(families and rest[0] in FAMILIES - {inside[0]})


def test_imports_only_run_downwards() -> None:
    assert [(module, target) for module in modules() for target in needs(module) if astray(module, target)] == []


def test_no_import_runs_in_a_circle() -> None:
    graph = networkx.DiGraph((module, target) for module in modules() for target in needs(module) if target != module)
    assert [sorted(part) for part in networkx.strongly_connected_components(graph) if len(part) > 1] == []


def names_importlib(node: ast.AST) -> bool:
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
    return any(name.split(".")[0] == "importlib" for name in names)


def test_loading_by_name_has_one_door() -> None:
    through = {module for module in modules() for node in running(tree(module)) if names_importlib(node)}
    assert through == {LOADING}


@pytest.mark.parametrize("module", [name for name in modules() if mentions(name)])
def test_references_lead_somewhere(module: str) -> None:
    for place, name in references(module):
        assert place in modules(), f"{module}: no module behind '.{place}:{name}'"
        assert name in defined(place), f"{module}: nothing called {name} behind '.{place}:{name}'"


def kind_of(module: str) -> str | None:
    """What a module of ``games/`` is; ``None`` for a room's face and for modules elsewhere."""
    if not module.startswith("games.") or modules()[module].name == "__init__.py":
        return None
    return LISTED.get(module, "solver")


def test_modules_of_games_are_listed_once() -> None:
    assert set(LISTED) <= set(modules())
    assert sum(len(names.split()) for names in GAMES.values()) == len(LISTED)


def test_what_a_class_of_games_is_certified_by_is_a_checker() -> None:
    for one in CLASSES:
        for reference in filter(None, (one.certify, one.smallest_deviation)):
            assert kind_of(reference.partition(":")[0].lstrip(".")) == "checker"


@pytest.mark.parametrize("module", LISTED)
def test_models_solvers_and_checkers_do_not_mix(module: str) -> None:
    for target in needs(module):
        kind = kind_of(target)
        assert kind is None or kind in MAY_IMPORT[LISTED[module]], (
            f"{module} (a {LISTED[module]}) imports {target} (a {kind})"
        )


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
