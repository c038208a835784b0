"""The commands that list what there is: ``scenarios``, ``rules``, ``families``, ``schema``."""

from __future__ import annotations

from typing import Annotated

import typer

from .output import show_json, show_rows, show_tables
from .verbs import AsJson


def scenarios(
    only: Annotated[
        str | None,
        typer.Argument(
            metavar="KIND|NAME",
            help="Only this kind, or names that begin like this, e.g. agmon2003/6.9.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the shipped scenarios.

    Example: consortium scenarios declaration
    """
    from .. import api

    loaded = api.listed(only)
    rows = [{"name": s.name, "kind": s.kind, "title": s.title, "source": s.source} for s in loaded]
    show_rows("shipped scenarios", rows, ["name", "kind", "title", "source"], as_json)


def rules(
    name: Annotated[
        str | None, typer.Argument(help="A kind, or a rule; all by default.", metavar="KIND", show_default=False)
    ] = None,
    rule: Annotated[str | None, typer.Argument(help="A rule of this kind.", metavar="RULE", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """List the rules, or tell all of one.

    Of one rule: what it does, its keys, its theorem, its claims, the scenarios that use it. A claim is proved for all
    lengths, enumerated, tested, or refuted.

    Example: consortium rules declaration vcg-postpone
    """
    from dataclasses import asdict

    from ..mechanisms.kinds import names
    from ..reports.tables import rule_tables
    from ..verbs.rules import find, page, rule_rows

    if rule is None and (name is None or name in names()):
        rows, note = [asdict(row) for row in rule_rows(name)], "consortium rules KIND RULE tells all of one"
        show_rows("rules", rows, ["kind", "rule", "summary", "source"], as_json, note)
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
    as_json: AsJson = False,
) -> None:
    """List the random families of scenarios.

    A family fills the agents, organizations or users of a scenario.

    Example: consortium families federation
    """
    from .. import api
    from ..reports.tables import table

    rows = [family.to_dict() for family in api.families(kind)]
    if as_json or kind is None:
        note = "consortium families KIND lists their parameters"
        show_rows("random families", rows, ["kind", "family", "summary", "source"], as_json, note)
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
    from .. import api

    show_json(api.schema(kind, " ".join(verb) if verb else None))
