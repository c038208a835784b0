"""The commands. Each loads what it needs when it runs, so ``--help`` stays quick."""

from __future__ import annotations

import os
import sys
import tomllib
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import __version__
from ..scheduling.errors import ConsortiumError
from . import logs
from .output import (
    BAD_INPUT,
    DONE,
    REFUTED,
    STOPPED,
    fail,
    progress_bar,
    show_estimate,
    show_json,
    show_record,
    show_tables,
)

if TYPE_CHECKING:
    from ..verbs.records import Record

INTERRUPTED = 130  # what the argument parser makes of Ctrl-C

app = typer.Typer(
    name="consortium",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Mechanism design over shared clusters: run scenarios, search equilibria, verify truth, compare rules.\n\n"
    "Example: consortium run agmon2003/5.2.1",
)

ScenarioArgument = Annotated[
    str, typer.Argument(help="Path of a scenario file, or the name of a shipped scenario.", show_default=False)
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="PATH=VALUE", help="Override a value, e.g. --set mechanism.rule=vcg-renice. Repeatable."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the record as JSON.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print the size of the space and the estimated cost, nothing else.")
]
ListLimit = Annotated[int | None, typer.Option("--list", min=0, metavar="N", help="Rows to list in long tables.")]
TimeLimit = Annotated[
    float | None, typer.Option("--time-limit", min=0, metavar="SECONDS", help="Stop after this long with bounds.")
]
Seed = Annotated[int | None, typer.Option("--seed", min=0, help="Seed, where randomness is used.")]


def overrides(settings: list[str] | None) -> dict[str, Any]:
    """Parse ``--set PATH=VALUE``; the value is TOML where it can be, else a text."""
    result: dict[str, Any] = {}
    for setting in settings or []:
        path, equals, text = setting.partition("=")
        if not equals or not path:
            raise typer.BadParameter(f"{setting!r}: expected PATH=VALUE, e.g. mechanism.rule=vcg-renice")
        try:
            value = tomllib.loads(f"x = {text}", parse_float=Decimal)["x"]
        except (ValueError, ArithmeticError, RecursionError):
            value = text
        result[path] = value if isinstance(value, bool | int | str | list | dict | Decimal) else text
    return result


def options_given(**options: Any) -> dict[str, Any]:
    """Options the user gave; the verb's own defaults hold for the rest."""
    return {name: value for name, value in options.items() if value is not None and value is not False}


def execute(
    verb: str, source: str, settings: list[str] | None, as_json: bool, dry_run: bool, options: dict[str, Any]
) -> Record | None:
    """Run one verb on one scenario and print its record (or, for a dry run, the estimate)."""
    from .. import api

    changed = overrides(settings)
    if dry_run:
        show_estimate(api.estimate(verb, source, overrides=changed, **options).to_dict(), as_json)
        return None
    with progress_bar(verb) as progress:
        record: Record = getattr(api, verb)(source, overrides=changed, progress=progress, **options)
    show_record(record.to_dict(), as_json)
    return record


def finish(record: Record | None) -> None:
    """Leave with the exit code that the record calls for."""
    if record is None:
        raise typer.Exit(DONE)
    if not record.complete:
        raise typer.Exit(STOPPED)
    raise typer.Exit(DONE if record.verdict else REFUTED)


@app.command()
def run(
    scenario: ScenarioArgument,
    settings: Settings = None,
    as_json: Json = False,
    dry_run: DryRun = False,
    list_: ListLimit = None,
    time_limit: TimeLimit = None,
    plot: Annotated[
        str | None, typer.Option("--plot", metavar="FILE", help="Also draw a Gantt chart (.svg, .png, .pdf).")
    ] = None,
) -> None:
    """Play a scenario through its mechanism.

    Example: consortium run agmon2003/5.2.1 --set mechanism.rule=vcg-postpone
    """
    if plot:
        from ..reports.figures import check_path, save_record

        check_path(plot)
    record = execute("run", scenario, settings, as_json, dry_run, options_given(list=list_, time_limit=time_limit))
    if plot and record:
        save_record(record.to_dict(), plot)
    finish(record)


@app.command()
def search(
    scenario: ScenarioArgument,
    settings: Settings = None,
    as_json: Json = False,
    dry_run: DryRun = False,
    list_: ListLimit = None,
    method: Annotated[str | None, typer.Option(help="How to search; the default picks and says why.")] = None,
    time_limit: TimeLimit = None,
    epsilon: Annotated[
        str | None, typer.Option(metavar="RATIO", help="List the epsilon-approximate equilibria.")
    ] = None,
    mixed: Annotated[bool, typer.Option("--mixed", help="Also mixed equilibria (two players).")] = False,
    start: Annotated[str | None, typer.Option(help="Start of the dynamics, as JSON, e.g. '{\"ann\": 1}'.")] = None,
    plot: Annotated[
        str | None,
        typer.Option("--plot", metavar="FILE", help="Also draw the best responses of a small game (.svg, .png, .pdf)."),
    ] = None,
) -> None:
    """Search equilibria: dynamics, pure equilibria, smallest epsilon and regret, prices of anarchy and stability.

    Example: consortium search agmon2003/5.2.1 --json
    """
    options = options_given(
        list=list_, method=method, time_limit=time_limit, epsilon=epsilon, mixed=mixed, start=_json(start, "--start")
    )
    if plot and not dry_run:
        from .. import api
        from ..reports.responses import save_responses

        save_responses(api.load(scenario, overrides(settings)), plot)
    finish(execute("search", scenario, settings, as_json, dry_run, options))


def _json(text: str | None, option: str) -> Any:
    import json

    if text is None:
        return None
    try:
        return json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError):
        raise typer.BadParameter(f"{option}: found {text[:60]!r}; expected JSON") from None


@app.command()
def verify(
    scenario: ScenarioArgument,
    settings: Settings = None,
    as_json: Json = False,
    dry_run: DryRun = False,
    property_: Annotated[
        str | None, typer.Option("--property", help="The verdict (exit code) is this property's.")
    ] = None,
    method: Annotated[str | None, typer.Option(help="How to verify, e.g. general or reduction.")] = None,
    sample: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Check N random cases when all are out of reach.")
    ] = None,
    seed: Seed = None,
    organization: Annotated[
        str | None, typer.Option(metavar="NAME", help="sharing: only this organization manipulates.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="sharing: delays and paddings up to N units of time. [3]")
    ] = None,
) -> None:
    """Verify what a mechanism promises, by enumeration on the scenario's domain.

    Example: consortium verify agmon2003/5.2.1
    """
    options = options_given(
        property=property_, method=method, sample=sample, seed=seed, organization=organization, limit=limit
    )
    finish(execute("verify", scenario, settings, as_json, dry_run, options))


@app.command()
def compare(
    scenarios: Annotated[
        list[str],
        typer.Argument(help="One scenario (with --rules), or several over the same agents.", show_default=False),
    ],
    settings: Settings = None,
    as_json: Json = False,
    dry_run: DryRun = False,
    rules: Annotated[
        str | None, typer.Option(metavar="RULE,RULE,...", help="Rules to compare on one scenario.")
    ] = None,
    seed: Seed = None,
    processes: Annotated[int | None, typer.Option(min=1, help="sharing, windows of a log: worker processes.")] = None,
    store: Annotated[
        str | None, typer.Option(metavar="FILE", help="sharing: keep finished windows here and resume from it.")
    ] = None,
    time_limit: TimeLimit = None,
) -> None:
    """Compare rules on the same agents and jobs.

    Example: consortium compare agmon2003/5.2.1 --rules light-vcg,vcg-renice,vcg-postpone
    """
    from .. import api

    listed = [name.strip() for name in rules.split(",")] if rules else None
    options = options_given(rules=listed, seed=seed, processes=processes, store=store, time_limit=time_limit)
    changed = overrides(settings)
    if dry_run:
        for scenario in scenarios:
            show_estimate(api.estimate("compare", scenario, overrides=changed, **options).to_dict(), as_json)
        raise typer.Exit(DONE)
    with progress_bar("compare") as progress:
        record = api.compare(scenarios, overrides=changed, progress=progress, **options)
    show_record(record.to_dict(), as_json)
    finish(record)


@app.command()
def curve(
    scenario: ScenarioArgument,
    agent: Annotated[str, typer.Argument(help="Name of the agent whose declaration varies.", show_default=False)],
    settings: Settings = None,
    as_json: Json = False,
    low: Annotated[str | None, typer.Option("--from", metavar="NUMBER", help="Smallest declaration.")] = None,
    high: Annotated[str | None, typer.Option("--to", metavar="NUMBER", help="Largest declaration.")] = None,
    width: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="Width of intervals where breakpoints cannot be exact.")
    ] = None,
    plot: Annotated[str | None, typer.Option("--plot", metavar="FILE", help="Also draw it (.svg, .png, .pdf).")] = None,
) -> None:
    """Utility of an agent against her declaration: exact pieces, kinks and jumps.

    Example: consortium curve agmon2003/5.2.1 ann --from 0.05 --to 3
    """
    from .. import api

    if plot:
        from ..reports.figures import check_path, save_record

        check_path(plot)
    options = options_given(low=low, high=high, width=width)
    with progress_bar("curve") as progress:
        record = api.curve(scenario, agent, overrides=overrides(settings), progress=progress, **options)
    show_record(record.to_dict(), as_json)
    if plot:
        save_record(record.to_dict(), plot)
    finish(record)


@app.command()
def replay(
    record: Annotated[str, typer.Argument(help="JSON file of a record, as --json prints it.", show_default=False)],
    as_json: Json = False,
) -> None:
    """Rerun every certificate of a record; print each claimed value beside the recomputed one.

    Example: consortium replay record.json (after consortium verify agmon2003/5.2.1 --json > record.json)
    """
    from .. import api

    _report(
        api.replay(record), "replay", as_json, "certificate", nothing="The record carries no certificate to replay."
    )


@app.command()
def check(
    paths: Annotated[
        list[str] | None,
        typer.Argument(help="Scenario files or names; all shipped ones by default.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Verify the expectations that scenarios carry.

    Example: consortium check agmon2003/5.2.1
    """
    from .. import api

    with progress_bar("check") as progress:
        rows = api.check(paths or None, progress=progress)
    _report(rows, "check", as_json, "scenario", nothing="No expectation found.")


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
        listed = shown if title == "replay" or len(shown) <= 40 else [row for row in shown if not row["holds"]]
        note = f"{len(rows):,} values checked, {len(wrong):,} wrong"
        if listed:
            show_tables([table(title, listed, [first, "verb", "key", "expected", "found", "holds"], note)])
        else:
            print(note)
    raise typer.Exit(REFUTED if wrong else DONE)


@app.command()
def scenarios(as_json: Json = False) -> None:
    """List the shipped scenarios.

    Example: consortium scenarios
    """
    from .. import api
    from ..reports.tables import table

    loaded = [api.load(name) for name in api.shipped()]
    rows = [{"name": s.name, "kind": s.kind, "title": s.title, "source": s.source} for s in loaded]
    if as_json:
        show_json(rows)
    else:
        show_tables([table("shipped scenarios", rows, ["name", "kind", "title", "source"])])


@app.command()
def schema(
    kind: Annotated[str | None, typer.Argument(help="One kind; all by default.", show_default=False)] = None,
) -> None:
    """Print the JSON Schema of scenario files, generated from the code.

    Example: consortium schema declaration
    """
    from ..scenarios.schema import schema as build

    show_json(build(kind))


logs.register(app)


def _version(value: bool) -> None:
    if value:
        print(__version__)
        raise typer.Exit(DONE)


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def entry() -> None:
    """Run the command line; errors for people, exit codes as documented, never a traceback for bad input."""
    try:
        code = app(standalone_mode=False)
    except ConsortiumError as error:
        fail(f"error: {error}")
        code = BAD_INPUT
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe left: nobody is there to be told
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = DONE
    except Exception as error:
        if not hasattr(error, "show"):  # usage errors of the argument parser know how to show themselves
            raise
        error.show()
        code = BAD_INPUT
    if code == INTERRUPTED:
        fail("Stopped by Ctrl-C before there was an answer.")
        code = STOPPED
    sys.exit(code or DONE)
