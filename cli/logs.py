"""The commands that read job logs: ``import`` and ``audit``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .output import DONE, STOPPED, fail, progress_bar, show_estimate, show_json, show_tables

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
    """Make a scenario from a real job log.

    What was left out of the log is told on stderr.

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


def shares_of(text: str | None) -> str | list[int] | dict[str, int] | None:
    """``zipf``, ``equal``, numbers like ``4,2,1``, or numbers by name like ``atlas=4,cms=2``."""
    if text is None or text in ("zipf", "equal"):
        return text
    parts = [part.rpartition("=") for part in text.split(",")]
    try:
        if all(equals for _, equals, _ in parts):
            return {name.strip(): int(number) for name, _, number in parts}
        if not any(equals for _, equals, _ in parts):
            return [int(number) for _, _, number in parts]
    except ValueError:
        pass
    raise typer.BadParameter(f"--shares: found {text[:60]!r}; expected zipf, equal, 4,2,1 or atlas=4,cms=2")


def audit(
    log: LogArgument,
    organizations: Annotated[
        str | None,
        typer.Option(metavar="COLUMN|N", help="account, group, queue, partition, user, or N bags of users. [see docs]"),
    ] = None,
    machines: Annotated[int | None, typer.Option(min=1, help="Machines in total. [the log's header]")] = None,
    shares: Annotated[
        str | None,
        typer.Option(metavar="HOW", help="equal, zipf, numbers, or numbers by name: atlas=40,cms=30. [equal]"),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="At most so many organizations, the rest as others. [5]")
    ] = None,
    rule: Annotated[
        str | None, typer.Option(help="The rule your cluster uses, for the explanation. [fair-share]")
    ] = None,
    rules: Annotated[
        str | None, typer.Option(metavar="RULE,...", help="Rules to run, e.g. fifo,rand:samples=75. [all]")
    ] = None,
    duration: Annotated[int | None, typer.Option(min=1, help="Seconds of a window. [50000]")] = None,
    windows: Annotated[int | None, typer.Option(min=1, help="Random windows. [10]")] = None,
    start: Annotated[
        int | None, typer.Option(min=0, help="One window, so many seconds after the first submission.")
    ] = None,
    warmup: Annotated[
        int | None, typer.Option(min=0, help="Take over jobs submitted at most so many seconds before. [0]")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Root of all random choices. [0]")] = None,
    processes: Annotated[int | None, typer.Option(min=1, help="Worker processes. [all cores, if worth it]")] = None,
    store: Annotated[
        str | None, typer.Option(metavar="FILE", help="Keep finished windows here (JSON lines) and resume from it.")
    ] = None,
    zero: Annotated[str, typer.Option(help="Jobs of run time 0: drop them, or count them as one second.")] = "drop",
    plot: Annotated[str | None, typer.Option("--plot", metavar="FILE", help="Also draw it (.svg, .png, .pdf).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the record as JSON.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print size and estimated cost, nothing else.")] = False,
) -> None:
    """Replay a cluster's log: is it shared fairly?

    The log is replayed under every rule, and what each organization gets is measured against what it contributes.

    Example: consortium audit LPC-EGEE-2004-1.2-cln.swf.gz --organizations group --windows 5
    """
    from .. import api
    from ..reports.figures import check_path
    from ..reports.sharing import audit_tables as tables

    if plot is not None:
        check_path(plot)
    given: dict[str, Any] = {
        "organizations": number_or_word(organizations),
        "machines": machines,
        "shares": shares_of(shares),
        "limit": limit,
        "rule": rule,
        "rules": rules,
        "duration": duration,
        "windows": windows,
        "start": start,
        "warmup": warmup,
        "seed": seed,
        "store": store,
    }
    options = {name: value for name, value in given.items() if value is not None}
    if dry_run:
        show_estimate(api.estimate_audit(log, zero=zero, **options).to_dict(), as_json)
        raise typer.Exit(DONE)
    options |= {"zero": zero, "processes": processes or 0, "series": plot is not None}
    with progress_bar("audit") as progress:
        record = api.audit(log, progress=progress, **options)
    data = record.to_dict()
    if plot is not None:
        from ..reports.sharing.audit_figures import save_audit

        save_audit(data, plot)
    if as_json:
        show_json(data)
    else:
        show_tables(tables.audit(data))
    if not record.complete:
        fail("Incomplete: stopped by Ctrl-C; the windows finished so far are above.")
    raise typer.Exit(DONE if record.complete else STOPPED)


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the command line."""
    app.command("import")(import_)
    app.command("audit")(audit)
