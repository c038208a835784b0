"""Write the reference: a page per theme that lists public names, a page per name, and those of files, rules and limits.

Public is what a room's stub (``__init__.pyi``) names; kernels and other machinery are in no stub. Tables of options
come from the models that every door reads. The build writes the pages, so that the
reference is always what the code says.
"""

from __future__ import annotations

import ast
import shutil
from collections.abc import Iterator, Sequence
from importlib import import_module
from inspect import isroutine
from pathlib import Path
from typing import NamedTuple

import glossary
import reference_commands
import reference_files
import reference_limits
import reference_records
from pieces import table

from consortium.mechanisms.kinds import GAME, KINDS
from consortium.support.loading import load
from consortium.verbs.options import flag_of, written
from consortium.workloads.families import Family, families

ROOT = Path(__file__).resolve().parent.parent


class Part(NamedTuple):
    """Names under one heading: those of a room, and some that only their module has (it is called like them)."""

    heading: str
    room: str = ""
    more: tuple[str, ...] = ()


class Theme(NamedTuple):
    """One page: its file name, title and what it is about; its parts; the kind whose rules it has; pages below it."""

    name: str
    title: str
    about: str
    parts: tuple[Part, ...]
    kind: str = ""
    below: tuple[str, ...] = ()


def _mechanisms(kind: str, title: str, about: str) -> Theme:
    return Theme(f"mechanisms-{kind}", f"Mechanisms: {title}", about, (Part("Names", f"mechanisms/{kind}"),), kind)


THEMES = (
    Theme(
        "verbs",
        "Verbs",
        "What can be asked, and what every answer has in common. What each verb takes is on the page of "
        "[options](options.md), what it finds on that of [records](records.md). Ctrl-C ends the verb, not the program: "
        "what is known is returned, and `record.complete` is false.",
        (Part("The package", "."), Part("What verbs are made of", "verbs")),
        below=("scenarios", *(f"mechanisms-{kind.name}" for kind in KINDS), "games", "logs", "scheduling"),
    ),
    Theme(
        "records",
        "Records",
        "What comes back: one frozen class per verb and kind, and the rows that it is made of. A verb is annotated as "
        "`Record`; after `import consortium.verbs.declaration`, `assert isinstance(record, "
        "consortium.verbs.declaration.RunRecord)` says which. Every field is on a page: "
        "[declaration](records-declaration.md), [federation](records-federation.md), "
        "[sharing](records-sharing.md), [multiuser](records-multiuser.md), [any game](records-game.md).",
        (
            Part("Declaration", "verbs/declaration"),
            Part("Federation", "verbs/federation"),
            Part("Multiuser", "verbs/multiuser"),
            Part("Sharing", "verbs/sharing"),
            Part("Any game", "verbs/game"),
            Part("Tables and figures", "reports"),
        ),
        below=tuple(f"records-{kind.name}" for kind in (*KINDS, GAME)),
    ),
    Theme(
        "scenarios",
        "Scenarios",
        "Files and dicts that describe who plays under what, and the agents in them. The format itself is "
        "[explained](../explanation/format.md).",
        (Part("Reading", "scenarios"), Part("Agents", "agents")),
    ),
    _mechanisms("declaration", "one owner asks for lengths", "Payments, penalties and job control of Agmon 2003."),
    _mechanisms(
        "federation",
        "organizations pool machines",
        "Central schedules and coordination mechanisms of Cordeiro 2012, chapters 3 to 5.",
    ),
    _mechanisms("multiuser", "users share machines", "Pareto sets and fairness of Cordeiro 2012, chapter 6."),
    _mechanisms(
        "sharing",
        "an on-line pool",
        "Shapley-fair schedulers and the fair shares they are measured against, of Skowron and Rzadca 2013 and 2014.",
    ),
    Theme(
        "games",
        "Games",
        "Models, solvers and checkers of any game; whether the truth is a best reply, and the properties around it.",
        (
            Part("Games and equilibria", "games", ("games.search.search", "games.search.available_methods")),
            Part("Mixed equilibria", "games/equilibria/mixed"),
            Part("Correlated play", "games/equilibria/correlated"),
            Part("Incentive compatibility", "games/verification"),
            Part("Proofs for all lengths", "games/proofs"),
        ),
    ),
    Theme(
        "logs",
        "Logs and random families",
        "Where jobs come from: logs of clusters, and random families, whose parameters have [a page](families.md).",
        (Part("Names", "workloads"), Part("Random families", "workloads/families")),
    ),
    Theme(
        "scheduling",
        "Machines and welfare",
        "Clusters, allocations, goals of welfare, optimisers, list schedules.",
        (Part("Names", "scheduling"),),
    ),
)


def public(part: Part) -> Iterator[tuple[str, object]]:
    """Full names and objects of a part: those in the room's stub, in its order, then the others.

    Classes and functions are called as users import them; what has no docstring of its own is documented where it is
    defined. The room's are shown by their last part (``~``).
    """
    stub = ROOT / part.room / "__init__.pyi"
    place = ".".join(("consortium", *Path(part.room).parts))
    for node in ast.parse(stub.read_text()).body:
        for alias in node.names if isinstance(node, ast.ImportFrom) else ():
            name = alias.asname or alias.name
            thing = getattr(import_module(place), name)
            has_docstring = isinstance(thing, type) or isroutine(thing)
            yield f"~{place}.{name}" if has_docstring else f"~{place}.{node.module}.{alias.name}", thing
    for full in part.more:
        module, _, name = f"consortium.{full}".rpartition(".")
        yield f"consortium.{full}", getattr(import_module(module), name)


def page(theme: Theme, known: dict[int, str]) -> str:
    """Markdown of a theme's page. What another page has already (``known``: its name there) is linked, not repeated."""
    lines, elsewhere = [f"# {theme.title}", "", theme.about, ""], dict(known)
    if theme.kind:
        lines += [
            f"Rules by name, their keys and claims, are on [a page of their own](rules-{theme.kind}.md).",
            "",
        ]
    for part in theme.parts:
        names = list(public(part))
        fresh = [full for full, thing in names if id(thing) not in known]
        shared = [elsewhere[id(thing)] for _, thing in names if id(thing) in elsewhere]
        known |= {id(thing): full for full, thing in names if id(thing) not in known}
        place = ".".join(("consortium", *Path(part.room).parts))
        lines += [f"## {part.heading}", "", f"In `{place}`:", "", "```{eval-rst}"]
        lines += autosummary(fresh, "   :toctree: names")
        if shared:
            lines += autosummary(shared)
        lines += ["```", ""]
    return "\n".join([*lines, *toctree(theme.below)])


def toctree(pages: Sequence[str]) -> list[str]:
    """The pages that stand below another in the sidebar."""
    return ["```{toctree}", ":hidden:", "", *pages, "```", ""] if pages else []


def autosummary(names: Sequence[str], *options: str) -> list[str]:
    """A table of names with what their docstrings say first."""
    return [".. autosummary::", "   :nosignatures:", *options, "", *(f"   {full}" for full in names), ""]


def options_page() -> str:
    """Markdown of the page of options: a table per kind and verb."""
    lines = ["# Options", "", "The options of every verb by kind: named arguments in Python, `--flags` on the command "]
    lines += ["line, `[expect.VERB.options]` in files where that makes sense.", ""]
    for kind in (*KINDS, GAME):
        lines += [f"## {kind.name.capitalize()}", "", f"{kind.summary[0].upper()}{kind.summary[1:]}.", ""]
        for verb in kind.verbs:
            lines += [f"### {kind.name}: {verb.name}", "", *options_table(verb.options), ""]
    return "\n".join(lines)


def families_page() -> str:
    """Markdown of the page of random families: a section per kind, a table per family."""
    lines = [
        "# Random families",
        "",
        "What fills the agents, organizations or users of a scenario at random, by kind, with ",
    ]
    lines += ["the parameters of each. `consortium families KIND` prints the same.", ""]
    for kind in KINDS:
        lines += [f"## {kind.name.capitalize()}", ""]
        for family in families(kind.name):
            source = f" ({family.source})" if family.source else ""
            lines += [
                f"### {kind.name}: {family.name}",
                "",
                f"{family.summary[0].upper()}{family.summary[1:]}{source}.",
                "",
            ]
            lines += [*parameters_table(family), ""]
    return "\n".join(lines)


def parameters_table(family: Family) -> Iterator[str]:
    """The parameters of one family."""
    rows = [
        (
            f"`{row['parameter']}`",
            row["accepted"],
            "" if row["default"] is None else f"`{row['default']}`",
            row["meaning"],
        )
        for row in family.parameters.listed()
    ]
    return table(("parameter", "accepted", "default", "meaning"), rows)


def options_table(reference: str) -> Iterator[str]:
    """The options of one model."""
    rows = []
    for name, info in load(reference).model_fields.items():
        flag = flag_of(info)
        here = "command" in flag.doors
        command = f"`{flag.metavar}`" if flag.positional else f"`--{written(name, info)} {flag.metavar}".strip() + "`"
        default = "must be given" if info.is_required() else "" if info.default is None else f"`{info.default}`"
        rows.append((f"`{name}`", command if here else "", default, info.description or ""))
    return table(("Python", "command line", "default", "meaning"), rows)


def write_all(folder: Path) -> None:
    """Write all pages into a folder in place of whatever was there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    known: dict[int, str] = {}
    for theme in THEMES:
        (folder / f"{theme.name}.md").write_text(page(theme, known))
    (folder / "options.md").write_text(options_page())
    (folder / "families.md").write_text(families_page())
    (folder / "commands.md").write_text("\n".join([reference_commands.page(), *toctree(("options", "families"))]))
    (folder / "limits.md").write_text(reference_limits.page())
    (folder / "glossary.md").write_text(glossary.page())
    for name, text in (reference_files.pages() | reference_records.pages()).items():
        (folder / f"{name}.md").write_text(text)
