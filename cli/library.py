"""The commands about files and records: ``replay``, ``check``, ``scenarios``, ``schema``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..scheduling.errors import ConsortiumError
from .output import BAD_INPUT, DONE, REFUTED, fail, progress_bar, show_json, show_tables

Json = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]
LISTED = 40
"""Up to so many values, ``check`` lists all of them; beyond, the wrong ones."""


def replay(
    record: Annotated[
        str, typer.Argument(help="JSON file of a record, as --json prints it.", metavar="RECORD", show_default=False)
    ],
    as_json: Json = False,
    time_limit: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", help="Ask again what takes no longer; the rest is proved otherwise, or listed."
        ),
    ] = 10,
) -> None:
    """Recompute or prove again every claim of a record.

    Each claimed value is compared with the one found now; what was not checked is listed with what would check it.

    Example: consortium replay record.json (after consortium verify agmon2003/5.2.1 --json > record.json)
    """
    from .. import api

    with progress_bar("replay") as progress:
        rows = api.replay(record, time_limit=time_limit, progress=progress)
    _report(rows, "replay", as_json, "certificate", nothing="The record claims nothing.")


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
    from ..verbs.replay import checks

    rows: list[tuple[str, str, Any]] = []
    refused: ConsortiumError | None = None
    try:
        with progress_bar("check") as progress:
            rows.extend(checks(paths or None, progress=progress))
    except ConsortiumError as error:
        if not rows:
            raise
        refused = error  # of some files; the others were checked
    nothing = "The scenarios expect nothing: they have no [expect] block."
    _report(rows, "check", as_json, "scenario", nothing, refused)


def _report(
    rows: list[tuple[str, str, Any]],
    title: str,
    as_json: bool,
    first: str,
    nothing: str,
    refused: Exception | None = None,
) -> None:
    wrong = [row for _, _, row in rows if row.holds is False]
    unchecked = [row for _, _, row in rows if row.holds is None]
    shown = [
        {first: place, "verb": verb, "key": c.key, "expected": c.expected, "found": c.found, "holds": c.holds}
        | ({"note": c.note} if c.note else {})
        for place, verb, c in rows
    ]
    if as_json:
        show_json({"rows": shown, "wrong": len(wrong)} | ({"not_checked": len(unchecked)} if unchecked else {}))
    elif not rows:
        print(nothing)
    else:
        _show(shown, title, first, len(wrong), len(unchecked))
    if refused is not None:
        fail(f"error: {refused}")
    raise typer.Exit(REFUTED if wrong else DONE if refused is None else BAD_INPUT)


def _show(shown: list[dict[str, Any]], title: str, first: str, wrong: int, unchecked: int) -> None:
    """All values where they are few, else those that do not hold; what was not checked with what would check it."""
    from ..reports.tables import table

    listed = shown if len(shown) <= LISTED else [row for row in shown if not row["holds"]]
    columns = [first, "verb", "key", "expected", "found", "holds", *(["note"] if unchecked else [])]
    note = f"{len(shown) - unchecked:,} values checked, {wrong:,} wrong"
    note += f"; {unchecked:,} not checked" if unchecked else ""
    if listed:
        show_tables([table(title, listed, columns, note)])
    else:
        print(note)


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
