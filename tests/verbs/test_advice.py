"""Advice in messages exists where it is given: every option that a message names is one of the door that shows it.

The messages are the texts of the source (docstrings left out) that name an option as the command line writes it,
``--max-bytes``, or as Python does, ``max_bytes=``, ``raise max_bytes``. :data:`DOORS` says who shows those of a module.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer

from consortium.cli.app import app
from consortium.mechanisms.kinds import GAME, KINDS
from consortium.scenarios.schema import plain_schema
from consortium.support.loading import load
from consortium.verbs.options import flag_of, written

ROOT = Path(__file__).parents[2]
OUTSIDE = ("tests", "docs", "benchmarks", "explorer", "build")
"""Folders of no messages: the explorer's texts are its page's, which has no options."""

VERBS = {(kind.name, verb.name): verb for kind in (*KINDS, GAME) for verb in kind.verbs}
MODELS = {door: load(verb.options) for door, verb in VERBS.items()}
SEARCHES = ("declaration search", "federation search", "game search")
EVERY_RUN = ("declaration run", "federation run", "multiuser run", "sharing run")
EVERY_RECORD = tuple(f"{kind} {verb}" for kind, verb in VERBS)
USERS = ("multiuser run", "multiuser compare")
NAMES = sorted({name for model in MODELS.values() for name in model.model_fields} - {"to"})  # a word of any sentence

DOORS: dict[str, tuple[str, ...]] = {
    "cli/exits.py": EVERY_RECORD,
    "cli/files.py": ("declaration run",),
    "cli/making.py": ("hunt",),
    "cli/check.py": EVERY_RECORD,
    "cli/pages.py": ("report",),
    "cli/studies.py": ("study run",),
    "cli/verbs.py": ("federation compare",),
    "games/verification/cost.py": ("declaration verify", "declaration compare"),
    "games/verification/coalitions.py": ("declaration verify",),
    "games/normal_form.py": SEARCHES,
    "games/design/": ("declaration design",),
    "games/design/check_design.py": ("check",),
    "scenarios/declaration.py": ("declaration run",),
    "verbs/declaration/design.py": ("declaration design",),
    "verbs/declaration/options.py": ("declaration prove",),
    "verbs/federation/options.py": ("federation prove",),
    "games/proofs/check_proof.py": ("check",),
    "games/placement/all_lengths/answers.py": ("federation prove",),
    "games/placement/all_lengths/check_shape.py": ("federation prove",),
    "games/placement/cuts_model.py": ("federation search",),
    "mechanisms/custom.py": EVERY_RUN,
    "mechanisms/kinds.py": EVERY_RUN,
    "mechanisms/multiuser/pareto.py": USERS,
    "mechanisms/multiuser/fairest_point.py": USERS,
    "mechanisms/sharing/": ("sharing run", "sharing audit"),
    "parallel/executors.py": ("study run", "sharing compare", "sharing audit"),
    "reports/declaration/tables.py": ("declaration verify",),
    "reports/declaration/text.py": ("declaration design",),
    "reports/game/tables.py": SEARCHES,
    "reports/page.py": ("check",),
    "reports/sharing/explanation.py": ("sharing audit",),
    "reports/sharing/gaming.py": ("sharing audit_gaming",),
    "reports/sharing/verdict.py": ("sharing audit",),
    "reports/jobs.py": ("federation run", "multiuser run", "sharing run"),
    "reports/multiuser/tables.py": ("multiuser run",),
    "reports/sentences.py": ("study run",),
    "reports/tables.py": ("federation run", "sharing run", *SEARCHES),
    "scenarios/federation.py": EVERY_RUN,
    "scenarios/multiuser.py": USERS,
    "scenarios/sharing_fields.py": ("sharing run",),
    "scenarios/schema.py": EVERY_RECORD,
    "support/errors.py": ("hunt",),
    "support/numbers.py": EVERY_RUN,
    "studies/hunting/hunt.py": ("hunt",),
    "studies/hunting/target.py": ("hunt",),
    "studies/blocks.py": ("study run",),
    "studies/survey.py": ("check",),
    "verbs/check.py": ("check",),
    "verbs/judging.py": ("check",),
    "verbs/declaration/verify.py": ("declaration verify",),
    "verbs/federation/run.py": ("federation verify",),
    "verbs/federation/estimate.py": ("federation run", "federation search"),
    "verbs/federation/prove.py": ("federation prove",),
    "verbs/federation/model.py": ("federation search", "federation verify", "federation compare"),
    "verbs/multiuser/estimate.py": USERS,
    "verbs/sharing/": ("sharing audit",),
    "verbs/sharing/options.py": ("sharing audit_switch",),
    "verbs/sharing/windows.py": ("sharing compare", "sharing audit"),
}
"""Who shows the advice of a module, or of all others in a folder: verbs of a kind, or other commands."""

FLAG = re.compile(r"--([a-z][a-z-]*)")
NAME = rf"({'|'.join(NAMES)})\b(?!\.)"
LONG = "|".join(name for name in NAMES if "_" in name)  # a word that nobody writes by chance
PYTHON = re.compile(rf"\b(?:raise|lower|give|set|without) {NAME}|(?<![.\w]){NAME} ?= ?(?=['\w])|\b({LONG})\b")


class Advice(NamedTuple):
    """A message that names an option."""

    module: str
    line: int
    text: str
    flag: str | None
    option: str | None


def texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The texts of a module but for docstrings, those with values in them as one."""
    nodes = list(ast.walk(tree))
    parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    parts |= {id(node.value) for node in nodes if isinstance(node, ast.Expr)}  # docstrings stand alone
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(str(p.value) if isinstance(p, ast.Constant) else "{}" for p in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            yield node.lineno, node.value


def told(path: Path) -> Iterator[Advice]:
    """The advice in one module: of texts with several words, each option that they name."""
    module = path.relative_to(ROOT).as_posix()
    source = path.read_text(encoding="utf-8")
    if not FLAG.search(source) and not PYTHON.search(source):
        return
    for line, text in texts(ast.parse(source)):
        if " " in text:
            yield from (Advice(module, line, text, found[1], None) for found in FLAG.finditer(text))
            yield from (
                Advice(module, line, text, None, found[found.lastindex or 0]) for found in PYTHON.finditer(text)
            )


@cache
def advice() -> tuple[Advice, ...]:
    """All advice of the package."""
    rooms = (room for room in ROOT.iterdir() if room.name not in OUTSIDE and not room.name.startswith("."))
    paths = chain(ROOT.glob("*.py"), *(room.rglob("*.py") for room in rooms))
    return tuple(chain.from_iterable(map(told, sorted(paths))))


@cache
def flags(command: str) -> frozenset[str]:
    """The options of a command as they are typed, without the dashes."""
    found: Any = typer.main.get_command(app)
    for name in [command] if command.startswith("audit ") else command.split():
        found = found.resolve_command(typer.Context(found), [name])[1]
    typed = (word for p in found.params for word in (*p.opts, *p.secondary_opts) if word.startswith("--"))
    return frozenset(word.removeprefix("--") for word in typed) | {"help", "version", "debug"}


@cache
def keys(kind: str) -> frozenset[str]:
    """The keys that scenario files of a kind may have, wherever they stand."""

    def of(schema: Any) -> Iterator[str]:
        parts = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
        if isinstance(schema, dict):
            yield from schema.get("properties", {})
        for part in parts:
            yield from of(part)

    return frozenset(of(plain_schema(kind))) if kind != GAME.name else frozenset()


def exists(said: Advice, door: str) -> bool:
    """Whether who follows the advice at the door finds what it names."""
    shown = re.findall(
        r"consortium (audit (?:gaming|switch|trend)|(?:study )?[a-z-]+) ", said.text
    )  # the command stands in the message
    if said.flag is not None and shown:
        return any(said.flag in flags(command) for command in shown)
    if said.flag == "json":  # how records come into a file, whoever reads it
        return all("json" in flags(verb) for _, verb in VERBS)
    kind, _, verb = door.partition(" ")
    if (kind, verb) not in VERBS:
        return (said.flag or (said.option or "").replace("_", "-")) in flags(door)
    fields = MODELS[kind, verb].model_fields
    if said.flag is None:
        name = said.option or ""
        return (name in fields and "python" in flag_of(fields[name]).doors) or name in keys(kind) or name == "floats"
    of_verbs = {written(n, info) for model in MODELS.values() for n, info in model.model_fields.items()}
    own = {written(n, info) for n, info in fields.items() if "command" in flag_of(info).doors}
    return said.flag in own or (said.flag in flags(verb) and said.flag not in of_verbs)


def place_of(module: str) -> str:
    """The entry of :data:`DOORS` for a module: its own, or its folder's; itself where there is none."""
    folder = f"{module.rpartition('/')[0]}/"
    return folder if module not in DOORS and folder in DOORS else module


def test_everybody_who_shows_advice_is_known() -> None:
    places = {place_of(said.module) for said in advice()}
    assert sorted(places - DOORS.keys()) == []
    assert sorted(DOORS.keys() - places) == []


@pytest.mark.parametrize("module", DOORS)
def test_options_that_messages_name_exist_where_they_are_shown(module: str) -> None:
    for said in advice():
        if said.module == module:
            for door in DOORS[module]:
                assert exists(said, door), (
                    f"{module}:{said.line}: {door} has no {said.flag or said.option}: {said.text}"
                )


def test_advice_that_does_not_exist_is_noticed() -> None:
    """The test above would see an option of another verb, a misspelt one, and one of another command."""
    wrong = [("raise efort (--efort)", "declaration verify"), ("--effort N", "declaration verify")]
    wrong += [("raise max_bytes", "multiuser run"), ("consortium check X --json --plot", "declaration run")]
    for text, door in wrong:
        found = [Advice("", 1, text, m[1], None) for m in FLAG.finditer(text)]
        found += [Advice("", 1, text, None, m[m.lastindex or 0]) for m in PYTHON.finditer(text)]
        assert found
        assert not all(exists(said, door) for said in found), text
