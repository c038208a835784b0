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
from . import library, logs
from .output import (
    BAD_INPUT,
    DONE,
    REFUTED,
    STOPPED,
    fail,
    progress_bar,
    show_estimate,
    show_record,
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
    "Exit codes: 0 done, or it holds; 1 refuted; 2 bad input; 3 stopped by a limit or Ctrl-C, what is known is printed."
    "\n\nExample: consortium run agmon2003/5.2.1",
)

ScenarioArgument = Annotated[
    str, typer.Argument(help="Path of a scenario file, or the name of a shipped scenario.", show_default=False)
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        help="Change a value, e.g. mechanism.rule=vcg-renice or agents[2].declares=1/2. Repeatable.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the record as JSON.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print the size of the space and the estimated cost, nothing else.")
]
ListLimit = Annotated[int | None, typer.Option("--list", min=0, metavar="N", help="Rows to list in long tables.")]
Seed = Annotated[int | None, typer.Option("--seed", min=0, metavar="N", help="Seed, where randomness is used. [0]")]
Sample = Annotated[
    int | None,
    typer.Option("--sample", min=1, metavar="N", help="declaration: try N random cases instead of all of them."),
]
TimeLimit = Annotated[
    float | None,
    typer.Option("--time-limit", min=0, metavar="SECONDS", help="Stop after so long and print what is known."),
]


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
    sampled = record.seed is not None  # a sample is never complete, but what it refutes is refuted
    if not record.complete and (record.verdict or not sampled):
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
    """Play a scenario and show what happens.

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
    method: Annotated[str | None, typer.Option(metavar="NAME", help="How to search. [what fits the game]")] = None,
    time_limit: TimeLimit = None,
    epsilon: Annotated[
        str | None, typer.Option(metavar="RATIO", help="List the epsilon-approximate equilibria.")
    ] = None,
    mixed: Annotated[bool, typer.Option("--mixed", help="Also mixed equilibria (two players).")] = False,
    start: Annotated[
        str | None, typer.Option(metavar="JSON", help="Start of the dynamics: everybody's move, '{\"ann\": 1, ...}'.")
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option("--plot", metavar="FILE", help="Also draw the best responses of a small game (.svg, .png, .pdf)."),
    ] = None,
) -> None:
    """Search equilibria, and what they cost.

    Pure equilibria, best-response dynamics, smallest epsilon and regret, prices of anarchy and stability.

    Example: consortium search agmon2003/5.2.1 --json
    """
    options = options_given(
        list=list_, method=method, time_limit=time_limit, epsilon=epsilon, mixed=mixed, start=_json(start, "--start")
    )
    if plot and not dry_run:
        from .. import api
        from ..reports.game.responses import save_responses

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
        str | None,
        typer.Option(
            "--property",
            metavar="NAME",
            help="What the exit code is about; declaration: dominant (default), ex-post, just, ...",
        ),
    ] = None,
    method: Annotated[
        str | None, typer.Option(metavar="NAME", help="declaration: kernel, general or reduction. [auto]")
    ] = None,
    sample: Sample = None,
    seed: Seed = None,
    time_limit: TimeLimit = None,
    organization: Annotated[
        str | None, typer.Option(metavar="NAME", help="sharing: only this organization manipulates.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="sharing: delays and paddings up to N units of time. [3]")
    ] = None,
) -> None:
    """Check what a rule promises, case by case.

    Every case of the scenario's domain is tried, and each promise that fails comes with a case that replays.

    Example: consortium verify agmon2003/5.2.1
    """
    options = options_given(
        property=property_, method=method, sample=sample, seed=seed, time_limit=time_limit,
        organization=organization, limit=limit,
    )  # fmt: skip
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
        str | None, typer.Option(metavar="RULE,RULE,...", help="Rules to put in the place of the scenario's own.")
    ] = None,
    sample: Sample = None,
    seed: Seed = None,
    processes: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="sharing, windows of a log: worker processes.")
    ] = None,
    store: Annotated[
        str | None, typer.Option(metavar="FILE", help="sharing: keep finished windows here and resume from it.")
    ] = None,
    time_limit: TimeLimit = None,
) -> None:
    """Compare rules on the same agents and jobs.

    Example: consortium compare agmon2003/5.2.1 --rules light-vcg,vcg-renice,vcg-postpone
    """
    from .. import api

    names = [name.strip() for name in rules.split(",")] if rules else None
    options = options_given(
        rules=names, sample=sample, seed=seed, processes=processes, store=store, time_limit=time_limit
    )
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
    low: Annotated[
        str | None,
        typer.Option("--from", metavar="NUMBER", help="Smallest declaration. [half the smallest in the file]"),
    ] = None,
    high: Annotated[
        str | None, typer.Option("--to", metavar="NUMBER", help="Largest declaration. [twice the largest in the file]")
    ] = None,
    width: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="Width of intervals where breakpoints cannot be exact.")
    ] = None,
    plot: Annotated[str | None, typer.Option("--plot", metavar="FILE", help="Also draw it (.svg, .png, .pdf).")] = None,
) -> None:
    """Show an agent's utility against what she declares.

    Exact pieces, kinks and jumps; everybody else declares what the scenario says.

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


library.register(app)
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
