"""The typed face: what a user's type checker, editor and ``help()`` see of the package."""

from __future__ import annotations

import ast
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import consortium
from consortium.mechanisms.kinds import GAME, KINDS
from consortium.support.loading import load
from consortium.verbs.importing import importer
from consortium.verbs.options import Options, flag_of

ROOT = Path(__file__).resolve().parent.parent
VERBS = ("run", "search", "verify", "compare", "curve", "audit")

SETTINGS = """
[mypy]
strict = True

# an installed package's own errors are not its user's
[mypy-consortium.*]
ignore_errors = True

[mypy-numba.*,nashpy.*]
ignore_missing_imports = True

# what the package uses of these inside is no part of its face, and to read them takes as long as to read the package
[mypy-dask.*,distributed.*,fastapi.*,IPython.*,matplotlib.*,networkx.*,nicegui.*,ortools.*,pandas.*,PIL.*,scipy.*,sympy.*]
ignore_missing_imports = True
follow_imports = skip
follow_imports_for_stubs = True
"""

USER = """
from fractions import Fraction
from typing import Any, assert_type

import consortium
from consortium import CompareRecord, Estimate, Imported, Record, Scenario, ScenarioError, Status
from consortium.verbs.declaration.records import RunRecord
from consortium.verbs.federation.records import FederationSearchRecord
from consortium.verbs.game.records import SearchRecord
from consortium.verbs.multiuser.records import RunRecord as UsersRecord


def progress(done: int, total: int | None, note: str = "") -> None: ...


class Queue:
    def run(self, declared: Any, lengths: Any) -> Any: ...


scenario = consortium.load("agmon2003/5.2.1", {"mechanism.rule": "harsh"})
assert_type(scenario, Scenario)
record = consortium.run(scenario, mechanism=Queue(), list=3, measure=True, time_limit=1.5, progress=progress)
assert_type(record, Record)
assert_type(record.status, Status)
assert_type(record.to_dict(), dict[str, Any])
if isinstance(record, RunRecord):
    assert_type(record.rent, Fraction | float)
    assert_type(record.agents[0].machine, int | None)
    assert_type(record.optimal_sum, Fraction | None)
if isinstance(record, UsersRecord) and record.fairness is not None:
    assert_type(record.fairness.key, Fraction)
found = consortium.search(scenario, method="enumeration", epsilon="3/2", mixed=True, start={"ann": 1}, list=0)
assert_type(found, SearchRecord)
assert_type(found.equilibria.count, int | None)
assert_type(found.price_of_anarchy, Fraction | None)
if isinstance(found, FederationSearchRecord):
    assert_type(found.theorem, str | None)
consortium.verify(scenario, property="just", method="auto", sample=3, seed=1, time_limit=2, overrides={"seed": 3})
consortium.verify({"format": 1}, organization="ann", max_delay=3, max_splits=4, max_moment=5)
compared = consortium.compare([scenario, "agmon2003/5.2.2"], rules={"mine": Queue(), "harsh": "harsh"}, processes=2)
assert_type(compared, CompareRecord)
assert_type(compared.rows[0].complete, bool)
consortium.curve(scenario, "ann", low=Fraction(1, 2), high="3", width=1, list=4)
consortium.audit("log.swf", organizations=5, shares={"ann": 1}, rules=["ref"], start=0, series=True, zero="one")
consortium.audit("log.swf", rule="fifo", switch_to="rand:samples=75")
assert_type(consortium.ask("run", scenario, list=3), Record)
assert_type(consortium.estimate("run", scenario, list=3), Estimate)
assert_type(consortium.import_log("log.swf", "declaration", agents=3, powers=[1, "3/2"]), Imported)
for place, verb, row in consortium.check(["agmon2003"]) + consortium.check(record):
    assert_type(row.holds, bool | None)
assert_type(consortium.shipped(), list[str])
assert_type(consortium.listed("federation")[0].kind, str)
try:
    consortium.load("nowhere")
except ScenarioError as error:
    for problem in error.problems:
        assert_type(problem.path, str)

consortium.run(scenario, list="3")  # type: ignore[arg-type]
consortium.curve(scenario)  # type: ignore[call-arg]
consortium.verify(scenario, seed=1.5)  # type: ignore[arg-type]
consortium.compare(3)  # type: ignore[arg-type]
record.verb = "run"  # type: ignore[misc]
"""


def stubs() -> list[Path]:
    """Every stub of the package: the front door's and those of the rooms."""
    return sorted(p for p in ROOT.rglob("__init__.pyi") if not p.relative_to(ROOT).parts[0].startswith((".", "build")))


def names_in(stub: Path) -> list[tuple[str, str]]:
    """Module and public name of everything that a stub re-exports."""
    module = ".".join(("consortium", *stub.parent.relative_to(ROOT).parts))
    tree = ast.parse(stub.read_text())
    imported = [
        alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    declared = [
        node.target.id for node in tree.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    ]
    return [(module, name) for name in (*imported, *declared)]


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> tuple[str, dict[str, str]]:
    """What mypy says of a user's files: its errors, and the type of every public name.

    What it finds out about the package is kept with what pytest keeps: going through all of it takes long.
    """
    folder = tmp_path_factory.mktemp("user")
    kept = getattr(pytestconfig, "cache", None)
    known = kept.mkdir("mypy") if kept else folder / "cache"
    public = [pair for stub in stubs() for pair in names_in(stub)]
    lines = [f"from {module} import {name} as n{i}\nreveal_type(n{i})" for i, (module, name) in enumerate(public)]
    (folder / "names.py").write_text("\n".join(lines) + "\n")
    (folder / "user.py").write_text(USER)
    (folder / "mypy.ini").write_text(SETTINGS)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "--cache-dir", known, "names.py", "user.py"],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"MYPYPATH": str(ROOT / ".types")},
    )
    said = done.stdout + done.stderr
    revealed = re.findall(r'^names\.py:(\d+): note: Revealed type is "(.*)"$', said, re.MULTILINE)
    types = {".".join(public[int(line) // 2 - 1]): found for line, found in revealed}
    assert set(types) == {".".join(pair) for pair in public}, said
    return "\n".join(line for line in said.splitlines() if ": error:" in line), types


def test_a_user_who_calls_every_verb_passes_strict_mypy(checked: tuple[str, dict[str, str]]) -> None:
    errors, _ = checked
    assert errors == ""


def test_no_public_name_is_any(checked: tuple[str, dict[str, str]]) -> None:
    _, types = checked
    assert [name for name, found in types.items() if found == "Any"] == []
    assert types["consortium.__version__"] in ("str", "builtins.str")


def test_every_public_name_exists_and_is_listed() -> None:
    for stub in stubs():
        for module, name in names_in(stub):
            room = load(f"{module}:__dir__")()
            assert name in room or name.startswith("__"), (module, name)
            assert load(f"{module}:{name}") is not None


@pytest.mark.parametrize("verb", VERBS)
def test_signatures_show_the_options_of_all_kinds(verb: str) -> None:
    """``help(consortium.verify)`` is enough to use it: no option is hidden, and none is made up."""
    models = [load(found.options) for kind in (*KINDS, GAME) for found in kind.verbs if found.name == verb]
    _compare(verb, models, {"source", "sources", "path", "overrides", "progress", "options"})


def test_signature_of_import_shows_the_options_of_all_kinds() -> None:
    models = [importer(kind.name).options for kind in KINDS if kind.importer]
    _compare("import_log", models, {"path", "kind", "output", "zero", "options"})


def _compare(function: str, models: list[type[Options]], besides: set[str]) -> None:
    wanted = {name for model in models for name, info in model.model_fields.items() if "python" in flag_of(info).doors}
    parameters = inspect.signature(getattr(consortium, function)).parameters
    assert set(parameters) - besides == wanted
    for name in wanted:
        required = any(name in model.model_fields and model.model_fields[name].is_required() for model in models)
        assert parameters[name].default is (inspect.Parameter.empty if required else None), name
    about = inspect.getdoc(getattr(consortium, function)) or ""
    described = re.findall(r"^([a-z_]+(?:, [a-z_]+)*|\*\*options)$", about, re.MULTILINE)
    assert wanted <= {name for line in described for name in line.split(", ")}
