"""The command ``check``: what does not hold, and what was not checked, before all values that were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ..support.errors import ConsortiumError, InputError
from ..support.status import INCOMPLETE
from .exits import BAD_INPUT, DONE, REFUTED, STOPPED
from .help import build_command, parameter
from .output import fail, progress_bar, show_json, show_tables
from .verbs import AsJson, chosen_options, option_parameters

if TYPE_CHECKING:
    from ..verbs.judging import Row

ALIKE = 10
"""Up to so many values that were not checked for one reason are listed; more are counted in a sentence."""
LISTED = 40
"""Up to so many values, ``check`` lists all of them; beyond, the wrong ones."""

HELP: Final = """Check scenarios, records and certificates.

What scenarios expect is compared with what is found; every claim of a record is recomputed or proved again; a
certificate of a proof for all lengths is checked by a small program of its own. What was not checked is listed with
what would check it. Exit code 1 where something does not hold.

Example: consortium check agmon2003/5.2.1"""


def command() -> Any:
    """The command, as the argument parser wants it."""
    from ..verbs.check import Check

    about = (
        "Scenarios (files, folders of them, or shipped names such as agmon2003 or agmon2003/5.2.1), records as --json "
        "prints them, certificates. [all shipped scenarios]"
    )
    files = Annotated[list[str] | None, typer.Argument(help=about, metavar="FILE", show_default=False)]
    printing = typer.Option(
        "--print-checker", help="Print the checker of such a certificate, one file that needs only Python.", hidden=True
    )
    head = [
        parameter("files", files, None),
        parameter("as_json", AsJson, False),
        parameter("print_checker", Annotated[bool, printing], False),
    ]
    return build_command(_check, [*head, *option_parameters({"": Check})], "check", HELP)


def _check(files: list[str] | None, as_json: bool, print_checker: bool, **options: Any) -> None:
    from ..verbs.check import checks, program, read_record

    if print_checker:
        if files and len(files) > 1:
            raise InputError(f"found {len(files)} files; expected one certificate, whose checker is printed")
        print(program(str(read_record(files[0])["kind"])) if files else program(), end="")
        return
    with progress_bar("check") as progress:
        rows, end = _collected(checks(files or None, progress=progress, door="command", **chosen_options(options)))
    _report(rows, end, as_json, options.get("coq"))


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


def _report(rows: list[Row], end: BaseException | None, as_json: bool, folder: str | None) -> None:
    from ..verbs.check import Unanswered

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
        if folder and rows and not wrong and not unchecked:
            print(f"{folder}: 'sh {folder}/check.sh' has coqc prove it.")
    if isinstance(end, KeyboardInterrupt):
        fail(f"\n{INCOMPLETE}")
        raise typer.Exit(STOPPED)
    if end is not None:
        fail(f"error: {end}")
    stopped = any(isinstance(row, Unanswered) for row in unchecked)
    raise typer.Exit(REFUTED if wrong else BAD_INPUT if end is not None else STOPPED if stopped else DONE)


def _show(rows: list[dict[str, Any]]) -> None:
    """Sentences, then all values where they are few, else what does not hold or was not checked."""
    from ..reports.sentences import checked
    from ..reports.tables import counted, table
    from ..verbs.check import CERTIFICATE

    print(*checked(rows), sep="\n")
    listed = [row for row in rows if row["key"] != CERTIFICATE] if len(rows) <= LISTED else []
    listed = listed or [row for row in rows if not row["holds"]]
    notes = Counter(row.get("note") for row in listed if row["holds"] is None)
    listed = [row for row in listed if row["holds"] is not None or notes[row.get("note")] <= ALIKE]
    for row in listed:
        if row["key"].endswith("replay"):
            scenarios = [name for name in ("expected", "found") if row[name] and isinstance(row[name], list | tuple)]
            row |= {name: counted(len(row[name]), "scenario") for name in scenarios}
    columns = ["place", "verb", "key", "expected", "found", "holds"]
    if listed:
        print()
        show_tables([table("check", listed, [*columns, *(["note"] if any("note" in row for row in listed) else [])])])
