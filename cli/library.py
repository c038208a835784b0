"""The commands about files and records: ``replay``, ``check``, ``scenarios``, ``schema``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .output import DONE, REFUTED, progress_bar, show_json, show_tables

Json = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]
LISTED = 40
"""Up to so many values, ``check`` lists all of them; beyond, the wrong ones."""


def replay(
    record: Annotated[
        str, typer.Argument(help="JSON file of a record, as --json prints it.", metavar="RECORD", show_default=False)
    ],
    as_json: Json = False,
) -> None:
    """Rerun the certificates of a record.

    Each claimed value is printed beside the one found now.

    Example: consortium replay record.json (after consortium verify agmon2003/5.2.1 --json > record.json)
    """
    from .. import api

    _report(
        api.replay(record), "replay", as_json, "certificate", nothing="The record carries no certificate to replay."
    )


def check(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            help="Scenario files, folders of them, or shipped names such as agmon2003 or agmon2003/5.2.1. "
            "[all shipped ones]",
            show_default=False,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check the values that scenarios expect.

    Example: consortium check agmon2003/5.2.1
    """
    from .. import api

    with progress_bar("check") as progress:
        rows = api.check(paths or None, progress=progress)
    _report(rows, "check", as_json, "scenario", nothing="The scenarios expect nothing: they have no [expect] block.")


def _report(rows: list[tuple[str, str, Any]], title: str, as_json: bool, first: str, nothing: str) -> None:
    from ..reports.tables import table

    wrong = [row for row in rows if not row[2].holds]
    shown = [
        {first: place, "verb": verb, "key": c.key, "expected": c.expected, "found": c.found, "holds": c.holds}
        for place, verb, c in rows
    ]
    if as_json:
        show_json({"rows": shown, "wrong": len(wrong)})
    elif not rows:
        print(nothing)
    else:
        listed = shown if title == "replay" or len(shown) <= LISTED else [row for row in shown if not row["holds"]]
        note = f"{len(rows):,} values checked, {len(wrong):,} wrong"
        if listed:
            show_tables([table(title, listed, [first, "verb", "key", "expected", "found", "holds"], note)])
        else:
            print(note)
    raise typer.Exit(REFUTED if wrong else DONE)


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


def schema(
    kind: Annotated[
        str | None, typer.Argument(help="One kind; all by default.", metavar="KIND", show_default=False)
    ] = None,
) -> None:
    """Print the JSON Schema of scenario files.

    It is generated from the code that reads them; editors check a file against it while you type.

    Example: consortium schema declaration
    """
    from ..verbs.schema import schema as build

    show_json(build(kind))


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the command line."""
    for command in (replay, check, scenarios, schema):
        app.command()(command)
