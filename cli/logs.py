"""The commands that read job logs: ``import``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .output import fail, show_json

LogArgument = Annotated[
    str,
    typer.Argument(
        help="A job log: SWF or a Slurm dump (sacct -P), plain or gzip; also looked up in $CONSORTIUM_TRACES.",
        show_default=False,
    ),
]


def integers(text: str | None, option: str) -> int | list[int] | None:
    """A number, or a list of numbers separated by commas."""
    if text is None:
        return None
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"{option}: found {text[:60]!r}; expected a number or numbers like 2,1,1") from None
    return numbers if "," in text else numbers[0]


def number_or_word(text: str | None) -> int | str | None:
    """An integer where the text is one."""
    return int(text) if text is not None and text.isdecimal() and len(text) < 10 else text


def import_(
    log: LogArgument,
    kind: Annotated[str, typer.Option(help="declaration, federation, multiuser or sharing.", show_default=False)],
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write the scenario here, not to the screen.")
    ] = None,
    agents: Annotated[int | None, typer.Option(min=1, help="declaration: how many agents. [6]")] = None,
    organizations: Annotated[
        str | None,
        typer.Option(metavar="N|COLUMN", help="federation: how many; sharing: how many, or group, user, ... [4; 5]"),
    ] = None,
    users: Annotated[int | None, typer.Option(min=1, help="multiuser: how many users. [3]")] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="federation: jobs per organization. [5]")] = None,
    machines: Annotated[
        str | None,
        typer.Option(metavar="N|N,N,...", help="Machines; federation: of each organization. [3; 1; 1; header]"),
    ] = None,
    powers: Annotated[
        str | None, typer.Option(metavar="P,P,...", help="declaration: power of each machine, e.g. 1,3/2.")
    ] = None,
    by: Annotated[
        str | None, typer.Option(help="Whose jobs: user, group, queue, partition, account. [user; group]")
    ] = None,
    shares: Annotated[
        str | None, typer.Option(metavar="HOW", help="sharing, federation: zipf or equal; sharing also N,N,...")
    ] = None,
    part: Annotated[str | None, typer.Option(help="multiuser: part of each user's jobs, the longest. [1/10]")] = None,
    measure: Annotated[str | None, typer.Option(help="multiuser: longest by run time or by work. [run]")] = None,
    start: Annotated[int | None, typer.Option(min=0, help="sharing: seconds after the first submission.")] = None,
    duration: Annotated[int | None, typer.Option(min=1, help="sharing: seconds. [50000]")] = None,
    windows: Annotated[int | None, typer.Option(min=1, help="sharing: number of random windows. [1]")] = None,
    rule: Annotated[str | None, typer.Option(help="The mechanism's rule to start with.")] = None,
    unit: Annotated[int | None, typer.Option(min=1, help="Seconds per unit of length, rounded up. [1]")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Choose at random instead of the documented choice.")] = None,
    zero: Annotated[str, typer.Option(help="Jobs of run time 0: drop them, or count them as one second.")] = "drop",
    as_json: Annotated[bool, typer.Option("--json", help="Print the scenario as JSON.")] = False,
) -> None:
    """Make a scenario from a real job log; what was left out of the log is told on stderr.

    Example: consortium import LPC-EGEE-2004-1.2-cln.swf.gz --kind declaration --agents 6 --machines 3 -o lpc.toml
    """
    from .. import api
    from ..scenarios.scenario import plain
    from ..scenarios.writer import dumps, write

    given: dict[str, Any] = {
        "agents": agents,
        "organizations": number_or_word(organizations),
        "users": users,
        "jobs": jobs,
        "machines": integers(machines, "--machines"),
        "powers": powers.split(",") if powers else None,
        "by": by,
        "shares": integers(shares, "--shares") if shares and shares[0].isdigit() else shares,
        "part": part,
        "measure": measure,
        "start": start,
        "duration": duration,
        "windows": windows,
        "rule": rule,
        "unit": unit,
        "seed": seed,
    }
    options = {name: value for name, value in given.items() if value is not None}
    made = api.import_log(log, kind, output=output, zero=zero, **options)
    fail(str(made.report))
    if output is not None:
        write(made.scenario, output)
        fail(f"wrote {output}")
    elif as_json:
        show_json(plain(made.scenario))
    else:
        print(dumps(made.scenario), end="")


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the command line."""
    app.command("import")(import_)
