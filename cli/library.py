"""The commands about files and records: ``check``, ``scenarios``, ``rules``, ``families``, ``schema``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ..mechanisms.kinds import HUNT
from ..mechanisms.kinds import kind as find_kind
from ..support.errors import ConsortiumError
from ..support.status import INCOMPLETE
from .exits import BAD_INPUT, DONE, REFUTED, STOPPED
from .help import OUTPUT, build_command, parameter
from .output import fail, progress_bar, show_json, show_tables
from .verbs import chosen_options, option_parameters, verb_of

if TYPE_CHECKING:
    from ..verbs.check import Row

Json = Annotated[bool, typer.Option("--json", rich_help_panel=OUTPUT, help="Print it as JSON.")]
LISTED = 40
"""Up to so many values, ``check`` lists all of them; beyond, the wrong ones."""


CHECK: Final = """Check scenarios, records and certificates.

What scenarios expect is compared with what is found; every claim of a record is recomputed or proved again; a
certificate of a proof for all lengths is checked by a small program of its own. What was not checked is listed with
what would check it. Exit code 1 where something does not hold.

Example: consortium check agmon2003/5.2.1"""


def check() -> Any:
    """The command ``check``, as the argument parser wants it."""
    from ..verbs.check import Check

    about = (
        "Scenarios (files, folders of them, or shipped names such as agmon2003 or agmon2003/5.2.1), records as --json "
        "prints them, certificates. [all shipped scenarios]"
    )
    files = Annotated[list[str] | None, typer.Argument(help=about, metavar="FILE", show_default=False)]
    printing = typer.Option(
        "--print-checker", help="Print the checker of certificates, one file that needs only Python.", hidden=True
    )
    head = [
        parameter("files", files, None),
        parameter("as_json", Json, False),
        parameter("print_checker", Annotated[bool, printing], False),
    ]
    return build_command(_check, [*head, *option_parameters({"": Check})], "check", CHECK)


def _check(files: list[str] | None, as_json: bool, print_checker: bool, **options: Any) -> None:
    from ..verbs.check import checks

    if print_checker:
        from ..games.proofs import check_proof

        print(Path(check_proof.__file__).read_text(encoding="utf-8"), end="")
        return
    with progress_bar("check") as progress:
        rows, end = _collected(checks(files or None, progress=progress, door="command", **chosen_options(options)))
    _report(rows, end, as_json)


def _collected(incoming: Iterator[Row]) -> tuple[list[Row], BaseException | None]:
    """The rows that come, and what came before the last: Ctrl-C, or files that cannot be used."""
    rows: list[Row] = []
    try:
        rows.extend(incoming)
    except KeyboardInterrupt as stop:
        return rows, stop
    except ConsortiumError as error:
        if not rows:
            raise
        return rows, error
    return rows, None


def _report(rows: list[Row], end: BaseException | None, as_json: bool) -> None:
    wrong = [row for _, _, row in rows if row.holds is False]
    unchecked = [row for _, _, row in rows if row.holds is None]
    listed = [
        {"place": place, "verb": verb, "key": c.key, "expected": c.expected, "found": c.actual, "holds": c.holds}
        | ({"note": c.note} if c.note else {})
        for place, verb, c in rows
    ]
    if as_json:
        show_json({"rows": listed, "wrong": len(wrong)} | ({"not_checked": len(unchecked)} if unchecked else {}))
    elif not rows and end is None:
        print("Nothing to check: no value stands in an [expect] block.")
    else:
        _show(listed)
    if isinstance(end, KeyboardInterrupt):
        fail(f"\n{INCOMPLETE}")
        raise typer.Exit(STOPPED)
    if end is not None:
        fail(f"error: {end}")
    raise typer.Exit(REFUTED if wrong else DONE if end is None else BAD_INPUT)


def _show(rows: list[dict[str, Any]]) -> None:
    """Sentences, then all values where they are few, else what does not hold or was not checked."""
    from ..reports.sentences import checked
    from ..reports.tables import counted, table
    from ..verbs.check import CERTIFICATE

    print(*checked(rows), sep="\n")
    listed = [row for row in rows if row["key"] != CERTIFICATE] if len(rows) <= LISTED else []
    listed = listed or [row for row in rows if not row["holds"]]
    for row in listed:
        if row["key"].endswith("replay"):
            row |= {name: counted(len(row[name]), "scenario") for name in ("expected", "found") if row[name]}
    columns = ["place", "verb", "key", "expected", "found", "holds"]
    if listed:
        print()
        show_tables([table("check", listed, [*columns, *(["note"] if any("note" in row for row in listed) else [])])])


def scenarios(
    only: Annotated[
        str | None,
        typer.Argument(
            metavar="KIND|NAME",
            help="Only this kind, or names that begin like this, e.g. agmon2003/6.9.",
            show_default=False,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the shipped scenarios.

    Example: consortium scenarios declaration
    """
    from .. import api
    from ..reports.tables import table

    loaded = api.listed(only)
    rows = [{"name": s.name, "kind": s.kind, "title": s.title, "source": s.source} for s in loaded]
    if as_json:
        show_json(rows)
    else:
        show_tables([table("shipped scenarios", rows, ["name", "kind", "title", "source"])])


def rules(
    name: Annotated[
        str | None, typer.Argument(help="A kind, or a rule; all by default.", metavar="KIND", show_default=False)
    ] = None,
    rule: Annotated[str | None, typer.Argument(help="A rule of this kind.", metavar="RULE", show_default=False)] = None,
    as_json: Json = False,
) -> None:
    """List the rules, or tell all of one.

    Of one rule: what it does, its keys, its theorem, its claims, the scenarios that use it. A claim is proved for all
    lengths, enumerated, tested, or refuted.

    Example: consortium rules declaration vcg-postpone
    """
    from dataclasses import asdict

    from ..mechanisms.kinds import names
    from ..reports.tables import rule_tables, table
    from ..verbs.rules import find, page, rule_rows

    if rule is None and (name is None or name in names()):
        rows = [asdict(row) for row in rule_rows(name)]
        if as_json:
            show_json(rows)
        else:
            note = "consortium rules KIND RULE tells all of one"
            show_tables([table("rules", rows, ["kind", "rule", "summary", "source"], note)])
        return
    about = page(find(str(name)) if rule is None else find(rule, name)).to_dict()
    if as_json:
        show_json(about)
    else:
        show_tables(rule_tables(about))


def families(
    kind: Annotated[
        str | None, typer.Argument(help="One kind, with all parameters; all by default.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """List the random families of scenarios.

    A family fills the agents, organizations or users of a scenario.

    Example: consortium families federation
    """
    from .. import api
    from ..reports.tables import table

    rows = [family.to_dict() for family in api.families(kind)]
    if as_json:
        show_json(rows)
    elif kind is None:
        note = "consortium families KIND lists their parameters"
        show_tables([table("random families", rows, ["kind", "family", "summary", "source"], note)])
    else:
        columns = ["parameter", "accepted", "default", "meaning"]
        show_tables(
            [table(f"{one['family']}: {one['summary']}", one["parameters"], columns, one["source"]) for one in rows]
        )


def schema(
    kind: Annotated[
        str | None,
        typer.Argument(help="One kind, or study; all kinds by default.", metavar="KIND", show_default=False),
    ] = None,
    verb: Annotated[
        list[str] | None,
        typer.Argument(help="The records of this verb instead of files.", metavar="VERB", show_default=False),
    ] = None,
) -> None:
    """Print the JSON Schema of files, or of the records of a verb.

    It is generated from the code that reads or writes them; editors check a file against it while you type.

    Example: consortium schema federation run
    """
    from ..studies.blocks import schema as of_studies
    from ..verbs.schema import record_schema
    from ..verbs.schema import schema as of_scenarios

    if kind is not None and verb:
        names = [each.name for each in find_kind(kind).verbs]
        show_json(record_schema(kind, verb_of(" ".join(verb), [*names, HUNT.name])))
    else:
        show_json(of_studies() if kind == "study" else of_scenarios(kind))


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the command line."""
    for function in (check, scenarios, rules, families, schema):
        app.command()(function)
