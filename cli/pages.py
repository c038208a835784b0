"""The commands that make pages: ``report`` writes one, ``explore`` serves one to this machine."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Annotated, Final

import typer

from ..mechanisms.kinds import GAME, kinds
from ..support.status import INCOMPLETE
from .exits import DONE, STOPPED
from .files import JobsCsv, overrides
from .output import fail, progress_bar
from .stopping import STOPS
from .verbs import Settings, verb_of

STDOUT = "-"

OWN: Final = "A custom rule in the place of the scenario's, from a file or module."
Mechanism = Annotated[str | None, typer.Option("--mechanism", metavar="FILE.py:NAME", help=OWN)]


def report(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="RECORD|SCENARIO...",
            help="Records as --json prints them (.json, .json.gz, - for standard input), scenarios, or games.",
            show_default=False,
        ),
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where to write the page (.html); - for the screen.")
    ] = "report.html",
    verb: Annotated[
        list[str] | None,
        typer.Option("--verb", metavar="VERB,...", help="What to ask scenarios; default: run. Repeatable."),
    ] = None,
    settings: Settings = None,
    mechanism: Mechanism = None,
    csv: Annotated[bool, typer.Option("--csv", help="Also write the tables as CSV beside the page.")] = False,
    jobs_csv: JobsCsv = None,
    slides: Annotated[
        str | None,
        typer.Option(
            "--slides",
            metavar="FOLDER",
            help="Also draw every figure for slides here: 16 to 9, large letters (.svg, .png, .pdf).",
        ),
    ] = None,
) -> None:
    """Put answers on one page of HTML that holds all of them.

    Sentences, tables that sort, figures, certificates with the command that replays them, the scenario to copy. The
    page loads nothing from the network.

    Example: consortium report agmon2003/5.2.1 --verb run,verify -o lying.html
    """
    from ..reports.report import made
    from ..support.errors import InputError
    from ..verbs.options import listed

    if output == STDOUT and csv:
        raise InputError("--csv: the tables are written beside the page; expected --output with the name of a file")
    names = {each.name for kind in (*kinds(), GAME) for each in kind.verbs if each.takes in ("scenario", "scenarios")}
    words = [name for text in verb or [] for name in listed(text)]
    verbs = [verb_of(word, names) for word in words]
    with progress_bar("report") as progress:
        page, answers, files = made(
            sources, verbs, None if output == STDOUT else output, csv=csv, jobs_csv=jobs_csv, slides=slides,
            overrides=overrides(settings), mechanism=mechanism, progress=progress,
        )  # fmt: skip
    if output == STDOUT:
        print(page)
    if files:
        fail(f"wrote {', '.join(map(str, files))}")
    if STOPS.by or any(answer.record is not None and not answer.data["complete"] for answer in answers):
        fail(f"\n{INCOMPLETE}")
        raise typer.Exit(STOPPED)
    raise typer.Exit(DONE)


def explore(
    scenario: Annotated[
        str | None,
        typer.Argument(
            help="Path of a scenario file, or the name of a shipped scenario. [minimal/declaration]",
            show_default=False,
        ),
    ] = None,
    mechanism: Mechanism = None,
    port: Annotated[int, typer.Option("--port", help="Listen on this port; 0 takes a free one.", min=0, max=65535)] = 0,
    no_open: Annotated[bool, typer.Option("--no-open", help="Print the address, do not open the browser.")] = False,
) -> None:
    """Explore scenarios in the browser.

    Move sliders, drag jobs, choose points. The page is served to this machine alone, at an address that only you know,
    until Ctrl-C.

    Example: consortium explore agmon2003/5.2.1
    """
    from ..explorer.server import serve

    with suppress(KeyboardInterrupt):  # it is how one leaves
        say = partial(print, end="\nCtrl-C ends it.\n", flush=True)
        serve(scenario, port, show=not no_open, say=say, rule=mechanism)
